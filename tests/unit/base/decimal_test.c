/* tags: bytes */

#include "support/unit.h"

#include "base/decimal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All values here were computed with exact fractions in another language. */

/* ---- Values ---- */

static void assert_value(const char *text, uint64_t mantissa, int exponent)
{
    struct decimal value = {.mantissa = 4711, .exponent = 4711};

    assert_int_equal(decimal_read(text, strlen(text), &value), DECIMAL_OK);
    assert_true(value.mantissa == mantissa);
    assert_int_equal(value.exponent, exponent);
}

static void assert_tiny(const char *text)
{
    struct decimal value = {.mantissa = 4711, .exponent = 4711};

    assert_int_equal(decimal_read(text, strlen(text), &value), DECIMAL_TINY);
    assert_true(value.mantissa == 0 && value.exponent == 0);
}

static void assert_verdict(const char *text, enum decimal_verdict verdict)
{
    struct decimal value = {.mantissa = 4711, .exponent = 4711};

    assert_int_equal(decimal_read(text, strlen(text), &value), verdict);
    assert_int_equal(value.mantissa, 4711);
    assert_int_equal(value.exponent, 4711);
}

/* `middle` `count` times between the others; good for a few calls. */
static char *repeat(const char *before, char middle, size_t count, const char *after)
{
    static char texts[4][6000];
    static unsigned next;
    char *text = texts[next++ % 4];

    snprintf(text, sizeof texts[0], "%s%*s%s", before, (int)count, "", after);
    memset(text + strlen(before), middle, count);
    return text;
}

UNIT_TEST(a_value_is_the_leading_64_bits_of_the_exact_number)
{
    assert_value("1", 0x8000000000000000, -63);
    assert_value("3", 0xc000000000000000, -62);
    assert_value("0.5", 0x8000000000000000, -64);
    assert_value("0.1", 0xcccccccccccccccc, -67);
    assert_value("0.3", 0x9999999999999999, -65);
    assert_value("1e-5", 0xa7c5ac471b478423, -80);
    assert_value("1e22", 0x878678326eac9000, 10);
    assert_value("1e23", 0xa968163f0a57b400, 13);
    assert_value("9007199254740993", 0x8000000000000400, -10);
    assert_value("123456789012345678901234567890", 0xc77487fb61b9f077, 33);
    assert_value("1e-300", 0xab70fe17c79ac6ca, -1060);
    assert_value("1e300", 0xbf21e44003acdd2c, 933);
    assert_value("2.2250738585072011e-308", 0xfffffffffffff6d5, -1086);
    assert_value("5e-324", 0x818995ce7aa0e1b2, -1137);
    assert_value("1.7976931348623157e308", 0xfffffffffffff7ac, 960);
}

UNIT_TEST(whole_numbers_below_2_to_the_64_are_exact)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t number = UINT64_MAX >> bit;
        char text[32];

        snprintf(text, sizeof text, "%llu", (unsigned long long)number);
        assert_value(text, number << bit, -(int)bit);
        snprintf(text, sizeof text, "%llu", (unsigned long long)number - number / 2);
        assert_value(text, (uint64_t)1 << 63, -(int)bit);
    }
    assert_value("18446744073709551616", 0x8000000000000000, 1);
    assert_value("18446744073709551617", 0x8000000000000000, 1);
}

UNIT_TEST(one_number_can_be_written_in_many_ways)
{
    static const char *const quarters[] = {
        "0.25",   ".25",        "+.25",      "00.25",   "0.2500",  "25e-2",
        "25E-02", "2.5e-1",     "250.e-3",   ".025e+1", ".025e1",  " 0.25",
        "0.25 ",  "\t 0.25\t ", "0.00025e3", "0.25e0",  "0.25e-0", "2500000000000000000000000000000e-31"};
    char *text = repeat("0.", '0', 5000, "25e5000"), *whole = repeat("25", '0', 5000, "e-5002");

    for (size_t i = 0; i < sizeof quarters / sizeof quarters[0]; i++)
        assert_value(quarters[i], 0x8000000000000000, -65);
    assert_value(text, 0x8000000000000000, -65);
    assert_value(whole, 0x8000000000000000, -65);
}

