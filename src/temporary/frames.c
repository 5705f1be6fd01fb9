/*
 * Memory blocks are small if memory is, so a frame is first put together from several on the desk, which costs a tenth
 * of compressing. Both buffers on the desk have room for a header in front, so that either can be handed on as one
 * piece.
 */

#include "temporary/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/lz4.h"
#include "base/tunable.h"
#include "system/sys.h"

enum { HEADER_BYTES = 4 };

/* A frame is packed if that saves more than 1/SAVED_SHARE of it: less is not worth the time to unpack it. */
TUNABLE(SAVED_SHARE, 16, 2, 1024);

/* The most plain bytes of a frame. */
TUNABLE(FRAME_BYTES, FRAMES_PLAIN_BYTES, 64, FRAMES_PLAIN_BYTES);

_Static_assert((int)FRAMES_PLAIN_BYTES <= (int)LZ4_BLOCK_BYTES_MAX, "a frame is one block");

struct frames_desk {
    struct lz4_table table;
    uint8_t plain[HEADER_BYTES + FRAMES_PLAIN_BYTES];
    uint8_t packed[HEADER_BYTES + FRAMES_PLAIN_BYTES];
};

size_t frames_desk_bytes(void)
{
    return sizeof(struct frames_desk);
}

/* ---- Writing ---- */

/* The place of the next plain byte. */
struct piece_cursor {
    const struct iovec *piece;
    const struct iovec *end;
    size_t inside;
};

/* Put a frame's plain bytes together. Returns their number, 0 at the end. */
static size_t collect_frame(struct piece_cursor *cursor, uint8_t *to)
{
    size_t bytes = 0;

    while (cursor->piece < cursor->end && bytes < FRAME_BYTES) {
        const size_t length = least_size(cursor->piece->iov_len - cursor->inside, FRAME_BYTES - bytes);

        memcpy(to + bytes, (const uint8_t *)cursor->piece->iov_base + cursor->inside, length);
        bytes += length;
        cursor->inside += length;
        if (cursor->inside == cursor->piece->iov_len) {
            cursor->piece++;
            cursor->inside = 0;
        }
    }
    return bytes;
}

/* Returns the bytes of the packed frame; 0: too few would be saved. */
static size_t pack(struct frames_desk *desk, size_t bytes)
{
    return lz4_compress(&desk->table, desk->plain + HEADER_BYTES, bytes, desk->packed + HEADER_BYTES,
                        bytes - bytes / SAVED_SHARE - 1);
}

static void put_length(uint8_t *to, size_t length)
{
    to[0] = (uint8_t)(length - 1);
    to[1] = (uint8_t)((length - 1) >> 8);
}

static size_t get_length(const uint8_t *from)
{
    return ((size_t)from[0] | (size_t)from[1] << 8) + 1;
}

void frames_write(bool packs, const struct iovec *pieces, int count, frames_put *put, void *context)
{
    struct piece_cursor cursor = {.piece = pieces, .end = pieces + count};
    struct frames_desk *desk = fault_allocate(1, sizeof *desk);
    size_t bytes;

    while ((bytes = collect_frame(&cursor, desk->plain + HEADER_BYTES)) > 0) {
        const size_t packed = packs ? pack(desk, bytes) : 0;
        uint8_t *frame = packed > 0 ? desk->packed : desk->plain;
        const size_t stored = packed > 0 ? packed : bytes;

        put_length(frame, bytes);
        put_length(frame + HEADER_BYTES / 2, stored);
        put(context, frame, HEADER_BYTES + stored);
    }
    free(desk);
}

struct frames_sample frames_try(const struct iovec *pieces, int count)
{
    struct piece_cursor cursor = {.piece = pieces, .end = pieces + count};
    struct frames_desk *desk = fault_allocate(1, sizeof *desk);
    const uint64_t start = sys_thread_nanoseconds();
    struct frames_sample sample;

    sample.plain_bytes = collect_frame(&cursor, desk->plain + HEADER_BYTES);
    sample.stored_bytes = pack(desk, sample.plain_bytes);
    if (sample.stored_bytes == 0)
        sample.stored_bytes = sample.plain_bytes;
    sample.nanoseconds = sys_thread_nanoseconds() - start;
    free(desk);
    return sample;
}

/* ---- Reading ---- */

/* Put the plain bytes of the next frame on the desk. False: the frame is damaged. */
static bool next_frame(struct frames_reader *reader, frames_get *get, void *context)
{
    struct frames_desk *desk = reader->desk;
    uint8_t header[HEADER_BYTES];
    size_t bytes, stored;

    if (get(context, header, HEADER_BYTES) != HEADER_BYTES)
        return false;
    bytes = get_length(header);
    stored = get_length(header + HEADER_BYTES / 2);
    if (stored > bytes || get(context, desk->packed, stored) != stored)
        return false;
    if (stored == bytes)
        memcpy(desk->plain, desk->packed, bytes);
    else if (!lz4_decompress(desk->packed, stored, desk->plain, bytes))
        return false;
    reader->at = 0;
    reader->end = bytes;
    return true;
}

bool frames_read(struct frames_reader *reader, const struct iovec *pieces, int count, size_t from, frames_get *get,
                 void *context)
{
    for (int i = 0; i < count; i++) {
        size_t done = least_size(from, pieces[i].iov_len);

        from -= done;
        while (done < pieces[i].iov_len) {
            size_t bytes;

            if (reader->desk == NULL)
                reader->desk = fault_allocate(1, sizeof *reader->desk);
            if (reader->at == reader->end && !next_frame(reader, get, context))
                return false;
            bytes = least_size(pieces[i].iov_len - done, reader->end - reader->at);
            memcpy((uint8_t *)pieces[i].iov_base + done, reader->desk->plain + reader->at, bytes);
            reader->at += bytes;
            done += bytes;
        }
    }
    return true;
}

void frames_close(struct frames_reader *reader)
{
    free(reader->desk);
    *reader = (struct frames_reader){.desk = NULL};
}
