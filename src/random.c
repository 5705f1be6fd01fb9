/*
 * The state of a ChaCha block is a function of the key, the stream and the block's number, so nothing is kept between
 * calls. Eight rounds are the fewest of the customary counts (8, 12, 20); no attack on all eight is known.
 */

#include "random.h"

#include "chacha.h"
#include "sha256.h"

#include <string.h>

enum { ROUNDS = 8 };

void random_key_init(struct random_key *key, const void *seed, size_t seed_bytes)
{
    struct sha256 hash;
    uint8_t digest[32];
    sha256_init(&hash);
    sha256_update(&hash, seed, seed_bytes);
    sha256_final(&hash, digest);
    for (size_t i = 0; i < 8; i++) {
        const uint8_t *p = digest + 4 * i;
        key->word[i] = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    }
}

void random_blocks(const struct random_key *key, uint64_t stream, uint64_t first, uint32_t *words, size_t blocks)
{
    uint32_t input[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}; /* "expand 32-byte k" */
    memcpy(input + 4, key->word, sizeof key->word);
    input[12] = (uint32_t)first;
    input[13] = (uint32_t)(first >> 32);
    input[14] = (uint32_t)stream;
    input[15] = (uint32_t)(stream >> 32);
    chacha_blocks(input, ROUNDS, words, blocks);
}
