/* As the paper has it, in 64-bit little-endian words. The last word, which also has the length, is put together from
 * loads that overlap, since a loop over its bytes would often be mispredicted, as keys are of many lengths. */

#include "base/siphash.h"

#include <string.h>

#include "base/arithmetic.h"

enum { WORD = 8, COMPRESSION_ROUNDS = 2, FINALIZATION_ROUNDS = 4 };

/* load64le of fewer than 8 bytes, with zeros after them. */
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

/* Neither hash waits for the other, so both take little longer than one. */
static inline void eat_both(struct siphash_pieces *pieces, uint64_t word)
{
    eat(pieces->v[0], word);
    eat(pieces->v[1], word);
}

void siphash_begin(struct siphash_pieces *pieces, const struct siphash_key *key)
{
    pieces->bytes = pieces->last = 0;
    begin(pieces->v[0], key->word);
    begin(pieces->v[1], key->word + 2);
}

void siphash_add(struct siphash_pieces *pieces, const void *data, size_t bytes)
{
    const uint8_t *next = data;
    const size_t known = pieces->bytes % WORD, part = least_size(WORD - known, bytes);

    pieces->bytes += bytes;
    if (known > 0) {
        pieces->last |= load_few(next, part) << 8 * known;
        if (known + part < WORD)
            return;
        eat_both(pieces, pieces->last);
        next += part;
        bytes -= part;
    }
    for (; bytes >= WORD; next += WORD, bytes -= WORD)
        eat_both(pieces, load64le(next));
    pieces->last = load_few(next, bytes);
}

struct siphash_pair siphash_end(const struct siphash_pieces *pieces)
{
    const uint64_t last = pieces->last | pieces->bytes << 56;
    struct siphash_pieces ended = *pieces;

    return (struct siphash_pair){{finish(ended.v[0], last), finish(ended.v[1], last)}};
}

struct siphash_pair siphash_pair(const struct siphash_key *key, const void *data, size_t bytes)
{
    struct siphash_pieces pieces;

    siphash_begin(&pieces, key);
    siphash_add(&pieces, data, bytes);
    return siphash_end(&pieces);
}

/* ---- Several texts at a time ---- */

#if defined(__x86_64__)

/* A vector, of the compiler's (chacha.c), has a lane for each hash of four texts. */
typedef uint64_t vector __attribute__((vector_size(64)));

#define EACH(value)                                                                                                    \
    {                                                                                                                  \
        value(0, 0), value(0, 2), value(1, 0), value(1, 2), value(2, 0), value(2, 2), value(3, 0), value(3, 2)         \
    }
#define KEY_LOW(i, k)  key->word[k]
#define KEY_HIGH(i, k) key->word[(k) + 1]
#define WORDS(i, k)    words[i]
#define WORD_AT(i, k)  load(at < words[i] ? text[i].data + at * WORD : (const void *)&last[i])
#define ROTATE(x, n)   ((x) << (n) | (x) >> (64 - (n)))
#define MIX(rounds)                                                                                                    \
    for (int round = 0; round < (rounds); round++) {                                                                   \
        v0 += v1, v2 += v3;                                                                                            \
        v1 = ROTATE(v1, 13) ^ v0, v3 = ROTATE(v3, 16) ^ v2, v0 = ROTATE(v0, 32);                                       \
        v2 += v1, v0 += v3;                                                                                            \
        v1 = ROTATE(v1, 17) ^ v2, v3 = ROTATE(v3, 21) ^ v0, v2 = ROTATE(v2, 32);                                       \
    }

/* Where load64le is vectorised, clang makes 8 lanes for each byte. */
static inline uint64_t load(const void *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

/* All lanes go on to the end of the longest text; a lane keeps its state after the end of its own. */
__attribute__((target("avx512f"))) static void hash_four(const struct siphash_key *key,
                                                         const struct siphash_text text[4], struct siphash_pair hash[4])
{
    const vector low = EACH(KEY_LOW), high = EACH(KEY_HIGH);
    vector v0 = low ^ 0x736f6d6570736575, v1 = high ^ 0x646f72616e646f6d;
    vector v2 = low ^ 0x6c7967656e657261, v3 = high ^ 0x7465646279746573;
    uint64_t words[4], last[4], most = 0;

    for (int i = 0; i < 4; i++) {
        const size_t bytes = text[i].bytes, few = bytes % WORD;

        words[i] = bytes / WORD;
        last[i] = load_few(text[i].data + bytes - few, few) | (uint64_t)bytes << 56;
        most = words[i] > most ? words[i] : most;
    }
    for (uint64_t at = 0; at <= most; at++) {
        const vector u0 = v0, u1 = v1, u2 = v2, u3 = v3, word = EACH(WORD_AT), ends = EACH(WORDS);
        const vector going = (vector)(ends >= at);

        v3 ^= word;
        MIX(COMPRESSION_ROUNDS)
        v0 ^= word;
        v0 = (v0 & going) | (u0 & ~going), v1 = (v1 & going) | (u1 & ~going);
        v2 = (v2 & going) | (u2 & ~going), v3 = (v3 & going) | (u3 & ~going);
    }
    v2 ^= 0xff;
    MIX(FINALIZATION_ROUNDS)
    v0 ^= v1 ^ v2 ^ v3;
    memcpy(hash, &v0, sizeof v0);
}

#endif

void siphash_pairs(const struct siphash_key *key, const struct siphash_text *text, size_t count,
                   struct siphash_pair *hash)
{
    size_t i = 0;

#if defined(__x86_64__)
    for (; count - i >= 4 && __builtin_cpu_supports("avx512f"); i += 4)
        hash_four(key, text + i, hash + i);
#endif
    for (; i < count; i++)
        hash[i] = siphash_pair(key, text[i].data, text[i].bytes);
}
