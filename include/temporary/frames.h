#pragma once

/*
 * Compressed bytes: frames of up to FRAMES_PLAIN_BYTES plain bytes, each a block of the LZ4 format (base/lz4.h), or the
 * plain bytes if they would hardly shrink.
 *
 *     length of the plain bytes - 1   2 bytes, the lower one first
 *     length of the contents - 1      2 bytes; the same if the contents are the plain bytes
 *     contents
 *
 * A frame depends on no other. Frames are checked before they are trusted: an impossible one is found here; a valid one
 * that differs from the one written is found by the caller's checksum.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "system/fault.h"

enum { FRAMES_PLAIN_BYTES = 1 << 16 };

/* The size of a desk, memory for a frame and its plain bytes: one for each reader, frames_write and frames_try. */
size_t frames_desk_bytes(void);

/* Takes stored bytes. */
typedef void frames_put(void *context, const uint8_t *data, size_t bytes);

/* Hand all pieces to `put` as frames; unless `packs`, their contents are the plain bytes. */
void frames_write(bool packs, const struct iovec *pieces, int count, frames_put *put, void *context);

/* How much a sample of data shrinks, and how long compressing it takes. */
struct frames_sample {
    size_t plain_bytes, stored_bytes;
    uint64_t nanoseconds; /* of processor time */
};

/* Compress the beginning of the pieces, only to measure. */
struct frames_sample frames_try(const struct iovec *pieces, int count);

/* Puts `bytes` stored bytes into `data`, or fewer at the end. Returns their number. */
typedef size_t frames_get(void *context, uint8_t *data, size_t bytes);

/* A reader of frames. Zeroed before the first read. */
struct frames_reader {
    struct frames_desk *desk; /* NULL before the first read */
    size_t at;                /* [at, end): plain bytes of the frame on the desk that have not been read */
    size_t end;
};

/* Fill all pieces except their first `from` bytes with the next plain bytes. False: the frames are damaged. */
bool frames_read(struct frames_reader *reader, const struct iovec *pieces, int count, size_t from, frames_get *get,
                 void *context);

/* May be called at any time, also if nothing was read. */
void frames_close(struct frames_reader *reader);
