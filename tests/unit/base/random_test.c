#include "support/unit.h"

#include "base/random.h"

#include <stdint.h>
#include <string.h>

/* All numbers here were computed with a program of a few lines in another language, written from the definition. */

UNIT_TEST(the_key_is_the_sha256_of_the_seed_as_little_endian_words)
{
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

UNIT_TEST(sixteen_bit_words_are_taken_low_half_first)
{
    static const uint32_t words[2] = {0x44332211, 0x88776655};
    static const uint16_t halves[4] = {0x2211, 0x4433, 0x6655, 0x8877};

    for (size_t i = 0; i < 4; i++)
        assert_int_equal(random_u16(words, i), halves[i]);
}

UNIT_TEST(a_derived_key_is_the_sha256_of_the_key_the_label_and_the_arguments)
{
    static const uint32_t of_repeat[8] = {0x271ddd37, 0x5a93c80f, 0xbc799ec5, 0xea9d9cdf,
                                          0xb86b5da8, 0xcaf08c66, 0x84d37046, 0x7ec1bb38};
    static const uint32_t of_pile_1_and_a_large_number[8] = {0xec2b3dd2, 0xb987fe52, 0x3b879eeb, 0x61b4e4df,
                                                             0xe05be4ac, 0x1395eb90, 0xe625293f, 0x06ceedf3};
    static const uint8_t numbers[16] = {1, 0, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1};
    static const uint32_t of_batch_a_nul[8] = {0x6c4bfd66, 0x235c8d9c, 0xee3b4fb2, 0x55da8d4b,
                                               0x809d9715, 0xe64945fe, 0x1910be6b, 0xc68db9bb};
    static const uint8_t name[10] = {2, 0, 0, 0, 0, 0, 0, 0, 'a', 0};
    struct random_key key;
    struct random_key derived;
    random_key_init(&key, "42", 2);
    random_key_derive(&derived, &key, "repeat", NULL, 0);
    assert_memory_equal(derived.word, of_repeat, sizeof of_repeat);
    random_key_derive(&derived, &key, "pile", numbers, sizeof numbers);
    assert_memory_equal(derived.word, of_pile_1_and_a_large_number, sizeof of_pile_1_and_a_large_number);
    random_key_derive(&key, &key, "batch", name, sizeof name);
    assert_memory_equal(key.word, of_batch_a_nul, sizeof of_batch_a_nul);
}

UNIT_TEST(an_identity_is_the_beginning_of_a_hash_of_the_key)
{
    static const uint8_t of_42[RANDOM_IDENTITY_BYTES] = {0x09, 0x1b, 0xfc, 0x3b, 0x26, 0x78, 0xfd, 0x76,
                                                         0x82, 0x4c, 0x13, 0xd0, 0xf7, 0x4f, 0x00, 0x1b};
    uint8_t identity[RANDOM_IDENTITY_BYTES];
    struct random_key key;

    random_key_init(&key, "42", 2);
    random_key_identity(&key, identity);
    assert_memory_equal(identity, of_42, sizeof of_42);
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

/* The bounds above 2^63 are those where many words are rejected. */
UNIT_TEST(numbers_below_a_bound_are_drawn_as_defined)
{
    static const struct {
        uint64_t bound;
        uint64_t words; /* that the numbers take */
        uint64_t number[6];
    } expected[] = {
        {1, 6, {0, 0, 0, 0, 0, 0}},
        {2, 6, {1, 1, 1, 0, 1, 1}},
        {10, 6, {7, 7, 5, 0, 7, 6}},
        {1000000007, 6, {756710536, 774957501, 598990744, 72193582, 723758214, 632286898}},
        {4294967297, 6, {3250046984, 3328417101, 2572645642, 310069072, 3108517839, 2715651532}},
        {9223372036854775808u,
         6,
         {6979422752291642106, 7147721297171148551, 5524714448930289440, 665868262721820893, 6675491227633426703,
          5831817257572170256}},
        {9223372036854775809u,
         11,
         {6979422752291642106, 7147721297171148551, 5524714448930289440, 6675491227633426703, 2935158401062592529,
          9190278033171901711}},
        {13835058055282163712u,
         9,
         {10721581945756722826u, 998802394082731339, 10013236841450140054u, 8747725886358255384, 3677580816191492623,
          1854153604723398022}},
        {18446744073709551615u,
         6,
         {13958845504583284211u, 14295442594342297101u, 11049428897860578879u, 1331736525443641785,
          13350982455266853405u, 11663634515144340512u}},
        {0, /* 2^64 */
         4,
         {13958845504583284212u, 14295442594342297102u, 11049428897860578880u, 1331736525443641786}},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct random_words words = repeat_words_of_42();
        for (size_t k = 0; k < (expected[i].bound == 0 ? 4 : 6); k++)
            assert_true(random_draw(&words, expected[i].bound) == expected[i].number[k]);
        assert_true(words.next == expected[i].words);
    }
}

/* By a program in Python, which gives the published hashes as well. */
UNIT_TEST(a_hash_is_that_of_the_key_and_all_bytes)
{
    struct random_key key, split;

    random_key_init(&key, "42", 2);
    random_key_derive(&split, &key, "split", NULL, 0);
    assert_true(random_hash(&split, "", 0) == 4259592013918720326u);
    assert_true(random_hash(&split, "p1", 2) == 13426938810091674244u);
}
