#include "support/unit.h"

#include "base/random.h"

#include <stdint.h>
#include <string.h>

/* Words from anywhere: golden orders and samples have the first ones. All numbers here were computed with a program of
 * a few lines in another language, written from the definition. */

/* Any block without those before it. */
UNIT_TEST(all_64_bits_of_stream_and_block_number_count)
{
    static const uint32_t of_42[RANDOM_BLOCK_WORDS] = {
        0x4bd5f120, 0x4f683cf6, 0xcd64244c, 0x74d38009, 0x0ddf3235, 0xbb8ea0ae, 0x7933377a, 0x8f9c5f34,
        0x9d1ac9d1, 0xda8f0006, 0x2b4ccf39, 0xad17df6b, 0x734eea3c, 0xf5bda0e1, 0xf3a2e413, 0x7ed234ce};
    static const uint32_t across[3][2] = {{0x527fc297, 0x2da231fa}, {0x1dfa3e08, 0x46ef2a5f}, {0x5363729b, 0x0b004f71}};
    struct random_key key;
    uint32_t words[3 * RANDOM_BLOCK_WORDS];

    random_key_init(&key, "42", 2);
    random_blocks(&key, 0, 0, words, 1);
    assert_memory_equal(words, of_42, sizeof of_42);
    random_blocks(&key, 0x0123456789abcdef, 0xfffffffffffffffe, words, 1);
    assert_true(words[0] == 0xbe523e5a && words[15] == 0x447596d8);
    random_blocks(&key, 0x0123456789abcdef, 0x89abcdefffffffff, words, 3);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(words + i * RANDOM_BLOCK_WORDS, across[i], sizeof across[i]);
}

/* Words labelled "repeat" of seed "42". */
static struct random_words repeat_words_of_42(void)
{
    struct random_key key;
    struct random_words words;
    random_key_init(&key, "42", 2);
    random_words_init(&words, &key, "repeat");
    memset(&key, 0, sizeof key); /* it was copied */
    return words;
}

UNIT_TEST(words_of_64_bits_come_in_order_and_from_anywhere)
{
    static const struct {
        uint64_t place;
        uint64_t word;
    } expected[] = {{0, 0xc1b7c8077f3eb5f4},
                    {1, 0xc6639d4c8ec2de0e},
                    {2, 0x9957750a4bea6e40},
                    {7, 0x440c85b0b2836d6a},
                    {8, 0x224f092c4b65c75e},
                    {511, 0x0af479927bc15a80},
                    {512, 0x106641a2c13561ae},
                    {513, 0xb8f0ddd366c72bb5},
                    {1000000000000, 0xcda51f495fe4563e},
                    {UINT64_MAX - 512, 0x8d3cdc37f9b26eb0},
                    {UINT64_MAX - 511, 0xa5036dd9e7845f56},
                    {UINT64_MAX, 0x70f75a652637a3ad}};
    enum { COUNT = sizeof expected / sizeof *expected };
    struct random_words words = repeat_words_of_42();
    for (size_t i = 0, at = 0; i < 8; i++)
        for (; at <= expected[i].place; at++) {
            uint64_t word = random_next(&words);
            assert_true(at < expected[i].place || word == expected[i].word);
        }
    for (size_t i = 0; i < (size_t)4 * COUNT; i++) {
        words.next = expected[i * 7 % COUNT].place;
        assert_true(random_next(&words) == expected[i * 7 % COUNT].word);
    }
    words.next = UINT64_MAX;
    assert_true(random_next(&words) == expected[COUNT - 1].word);
    assert_true(random_next(&words) == expected[0].word);
}
