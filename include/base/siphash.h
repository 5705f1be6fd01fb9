#pragma once

/* SipHash-2-4 (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012): without the key, nobody
 * can tell a hash or choose bytes with the same hash. */

#include <stddef.h>
#include <stdint.h>

/* Two keys of 16 bytes, each as two little-endian numbers. */
struct siphash_key {
    uint64_t word[4];
};

/* The hashes of the same data under both: 128 bits, which no two different data will ever have in common. */
struct siphash_pair {
    uint64_t word[2];
};

struct siphash_pair siphash_pair(const struct siphash_key *key, const void *data, size_t bytes);

/* The same of `count` texts: with AVX-512, four at a time take little longer than one. */
struct siphash_text {
    const uint8_t *data;
    size_t bytes;
};

void siphash_pairs(const struct siphash_key *key, const struct siphash_text *text, size_t count,
                   struct siphash_pair *hash);

/* The same of data that is given in pieces. */
struct siphash_pieces {
    uint64_t v[2][4];
    uint64_t bytes;
    uint64_t last; /* the bytes after the last whole word */
};

void siphash_begin(struct siphash_pieces *pieces, const struct siphash_key *key);
void siphash_add(struct siphash_pieces *pieces, const void *data, size_t bytes);
struct siphash_pair siphash_end(const struct siphash_pieces *pieces);
