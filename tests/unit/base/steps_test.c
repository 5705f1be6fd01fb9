#include "support/unit.h"

#include <string.h>

#include "base/steps.h"

static bool reads(const char *text, uint64_t *steps)
{
    return steps_read(text, strlen(text), steps);
}

/* ---- Reading ---- */

UNIT_TEST(a_weight_is_rounded_to_the_nearest_step)
{
    static const struct {
        const char *text;
        uint64_t steps;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"0.000", 0},
        {"0e-400", 0},
        {"1", STEPS_ONE},
        {"+1", STEPS_ONE},
        {"1.", STEPS_ONE},
        {"10e-1", STEPS_ONE},
        {".5", STEPS_ONE / 2},
        {"0.1", 429496730},
        {"2.3283064365386962890625e-10", 1},
        {"3.4924596548080444335937e-10", 1},
        {"3.4924596548080444335938e-10", 2},
        {"0.00000000034924596548080444335937", 1},
        {"0.00000000034924596548080444335938", 2},
        {"0.000000000349245", 1},
        {"0.000000000349246", 2},
        {"2147483647.9999999998", 0x7fffffffffffffff},
        {"2147483647.9999999999", 0x8000000000000000},
        {"2147483648", 0x8000000000000000},
        {"4294967295.9999999995", 0xfffffffffffffffd},
        {"4294967295.9999999996", 0xfffffffffffffffe},
        {"4294967295.9999999998", STEPS_MOST},
        {"4294967296", STEPS_MOST},
        {"4.294967296e9", STEPS_MOST},
    };
    uint64_t steps;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!reads(cases[i].text, &steps) || steps != cases[i].steps)
            fail_msg("%s: %llx", cases[i].text, (unsigned long long)steps);
    }
}

UNIT_TEST(what_is_no_weight_is_refused)
{
    static const char texts[] = "|-|+|.|1 | 1|1\t|\t1|1\r|1e|0x1|1,0|1..2|-1|-1e-30|nan|inf|1e-10|1e-400|1e10|1e400|"
                                "2.3283064365386962890624e-10|0.00000000023283|4294967297|4294967296.000001|"
                                "99999999999999999999|";
    uint64_t steps;

    for (const char *at = texts; *at != '\0'; at += strcspn(at, "|") + 1)
        if (steps_read(at, strcspn(at, "|"), &steps))
            fail_msg("%s: %llx", at, (unsigned long long)steps);
}

/* ---- Printing ---- */

static void assert_prints(uint64_t high, uint64_t low, const char *wanted)
{
    char text[STEPS_BYTES + 1];

    *steps_print(text, (struct uint128){.high = high, .low = low}) = '\0';
    assert_string_equal(text, wanted);
}

UNIT_TEST(sums_are_printed_exactly)
{
    assert_prints(0, 0, "0");
    assert_prints(0, STEPS_ONE, "1");
    assert_prints(0, 10 * STEPS_ONE, "10");
    assert_prints(0, STEPS_ONE / 2, "0.5");
    assert_prints(0, 1, "0.00000000023283064365386962890625");
    assert_prints(0, 429496730, "0.1000000000931322574615478515625");
    assert_prints(1, 0, "4294967296");
    assert_prints(0, UINT64_MAX, "4294967295.99999999976716935634613037109375");
    assert_prints((uint64_t)1 << 32, 1, "18446744073709551616.00000000023283064365386962890625");
    assert_prints((uint64_t)1 << 59, 0, "2475880078570760549798248448");
    assert_prints(23283064365, (uint64_t)1661992960 << 32, "100000000000000000000");
}

UNIT_TEST(what_is_printed_is_read_as_the_same_weight)
{
    for (int i = 0; i < 100000; i++) {
        const uint64_t steps = ((uint64_t)below(UINT32_MAX) << 32 | below(UINT32_MAX)) >> below(64);
        uint64_t same;
        char text[STEPS_BYTES + 1];

        *steps_print(text, steps_count(steps)) = '\0';
        assert_true(reads(text, &same) && same == steps);
    }
}