UNIT_TEST(digits_after_the_64th_are_cut_off)
{
    char *sixes = repeat("0.000", '6', 64, ""), *more = repeat("0.000", '6', 64, "99999e0");
    /* 2^63 - 1/2 and a hair below, which shows only in the 65th digit. */
    char *half = repeat("9223372036854775807.5", '0', 44, ""), *hair = repeat("9223372036854775807.4", '9', 45, "");
    struct decimal cut, whole;

    assert_int_equal(decimal_read(sixes, strlen(sixes), &cut), DECIMAL_OK);
    assert_int_equal(decimal_read(more, strlen(more), &whole), DECIMAL_OK);
    assert_true(cut.mantissa == whole.mantissa && cut.exponent == whole.exponent);
    assert_value("0.33333333333333333333333333333333333333333333333333333333333333333333333", 0xaaaaaaaaaaaaaaaa, -65);
    assert_value(half, 0xffffffffffffffff, -1);
    assert_value(hair, 0xfffffffffffffffe, -1);
}

/* The greatest and smallest numbers of 64 digits that have a value need all the room there is for large numbers. */
UNIT_TEST(values_reach_from_2_to_the_minus_1074_to_2_to_the_1024)
{
    char *nines = repeat("", '9', 64, "e-387"), *ones = repeat("", '1', 64, "e245");

    assert_value("4.940656458412465441765687928682213723650598026143247644255856826e-324", 0x8000000000000000, -1137);
    assert_tiny("4.940656458412465441765687928682213723650598026143247644255856825e-324");
    assert_tiny("4e-324");
    assert_tiny("1e-324");
    assert_tiny("1e-325");
    assert_tiny("1e-99999999999999999999999999999999");
    assert_value("1.797693134862315907729305190789024733617976978942306572734300811e308", 0xffffffffffffffff, 960);
    assert_verdict("1.797693134862315907729305190789024733617976978942306572734300812e308", DECIMAL_INFINITE);
    assert_verdict("1e309", DECIMAL_INFINITE);
    assert_verdict("1e310", DECIMAL_INFINITE);
    assert_verdict("1e99999999999999999999999999999999", DECIMAL_INFINITE);
    assert_value(nines, 0x818995ce7aa0e1b2, -1136);
    assert_value(ones, 0x9e3a3bc2da858dbb, 960);
}

