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

static inline void begin(uint64_t v[4], const uint64_t key[2])
{
    v[0] = key[0] ^ 0x736f6d6570736575; /* "somepseudorandomlygeneratedbytes" */
    v[1] = key[1] ^ 0x646f72616e646f6d;
    v[2] = key[0] ^ 0x6c7967656e657261;
    v[3] = key[1] ^ 0x7465646279746573;
}

static inline uint64_t finish(uint64_t v[4], uint64_t last)
{
    eat(v, last);
    v[2] ^= 0xff;
    mix(v, FINALIZATION_ROUNDS);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t siphash(const uint64_t key[2], const void *data, size_t bytes)
{
    const uint8_t *next = data;
    const uint64_t length = (uint64_t)bytes << 56;
    uint64_t v[4];

    begin(v, key);
    for (; bytes >= WORD; next += WORD, bytes -= WORD)
        eat(v, load64le(next));
    return finish(v, load_few(next, bytes) | length);
}

/* Neither waits for the other, so both take little longer than one. */
struct siphash_pair siphash_pair(const uint64_t key[4], const void *data, size_t bytes)
{
    const uint8_t *next = data;
    const uint64_t length = (uint64_t)bytes << 56;
    uint64_t v[4], w[4], last;

    begin(v, key);
    begin(w, key + 2);
    for (; bytes >= WORD; next += WORD, bytes -= WORD) {
        eat(v, load64le(next));
        eat(w, load64le(next));
    }
    last = load_few(next, bytes) | length;
    return (struct siphash_pair){{finish(v, last), finish(w, last)}};
}

void siphash_begin(struct siphash_pieces *pieces, const uint64_t key[4])
{
    pieces->bytes = 0;
    begin(pieces->v[0], key);
    begin(pieces->v[1], key + 2);
}

void siphash_add(struct siphash_pieces *pieces, const void *data, size_t bytes)
{
    const uint8_t *next = data, *end = next + bytes;

    while (next < end) {
        const size_t known = pieces->bytes % WORD;
        const uint8_t *word = known == 0 && end - next >= WORD ? next : pieces->last;
        const size_t taken = word == next ? WORD : 1;

        if (word != next)
            pieces->last[known] = *next;
        next += taken;
        pieces->bytes += taken;
        for (int i = 0; i < 2 && pieces->bytes % WORD == 0; i++)
            eat(pieces->v[i], load64le(word));
    }
}

struct siphash_pair siphash_end(const struct siphash_pieces *pieces)
{
    const uint64_t last = load_few(pieces->last, pieces->bytes % WORD) | pieces->bytes << 56;
    struct siphash_pieces ended = *pieces;

    return (struct siphash_pair){{finish(ended.v[0], last), finish(ended.v[1], last)}};
}
