#ifndef BIGSHUF_BASE_SIPHASH_H
#define BIGSHUF_BASE_SIPHASH_H

/* SipHash-2-4 (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012): without the key, nobody
 * can tell a hash or choose bytes with the same hash. */

#include <stddef.h>
#include <stdint.h>

/* The key is its 16 bytes as two little-endian numbers. */
uint64_t siphash(const uint64_t key[2], const void *data, size_t bytes);

#endif
