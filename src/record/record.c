/*
 * Every kind reduces to the scans of scan.h, so that it is as fast, and to a few numbers that say where a fragment of
 * the stream begins.
 *
 * A delimiter string is sought by its first and last byte at once, and what stands between is compared. Those that lie
 * in one fragment need no more; one that lies across two is followed byte by byte, as Knuth, Morris and Pratt do:
 * `done` is the length of the longest beginning of the delimiter that ends the stream so far and overlaps no record's
 * end. Their table of shorter beginnings is not kept: it is needed for a few bytes in a block.
 */

#include "record/record.h"

#include <string.h>

#include "base/least.h"
#include "record/length.h"
#include "record/scan.h"
#include "record/tar_headers.h"

enum {
    ENDS = 512,  /* found at a time where not all of them are wanted */
    NEAR = 1024, /* bytes in which one is sought that is not in the delimiter */
    MEMBERS = 8  /* of a group, about as many as are looked at in vain where only its end is wanted */
};

/* Ends are 32-bit numbers. */
static const size_t SCAN_BYTES = UINT32_MAX / 2;

static size_t ends_of_lines(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                            size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    uint32_t lines[ENDS];
    size_t found = 0;
    size_t at = 0;

    while (at < bytes && found < room) {
        uint64_t left = format->count - scan->done; /* until the record's end */
        size_t looked_at;
        size_t count = scan_byte(data + at, bytes - at, format->delimiter, lines, ENDS, &looked_at);
        uint64_t line = left - 1;

        for (; line < count && found < room; line += format->count)
            ends[found++] = (uint32_t)at + lines[line];
        if (found == room && found > 0) {
            at = ends[found - 1];
            scan->done = 0;
        } else {
            at += looked_at;
            scan->done = (scan->done + count) % format->count;
        }
    }
    if (at > 0)
        scan->open = data[at - 1] != format->delimiter;
    *scanned = at;
    return found;
}

static size_t ends_of_size(const struct record_format *format, struct record_scan *scan, size_t bytes, uint32_t *ends,
                           size_t room, size_t *scanned)
{
    size_t found = 0;
    size_t at = 0;

    for (; found < room && format->count - scan->done <= bytes - at; scan->done = 0) {
        at += (size_t)(format->count - scan->done);
        ends[found++] = (uint32_t)at;
    }
    if (found < room) {
        scan->done += bytes - at;
        at = bytes;
    }
    scan->open = scan->done > 0;
    *scanned = at;
    return found;
}

static size_t ends_of_csv(struct record_scan *scan, const uint8_t *data, size_t bytes, uint32_t *ends, size_t room,
                          size_t *scanned)
{
    size_t found = scan_unquoted(data, bytes, '\n', &scan->quoted, ends, room, scanned);

    if (*scanned > 0)
        scan->open = found == 0 || ends[found - 1] != *scanned;
    return found;
}

