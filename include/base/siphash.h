#ifndef BIGSHUF_BASE_SIPHASH_H
#define BIGSHUF_BASE_SIPHASH_H

/* SipHash-2-4 (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012): without the key, nobody
 * can tell a hash or choose bytes with the same hash. */

#include <stddef.h>
#include <stdint.h>

/* The key is its 16 bytes as two little-endian numbers. */
uint64_t siphash(const uint64_t key[2], const void *data, size_t bytes);

/* Two hashes of the same data, under a key for each. */
struct siphash_pair {
    uint64_t word[2];
};

struct siphash_pair siphash_pair(const uint64_t key[4], const void *data, size_t bytes);

/* The same of `count` texts: with AVX-512, four at a time take little longer than one. */
struct siphash_text {
    const uint8_t *data;
    size_t bytes;
};

void siphash_pairs(const uint64_t key[4], const struct siphash_text *text, size_t count, struct siphash_pair *hash);

/* The same of data that come in pieces. */
struct siphash_pieces {
    uint64_t v[2][4];
    uint64_t bytes;
    uint8_t last[8]; /* that do not make a word yet */
};

void siphash_begin(struct siphash_pieces *pieces, const uint64_t key[4]);
void siphash_add(struct siphash_pieces *pieces, const void *data, size_t bytes);
struct siphash_pair siphash_end(const struct siphash_pieces *pieces);

#endif
