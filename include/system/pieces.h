#ifndef BIGSHUF_SYSTEM_PIECES_H
#define BIGSHUF_SYSTEM_PIECES_H

/* Lists of pieces of memory that are written or filled one after another (struct iovec), in several transfers. */

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Copy the beginning of a list, at most `limit` bytes, to `some`, which has room for so many pieces. Returns how many
 * pieces were made there; *bytes is their bytes. */
int pieces_begin(const struct iovec *pieces, int count, uint64_t limit, struct iovec *some, int room, size_t *bytes);

/* Take the first `bytes` bytes away, and pieces without bytes that follow. Returns the index of the first
 * piece that still has bytes, or `count`. */
int pieces_advance(struct iovec *pieces, int count, size_t bytes);

#endif
