#pragma once

/* XXH64 (Y. Collet, the xxHash specification, doc/xxhash_spec.md), over bytes that come piece by piece. It guards
 * spilled piles against disks that forget; it is no defence against an adversary. */

#include <stddef.h>
#include <stdint.h>

struct xxh64 {
    uint64_t lane[4];
    uint64_t bytes; /* hashed so far */
    uint8_t buffer[32];
};

void xxh64_init(struct xxh64 *hash, uint64_t seed);
void xxh64_update(struct xxh64 *hash, const void *data, size_t bytes);

/* The hash of what has come so far; more may follow. */
uint64_t xxh64_value(const struct xxh64 *hash);

/* The hash of data[0, bytes) with the seed 0. */
uint64_t xxh64(const void *data, size_t bytes);
