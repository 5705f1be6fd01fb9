#include "record.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void ends_are_those_of_the_delimiter_just_past_it(void **state)
{
    static const uint8_t data[] = "a\n\nbc\n\0d\xff\n";
    const struct record_format lines = {.delimiter = '\n'};
    uint32_t ends[16];
    size_t scanned;

    (void)state;
    assert_int_equal(record_ends(&lines, data, 11, ends, 16, &scanned), 4);
    assert_int_equal(scanned, 11);
    assert_int_equal(ends[0], 2);
    assert_int_equal(ends[1], 3);
    assert_int_equal(ends[2], 6);
    assert_int_equal(ends[3], 10);
}

static void any_byte_may_be_the_delimiter(void **state)
{
    uint8_t data[512];
    uint32_t ends[4];
    size_t scanned;

    (void)state;
    for (int i = 0; i < 512; i++)
        data[i] = (uint8_t)i;
    for (unsigned delimiter = 0; delimiter < 256; delimiter++) {
        const struct record_format format = {.delimiter = (uint8_t)delimiter};

        assert_int_equal(record_ends(&format, data, 512, ends, 4, &scanned), 2);
        assert_int_equal(ends[0], delimiter + 1);
        assert_int_equal(ends[1], delimiter + 257);
    }
}

static void without_room_the_search_stops_after_the_last_end_found(void **state)
{
    static const uint8_t data[] = "1\n2\n3\n";
    const struct record_format lines = {.delimiter = '\n'};
    uint32_t ends[2];
    size_t scanned;

    (void)state;
    assert_int_equal(record_ends(&lines, data, 6, ends, 2, &scanned), 2);
    assert_int_equal(scanned, 4);
    assert_int_equal(record_ends(&lines, data + 4, 1, ends, 2, &scanned), 0);
    assert_int_equal(scanned, 1);
    assert_int_equal(record_ends(&lines, data, 0, ends, 2, &scanned), 0);
    assert_int_equal(scanned, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_those_of_the_delimiter_just_past_it),
        cmocka_unit_test(any_byte_may_be_the_delimiter),
        cmocka_unit_test(without_room_the_search_stops_after_the_last_end_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
