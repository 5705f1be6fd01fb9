#ifndef BIGSHUF_BASE_SIPHASH_H
#define BIGSHUF_BASE_SIPHASH_H

/* SipHash-2-4 (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012): without the key, nobody
 * can tell a hash or choose bytes with the same hash. */

#include <stddef.h>
#include <stdint.h>

/* The key is its 16 bytes as two little-endian numbers. */
uint64_t siphash(const uint64_t key[2], const void *data, size_t bytes);

/* The same of data that come in pieces. */
struct siphash {
    uint64_t v[4];
    uint64_t bytes;
    uint8_t last[8]; /* that do not make a word yet */
    size_t last_bytes;
};

void siphash_begin(struct siphash *hash, const uint64_t key[2]);
void siphash_add(struct siphash *hash, const void *data, size_t bytes);
uint64_t siphash_end(struct siphash *hash);

#endif
