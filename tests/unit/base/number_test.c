#include <errno.h>
#include <stdint.h>

#include "support/unit.h"

#include "base/number.h"

static const uint64_t kib = 1024;

static void assert_number(const char *text, uint64_t expected)
{
    uint64_t value = expected + 1;

    assert_int_equal(number_parse(text, &value), 0);
    assert_int_equal(value, expected);
}

static void assert_no_number(const char *text, int error)
{
    uint64_t value = 4711;

    errno = 0;
    assert_int_equal(number_parse(text, &value), -1);
    assert_int_equal(errno, error);
}

static void assert_size(const char *text, uint64_t whole, uint64_t expected)
{
    uint64_t bytes = expected + 1;

    assert_int_equal(number_parse_size(text, whole, &bytes), 0);
    assert_int_equal(bytes, expected);
}

static void assert_no_size(const char *text, int error)
{
    uint64_t bytes;

    errno = 0;
    assert_int_equal(number_parse_size(text, UINT64_MAX, &bytes), -1);
    assert_int_equal(errno, error);
}

static void assert_format(uint64_t bytes, const char *expected)
{
    char text[32];

    assert_ptr_equal(number_format_size(bytes, text), text);
    assert_string_equal(text, expected);
}

UNIT_TEST(test_decimal_numbers_up_to_2_to_the_64_are_read)
{
    assert_number("0", 0);
    assert_number("7", 7);
    assert_number("010", 10);
    assert_number("18446744073709551609", UINT64_MAX - 6);
    assert_number("18446744073709551615", UINT64_MAX);
    assert_number("000000000000000000000000018446744073709551615", UINT64_MAX);
}

UNIT_TEST(test_larger_numbers_are_out_of_range)
{
    assert_no_number("18446744073709551616", ERANGE);
    assert_no_number("18446744073709551620", ERANGE);
    assert_no_number("184467440737095516150", ERANGE);
    assert_no_number("99999999999999999999999", ERANGE);
}

