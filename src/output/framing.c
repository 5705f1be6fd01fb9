/* The last START of a file is not written. Which bytes are the last is known only at the file's end: so the latest
 * `start_bytes` bytes are always kept back, and dropped at the end. */

#include "output/framing.h"

#include <string.h>

#include "base/arithmetic.h"
#include "record/group.h"

static void send(const struct framing_file *file, const void *data, size_t bytes)
{
    if (bytes == 0)
        return;
    if (file->programs != NULL)
        filters_write(file->programs, data, bytes);
    else
        sink_write(file->sink, data, bytes);
}

/* A buffer is written when it is full, so that writes are whole pages. */
static void put_bytes(void *context, const uint8_t *data, size_t bytes)
{
    struct framing_file *file = context;

    while (file->buffer != NULL && bytes > 0) {
        const size_t part = least_size(bytes, FRAMING_BUFFER_BYTES - file->buffered);

        memcpy(file->buffer + file->buffered, data, part);
        file->buffered += part;
        if (file->buffered < FRAMING_BUFFER_BYTES)
            return;
        send(file, file->buffer, FRAMING_BUFFER_BYTES);
        file->buffered = 0;
        data += part;
        bytes -= part;
    }
    send(file, data, bytes);
}

void framing_begin(struct framing_file *file, const struct framing *framing, struct sink *sink,
                   struct filters *programs)
{
    *file = (struct framing_file){.framing = framing, .sink = sink, .programs = programs};
    put_bytes(file, framing->header, framing->header_bytes);
}

static void translate(const struct framing *framing, uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = data[i] == framing->from ? framing->to : data[i];
}

void framing_write(struct framing_file *file, uint8_t *data, size_t bytes)
{
    const struct framing *framing = file->framing;
    bool begins;

    bytes = group_text(&framing->format, &file->scan, data, bytes, data);
    if (bytes == 0)
        return;
    begins = file->record_bytes == 0;
    file->record_bytes += bytes;
    if (framing->translates)
        translate(framing, data, bytes);
    if (framing->start_bytes == 0) {
        put_bytes(file, data, bytes);
        return;
    }
    if (begins)
        put_bytes(file, framing->start, framing->start_bytes);
    record_put_but_last(&file->last, framing->start_bytes, data, bytes, put_bytes, file);
}

void framing_end(struct framing_file *file)
{
    static const uint8_t zeros[FRAMING_TAPE_BYTES];
    uint64_t left = FRAMING_TAPE_BYTES - file->record_bytes % FRAMING_TAPE_BYTES;

    if (file->framing->format.kind == &tar_kind) {
        if (left < FRAMING_END_BYTES)
            put_bytes(file, zeros, FRAMING_TAPE_BYTES);
        put_bytes(file, zeros, (size_t)left);
    }
    send(file, file->buffer, file->buffered);
    if (file->programs != NULL)
        filters_end(file->programs);
}

uint64_t framing_room(const struct framing *framing, uint64_t bytes)
{
    if (framing->format.kind != &tar_kind)
        return bytes;
    bytes -= bytes % FRAMING_TAPE_BYTES;
    return bytes > 0 ? bytes - FRAMING_END_BYTES : 0;
}
