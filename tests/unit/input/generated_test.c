#include "support/unit.h"

#include "input/generated.h"

UNIT_TEST(words_come_in_their_order_each_ended_by_nul_in_reads_of_any_size)
{
    static const char *const words[] = {"one", "", "2", "line\nbreak", "\xff", ""};
    static const char expected[] = "one\0\0"
                                   "2\0line\nbreak\0\xff\0";

    for (size_t step = 1; step <= sizeof expected + 1; step++) {
        struct source *source = generated_words(words, 6);
        uint8_t data[2 * sizeof expected];
        size_t done = 0, got;

        assert_int_equal(source_known_bytes(source), sizeof expected);
        do {
            got = source_read(source, data + done, step);
            done += got;
        } while (got == step);
        assert_int_equal(done, sizeof expected);
        assert_memory_equal(data, expected, done);
        source_free(source);
    }
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
