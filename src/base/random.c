/*
 * The state of a ChaCha block is a function of the key, the stream and the block's number, so nothing is kept between
 * calls. Eight rounds are the fewest of the customary counts (8, 12, 20); no attack on all eight is known.
 */

#include "base/random.h"

#include "base/arithmetic.h"
#include "base/chacha.h"
#include "base/sha256.h"
#include "base/siphash.h"
#include "base/tunable.h"
#include "base/uint128.h"

#include <string.h>

enum { ROUNDS = 8 };

static void finish_key(struct random_key *key, struct sha256 *hash)
{
    uint8_t digest[32];

    sha256_final(hash, digest);
    for (size_t i = 0; i < 8; i++)
        key->word[i] = load32le(digest + 4 * i);
}

void random_key_init(struct random_key *key, const void *seed, size_t seed_bytes)
{
    struct sha256 hash;

    sha256_init(&hash);
    sha256_update(&hash, seed, seed_bytes);
    finish_key(key, &hash);
}

/* Begin a hash with the key's bytes. */
static void begin_key(const struct random_key *key, struct sha256 *hash)
{
    uint8_t bytes[32];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(key->word[i / 4] >> 8 * (i % 4));
    sha256_init(hash);
    sha256_update(hash, bytes, sizeof bytes);
}

void random_key_derive(struct random_key *derived, const struct random_key *key, const char *label,
                       const void *arguments, size_t arguments_bytes)
{
    struct sha256 hash;

    begin_key(key, &hash);
    sha256_update(&hash, label, strlen(label) + 1);
    sha256_update(&hash, arguments, arguments_bytes);
    finish_key(derived, &hash);
}

void random_key_identity(const struct random_key *key, uint8_t identity[RANDOM_IDENTITY_BYTES])
{
    static const char LABEL[] = "identity";
    struct sha256 hash;
    uint8_t digest[32];

    begin_key(key, &hash);
    sha256_update(&hash, LABEL, strlen(LABEL));
    sha256_final(&hash, digest);
    memcpy(identity, digest, RANDOM_IDENTITY_BYTES);
}

struct siphash_key random_hashing(const struct random_key *key, const char *label)
{
    struct random_key derived;
    struct siphash_key hashing;

    random_key_derive(&derived, key, label, NULL, 0);
    for (size_t i = 0; i < 4; i++)
        hashing.word[i] = derived.word[2 * i] | (uint64_t)derived.word[2 * i + 1] << 32;
    return hashing;
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

void random_words_init(struct random_words *words, const struct random_key *key, const char *label)
{
    random_key_derive(&words->key, key, label, NULL, 0);
    words->next = 0;
    words->first = UINT64_MAX;
}

/* How many are computed at a time. */
TUNABLE(BLOCKS, RANDOM_AHEAD, 1, RANDOM_AHEAD);

uint64_t random_next(struct random_words *words)
{
    const uint64_t count = BLOCKS * RANDOM_BLOCK_WORDS / 2;
    uint64_t place = words->next++ % count, first = words->next - 1 - place;

    if (first != words->first) {
        random_blocks(&words->key, 0, first / (RANDOM_BLOCK_WORDS / 2), words->word, BLOCKS);
        words->first = first;
    }
    return words->word[2 * place] | (uint64_t)words->word[2 * place + 1] << 32;
}

uint64_t random_draw(struct random_words *words, uint64_t bound)
{
    uint64_t word = random_next(words);
    struct uint128 product = uint128_multiply(word, bound);

    if (bound == 0)
        return word;
    while (product.low < bound && product.low < (uint64_t)-bound % bound)
        product = uint128_multiply(random_next(words), bound);
    return product.high;
}
