/* The form of blocks, and long ones. tests/fuzz/lz4.c has short data and damage of any kind. */

#include "support/unit.h"

#include "base/lz4.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, MAX = LZ4_BLOCK_BYTES_MAX };

static struct lz4_table table;
static uint8_t plain[MAX], packed[2 * MAX], back[MAX + GUARD];

UNIT_TEST(what_repeats_becomes_the_block_of_the_specification)
{
    static const uint8_t wanted[] = {0x1a, 'a', 1, 0, 0x50, 'a', 'a', 'a', 'a', 'a'};

    assert_int_equal(lz4_compress(&table, (const uint8_t *)"aaaaaaaaaaaaaaaaaaaa", 20, packed, sizeof packed),
                     sizeof wanted);
    assert_memory_equal(packed, wanted, sizeof wanted);
}

/* Every round trip, also when there is just enough room for the block, and none when there is one byte less. */
static void assert_round_trip(size_t bytes)
{
    size_t length = lz4_compress(&table, plain, bytes, packed, sizeof packed);

    assert_true(length > 0);
    memset(back, 0xa5, sizeof back);
    assert_true(lz4_decompress(packed, length, back, bytes));
    assert_memory_equal(back, plain, bytes);
    for (size_t i = bytes; i < bytes + GUARD; i++)
        assert_int_equal(back[i], 0xa5);
    assert_int_equal(lz4_compress(&table, plain, bytes, packed, length), length);
    assert_int_equal(lz4_compress(&table, plain, bytes, packed, length - 1), 0);
}

/* Runs and repetitions of all lengths and distances, among them those around 15, 255 and 65535. */
UNIT_TEST(repetitions_of_any_length_come_back)
{
    for (unsigned round = 0; round < 200; round++) {
        size_t at = 0;

        while (at < MAX) {
            size_t length = 1 + below((size_t)1 << below(13));
            size_t distance = at > 0 ? 1 + below(at) : 0;

            for (; length > 0 && at < MAX; length--, at++)
                plain[at] = distance > 0 ? plain[at - distance] : (uint8_t)below(256);
            if (at < MAX)
                plain[at++] = (uint8_t)below(256);
        }
        assert_round_trip(MAX);
    }
}

UNIT_TEST(text_becomes_smaller)
{
    size_t at = 0;

    for (unsigned i = 0; at + 40 < MAX; i++)
        at += (size_t)snprintf((char *)plain + at, 40, "usr/share/doc/package-%u/copyright\n", i);
    assert_true(lz4_compress(&table, plain, at, packed, sizeof packed) < at / 2);
}