/* Move on by one byte. Does it end a record? */
static bool step(const struct record_format *format, struct record_scan *scan, uint8_t byte)
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
    uint32_t candidates[ENDS];
    const size_t distance = format->string_bytes - 1;
    const struct scan_pair pair = {format->string[0], format->string[distance], distance};
    size_t found = 0;
    size_t at = *start + distance; /* where the last byte of the next delimiter may be */

    while (at < bytes && found < room) {
        size_t looked_at;
        size_t count = scan_pair(data + at, bytes - at, pair, candidates, ENDS, &looked_at);

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

static size_t ends_of_string(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                             size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    size_t found = 0;
    size_t at = 0;
    size_t start;

    /* As long as it is about a delimiter that began before the data. */
    while (at < bytes && found < room && scan->done > at)
        if (step(format, scan, data[at++]))
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
        (void)step(format, scan, data[start++]);
    return found;
}

/* As record_ends, of the members if these are grouped. */
static size_t ends_of_kind(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                           size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    size_t found;

    switch (format->kind) {
    case RECORD_STRING:
        return ends_of_string(format, scan, data, bytes, ends, room, scanned);
    case RECORD_LINES:
        return ends_of_lines(format, scan, data, bytes, ends, room, scanned);
    case RECORD_SIZE:
        return ends_of_size(format, scan, bytes, ends, room, scanned);
    case RECORD_CSV:
        return ends_of_csv(scan, data, bytes, ends, room, scanned);
    case RECORD_LENGTH:
        found = length_ends(format->coding, &scan->length, data, bytes, ends, room, scanned);
        scan->open = length_is_open(&scan->length);
        return found;
    case RECORD_TAR:
        return tar_scan_ends(&scan->tar, data, bytes, ends, room, scanned);
    case RECORD_BYTE:
        break;
    }
    found = scan_byte(data, bytes, format->delimiter, ends, room, scanned);
    if (*scanned > 0)
        scan->open = data[*scanned - 1] != format->delimiter;
    return found;
}

/* As record_ends: the offsets after marks. Each member is scanned from its first byte on, as a mark may be any byte in
 * what others have written; but delimiter bytes are found many at a time, and one that is a mark is passed over. */
static size_t find_marks(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                         size_t bytes, uint32_t *marks, size_t room, size_t *scanned)
{
    size_t found = 0;
    size_t at = 0;

    while (at < bytes && found < room) {
        const size_t members = format->kind == RECORD_BYTE ? room - found : 1;
        uint32_t *ends = marks + found;
        uint32_t member = UINT32_MAX; /* the end of the last one */
        size_t looked_at, count;

        if (scan->marked) {
            scan->marked = false;
            marks[found++] = (uint32_t)++at;
            continue;
        }
        count = ends_of_kind(format, scan, data + at, bytes - at, ends, members, &looked_at);
        for (size_t i = 0; i < count; i++) {
            if (ends[i] == member + 1)
                continue;
            member = ends[i];
            marks[found++] = (uint32_t)at + member + 1;
        }
        scan->marked = count > 0 && member == looked_at;
        found -= scan->marked;
        at += looked_at;
    }
    *scanned = at;
    return found;
}

static size_t ends_of_groups(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                             size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    uint32_t marks[ENDS];
    size_t found = 0;
    size_t at = 0;

    while (at < bytes && found < room) {
        const size_t wanted = room - found < ENDS / MEMBERS ? (room - found) * MEMBERS : ENDS;
        size_t looked_at;
        size_t count = find_marks(format, scan, data + at, bytes - at, marks, wanted, &looked_at);

        for (size_t i = 0; i < count && found < room; i++)
            if (data[at + marks[i] - 1] == RECORD_ENDS)
                ends[found++] = (uint32_t)at + marks[i];
        at += looked_at;
    }
    if (found == room && found > 0) {
        at = ends[found - 1];
        *scan = (struct record_scan){0};
    }
    if (at > 0)
        scan->open = found == 0 || ends[found - 1] != at;
    *scanned = at;
    return found;
}

static size_t ends_in_margin(const struct record_margin *margin, const uint8_t *data, size_t bytes, uint32_t *ends,
                             size_t room, size_t *scanned)
{
    const size_t at = (size_t)(data - margin->base);
    const size_t first = at / TAR_BLOCK_BYTES + 1; /* block before which a member may end */
    const size_t blocks = (at + bytes) / TAR_BLOCK_BYTES + 1 - first;
    size_t looked_at;
    const size_t found = scan_byte(margin->mark + first, blocks, RECORD_ENDS, ends, room, &looked_at);

    for (size_t i = 0; i < found; i++)
        ends[i] = (uint32_t)((first + ends[i] - 1) * TAR_BLOCK_BYTES - at);
    *scanned = found == room && found > 0 ? ends[found - 1] : bytes;
    return found;
}

size_t record_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                   uint32_t *ends, size_t room, size_t *scanned)
{
    if (format->margin != NULL)
        return ends_in_margin(format->margin, data, bytes, ends, room, scanned);
    return (format->grouped ? ends_of_groups : ends_of_kind)(format, scan, data, bytes, ends, room, scanned);
}

uint64_t record_count(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                      bool *whole)
{
    uint32_t ends[ENDS];
    uint64_t records = 0;

    if (format->kind == RECORD_BYTE && !format->grouped && bytes > 0) {
        scan->open = data[bytes - 1] != format->delimiter;
        *whole = !scan->open;
        return scan_count(data, bytes, format->delimiter);
    }
    for (size_t at = 0, scanned; at < bytes; at += scanned) {
        size_t count = record_ends(format, scan, data + at, least_size(bytes - at, SCAN_BYTES), ends, ENDS, &scanned);

        *whole = count > 0 && ends[count - 1] == scanned;
        records += count;
    }
    return records;
}

size_t record_skip(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                   size_t count)
{
    uint32_t ends[ENDS];
    size_t at = 0;

    if (format->kind == RECORD_BYTE && !format->grouped && count > 0 && bytes > 0) {
        at = scan_past(data, bytes, format->delimiter, count);
        scan->open = data[at - 1] != format->delimiter;
        return at;
    }
    while (at < bytes && count > 0) {
        size_t scanned;

        count -= record_ends(format, scan, data + at, bytes - at, ends, count < ENDS ? count : ENDS, &scanned);
        at += scanned;
    }
    return at;
}

static void advance_by_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                            size_t bytes)
{
    uint32_t ends[ENDS];

    for (size_t at = 0, scanned; at < bytes; at += scanned)
        (void)record_ends(format, scan, data + at, bytes - at, ends, ENDS, &scanned);
}

