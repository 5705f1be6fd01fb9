/*
 * Memory blocks are small where memory is, so a frame is put together from several on the desk first, which costs a
 * tenth of what compressing does. In front of both places on the desk there is room for a header, so that a frame is
 * handed on in one piece, whichever of the two it is.
 *
 * A frame is read together with the header of the next one: one read each.
 */

#include "temporary/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/least.h"
#include "base/lz4.h"
#include "system/sys.h"

enum { HEADER_BYTES = 4 };

/* A frame is packed if that saves at least this part of it: less is not worth the time to unpack it. */
enum { SAVED_SHARE = 16 };

_Static_assert((int)FRAMES_PLAIN_BYTES <= (int)LZ4_BLOCK_BYTES_MAX, "a frame is one block");

struct frames_desk {
    struct frames_desk *next; /* in the list of idle ones */
    struct lz4_table table;
    uint8_t plain[HEADER_BYTES + FRAMES_PLAIN_BYTES];
    uint8_t packed[HEADER_BYTES + FRAMES_PLAIN_BYTES + HEADER_BYTES]; /* and the header of the next frame */
    uint8_t header[HEADER_BYTES];                                     /* of the frame to be read next */
};

void frames_init(struct frames *frames)
{
    *frames = (struct frames){.idle = NULL};
    pthread_mutex_init(&frames->mutex, NULL);
}

void frames_release(struct frames *frames)
{
    while (frames->idle != NULL) {
        struct frames_desk *desk = frames->idle;

        frames->idle = desk->next;
        free(desk);
    }
    pthread_mutex_destroy(&frames->mutex);
}

size_t frames_desk_bytes(void)
{
    return sizeof(struct frames_desk);
}

/* NULL after a report. */
static struct frames_desk *take_desk(struct frames *frames)
{
    struct frames_desk *desk;

    pthread_mutex_lock(&frames->mutex);
    desk = frames->idle;
    if (desk != NULL)
        frames->idle = desk->next;
    pthread_mutex_unlock(&frames->mutex);
    if (desk == NULL)
        desk = sys_allocate(1, sizeof *desk);
    if (desk == NULL)
        fault_report("memory", errno);
    return desk;
}

static void leave_desk(struct frames *frames, struct frames_desk *desk)
{
    pthread_mutex_lock(&frames->mutex);
    desk->next = frames->idle;
    frames->idle = desk;
    pthread_mutex_unlock(&frames->mutex);
}

/* ---- Writing ---- */

/* Where the next plain byte is. */
struct place {
    const struct iovec *piece;
    const struct iovec *end;
    size_t inside;
};

/* Put a frame's plain bytes together. Returns how many they are, 0 at the end. */
static size_t collect(struct place *place, uint8_t *to)
{
    size_t bytes = 0;

    while (place->piece < place->end && bytes < FRAMES_PLAIN_BYTES) {
        const size_t length = least_size(place->piece->iov_len - place->inside, FRAMES_PLAIN_BYTES - bytes);

        memcpy(to + bytes, (const uint8_t *)place->piece->iov_base + place->inside, length);
        bytes += length;
        place->inside += length;
        if (place->inside == place->piece->iov_len) {
            place->piece++;
            place->inside = 0;
        }
    }
    return bytes;
}

/* Returns how many bytes it takes; 0: not enough would be saved. */
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

int frames_write(struct frames *frames, bool packs, const struct iovec *pieces, int count, frames_put *put,
                 void *context)
{
    struct place place = {.piece = pieces, .end = pieces + count};
    struct frames_desk *desk = take_desk(frames);
    int status = desk == NULL ? -1 : 0;
    size_t bytes;

    while (status == 0 && (bytes = collect(&place, desk->plain + HEADER_BYTES)) > 0) {
        const size_t packed = packs ? pack(desk, bytes) : 0;
        uint8_t *frame = packed > 0 ? desk->packed : desk->plain;
        const size_t stored = packed > 0 ? packed : bytes;

        put_length(frame, bytes);
        put_length(frame + HEADER_BYTES / 2, stored);
        status = put(context, frame, HEADER_BYTES + stored);
    }
    if (desk != NULL)
        leave_desk(frames, desk);
    return status;
}

