/*
 * Every kind reduces to the scans of scan.h, so that it is as fast, and to a few numbers that say where a fragment of
 * the stream begins. What a kind does, its module says; what is done for all of them, and for lines, is here.
 */

#include "record/record.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "record/scan.h"

TUNABLE(ENDS, 512, 1, 512);  /* found at a time where not all of them are wanted */
TUNABLE(MEMBERS, 8, 1, 512); /* of a group, about as many as are looked at in vain where only its end is wanted */

/* Ends are 32-bit numbers. */
TUNABLE(SCAN_BYTES, INT32_MAX, 1, INT32_MAX);

/* ---- Lines ---- */

static size_t ends_of_lines(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                            size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    struct scan_search search = {.byte = format->delimiter};
    const size_t found = scan_find(&search, data, bytes, ends, room, scanned);

    if (*scanned > 0)
        scan->open = data[*scanned - 1] != format->delimiter;
    return found;
}

static void advance_lines(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                          size_t bytes)
{
    scan->open = data[bytes - 1] != format->delimiter;
}

const struct record_kind *record_kind(const struct record_format *format)
{
    static const struct record_kind lines = {
        .noun = "lines",
        .traits = RECORD_HEADER | RECORD_HEADER_COUNT | RECORD_TEXT,
        .ends = ends_of_lines,
        .advance = advance_lines,
    };

    return format->kind != NULL ? format->kind : &lines;
}

/* ---- All kinds ---- */

#define ADDRESS(row) &(row),

const struct record_kind *const record_kinds[] = {RECORD_KINDS(ADDRESS) NULL};

const struct record_kind *record_kind_of_name(const char *name, size_t bytes)
{
    const struct record_kind *const *kind = record_kinds;

    while (*kind != NULL && (strlen((*kind)->name) != bytes || memcmp((*kind)->name, name, bytes) != 0))
        kind++;
    return *kind;
}

const char *record_noun(const struct record_kind *kind)
{
    return kind->noun != NULL ? kind->noun : "records";
}

bool record_is(const struct record_format *format, unsigned traits)
{
    return (record_kind(format)->traits & traits) != 0;
}

/* As record_ends: the offsets after marks. Each member is scanned from its first byte on, as a mark may be any byte in
 * what others have written; but delimiter bytes are found many at a time, and one that is a mark is passed over. */
static size_t find_marks(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                         size_t bytes, uint32_t *marks, size_t room, size_t *scanned)
{
    size_t found = 0, at = 0;

    while (at < bytes && found < room) {
        const size_t members = format->kind == NULL ? room - found : 1;
        uint32_t *ends = marks + found;
        uint32_t member = UINT32_MAX; /* the end of the last one */
        size_t looked_at, count;

        if (scan->marked) {
            scan->marked = false;
            marks[found++] = (uint32_t)++at;
            continue;
        }
        count = record_kind(format)->ends(format, scan, data + at, bytes - at, ends, members, &looked_at);
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
    size_t found = 0, at = 0;

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
    struct scan_search search = {.byte = RECORD_ENDS};
    const size_t found = scan_find(&search, margin->mark + first, blocks, ends, room, &looked_at);

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
    return (format->grouped ? ends_of_groups : record_kind(format)->ends)(format, scan, data, bytes, ends, room,
                                                                          scanned);
}

uint64_t record_count(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                      bool *whole)
{
    uint32_t ends[ENDS];
    uint64_t records = 0;

    if (format->kind == NULL && !format->grouped && bytes > 0) {
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

    /* Lines are only counted, up to the piece in which the last one ends. */
    for (size_t piece = 4096; format->kind == NULL && !format->grouped && piece >= 256; piece /= 4) {
        for (size_t lines; bytes - at > piece; count -= lines, at += piece)
            if ((lines = scan_count(data + at, piece, format->delimiter)) >= count)
                break;
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

void record_advance(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes)
{
    const struct record_kind *kind = record_kind(format);

    if (format->grouped || kind->advance == NULL)
        advance_by_ends(format, scan, data, bytes);
    else if (bytes > 0)
        kind->advance(format, scan, data, bytes);
}

uint64_t record_marks(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes)
{
    uint32_t marks[ENDS];
    uint64_t count = 0;

    for (size_t at = 0, scanned; format->grouped && at < bytes; at += scanned)
        count += find_marks(format, scan, data + at, least_size(bytes - at, SCAN_BYTES), marks, ENDS, &scanned);
    return count;
}

size_t record_unmark(const struct record_format *format, struct record_scan *scan, uint8_t *data, size_t bytes)
{
    uint32_t marks[ENDS];
    size_t kept = 0;

    for (size_t at = 0, scanned; at < bytes; at += scanned) {
        size_t count = find_marks(format, scan, data + at, least_size(bytes - at, SCAN_BYTES), marks, ENDS, &scanned);
        size_t start = at;

        for (size_t i = 0; i <= count; i++) { /* the members, and what is left behind the last mark */
            const size_t end = i < count ? at + marks[i] - 1 : at + scanned;

            memmove(data + kept, data + start, end - start);
            kept += end - start;
            start = end + 1;
        }
    }
    return kept;
}

const uint8_t *record_start(const struct record_format *format, size_t *bytes)
{
    const bool starts = record_is(format, RECORD_STARTS);

    *bytes = starts ? format->string_bytes - 1 : 0;
    return starts ? format->string + 1 : NULL;
}

ssize_t record_missing(const struct record_format *format, const struct record_scan *scan, const uint8_t **missing)
{
    const struct record_kind *kind = record_kind(format);

    *missing = &format->delimiter;
    if (kind->missing != NULL)
        return kind->missing(format, scan, missing);
    return record_is(format, RECORD_TEXT) ? scan->open : -scan->open;
}
