#pragma once

/*
 * Compressed bytes: frames of up to FRAMES_PLAIN_BYTES plain bytes, each a block of the LZ4
 * format (base/lz4.h), or the bytes as they are if they would hardly shrink.
 *
 *     length of the plain bytes - 1   2 bytes, the lower one first
 *     length of what follows - 1      2 bytes; the same if the bytes are as they are
 *     what follows
 *
 * A frame depends on nothing outside it. Nothing that is read is trusted before it is checked: a frame that cannot be
 * right is found here; the caller's checksum finds a valid frame that differs from the one written.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "system/fault.h"

enum { FRAMES_PLAIN_BYTES = 1 << 16 };

/* What is being compressed or decompressed lies on a desk, of this size. Each reader has one, and each call. */
size_t frames_desk_bytes(void);

/* Takes stored bytes. */
typedef void frames_put(void *context, const uint8_t *data, size_t bytes);

/* Hand all pieces to `put` as frames; as they are if they are not to be packed. */
void frames_write(bool packs, const struct iovec *pieces, int count, frames_put *put, void *context);

/* How much a sample of data shrinks, and how long that takes. */
struct frames_sample {
    size_t plain_bytes, stored_bytes;
    uint64_t nanoseconds; /* of processor time */
};

/* Compress the beginning of the pieces, only to measure. */
struct frames_sample frames_try(const struct iovec *pieces, int count);

/* Gives `bytes` stored bytes, or fewer at the end. Returns how many. */
typedef size_t frames_get(void *context, uint8_t *data, size_t bytes);

/* A reader of frames, which is zeroed before the first read. */
struct frames_reader {
    struct frames_desk *desk; /* NULL before the first read */
    size_t at;                /* plain bytes of the frame on the desk that are still to be handed out: [at, end) */
    size_t end;
};

/* Fill all pieces but their first `from` bytes with what comes next. False: the frames are not what was written. */
bool frames_read(struct frames_reader *reader, const struct iovec *pieces, int count, size_t from, frames_get *get,
                 void *context);

/* At any time; also if nothing was read. */
void frames_close(struct frames_reader *reader);
