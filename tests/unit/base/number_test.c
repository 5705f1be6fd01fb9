/* tags: bytes */

#include <errno.h>
#include <stdint.h>

#include "support/unit.h"

#include "base/number.h"

static const uint64_t kib = 1024;

UNIT_TEST(numbers_are_all_digits_and_below_2_to_the_64)
{
    static const struct {
        const char *text;
        uint64_t value;
    } numbers[] = {{"0", 0},
                   {"7", 7},
                   {"010", 10},
                   {"18446744073709551609", UINT64_MAX - 6},
                   {"18446744073709551615", UINT64_MAX},
                   {"000000000000000000000000018446744073709551615", UINT64_MAX}};
    static const char *const large[] = {"18446744073709551616", "18446744073709551620", "184467440737095516150",
                                        "99999999999999999999999"};
    static const char *const bad[] = {
        "", " ", "-1", "+1", " 1", "1 ", "1x", "0x1", "x", "1.0", "1,0", "-", "99999999999999999999999x"};
    uint64_t value;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        value = 4711;
        assert_int_equal(number_parse(numbers[i].text, &value), 0);
        assert_true(value == numbers[i].value);
    }
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        assert_int_equal(number_parse(large[i], &value), -1);
        assert_int_equal(errno, ERANGE);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(number_parse(bad[i], &value), -1);
        assert_int_equal(errno, EINVAL);
    }
}

/* Units as sort and split take them: powers of 1024, or of 1000 with a B; bare numbers are KiB. */
UNIT_TEST(sizes_have_a_unit_and_decimals_if_any)
{
    static const struct {
        const char *text;
        uint64_t whole, bytes; /* `whole` is what 100% stands for */
    } sizes[] = {
        {"0", 0, 0},
        {"8192", 0, 8192 * kib},
        {"18014398509481983", 0, UINT64_MAX - 1023},
        {"9b", 0, 9},
        {"9k", 0, 9 * kib},
        {"9K", 0, 9 * kib},
        {"9m", 0, 9 * kib * kib},
        {"9M", 0, 9 * kib * kib},
        {"9g", 0, 9 * kib * kib * kib},
        {"9G", 0, 9 * kib * kib * kib},
        {"9t", 0, 9 * kib * kib * kib * kib},
        {"9T", 0, 9 * kib * kib * kib * kib},
        {"9P", 0, 9 * kib * kib * kib * kib * kib},
        {"15E", 0, (uint64_t)15 << 60},
        {"18446744073709551615b", 0, UINT64_MAX},
        {"0Z", 0, 0},
        {"0Q", 0, 0},
        {"9KiB", 0, 9 * kib},
        {"9kiB", 0, 9 * kib},
        {"9MiB", 0, 9 * kib * kib},
        {"9KB", 0, 9000},
        {"64MB", 0, 64000000},
        {"18EB", 0, 18000000000000000000u},
        {"1.5G", 0, 3 * kib * kib * kib / 2},
        {"0.5k", 0, 512},
        {"1.234567MB", 0, 1234567},
        {"0.000001GB", 0, 1000},
        {"2.0001K", 0, 2048}, /* and a part of a byte */
        {"15.999999E", 0, 18446742920788047009u},
        {"0.000001Z", 0, 1180591620717411u},
        {"0%", 1000, 0},
        {"50%", 1001, 500}, /* rounded down */
        {"33%", 199, 65},
        {"500%", 1000, 5000},
        {"100%", UINT64_MAX, UINT64_MAX},
        {"99%", UINT64_MAX, 18262276632972456098u},
        {"18446744073709551615%", 100, UINT64_MAX},
        {"18446744073709551615%", 99, 18262276632972456098u},
        {"18446744073709551615%", 0, 0},
    };
    static const char *const large[] = {
        "18014398509481984", "18446744073709551616b", "16E", "1Z", "1Y", "1R", "1Q", "19EB", "16EiB", "16.0E", "101%"};
    static const char *const bad[] = {"",           "M",     "%",    "b",    " 1M",  "1M ",  "1 M",  "-1M", "+1M",
                                      "1x",         "1kk",   "1c",   "1w",   "1M%",  "1%%",  "0x1M", "1y",  "1z",
                                      "1r",         "1q",    "9p",   "9e",   "9B",   "1KIB", "1Kib", "1Kb", "1MBB",
                                      "1iB",        "1bB",   "1biB", "1.5",  "1.5b", "1.5%", "1.",   "1.G", ".5G",
                                      "1.1234567G", "1..5G", "1,5G", "1K.5", "1.5x", "1%B",  "1 KB"};
    uint64_t bytes;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bytes = 4711;
        assert_int_equal(number_parse_size(sizes[i].text, sizes[i].whole, &bytes), 0);
        assert_true(bytes == sizes[i].bytes);
    }
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        assert_int_equal(number_parse_size(large[i], UINT64_MAX, &bytes), -1);
        assert_int_equal(errno, ERANGE);
    }
    assert_int_equal(number_parse_size("18446744073709551615%", 101, &bytes), -1);
    assert_int_equal(errno, ERANGE);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(number_parse_size(bad[i], UINT64_MAX, &bytes), -1);
        assert_int_equal(errno, EINVAL);
    }
}

UNIT_TEST(sizes_for_people_have_one_decimal_if_any_rounded_to_the_nearest)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {{0, "0 bytes"},
                 {1023, "1023 bytes"},
                 {1024, "1 KiB"},
                 {1024 + 51, "1 KiB"},
                 {1024 + 52, "1.1 KiB"},
                 {1536, "1.5 KiB"},
                 {1048576 - 52, "1023.9 KiB"},
                 {1048576 - 51, "1 MiB"},
                 {(uint64_t)1 << 50, "1 PiB"},
                 {UINT64_MAX, "16 EiB"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];

        assert_ptr_equal(number_format_size(cases[i].bytes, text), text);
        assert_string_equal(text, cases[i].text);
    }
}
