/* The field of a record is the same whatever the pieces in which the record comes. */

#include <stdint.h>
#include <string.h>

#include "support/unit.h"

#include "record/field.h"

static struct field field;

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
        field_begin(&field, number, ',');
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
    field_begin_alone(&field);
    assert_false(follow(" a,b", 4, 3));
    assert_memory_equal(field.text, "a,b", 3);
}

UNIT_TEST(a_record_may_have_fewer_fields)
{
    for (size_t step = 1; step < 6; step++) {
        field_begin(&field, 3, ',');
        assert_false(follow("abc,d", 5, step));
        assert_false(field_is_there(&field));
    }
    field_begin(&field, 2, ',');
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
    static char text[3 * FIELD_BYTES_MAX];

    for (size_t more = 0; more < 2; more++) {
        memset(text, ' ', sizeof text);
        memset(text + FIELD_BYTES_MAX, '1', FIELD_BYTES_MAX + more);
        for (size_t step = 1; step < sizeof text + 1000; step += 1000) {
            field_begin(&field, 1, ',');
            assert_false(follow(text, sizeof text, step));
            assert_int_equal(field.bytes, FIELD_BYTES_MAX);
            assert_int_equal(field.too_long, more);
        }
    }
}
