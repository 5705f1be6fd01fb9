#include "support/unit.h"

#include <string.h>

#include "sample/weight_law.h"

static struct decimal weight_of(const char *text)
{
    struct decimal weight;

    assert_int_equal(decimal_read(text, strlen(text), &weight), DECIMAL_OK);
    return weight;
}

/* ---- Keys ---- */

/* The keys were computed with whole numbers of any size in another language, from the definition in the man page;
 * `exact` is what 400 bits of precision give. They may differ by one. */
static const struct {
    uint64_t word;
    const char *weight;
    uint64_t key, exact;
} golden[] = {
    {0x0000000000000000, "1", 0x805686fc0af622d6, 0x805686fc0af622d6},
    {0x0000000000000001, "1", 0x8055fa5cb720babe, 0x8055fa5cb720babe},
    {0x0000000000000002, "1", 0x8055b8f9fb36b66d, 0x8055b8f9fb36b66d},
    {0x7fffffffffffffff, "1", 0x7ff62e42fefa39ef, 0x7ff62e42fefa39ef},
    {0x8000000000000000, "1", 0x7ff62e42fefa39ef, 0x7ff62e42fefa39ef},
    {0xffffffff00000000, "1", 0x7dffffffffffffff, 0x7dffffffffffffff},
    {0xfffffffffffffffe, "1", 0x7c08000000000000, 0x7c08000000000000},
    {0xffffffffffffffff, "1", 0x7bf0000000000000, 0x7bf0000000000000},
    {0x0123456789abcdef, "0.1", 0x805b149bc7a09a26, 0x805b149bc7a09a26},
    {0xfedcba9876543210, "3", 0x7f6853a216f1be38, 0x7f6853a216f1be38},
    {0xb504f333f9de6484, "18446744073709551615", 0x7be62e42fefa39ef, 0x7be62e42fefa39ef},
    {0x9e3779b97f4a7c15, "1e-300", 0xbe36fe691db2dadc, 0xbe36fe691db2dadc},
    {0x9e3779b97f4a7c15, "1e300", 0x41a49ff9bdbaccb2, 0x41a49ff9bdbaccb2},
    {0x00000000deadbeef, "0.37", 0x805e299164632a67, 0x805e299164632a67},
    {0x0000000000000000, "0.106", 0x808a90b07730bed2, 0x808a90b07730bed2},
    {0x8000000000003039, "0.93", 0x7ff7d9a861ff4c02, 0x7ff7d9a861ff4c02},
    {0x0000000000000000, "5e-324", 0xc3764289b2d265b0, 0xc3764289b2d265b0},
    {0xffffffffffffffff, "5e-324", 0xbf0f9ec583bdc705, 0xbf0f9ec583bdc705},
    {0x0000000000000000, "1.7976931348623157e308", 0x405686fc0af622d7, 0x405686fc0af622d7},
    {0xffffffffffffffff, "1.7976931348623157e308", 0x3bf0000000000000, 0x3bf0000000000000},
};

UNIT_TEST(the_keys_are_golden)
{
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        assert_true(weight_law_key(golden[i].word, weight_of(golden[i].weight)) == golden[i].key);
        assert_true(golden[i].exact - golden[i].key + 1 <= 2);
    }
}

/* Asserts that the key of the last of ascending words is not more than that of the first, nor any other than the one
 * before it. */
static void assert_descending(uint64_t first, uint64_t last, uint64_t step, struct decimal weight)
{
    uint64_t before = weight_law_key(first, weight);

    while (last - first >= step) {
        uint64_t key = weight_law_key(first += step, weight);

        assert_true(key <= before);
        before = key;
    }
}

/* A key has 52 bits after the first, which hide what the last bits of the logarithm do; so does a weight that puts all
 * quotients just above a power of two. Hence several weights. */
UNIT_TEST(a_key_does_not_increase_with_its_word)
{
    static const char *const weights[] = {"1", "0.7", "1.4426950408889634", "1.9999999999999999999", "3e-9"};

    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        struct decimal weight = weight_of(weights[i]);

        assert_descending(0, 3000, 1, weight);
        assert_descending(UINT64_MAX - 3000, UINT64_MAX, 1, weight);
        assert_descending(0, UINT64_MAX, UINT64_MAX / 5000, weight);
        for (unsigned bit = 12; bit < 64; bit++) { /* where the number of halvings changes, and that of zeros */
            uint64_t power = (uint64_t)1 << bit;

            assert_descending(power - 50, power + 50, 1, weight);
            assert_descending(0 - power - 50, 0 - power + 50, 1, weight);
            assert_descending(power - power / 128, power + power / 128, power / 4096, weight);
        }
    }
}

UNIT_TEST(a_key_does_not_increase_with_its_weight)
{
    static const uint64_t words[] = {0, 1, 0x3456789abcdef012, (uint64_t)1 << 63, 0xfffffffffffff000, UINT64_MAX};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        uint64_t before = UINT64_MAX;

        for (int exponent = -1137; exponent <= 960; exponent += 9) {
            for (uint64_t top = 0; top < 128; top += 3) {
                struct decimal weight = {.mantissa = (128 + top) << 56 | top, .exponent = exponent};
                uint64_t key = weight_law_key(words[i], weight);

                assert_true(key < before);
                before = key;
            }
        }
    }
}

