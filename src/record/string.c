/*
 * Records that end with a string, found leftmost, not overlapping; or that start with a string, which then ends the
 * record before (record.h).
 *
 * A delimiter string is searched by its first and last byte at once, and the bytes between are compared. That is enough
 * for delimiters in one fragment; one that crosses two fragments is followed byte by byte, as Knuth, Morris and Pratt
 * do: `done` is the length of the longest beginning of the delimiter that ends the stream so far and overlaps no
 * record's end. Their table of shorter beginnings is not kept: it is needed for a few bytes in a block.
 */

#include <string.h>

#include "base/tunable.h"
#include "record/record.h"
#include "record/scan.h"

TUNABLE(NEAR, 1024, 1, 1024); /* bytes in which one is sought that is not in the delimiter */

/* Move on by one byte. Does it end a record? */
static bool step_string(const struct record_format *format, struct record_scan *scan, uint8_t byte)
{
    size_t before = (size_t)scan->done;
    size_t length = before + 1; /* of the delimiter's beginning that ends with this byte */

    while (length > 0 && (format->string[length - 1] != byte ||
                          memcmp(format->string, format->string + before + 1 - length, length - 1) != 0))
        length--;
    scan->open = length < format->string_bytes;
    scan->done = scan->open ? length : 0;
    return !scan->open;
}

/* The ends of records whose delimiters start at data[*start] or later. *start becomes the last one's end. */
static size_t ends_inside(const struct record_format *format, const uint8_t *data, size_t bytes, size_t *start,
                          uint32_t *ends, size_t room)
{
    uint32_t candidates[SCAN_ENDS];
    const size_t distance = format->string_bytes - 1;
    struct scan_search pair = {
        .sought = SCAN_PAIR, .byte = format->string[distance], .first = format->string[0], .distance = distance};
    size_t found = 0;
    size_t at = *start + distance; /* where the last byte of the next delimiter may be */

    while (at < bytes && found < room) {
        size_t looked_at;
        size_t count = scan_find(&pair, data + at, bytes - at, candidates, SCAN_ENDS, &looked_at);

        for (size_t i = 0; i < count && found < room; i++) {
            size_t end = at + candidates[i];
            size_t begin = end - format->string_bytes;

            if (begin < *start || memcmp(data + begin + 1, format->string + 1, distance - 1) != 0)
                continue;
            ends[found++] = (uint32_t)end;
            *start = end;
        }
        at += looked_at;
    }
    return found;
}

static size_t find_string_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                               size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    size_t found = 0, at = 0, start;

    /* While a delimiter may have begun before the data. */
    while (at < bytes && found < room && scan->done > at)
        if (step_string(format, scan, data[at++]))
            ends[found++] = (uint32_t)at;
    *scanned = at;
    if (at == bytes || found == room)
        return found;
    start = at - (size_t)scan->done;
    found += ends_inside(format, data, bytes, &start, ends + found, room - found);
    *scan = (struct record_scan){0};
    *scanned = found == room ? start : bytes;
    if (bytes - start >= format->string_bytes)
        start = bytes - format->string_bytes + 1;
    while (start < *scanned)
        (void)step_string(format, scan, data[start++]);
    return found;
}

/* The state depends only on the bytes after the last one that is not in the delimiter. That is near the end; if not,
 * such bytes are too rare to be worth a longer search. */
static void advance_string(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                           size_t bytes)
{
    const size_t first = bytes > NEAR ? bytes - NEAR : 0;
    uint32_t ends[SCAN_ENDS];
    size_t from = bytes;

    while (from > first && memchr(format->string, data[from - 1], format->string_bytes) != NULL)
        from--;
    if (from > first)
        *scan = (struct record_scan){.open = true};
    else
        from = 0;
    for (size_t scanned; from < bytes; from += scanned)
        (void)find_string_ends(format, scan, data + from, bytes - from, ends, SCAN_ENDS, &scanned);
}

/* The whole delimiter is missing, unless the bytes at the end would then begin it earlier, as a newline does where two
 * of them are the delimiter. */
static ssize_t missing_at_end(const struct record_format *format, const struct record_scan *scan,
                              const uint8_t **missing)
{
    struct record_scan further = *scan;
    ssize_t bytes = 0;

    *missing = format->string;
    if (scan->open)
        while (!step_string(format, &further, format->string[bytes++]))
            continue;
    return bytes;
}

static ssize_t missing_at_start(const struct record_format *format, const struct record_scan *scan,
                                const uint8_t **missing)
{
    const size_t newlines = strspn((const char *)format->string, "\n");
    const size_t there = scan->done <= newlines ? (size_t)scan->done : 0; /* newlines at the end of the last line */

    *missing = format->string + there;
    return (ssize_t)(format->string_bytes - there);
}

#define STARTS(is, ...)                                                                                                \
    {                                                                                                                  \
        .name = (is), .traits = RECORD_HEADER | RECORD_HEADER_COUNT | RECORD_TEXT | RECORD_STARTS,                     \
        .ends = find_string_ends, .advance = advance_string, .missing = missing_at_start, __VA_ARGS__                  \
    }

const struct record_kind string_start_kind =
    STARTS("start", .argument = "STRING", .takes = RECORD_LINE, .text = "the first line of each begins\nwith STRING");

/* These start after a blank line only, which may be missing after the last one of a file. */
const struct record_kind string_mbox_kind =
    STARTS("mbox", .string = "\n\nFrom ", .noun = "messages", .text = "mail, as start:'From ' after a\nblank line");
const struct record_kind string_pgn_kind =
    STARTS("pgn", .string = "\n\n[Event ", .noun = "games", .text = "games of chess, the same for\n'[Event '");

const struct record_kind string_delimiter_kind = {
    .name = "delimiter",
    .traits = RECORD_HEADER | RECORD_HEADER_COUNT | RECORD_TEXT,
    .ends = find_string_ends,
    .advance = advance_string,
    .missing = missing_at_end,
};
