#include "support/unit.h"

#include "base/chacha.h"

#include <string.h>

enum { WORDS = 16, BLOCKS_MAX = 40 };

static const struct chacha_way *plain_way(void)
{
    const struct chacha_way *way = chacha_ways;
    while (way[1].name != NULL)
        way++;
    return way;
}

/* A state whose words are all different, with the given counter. */
static void make_input(uint32_t input[WORDS], uint64_t counter)
{
    for (uint32_t i = 0; i < WORDS; i++)
        input[i] = 0x9e3779b9 * (i + 1);
    input[12] = (uint32_t)counter;
    input[13] = (uint32_t)(counter >> 32);
}

/* What plain C gives, all golden orders tell. However many blocks, wherever they are put, also where the counter
 * carries into its high word, and wraps there. */
UNIT_TEST(every_way_gives_what_plain_c_gives_block_by_block_and_writes_no_more)
{
    static const uint64_t limits[] = {40000, (uint64_t)1 << 32, 0x12345678ffffffff, 0};
    static const int rounds[] = {2, 8, 12, 20};

    assert_string_equal(plain_way()->name, "plain");
    for (size_t limit = 0; limit < sizeof limits / sizeof *limits; limit++) {
        for (size_t blocks = 0; blocks <= BLOCKS_MAX; blocks++) {
            const size_t shift = blocks % WORDS;
            uint32_t input[WORDS], expected[(BLOCKS_MAX + 2) * WORDS], words[(BLOCKS_MAX + 2) * WORDS];

            memset(expected, 0xee, sizeof expected);
            for (size_t i = 0; i < blocks; i++) {
                make_input(input, limits[limit] - blocks / 2 + i);
                plain_way()->run(input, rounds[limit], expected + shift + i * WORDS, 1);
            }
            make_input(input, limits[limit] - blocks / 2);
            FOR_EACH_WAY (chacha_way, way, chacha_ways) {
                memset(words, 0xee, sizeof words);
                way->run(input, rounds[limit], words + shift, blocks);
                assert_memory_equal(words, expected, sizeof expected);
            }
            memset(words, 0xee, sizeof words);
            chacha_blocks(input, rounds[limit], words + shift, blocks);
            assert_memory_equal(words, expected, sizeof expected);
        }
    }
}
