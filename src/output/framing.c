/* The last START of a file is not written. That bytes are the last ones of a file is known only when the next one
 * begins: so as many as START has are always kept back, and those that are kept at the end are dropped. */

#include "output/framing.h"

#include <string.h>

#include "base/arithmetic.h"

void framing_begin(struct framing_file *file, const struct framing *framing,
                   void (*write)(void *context, const void *data, size_t bytes), void *context)
{
    file->framing = framing;
    file->write = write;
    file->context = context;
    file->scan = (struct record_scan){0};
    file->begun = false;
    file->last_bytes = 0;
    file->tape_bytes = 0;
    if (framing->header_bytes > 0)
        write(context, framing->header, framing->header_bytes);
}

static void translate(const struct framing *framing, uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = data[i] == framing->from ? framing->to : data[i];
}

/* Of what was kept back and then data[0, bytes), write all but the last bytes, and keep those back. */
static void write_but_last(struct framing_file *file, const uint8_t *data, size_t bytes)
{
    size_t total = file->last_bytes + bytes;
    size_t ready = total > file->framing->start_bytes ? total - file->framing->start_bytes : 0;
    size_t old = least_size(ready, file->last_bytes);

    if (old > 0)
        file->write(file->context, file->last, old);
    memmove(file->last, file->last + old, file->last_bytes - old);
    file->last_bytes -= old;
    ready -= old;
    if (ready > 0)
        file->write(file->context, data, ready);
    memcpy(file->last + file->last_bytes, data + ready, bytes - ready);
    file->last_bytes += bytes - ready;
}

void framing_write(struct framing_file *file, uint8_t *data, size_t bytes)
{
    const struct framing *framing = file->framing;

    if (framing->format.grouped)
        bytes = record_unmark(&framing->format, &file->scan, data, bytes);
    if (bytes == 0)
        return;
    file->tape_bytes += bytes;
    if (framing->translates)
        translate(framing, data, bytes);
    if (framing->start_bytes == 0) {
        file->write(file->context, data, bytes);
        return;
    }
    if (!file->begun)
        file->write(file->context, framing->start, framing->start_bytes);
    file->begun = true;
    write_but_last(file, data, bytes);
}

void framing_end(struct framing_file *file)
{
    static const uint8_t zeros[FRAMING_TAPE_BYTES];
    uint64_t left = FRAMING_TAPE_BYTES - file->tape_bytes % FRAMING_TAPE_BYTES;

    if (file->framing->format.kind != &tar_kind)
        return;
    if (left < FRAMING_END_BYTES)
        file->write(file->context, zeros, FRAMING_TAPE_BYTES);
    file->write(file->context, zeros, (size_t)left);
}

uint64_t framing_room(const struct framing *framing, uint64_t bytes)
{
    if (framing->format.kind != &tar_kind)
        return bytes;
    bytes -= bytes % FRAMING_TAPE_BYTES;
    return bytes > 0 ? bytes - FRAMING_END_BYTES : 0;
}