UNIT_TEST(keys_of_words_next_to_each_other_differ_however_near_1_the_fraction_is)
{
    struct decimal weight = weight_of("1");

    for (uint64_t word = UINT64_MAX; word > UINT64_MAX - 100000; word--)
        assert_true(weight_law_key(word, weight) < weight_law_key(word - 1, weight));
}

UNIT_TEST(only_a_weight_of_zero_has_the_greatest_key)
{
    assert_true(weight_law_key(0, weight_of("0")) == UINT64_MAX);
    assert_true(weight_law_key(UINT64_MAX, weight_of("0")) == UINT64_MAX);
    assert_true(weight_law_key(0, weight_of("5e-324")) < (uint64_t)0xfff << 52);
    assert_true(weight_law_key(UINT64_MAX, weight_of("1.7976931348623157e308")) > 0);
}

/* ---- Whole numbers ---- */

static void assert_sum(struct uint128 sum, uint64_t high, uint64_t low)
{
    assert_true(sum.high == high);
    assert_true(sum.low == low);
}

UNIT_TEST(weights_are_scaled_so_that_the_greatest_has_88_bits)
{
    const uint64_t top = (uint64_t)1 << 63;

    assert_sum(weight_law_scale((struct decimal){UINT64_MAX, 5}, 5), 0xffffff, (uint64_t)0xffffffffff << 24);
    assert_sum(weight_law_scale((struct decimal){top, 5}, 5), 0x800000, 0);
    assert_sum(weight_law_scale((struct decimal){top + 1, 5}, 5), 0x800000, 1 << 24);
    assert_sum(weight_law_scale((struct decimal){UINT64_MAX, 4}, 5), 0x7fffff,
               (uint64_t)0xffffffffff << 23 | (uint64_t)1 << 63);
    assert_sum(weight_law_scale((struct decimal){UINT64_MAX, -18}, 5), 1, UINT64_MAX - 1);
    assert_sum(weight_law_scale((struct decimal){UINT64_MAX, -19}, 5), 0, UINT64_MAX);
    assert_sum(weight_law_scale((struct decimal){UINT64_MAX, -20}, 5), 0, UINT64_MAX >> 1);
    assert_sum(weight_law_scale((struct decimal){top, -82}, 5), 0, 1);
    assert_sum(weight_law_scale((struct decimal){UINT64_MAX, -82}, 5), 0, 1);
    assert_sum(weight_law_scale((struct decimal){UINT64_MAX, -83}, 5), 0, 0);
    assert_sum(weight_law_scale((struct decimal){UINT64_MAX, -84}, 5), 0, 0);
    assert_sum(weight_law_scale((struct decimal){UINT64_MAX, -1137}, 960), 0, 0);
    assert_sum(weight_law_scale((struct decimal){0, 0}, -1137), 0, 0);
}

/* So none of the additions before has run over: it is 2^40 times the greatest weight. */
UNIT_TEST(as_many_of_the_greatest_weights_as_2_to_the_40_have_a_sum)
{
    struct uint128 sum = weight_law_scale((struct decimal){UINT64_MAX, 960}, 960);

    for (unsigned i = 0; i < 40; i++) {
        struct uint128 twice = uint128_add(sum, sum);

        assert_true(uint128_compare(twice, sum) > 0);
        sum = twice;
    }
    assert_sum(sum, UINT64_MAX, 0);
}

/* ---- Draws ---- */

/* From these words, which count as computed. */
static void assert_draw(struct uint128 total, uint64_t high, uint64_t low, size_t taken)
{
    struct random_words words = {.word = {0x11111117, 0x11111111, 0x22222226, 0x22222222, 0x33333332, 0x33333333,
                                          0x44444440, 0x44444444, 0x55555551, 0x55555555, 1, 0}};

    assert_sum(weight_law_draw(total, &words), high, low);
    assert_int_equal(words.next, taken);
}

UNIT_TEST(a_draw_takes_the_words_it_needs_low_one_first_and_rejects_what_is_too_large)
{
    assert_draw((struct uint128){0, 1}, 0, 0, 0);
    assert_draw((struct uint128){0, 2}, 0, 1, 1);
    assert_draw((struct uint128){0, 7}, 0, 6, 2);
    assert_draw((struct uint128){0, 8}, 0, 7, 1);
    assert_draw((struct uint128){0, 6}, 0, 2, 3);
    assert_draw((struct uint128){0, UINT64_MAX}, 0, 0x1111111111111117, 1);
    assert_draw((struct uint128){1, 0}, 0, 0x1111111111111117, 1);
    assert_draw((struct uint128){1, 1}, 0, 0x1111111111111117, 2);
    assert_draw((struct uint128){2, 0}, 0, 0x1111111111111117, 2);
    assert_draw((struct uint128){7, 0}, 6, 0x1111111111111117, 2);
    assert_draw((struct uint128){6, 0}, 0, 0x3333333333333332, 4);
    assert_draw((struct uint128){6, 0x1111111111111117}, 0, 0x3333333333333332, 4);
    assert_draw((struct uint128){6, 0x1111111111111118}, 6, 0x1111111111111117, 2);
    assert_draw((struct uint128){UINT64_MAX, UINT64_MAX}, 0x2222222222222226, 0x1111111111111117, 2);
}
