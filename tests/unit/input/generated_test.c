/* Words and numbers as streams. */

#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "input/generated.h"

/* The source, which is freed, delivers just this when it is read in steps, each of them but the last one full. */
static void assert_delivers(struct source *source, size_t step, const char *expected, size_t expected_bytes)
{
    uint8_t *data = calloc(expected_bytes + step, 1);
    size_t done = 0;

    assert_true(source_is_known(source));
    assert_int_equal(source_known_bytes(source), expected_bytes);
    while (done < expected_bytes) {
        const size_t left = expected_bytes - done, got = source_read(source, data + done, step);

        assert_int_equal(got, left < step ? left : step);
        done += got;
    }
    assert_memory_equal(data, expected, done);
    assert_int_equal(source_read(source, data, step), 0);
    source_free(source);
    free(data);
}

UNIT_TEST(words_come_in_their_order_each_ended_by_nul)
{
    static const char *const words[] = {"one", "", "2", "line\nbreak", "\xff", ""};
    static const char expected[] = "one\0\0"
                                   "2\0line\nbreak\0\xff\0";

    for (size_t step = 1; step <= sizeof expected + 1; step++)
        assert_delivers(generated_words(words, 6), step, expected, sizeof expected);
    assert_delivers(generated_words(NULL, 0), 10, "", 0);
}

UNIT_TEST(numbers_of_a_range_come_in_ascending_order)
{
    static const struct {
        struct number_range range;
        const char *expected;
    } cases[] = {
        {{.first = 8, .count = 4, .delimiter = '\n'}, "8\n9\n10\n11\n"},
        {{.first = 99, .count = 2, .delimiter = ';'}, "99;100;"},
        {{.first = 4294967295, .count = 2, .delimiter = ';'}, "4294967295;4294967296;"},
        {{.first = UINT64_MAX - 1, .count = 2, .delimiter = '|'}, "18446744073709551614|18446744073709551615|"},
        {{.first = 7, .count = 0, .delimiter = '\n'}, ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t step = 1; step <= strlen(cases[i].expected) + 1; step++)
            assert_delivers(generated_range(&cases[i].range), step, cases[i].expected, strlen(cases[i].expected));
}

UNIT_TEST(the_full_range_is_not_the_empty_one)
{
    const struct number_range range = {.full = true, .delimiter = '\n'};
    struct source *source = generated_range(&range);
    uint8_t data[16];

    assert_int_equal(source_known_bytes(source), UINT64_MAX);
    assert_int_equal(source_read(source, data, 16), 16);
    assert_memory_equal(data, "0\n1\n2\n3\n4\n5\n6\n7\n", 16);
    source_free(source);
}

UNIT_TEST(the_bytes_of_a_range_are_known_before_it_is_read)
{
    static const struct {
        uint64_t first, count, bytes;
    } cases[] = {
        {0, 1, 2},
        {0, 10, 20},
        {0, 11, 23},
        {9, 2, 5},
        {1, 3000000, 22888896},
        {UINT64_MAX, 1, 21},
        {UINT64_MAX - 1, 2, 42},
        {9999999999999999999u, 2, 41},
        {1, UINT64_MAX, UINT64_MAX},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct number_range range = {.first = cases[i].first, .count = cases[i].count};

        assert_int_equal(generated_range_bytes(&range), cases[i].bytes);
    }
}
