#pragma once

/*
 * The LZ4 block format (Yann Collet, "LZ4 Block Format Description", the public specification at github.com/lz4/lz4),
 * for blocks of at most 64 KiB. A block is a sequence of literals and matches. It does not contain its length; the
 * caller keeps the number of plain bytes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LZ4_BLOCK_BYTES_MAX = 1 << 16, LZ4_HASH_BITS = 13 };

/* Memory for lz4_compress. Its contents mean nothing before and after. */
struct lz4_table {
    uint16_t place[1 << LZ4_HASH_BITS];
};

/* Compress data[0, bytes), at most LZ4_BLOCK_BYTES_MAX, to to[0, room), all of which may be overwritten. Returns the
 * length, or 0 if there is not enough room. Empty data takes one byte. */
size_t lz4_compress(struct lz4_table *table, const uint8_t *data, size_t bytes, uint8_t *to, size_t room);

/* Decompress from[0, bytes) to to[0, wanted). False if it is not a block of exactly `wanted` plain bytes. Nothing
 * outside the two buffers is touched, whatever the block contains. */
bool lz4_decompress(const uint8_t *from, size_t bytes, uint8_t *to, size_t wanted);
