/* What is left of the buffer when no end is known any more is the beginning of a record: it is moved to the front, and
 * the rest is filled up behind it. */

#include "input/record_reader.h"

#include <string.h>

void walk_init(struct walk *walk, const struct record_format *format, struct source *source, uint8_t *buffer,
               size_t bytes)
{
    *walk = (struct walk){.format = format, .source = source, .buffer = buffer, .room = bytes};
}

/* Have more bytes behind those that are open. */
static int fill(struct walk *walk)
{
    size_t open = walk->filled - walk->start;
    ssize_t got;

    if (walk->start > 0)
        memmove(walk->buffer, walk->buffer + walk->start, open);
    walk->passed += walk->start;
    walk->start = 0;
    walk->filled = open;
    walk->scanned = open;
    got = source_read(walk->source, walk->buffer + open, walk->room - open);
    if (got < 0)
        return -1;
    walk->filled += (size_t)got;
    walk->at_end = got == 0;
    return 0;
}

static void scan(struct walk *walk)
{
    size_t scanned;

    walk->base = walk->scanned;
    walk->next = 0;
    walk->count = record_ends(walk->format, &walk->scan, walk->buffer + walk->scanned, walk->filled - walk->scanned,
                              walk->end, WALK_ENDS, &scanned);
    walk->scanned += scanned;
}

static struct walk_piece piece_to(const struct walk *walk, size_t end, bool last)
{
    return (struct walk_piece){.data = walk->buffer + walk->start,
                               .bytes = end - walk->start,
                               .offset = walk->passed + walk->start,
                               .first = !walk->inside,
                               .last = last};
}

int walk_next(struct walk *walk, struct walk_piece *piece)
{
    size_t end;

    while (walk->next == walk->count) {
        if (walk->scanned < walk->filled) {
            scan(walk);
            continue;
        }
        if (walk->at_end)
            return 0;
        if (walk->start == 0 && walk->filled == walk->room) {
            *piece = piece_to(walk, walk->filled, false);
            walk->inside = true;
            walk->start = walk->filled;
            return 1;
        }
        if (fill(walk) != 0)
            return -1;
    }
    end = walk->base + walk->end[walk->next++];
    *piece = piece_to(walk, end, true);
    walk->inside = false;
    walk->start = end;
    return 1;
}