/* What is not all a number is none, and neither value nor threshold. */
UNIT_TEST(a_number_has_one_verdict)
{
    static const struct {
        enum decimal_verdict verdict;
        const char *texts[60];
    } cases[] = {
        {DECIMAL_OK, {"0", "-0", "+0", "0.", ".0", "-0.000", "0e5", "-0e-5", "0e99999999999999999999"}},
        {DECIMAL_NEGATIVE, {"-1", "-.5", " -1e-9 ", "-1e-999999999999999999", "-1e999", "-inf", "-Infinity"}},
        {DECIMAL_NAN, {"nan", "NaN", "NAN", " nan\t", "-nan", "+nan"}},
        {DECIMAL_INFINITE, {"inf", "Inf", "INF", "+inf", "infinity", " InFiNiTy "}},
        {DECIMAL_INVALID,
         {"",    " ",     "\t",      ".",    "+",      "-",    "+.",    "e5",          ".e5",  "1e",  "1e+",
          "1e-", "1e5.0", "1e 5",    "1 e5", "1 2",    "1x",   "x1",    "0x10",        "1f",   "1,5", "1.2.3",
          "1..", "--1",   "+-1",     "- 1",  "1\n",    "1\r",  "\v1",   "1e5e5",       "nano", "na",  "n",
          "in",  "infi",  "infinit", "inf1", "nan(1)", "1nan", "1 inf", "i",           "+e1",  "1-",  "/",
          ":",   "\xb2",  "1_000",   "$1",   "(1)",    "1e5x", "1%",    "\x0e\x01\x0e"}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (const char *const *text = cases[i].texts; *text != NULL; text++) {
            uint64_t threshold;
            bool all;

            if (cases[i].verdict == DECIMAL_OK) {
                assert_value(*text, 0, 0);
                continue;
            }
            assert_verdict(*text, cases[i].verdict);
            assert_int_equal(decimal_threshold(*text, &threshold, &all), -1);
            assert_int_equal(errno, cases[i].verdict == DECIMAL_INFINITE ? ERANGE : EINVAL);
        }
}

UNIT_TEST(only_the_bytes_given_are_read)
{
    static const char text[] = "125e3";
    struct decimal value;

    for (size_t bytes = 1; bytes <= 3; bytes++) {
        uint64_t number = bytes == 1 ? 1 : bytes == 2 ? 12 : 125;
        char *part = malloc(bytes); /* so that a sanitizer sees what is read after it */

        assert_non_null(part);
        memcpy(part, text, bytes);
        assert_int_equal(decimal_read(part, bytes, &value), DECIMAL_OK);
        assert_true(value.mantissa >> -value.exponent == number);
        free(part);
    }
    assert_int_equal(decimal_read(text, 4, &value), DECIMAL_INVALID);
    assert_int_equal(decimal_read(text, 0, &value), DECIMAL_INVALID);
    assert_int_equal(decimal_read("1\0", 2, &value), DECIMAL_INVALID);
}

/* ---- Thresholds ---- */

/* Exact for any number of digits: 2^-64, a little more, a little less; and the same of 1 - 2^-64. */
UNIT_TEST(a_threshold_is_the_share_of_2_to_the_64_rounded_up)
{
    const struct {
        const char *text;
        uint64_t threshold;
    } shares[] = {
        {"0", 0},
        {"-0.0", 0},
        {"0.5", 9223372036854775808u},
        {" 0.25 ", 4611686018427387904u},
        {".1", 1844674407370955162u},
        {"0.7", 12912720851596686132u},
        {"0.001", 18446744073709552u},
        {"1e-3", 18446744073709552u},
        {"1e-19", 2},
        {"1e-20", 1},
        {"1e-99999999999999999999999999", 1},
        {"0.9999999999999999999", 18446744073709551615u},
        {"5.42101086242752217003726400434970855712890625e-20", 1},
        {"5.4210108624275221700372640043497085571289062500000000000000000000e-20", 1},
        {"5.42101086242752217003726400434970855712890625000000000000000000001e-20", 2},
        {"5.4210108624275221700372640043497085571289062499999999999999999999999e-20", 1},
        {repeat("5.42101086242752217003726400434970855712890625", '0', 3000, "1e-20"), 2},
        {repeat("5.42101086242752217003726400434970855712890624", '9', 3000, "e-20"), 1},
        {"0.9999999999999999999457898913757247782996273599565029144287109375", UINT64_MAX},
        {"0.99999999999999999994578989137572477829962735995650291442871093750000", UINT64_MAX},
    };
    uint64_t threshold;
    bool all;

    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        all = true;
        assert_int_equal(decimal_threshold(shares[i].text, &threshold, &all), 0);
        assert_true(threshold == shares[i].threshold && !all);
    }
}

UNIT_TEST(a_share_of_1_or_nearly_1_is_all_and_more_is_out_of_range)
{
    const char *const all_of_it[] = {"1",
                                     "1.",
                                     "+1.000",
                                     "10e-1",
                                     "0.01e2",
                                     "0.99999999999999999999",
                                     "0.999999999999999999945789891375724778299627359956502914428710937500000000001",
                                     repeat("0.", '9', 3000, "")};
    const char *const above[] = {
        "2", "1.1", "10", "1e1", "11e-1", "100e-1", "1e999999999999999999999", repeat("1.", '0', 3000, "1")};
    uint64_t threshold;
    bool all;

    for (size_t i = 0; i < sizeof all_of_it / sizeof all_of_it[0]; i++) {
        threshold = 4711;
        all = false;
        assert_int_equal(decimal_threshold(all_of_it[i], &threshold, &all), 0);
        assert_true(threshold == 0 && all);
    }
    for (size_t i = 0; i < sizeof above / sizeof above[0]; i++) {
        assert_int_equal(decimal_threshold(above[i], &threshold, &all), -1);
        assert_int_equal(errno, ERANGE);
    }
}