int frames_try(struct frames *frames, const struct iovec *pieces, int count, struct frames_sample *sample)
{
    struct place place = {.piece = pieces, .end = pieces + count};
    struct frames_desk *desk = take_desk(frames);
    uint64_t start;

    if (desk == NULL)
        return -1;
    start = sys_thread_nanoseconds();
    sample->plain_bytes = collect(&place, desk->plain + HEADER_BYTES);
    sample->stored_bytes = pack(desk, sample->plain_bytes);
    if (sample->stored_bytes == 0)
        sample->stored_bytes = sample->plain_bytes;
    sample->nanoseconds = sys_thread_nanoseconds() - start;
    leave_desk(frames, desk);
    return 0;
}

/* ---- Reading ---- */

/* Get so many bytes, and the header of the next frame if there is one. */
static enum frames_verdict get_with_header(struct frames_reader *reader, uint8_t *data, size_t bytes, frames_get *get,
                                           void *context)
{
    const ssize_t got = get(context, data, bytes + HEADER_BYTES);

    if (got < 0)
        return FRAMES_FAILED;
    reader->header = (size_t)got == bytes + HEADER_BYTES;
    if (!reader->header && (size_t)got != bytes)
        return FRAMES_DAMAGED;
    memcpy(reader->desk->header, data + bytes, reader->header ? HEADER_BYTES : 0);
    return FRAMES_READ;
}

/* Take a desk, with the header of the first frame. */
static enum frames_verdict begin(struct frames *frames, struct frames_reader *reader, frames_get *get, void *context)
{
    reader->desk = take_desk(frames);
    return reader->desk == NULL ? FRAMES_FAILED : get_with_header(reader, reader->desk->packed, 0, get, context);
}

/* Have the plain bytes of the next frame on the desk, which has its header. */
static enum frames_verdict next_frame(struct frames_reader *reader, frames_get *get, void *context)
{
    struct frames_desk *desk = reader->desk;
    const size_t bytes = get_length(desk->header);
    const size_t stored = get_length(desk->header + HEADER_BYTES / 2);
    enum frames_verdict verdict;

    if (!reader->header || stored > bytes)
        return FRAMES_DAMAGED;
    verdict = get_with_header(reader, desk->packed, stored, get, context);
    if (verdict != FRAMES_READ)
        return verdict;
    if (stored == bytes)
        memcpy(desk->plain, desk->packed, bytes);
    else if (!lz4_decompress(desk->packed, stored, desk->plain, bytes))
        return FRAMES_DAMAGED;
    reader->at = 0;
    reader->end = bytes;
    return FRAMES_READ;
}

enum frames_verdict frames_read(struct frames *frames, struct frames_reader *reader, const struct iovec *pieces,
                                int count, frames_get *get, void *context)
{
    for (int i = 0; i < count; i++) {
        size_t done = 0;

        while (done < pieces[i].iov_len) {
            enum frames_verdict verdict = FRAMES_READ;
            size_t bytes;

            if (reader->desk == NULL)
                verdict = begin(frames, reader, get, context);
            if (verdict == FRAMES_READ && reader->at == reader->end)
                verdict = next_frame(reader, get, context);
            if (verdict != FRAMES_READ)
                return verdict;
            bytes = least_size(pieces[i].iov_len - done, reader->end - reader->at);
            memcpy((uint8_t *)pieces[i].iov_base + done, reader->desk->plain + reader->at, bytes);
            reader->at += bytes;
            done += bytes;
        }
    }
    return FRAMES_READ;
}

void frames_close(struct frames *frames, struct frames_reader *reader)
{
    if (reader->desk != NULL)
        leave_desk(frames, reader->desk);
    *reader = (struct frames_reader){.desk = NULL};
}