/* After a byte that is nowhere in the delimiter, all that came before does not matter. Such a byte is near the end, or
 * else there are so few of them that looking for more does not pay. */
static void advance_in_string(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                              size_t bytes)
{
    const size_t first = bytes > NEAR ? bytes - NEAR : 0;
    size_t from = bytes;

    while (from > first && memchr(format->string, data[from - 1], format->string_bytes) != NULL)
        from--;
    if (from > first)
        *scan = (struct record_scan){.open = true};
    else
        from = 0;
    advance_by_ends(format, scan, data + from, bytes - from);
}

/* (done + more) mod count, where the sum may be too large for its type. */
static uint64_t add(uint64_t done, uint64_t more, uint64_t count)
{
    more %= count;
    return more < count - done ? done + more : more - (count - done);
}

void record_advance(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes)
{
    if (bytes == 0)
        return;
    if (format->grouped) {
        advance_by_ends(format, scan, data, bytes);
        return;
    }
    switch (format->kind) {
    case RECORD_BYTE:
        scan->open = data[bytes - 1] != format->delimiter;
        break;
    case RECORD_STRING:
        advance_in_string(format, scan, data, bytes);
        break;
    case RECORD_LINES:
        scan->done = add(scan->done, scan_count(data, bytes, format->delimiter), format->count);
        scan->open = data[bytes - 1] != format->delimiter;
        break;
    case RECORD_SIZE:
        scan->done = add(scan->done, bytes, format->count);
        scan->open = scan->done > 0;
        break;
    case RECORD_CSV:
        scan->quoted ^= scan_count(data, bytes, '"') % 2 != 0;
        scan->open = scan->quoted || data[bytes - 1] != '\n';
        break;
    case RECORD_LENGTH:
    case RECORD_TAR:
        advance_by_ends(format, scan, data, bytes);
        break;
    }
}

uint64_t record_marks(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes)
{
    uint32_t marks[ENDS];
    uint64_t count = 0;

    for (size_t at = 0, scanned; format->grouped && at < bytes; at += scanned)
        count += find_marks(format, scan, data + at, least_size(bytes - at, SCAN_BYTES), marks, ENDS, &scanned);
    return count;
}

/* Move data[start, end), which stands behind data[kept], there. Returns the end. */
static size_t move(uint8_t *data, size_t kept, size_t start, size_t end)
{
    memmove(data + kept, data + start, end - start);
    return kept + end - start;
}

size_t record_unmark(const struct record_format *format, struct record_scan *scan, uint8_t *data, size_t bytes)
{
    uint32_t marks[ENDS];
    size_t kept = 0;

    for (size_t at = 0, scanned; at < bytes; at += scanned) {
        size_t count = find_marks(format, scan, data + at, least_size(bytes - at, SCAN_BYTES), marks, ENDS, &scanned);
        size_t start = at;

        for (size_t i = 0; i < count; i++) {
            kept = move(data, kept, start, at + marks[i] - 1);
            start = at + marks[i];
        }
        kept = move(data, kept, start, at + scanned);
    }
    return kept;
}

const uint8_t *record_start(const struct record_format *format, size_t *bytes)
{
    *bytes = format->starts ? format->string_bytes - 1 : 0;
    return format->starts ? format->string + 1 : NULL;
}

bool record_is_sequential(const struct record_format *format)
{
    return format->grouped || format->kind != RECORD_BYTE;
}

/* How much of the delimiter string ends the record: all of it, unless what stands there would then be found to begin
 * it earlier, as a newline does where two of them are the delimiter. */
static ssize_t missing_of_string(const struct record_format *format, struct record_scan scan)
{
    size_t bytes = 0;

    while (!step(format, &scan, format->string[bytes]))
        bytes++;
    return (ssize_t)bytes + 1;
}

ssize_t record_missing(const struct record_format *format, const struct record_scan *scan, const uint8_t **missing)
{
    static const uint8_t newline = '\n';

    *missing = format->kind == RECORD_CSV ? &newline : &format->delimiter;
    switch (format->kind) {
    case RECORD_BYTE:
    case RECORD_TAR:
        break;
    case RECORD_STRING:
        *missing = format->string;
        if (!format->starts)
            return scan->open ? missing_of_string(format, *scan) : 0;
        if (scan->done != 1)
            return (ssize_t)format->string_bytes;
        ++*missing; /* the last line has its newline */
        return (ssize_t)format->string_bytes - 1;
    case RECORD_LINES:
        if (scan->done + scan->open == 0)
            return 0;
        return scan->open && scan->done == format->count - 1 ? 1 : -1;
    case RECORD_SIZE:
    case RECORD_LENGTH:
        return scan->open ? -1 : 0;
    case RECORD_CSV:
        if (scan->quoted)
            return -1;
        break;
    }
    return scan->open;
}