UNIT_TEST(test_what_is_not_all_digits_is_no_number)
{
    static const char *const texts[] = {
        "", " ", "-1", "+1", " 1", "1 ", "1x", "0x10", "x", "1.0", "1,000", "-", "99999999999999999999999x"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_no_number(texts[i], EINVAL);
}

UNIT_TEST(test_a_bare_size_is_in_kib)
{
    assert_size("0", 0, 0);
    assert_size("8192", 0, 8192 * kib);
    assert_size("18014398509481983", 0, UINT64_MAX - 1023);
    assert_no_size("18014398509481984", ERANGE);
}

UNIT_TEST(test_units_are_powers_of_1024_in_the_cases_that_sort_takes)
{
    assert_size("9b", 0, 9);
    assert_size("9k", 0, 9 * kib);
    assert_size("9K", 0, 9 * kib);
    assert_size("9m", 0, 9 * kib * kib);
    assert_size("9M", 0, 9 * kib * kib);
    assert_size("9g", 0, 9 * kib * kib * kib);
    assert_size("9G", 0, 9 * kib * kib * kib);
    assert_size("9t", 0, 9 * kib * kib * kib * kib);
    assert_size("9T", 0, 9 * kib * kib * kib * kib);
    assert_size("9P", 0, 9 * kib * kib * kib * kib * kib);
    assert_size("9E", 0, 9 * kib * kib * kib * kib * kib * kib);
    assert_no_size("9p", EINVAL);
    assert_no_size("9e", EINVAL);
    assert_no_size("9B", EINVAL);
}

UNIT_TEST(test_sizes_of_2_to_the_64_bytes_are_out_of_range)
{
    assert_size("18446744073709551615b", 0, UINT64_MAX);
    assert_no_size("18446744073709551616b", ERANGE);
    assert_size("15E", 0, (uint64_t)15 << 60);
    assert_no_size("16E", ERANGE);
    assert_no_size("1Z", ERANGE);
    assert_no_size("1Y", ERANGE);
    assert_no_size("1R", ERANGE);
    assert_no_size("1Q", ERANGE);
    assert_size("0Z", 0, 0);
    assert_size("0Q", 0, 0);
}

UNIT_TEST(test_what_sort_does_not_take_is_no_size)
{
    static const char *const texts[] = {"",    "M",  "%",  "b",   " 1M", "1M ",  "1 M", "-1M", "+1M", "1x",
                                        "1kk", "1c", "1w", "1M%", "1%%", "0x1M", "1y",  "1z",  "1r",  "1q"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_no_size(texts[i], EINVAL);
}

UNIT_TEST(test_units_may_be_spelled_as_split_takes_them)
{
    assert_size("9KiB", 0, 9 * kib);
    assert_size("9kiB", 0, 9 * kib);
    assert_size("9MiB", 0, 9 * kib * kib);
    assert_size("9EiB", 0, 9 * kib * kib * kib * kib * kib * kib);
    assert_size("9KB", 0, 9000);
    assert_size("64MB", 0, 64000000);
    assert_size("9TB", 0, 9000000000000);
    assert_size("18EB", 0, 18000000000000000000u);
    assert_no_size("19EB", ERANGE);
    assert_no_size("16EiB", ERANGE);
}

UNIT_TEST(test_a_size_with_a_unit_may_have_decimals)
{
    assert_size("1.5G", 0, 3 * kib * kib * kib / 2);
    assert_size("0.5k", 0, 512);
    assert_size("1.234567MB", 0, 1234567);
    assert_size("0.000001GB", 0, 1000);
    assert_size("2.0001K", 0, 2048); /* and a part of a byte */
    assert_size("15.999999E", 0, 18446742920788047009u);
    assert_size("0.000001Z", 0, 1180591620717411u);
    assert_no_size("16.0E", ERANGE);
}

UNIT_TEST(test_units_of_no_kind_and_decimals_of_nothing_are_no_size)
{
    static const char *const texts[] = {"1KIB",       "1Kib",  "1Kb",  "1MBB", "1iB",  "1B",  "1bB",
                                        "1biB",       "1.5",   "1.5b", "1.5%", "1.",   "1.G", ".5G",
                                        "1.1234567G", "1..5G", "1,5G", "1K.5", "1.5x", "1%B", "1 KB"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_no_size(texts[i], EINVAL);
}

UNIT_TEST(test_percent_is_exact_and_rounded_down)
{
    assert_size("0%", 1000, 0);
    assert_size("50%", 1000, 500);
    assert_size("50%", 1001, 500);
    assert_size("33%", 199, 65);
    assert_size("99%", 99, 98);
    assert_size("500%", 1000, 5000);
    assert_size("100%", UINT64_MAX, UINT64_MAX);
    assert_size("99%", UINT64_MAX, 18262276632972456098u);
    assert_size("18446744073709551615%", 100, UINT64_MAX);
    assert_size("18446744073709551615%", 99, 18262276632972456098u);
    assert_size("18446744073709551615%", 0, 0);
}

UNIT_TEST(test_percent_that_makes_2_to_the_64_is_out_of_range)
{
    uint64_t bytes;

    assert_no_size("101%", ERANGE);
    assert_int_equal(number_parse_size("18446744073709551615%", 101, &bytes), -1);
    assert_int_equal(errno, ERANGE);
}

UNIT_TEST(test_sizes_for_people_have_one_decimal_if_any)
{
    assert_format(0, "0 bytes");
    assert_format(1023, "1023 bytes");
    assert_format(kib, "1 KiB");
    assert_format(1536, "1.5 KiB");
    assert_format(8 * kib * kib, "8 MiB");
    assert_format(3 * kib * kib * kib / 2, "1.5 GiB");
    assert_format(kib * kib * kib * kib * kib, "1 PiB");
    assert_format(UINT64_MAX, "16 EiB");
}

UNIT_TEST(test_sizes_for_people_are_rounded_to_the_nearest)
{
    assert_format(kib + 51, "1 KiB");
    assert_format(kib + 52, "1.1 KiB");
    assert_format(kib * kib - 52, "1023.9 KiB");
    assert_format(kib * kib - 51, "1 MiB");
}
