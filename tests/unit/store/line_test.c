/* What is not as it should be is refused, and nothing is read or written past an end. */

#include <string.h>

#include "support/unit.h"

#include "store/line.h"

enum { REFUSED = -1 };

/* How many bytes were read of the text. */
static int length(const char *text, const char *end)
{
    return end == NULL ? REFUSED : (int)(end - text);
}

UNIT_TEST(numbers_are_decimal_and_in_their_range)
{
    static const struct {
        const char *text;
        uint64_t least, most, number;
        int length;
    } cases[] = {
        {"0", 0, UINT64_MAX, 0, 1},
        {"18446744073709551615 ", 0, UINT64_MAX, UINT64_MAX, 20},
        {"007x", 0, 9, 7, 3},
        {"18446744073709551616", 0, UINT64_MAX, 0, REFUSED},
        {" 1", 0, UINT64_MAX, 0, REFUSED},
        {"", 0, UINT64_MAX, 0, REFUSED},
        {"-1", 0, UINT64_MAX, 0, REFUSED},
        {"2", 2, 4, 2, 1},
        {"4", 2, 4, 4, 1},
        {"1", 2, 4, 0, REFUSED},
        {"5", 2, 4, 0, REFUSED},
    };
    uint64_t number;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *end = line_number_within(cases[i].text, cases[i].least, cases[i].most, &number);

        assert_int_equal(length(cases[i].text, end), cases[i].length);
        if (end != NULL)
            assert_true(number == cases[i].number);
    }
}

UNIT_TEST(hexadecimal_numbers_have_all_their_digits)
{
    static const struct {
        const char *text;
        unsigned digits;
        uint64_t number;
        int length;
    } cases[] = {
        {"0f", 2, 15, 2},
        {"0123456789abcdef0", 16, 0x0123456789abcdef, 16},
        {"ffffffffffffffff", 16, UINT64_MAX, 16},
        {"1", 2, 0, REFUSED},
        {"0F", 2, 0, REFUSED},
        {"0g", 2, 0, REFUSED},
    };
    uint64_t number;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *end = line_hexadecimal(cases[i].text, cases[i].digits, &number);

        assert_int_equal(length(cases[i].text, end), cases[i].length);
        if (end != NULL)
            assert_true(number == cases[i].number);
    }
}

UNIT_TEST(after_the_first_thing_that_is_missing_nothing_is_read)
{
    const char *missing = line_skip("one", "two");
    uint64_t number = 1;

    assert_null(missing);
    assert_null(line_skip(missing, ""));
    assert_null(line_blanks(missing));
    assert_null(line_number(missing, &number));
    assert_true(number == 0);
    assert_null(line_hexadecimal(missing, 2, &number));
}

UNIT_TEST(a_text_knows_its_checksum)
{
    char text[64];
    char *last = line_put(text, text + sizeof text, "%s\n", "one 1"), *end;
    size_t bytes;

    end = line_put_checksum(last, text + sizeof text, text, (size_t)(last - text));
    bytes = (size_t)(end - text);
    assert_int_equal(end - last, LINE_CHECKSUM_BYTES);
    assert_true(line_has_checksum(text, bytes));
    for (size_t i = 0; i < bytes; i++) {
        text[i] ^= 1;
        assert_false(line_has_checksum(text, bytes));
        text[i] ^= 1;
        assert_false(line_has_checksum(text, i));
    }
}

UNIT_TEST(nothing_is_written_past_the_end)
{
    char text[8] = "xxxxxxx";

    assert_ptr_equal(line_put(text, text + 4, "%s", "one two"), text + 3);
    assert_memory_equal(text, "one\0xxx", sizeof text);
}
