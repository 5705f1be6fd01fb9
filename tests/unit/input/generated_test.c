#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "input/generated.h"

/* Does the source, which is freed, deliver just this when it is read in steps, each of them but the last one full? */
static bool delivers(struct source *source, size_t step, const char *expected, size_t expected_bytes)
{
    uint8_t *data = calloc(expected_bytes + step, 1);
    size_t done = 0;
    bool good = true;

    while (good && done < expected_bytes) {
        size_t left = expected_bytes - done;
        size_t got = source_read(source, data + done, step);

        good = got == (left < step ? left : step);
        done += got;
    }
    good = good && memcmp(data, expected, done) == 0 && source_read(source, data, step) == 0 &&
           source_read(source, data, step) == 0;
    source_free(source);
    free(data);
    return good;
}

#define TEST(name) UNIT_TEST(name)

/* ---- Words ---- */

TEST(words_come_in_their_order_each_ended_by_nul)
{
    static const char *const words[] = {"one", "", "2", "line\nbreak", "\xff", ""};
    static const char expected[] = "one\0\0"
                                   "2\0line\nbreak\0\xff\0";

    for (size_t step = 1; step <= sizeof expected + 1; step++)
        assert_true(delivers(generated_words(words, 6), step, expected, sizeof expected));
}

TEST(no_words_are_no_bytes)
{
    assert_true(delivers(generated_words(NULL, 0), 10, "", 0));
}

/* ---- Numbers ---- */

static void assert_number(uint64_t first, uint64_t i, const char *expected)
{
    const struct number_range range = {.first = first, .full = true, .delimiter = ';'};
    uint8_t text[GENERATED_NUMBER_BYTES + 1];
    size_t bytes;

    memset(text, '?', sizeof text);
    bytes = generated_number(&range, i, text);
    assert_int_equal(bytes, strlen(expected));
    assert_memory_equal(text, expected, bytes);
    assert_int_equal(text[bytes], '?');
}

TEST(numbers_are_decimal_and_counted_from_the_first)
{
    assert_number(0, 0, "0;");
    assert_number(0, 9, "9;");
    assert_number(9, 1, "10;");
    assert_number(90, 10, "100;");
    assert_number(0, 4294967296, "4294967296;");
    assert_number(10000000000000000000u, 8446744073709551615u, "18446744073709551615;");
    assert_number(0, UINT64_MAX, "18446744073709551615;");
    assert_number(UINT64_MAX, 0, "18446744073709551615;");
}

TEST(all_numbers_of_a_range_come_in_ascending_order)
{
    static const char small[] = "8\n9\n10\n11\n";
    static const char large[] = "18446744073709551613|18446744073709551614|18446744073709551615|";
    const struct number_range small_range = {.first = 8, .count = 4, .delimiter = '\n'};
    const struct number_range large_range = {.first = UINT64_MAX - 2, .count = 3, .delimiter = '|'};
    const struct number_range one = {.first = 7, .count = 1, .delimiter = '\0'};

    for (size_t step = 1; step <= strlen(large) + 1; step++) {
        assert_true(delivers(generated_range(&small_range), step, small, strlen(small)));
        assert_true(delivers(generated_range(&large_range), step, large, strlen(large)));
        assert_true(delivers(generated_range(&one), step, "7", 2));
    }
}

TEST(an_empty_range_is_not_the_full_one)
{
    struct number_range range = {.first = 0, .count = 0, .delimiter = '\n'};
    struct source *source;
    uint8_t data[16];

    assert_true(delivers(generated_range(&range), 10, "", 0));
    range.full = true;
    source = generated_range(&range);
    assert_int_equal(source_read(source, data, 16), 16);
    assert_memory_equal(data, "0\n1\n2\n3\n4\n5\n6\n7\n", 16);
    source_free(source);
}

TEST(the_bytes_of_a_range_are_known_before_it_is_read)
{
    static const struct {
        uint64_t first;
        uint64_t count;
        uint64_t bytes;
    } cases[] = {
        {0, 1, 2},
        {0, 10, 20},
        {0, 11, 23},
        {9, 2, 5},
        {1, 3000000, 22888896},
        {UINT64_MAX, 1, 21},
        {UINT64_MAX - 1, 2, 42},
        {9999999999999999999u, 2, 41},
        {0, 0, 0},
        {1, UINT64_MAX, UINT64_MAX},
    };
    static const char *const words[] = {"one", "", "three"};
    const struct number_range full = {.full = true};
    struct source *source = generated_words(words, 3);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct number_range range = {.first = cases[i].first, .count = cases[i].count};

        assert_int_equal(generated_range_bytes(&range), cases[i].bytes);
    }
    assert_int_equal(generated_range_bytes(&full), UINT64_MAX);
    assert_true(source_is_known(source));
    assert_int_equal(source_known_bytes(source), 11);
    source_free(source);
    source = generated_range(&full);
    assert_int_equal(source_known_bytes(source), UINT64_MAX);
    source_free(source);
}
