/* The field of a record is the same whatever the pieces in which the record comes. */

#include <stdint.h>
#include <string.h>

#include "support/unit.h"

#include "record/field.h"

enum { FIELD_BYTES_MAX = 100 };

static struct field field;
static uint8_t text[FIELD_BYTES_MAX];

/* A comma separates fields. */
static void begin(uint64_t number)
{
    field_begin(&field, (struct field_place){.number = number, .separator = ','}, text, sizeof text);
}

/* Show the record to the field in pieces of `step` bytes. Has the field ended before it? */
static bool follow(const char *record, size_t bytes, size_t step)
{
    bool ended = false;

    for (size_t at = 0; at < bytes && !ended; at += step)
        ended = field_follow(&field, (const uint8_t *)record + at, bytes - at < step ? bytes - at : step);
    return ended;
}

/* Field `number` of the record, with ',' between fields, is this, and ends before the record or not. */
static void assert_field(uint64_t number, const char *record, const char *expected, bool ends)
{
    for (size_t step = 1; step < 12; step++) {
        begin(number);
        assert_int_equal(follow(record, strlen(record), step), ends);
        assert_true(field_is_there(&field));
        assert_int_equal(field.bytes, strlen(expected));
        assert_memory_equal(field.text, expected, field.bytes);
        assert_false(field.too_long);
    }
}

UNIT_TEST(a_field_is_what_stands_between_separators)
{
    assert_field(1, "abc", "abc", false);
    assert_field(1, "abc,def", "abc", true);
    assert_field(2, "abc,def", "def", false);
    assert_field(3, ",,de,", "de", true);
    assert_field(2, "abc,", "", false);
    assert_field(2, "a, \t b ,", "b ", true);
    assert_field(1, "   ", "", false);
    field_begin_alone(&field, text, sizeof text);
    assert_false(follow(" a,b", 4, 3));
    assert_memory_equal(field.text, "a,b", 3);
}

UNIT_TEST(a_record_may_have_fewer_fields)
{
    for (size_t step = 1; step < 6; step++) {
        begin(3);
        assert_false(follow("abc,d", 5, step));
        assert_false(field_is_there(&field));
    }
    begin(2);
    assert_false(follow("", 0, 1));
    assert_false(field_is_there(&field));
}

UNIT_TEST(a_carriage_return_ends_a_line)
{
    assert_field(2, "a,3\r", "3\r", false);
    field_end_line(&field);
    assert_int_equal(field.bytes, 1);
    field_end_line(&field);
    assert_int_equal(field.bytes, 1);
    assert_field(1, "", "", false);
    field_end_line(&field);
    assert_int_equal(field.bytes, 0);
}

/* Blanks may come before and behind without number. */
UNIT_TEST(a_field_may_have_so_many_bytes)
{
    static char record[3 * FIELD_BYTES_MAX];

    for (size_t more = 0; more < 2; more++) {
        memset(record, ' ', sizeof record);
        memset(record + FIELD_BYTES_MAX, '1', FIELD_BYTES_MAX + more);
        for (size_t step = 1; step < sizeof record + 25; step += 25) {
            begin(1);
            assert_false(follow(record, sizeof record, step));
            assert_int_equal(field.bytes, FIELD_BYTES_MAX);
            assert_int_equal(field.too_long, more);
        }
    }
}

/* Field `number` of CSV, whatever the pieces, is this, once the line has ended. */
static void assert_quoted(uint64_t number, const char *record, const char *expected)
{
    const struct field_place place = {.number = number, .separator = ',', .quoted = true};

    for (size_t step = 1; step < 12; step++) {
        field_begin_exact(&field, place, text, sizeof text);
        if (!follow(record, strlen(record), step))
            field_end_line(&field);
        assert_true(field_is_there(&field));
        assert_int_equal(field.bytes, strlen(expected));
        assert_memory_equal(field.text, expected, field.bytes);
    }
}

UNIT_TEST(quotes_of_csv_are_not_of_the_field_but_doubled_ones_are)
{
    assert_quoted(1, "a,b", "a");
    assert_quoted(1, "\"a\",b", "a");
    assert_quoted(2, "\"a,\"\",\",b", "b");
    assert_quoted(2, "a,\"b,c\"", "b,c");
    assert_quoted(2, "a,\"b\nc\"\r", "b\nc");
    assert_quoted(1, "\"\"", "");
    assert_quoted(1, "\"\"\"\"", "\"");
    assert_quoted(1, "\"\"\"a\"\"b\"\"\",", "\"a\"b\"");
    assert_quoted(1, "\"\",\"\"", "");
    assert_quoted(2, "\"\",\"\"", "");
    assert_quoted(3, ",,\r", "");
    assert_quoted(1, " a ,b", " a ");
}

UNIT_TEST(a_carriage_return_in_quotes_is_of_the_field)
{
    assert_quoted(1, "\"a\r\"", "a\r");
    assert_quoted(1, "\"a\r\"\r", "a\r");
    assert_quoted(1, "a\r,b\r", "a\r");
}

UNIT_TEST(an_exact_field_has_its_blanks_and_takes_room_for_them)
{
    const struct field_place place = {.number = 2, .separator = ','};

    field_begin_exact(&field, place, text, 3);
    assert_true(follow("a, b ,c", 7, 2));
    assert_int_equal(field.bytes, 3);
    assert_memory_equal(field.text, " b ", 3);
    assert_false(field.too_long);
    field_begin_exact(&field, place, text, 2);
    assert_true(follow("a, b ,c", 7, 2));
    assert_true(field.too_long);
}
