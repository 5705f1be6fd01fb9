/* As the paper has it, in 64-bit little-endian words. The last word, which also has the length, is put together from
 * loads that overlap, since a loop over its bytes would often be mispredicted, as keys are of many lengths. */

#include "base/siphash.h"

#include "base/arithmetic.h"

enum { WORD = 8, COMPRESSION_ROUNDS = 2, FINALIZATION_ROUNDS = 4 };

/* load64le of fewer than 8 bytes, with zeros behind them. */
static inline uint64_t load_few(const uint8_t *p, size_t bytes)
{
    if (bytes >= 4)
        return load32le(p) | (uint64_t)load32le(p + bytes - 4) << 8 * (bytes - 4);
    if (bytes == 0)
        return 0;
    return p[0] | (uint64_t)p[bytes / 2] << 8 * (bytes / 2) | (uint64_t)p[bytes - 1] << 8 * (bytes - 1);
}

static inline uint64_t rotate_left(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static inline void mix(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate_left(v[1], 13) ^ v[0];
        v[3] = rotate_left(v[3], 16) ^ v[2];
        v[0] = rotate_left(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate_left(v[1], 17) ^ v[2];
        v[3] = rotate_left(v[3], 21) ^ v[0];
        v[2] = rotate_left(v[2], 32);
    }
}

static inline void eat(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, COMPRESSION_ROUNDS);
    v[0] ^= word;
}

void siphash_begin(struct siphash *hash, const uint64_t key[2])
{
    *hash =
        (struct siphash){.v = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                               key[1] ^ 0x7465646279746573}}; /* "somepseudorandomlygeneratedbytes" */
}

void siphash_add(struct siphash *hash, const void *data, size_t bytes)
{
    const uint8_t *next = data;

    hash->bytes += bytes;
    for (; bytes > 0 && hash->last_bytes > 0 && hash->last_bytes < WORD; bytes--)
        hash->last[hash->last_bytes++] = *next++;
    if (hash->last_bytes == WORD) {
        eat(hash->v, load64le(hash->last));
        hash->last_bytes = 0;
    }
    for (; bytes >= WORD; next += WORD, bytes -= WORD)
        eat(hash->v, load64le(next));
    while (bytes-- > 0)
        hash->last[hash->last_bytes++] = *next++;
}

static inline uint64_t finish(uint64_t v[4], uint64_t last)
{
    eat(v, last);
    v[2] ^= 0xff;
    mix(v, FINALIZATION_ROUNDS);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t siphash_end(struct siphash *hash)
{
    return finish(hash->v, load_few(hash->last, hash->last_bytes) | hash->bytes << 56);
}

uint64_t siphash(const uint64_t key[2], const void *data, size_t bytes)
{
    struct siphash hash;
    const uint8_t *next = data;
    const uint64_t length = (uint64_t)bytes << 56;

    siphash_begin(&hash, key);
    for (; bytes >= WORD; next += WORD, bytes -= WORD)
        eat(hash.v, load64le(next));
    return finish(hash.v, load_few(next, bytes) | length);
}
