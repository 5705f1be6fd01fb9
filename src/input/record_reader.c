/* When the last known end has been used, the rest of the buffer is the beginning of a record: it is moved to the front,
 * and more is read. */

#include "input/record_reader.h"

#include <string.h>

#include "base/tunable.h"

/* How many ends are found at a time. */
TUNABLE(ENDS, RECORD_READER_ENDS, 1, RECORD_READER_ENDS);

void record_reader_init(struct record_reader *reader, const struct record_format *format, struct source *source,
                        uint8_t *buffer, size_t bytes)
{
    *reader =
        (struct record_reader){.format = format, .source = source, .own = buffer, .buffer = buffer, .room = bytes};
}

/* Get more bytes after those of the unfinished record. These are moved to the front, in case more are read there; if
 * the source's bytes stay in place, they follow them where they were. */
static void fill(struct record_reader *reader)
{
    const size_t open = reader->filled - reader->start;
    const uint8_t *before = reader->buffer, *from = before + reader->start, *data;
    size_t got;

    if (from != reader->own)
        memmove(reader->own, from, open);
    if (before != reader->own && reader->start > 0)
        source_forget(reader->source, from);
    got = source_next(reader->source, reader->own + open, reader->room - open, &data, NULL);
    reader->buffer = got > 0 ? data - open : reader->own;
    reader->passed += reader->start;
    reader->start = 0;
    reader->filled = open + got;
    reader->scanned = open;
    reader->at_end = got == 0;
}

static void scan(struct record_reader *reader)
{
    size_t scanned;

    reader->base = reader->scanned;
    reader->next = 0;
    reader->count = record_ends(reader->format, &reader->scan, reader->buffer + reader->scanned,
                                reader->filled - reader->scanned, reader->end, ENDS, &scanned);
    reader->scanned += scanned;
}

static struct record_piece piece_to(const struct record_reader *reader, size_t end, bool last)
{
    return (struct record_piece){.data = reader->buffer + reader->start,
                                 .bytes = end - reader->start,
                                 .offset = reader->passed + reader->start,
                                 .first = !reader->inside,
                                 .last = last};
}

bool record_reader_next(struct record_reader *reader, struct record_piece *piece)
{
    size_t end;

    while (reader->next == reader->count) {
        if (reader->scanned < reader->filled) {
            scan(reader);
            continue;
        }
        if (reader->at_end)
            return false;
        if (reader->start == 0 && reader->filled == reader->room) {
            *piece = piece_to(reader, reader->filled, false);
            reader->inside = true;
            reader->start = reader->filled;
            return true;
        }
        fill(reader);
    }
    end = reader->base + reader->end[reader->next++];
    *piece = piece_to(reader, end, true);
    reader->inside = false;
    reader->start = end;
    return true;
}
