#include "support/unit.h"

#include "base/siphash.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 };

/* As in the paper: the bytes of the key are 0 to 15, those of the data 0, 1, 2 and so on. */
static const struct siphash_key keys = {{0x0706050403020100, 0x0f0e0d0c0b0a0908, 3, 4}};
static const struct siphash_key exchanged = {{3, 4, 0x0706050403020100, 0x0f0e0d0c0b0a0908}};

static uint64_t hash_of(const uint8_t *data, size_t bytes)
{
    const uint64_t hash = siphash_pair(&keys, data, bytes).word[0];

    assert_true(hash == siphash_pair(&exchanged, data, bytes).word[1]);
    return hash;
}

UNIT_TEST(the_published_vectors_are_met)
{
    static const uint64_t published[] = {
        0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
        0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
        0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
        0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5,
    };
    uint8_t data[sizeof published / sizeof *published];

    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)i;
        assert_true(hash_of(data, i) == published[i]);
    }
}

/* Tools that watch memory see a read past the end. */
UNIT_TEST(data_may_lie_anywhere_and_no_byte_past_it_is_read)
{
    uint8_t data[LONGEST + 8];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 37);
    for (size_t bytes = 0; bytes <= LONGEST; bytes++)
        for (size_t shift = 0; shift < 8; shift++) {
            uint8_t *exact = malloc(bytes + 1);

            assert_non_null(exact);
            memcpy(exact + 1, data + shift, bytes);
            assert_true(hash_of(exact + 1, bytes) == hash_of(data + shift, bytes));
            free(exact);
        }
}

UNIT_TEST(several_texts_at_a_time_have_the_hashes_of_each)
{
    struct siphash_text text[LONGEST + 1];
    struct siphash_pair hash[LONGEST + 1];
    uint8_t data[2 * LONGEST];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 37);
    for (size_t i = 0; i <= LONGEST; i++)
        text[i] = (struct siphash_text){data + i, i * 29 % (LONGEST + 1)};
    siphash_pairs(&keys, text, LONGEST + 1, hash);
    for (size_t i = 0; i <= LONGEST; i++) {
        const struct siphash_pair pair = siphash_pair(&keys, text[i].data, text[i].bytes);

        assert_memory_equal(&hash[i], &pair, sizeof pair);
    }
}

UNIT_TEST(two_hashes_in_pieces_are_those_of_the_whole)
{
    uint8_t data[LONGEST];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 37);
    for (size_t bytes = 0; bytes <= LONGEST; bytes++) {
        const struct siphash_pair pair = siphash_pair(&keys, data, bytes);

        for (size_t piece = 1; piece <= LONGEST; piece++) {
            struct siphash_pieces pieces;
            struct siphash_pair ended;

            siphash_begin(&pieces, &keys);
            for (size_t at = 0; at < bytes; at += piece)
                siphash_add(&pieces, data + at, piece < bytes - at ? piece : bytes - at);
            ended = siphash_end(&pieces);
            assert_memory_equal(&ended, &pair, sizeof pair);
        }
    }
}
