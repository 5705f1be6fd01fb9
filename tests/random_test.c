#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* All numbers here were computed with a program of a few lines in another language, written from the definition. */

static void the_key_is_the_sha256_of_the_seed_as_little_endian_words(void **state)
{
    (void)state;
    static const uint32_t of_42[8] = {0xb45c4773, 0x8d8e560a, 0xce45a0a8, 0x7e1310d1,
                                      0x0a899f15, 0x3b88dac4, 0x65dc176b, 0x49803a1b};
    static const uint32_t of_nothing[8] = {0x42c4b0e3, 0x141cfc98, 0xc8f4fb9a, 0x24b96f99,
                                           0xe441ae27, 0x4c939b64, 0x1b9995a4, 0x55b85278};
    static const uint32_t of_4_nul_2[8] = {0x7dfbc422, 0x2826c1a6, 0xbedb47bb, 0x62f46605,
                                           0x79211603, 0xdd3e7669, 0x33e07827, 0x3553d166};
    struct random_key key;
    random_key_init(&key, "42", 2);
    assert_memory_equal(key.word, of_42, sizeof of_42);
    random_key_init(&key, "", 0);
    assert_memory_equal(key.word, of_nothing, sizeof of_nothing);
    random_key_init(&key, "4\0002", 3);
    assert_memory_equal(key.word, of_4_nul_2, sizeof of_4_nul_2);
}

static void seed_42_gives_the_golden_words(void **state)
{
    (void)state;
    static const uint32_t expected[16] = {0x4bd5f120, 0x4f683cf6, 0xcd64244c, 0x74d38009, 0x0ddf3235, 0xbb8ea0ae,
                                          0x7933377a, 0x8f9c5f34, 0x9d1ac9d1, 0xda8f0006, 0x2b4ccf39, 0xad17df6b,
                                          0x734eea3c, 0xf5bda0e1, 0xf3a2e413, 0x7ed234ce};
    struct random_key key;
    uint32_t words[RANDOM_BLOCK_WORDS];
    random_key_init(&key, "42", 2);
    random_blocks(&key, 0, 0, words, 1);
    assert_memory_equal(words, expected, sizeof expected);
}

static void all_64_bits_of_stream_and_block_number_count(void **state)
{
    (void)state;
    static const uint32_t expected[16] = {0xbe523e5a, 0xaff15408, 0x22eb6bfa, 0x62016d7d, 0xcb7b8012, 0xfb92e596,
                                          0x4fff1728, 0x85642517, 0x6b521308, 0x8c364c78, 0x8f652a65, 0xcd56b974,
                                          0x32bb055c, 0x55011055, 0x97caf225, 0x447596d8};
    static const uint32_t across[3][2] = {{0x527fc297, 0x2da231fa}, {0x1dfa3e08, 0x46ef2a5f}, {0x5363729b, 0x0b004f71}};
    struct random_key key;
    uint32_t words[3 * RANDOM_BLOCK_WORDS];
    random_key_init(&key, "42", 2);
    random_blocks(&key, 0x0123456789abcdef, 0xfffffffffffffffe, words, 1);
    assert_memory_equal(words, expected, sizeof expected);
    random_blocks(&key, 0x0123456789abcdef, 0x89abcdefffffffff, words, 3);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(words + i * RANDOM_BLOCK_WORDS, across[i], sizeof across[i]);
}

static void any_block_can_be_computed_without_those_before_it(void **state)
{
    (void)state;
    enum { BLOCKS = 50 };
    struct random_key key;
    uint32_t all[BLOCKS * RANDOM_BLOCK_WORDS];
    uint32_t some[BLOCKS * RANDOM_BLOCK_WORDS];
    random_key_init(&key, "seed", 4);
    random_blocks(&key, 7, 1000, all, BLOCKS);
    for (size_t first = 0; first < BLOCKS; first++) {
        size_t blocks = 1 + (first * 11) % (BLOCKS - first);
        random_blocks(&key, 7, 1000 + first, some, blocks);
        assert_memory_equal(some, all + first * RANDOM_BLOCK_WORDS, blocks * RANDOM_BLOCK_WORDS * sizeof *some);
    }
}

static void no_blocks_are_no_words(void **state)
{
    (void)state;
    struct random_key key;
    uint32_t word = 0x5eed;
    random_key_init(&key, "42", 2);
    random_blocks(&key, 0, 0, &word, 0);
    assert_int_equal(word, 0x5eed);
}

static void sixteen_bit_words_are_taken_low_half_first(void **state)
{
    (void)state;
    static const uint32_t words[2] = {0x44332211, 0x88776655};
    assert_int_equal(random_u16(words, 0), 0x2211);
    assert_int_equal(random_u16(words, 1), 0x4433);
    assert_int_equal(random_u16(words, 2), 0x6655);
    assert_int_equal(random_u16(words, 3), 0x8877);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_is_the_sha256_of_the_seed_as_little_endian_words),
        cmocka_unit_test(seed_42_gives_the_golden_words),
        cmocka_unit_test(all_64_bits_of_stream_and_block_number_count),
        cmocka_unit_test(any_block_can_be_computed_without_those_before_it),
        cmocka_unit_test(no_blocks_are_no_words),
        cmocka_unit_test(sixteen_bit_words_are_taken_low_half_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
