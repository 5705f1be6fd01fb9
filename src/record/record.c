/*
 * Every kind is reduced to the scans of scan.h, so that it is as fast, and to a few numbers that say where a fragment
 * of the stream begins. Each kind has its module; lines, and the code for all kinds, are here.
 */

#include "record/record.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "record/scan.h"

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

void record_take(struct record_format *format, const struct record_kind *kind, uint8_t *string)
{
    format->kind = kind;
    format->string = string;
    format->string_bytes = kind->string != NULL ? strlen(kind->string) : 0;
    memcpy(string, kind->string != NULL ? kind->string : "", format->string_bytes);
}

size_t record_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                   uint32_t *ends, size_t room, size_t *scanned)
{
    return record_kind(format)->ends(format, scan, data, bytes, ends, room, scanned);
}

uint64_t record_count(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                      bool *whole)
{
    uint32_t ends[SCAN_ENDS];
    uint64_t records = 0;

    if (format->kind == NULL && bytes > 0) {
        scan->open = data[bytes - 1] != format->delimiter;
        *whole = !scan->open;
        return scan_count(data, bytes, format->delimiter);
    }
    for (size_t at = 0, scanned; at < bytes; at += scanned) {
        size_t count =
            record_ends(format, scan, data + at, least_size(bytes - at, SCAN_BYTES), ends, SCAN_ENDS, &scanned);

        *whole = count > 0 && ends[count - 1] == scanned;
        records += count;
    }
    return records;
}

size_t record_skip(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                   size_t count)
{
    uint32_t ends[SCAN_ENDS];
    size_t at = 0;

    /* Lines are only counted, up to the piece in which the `count`-th ends. */
    for (size_t piece = 4096; format->kind == NULL && piece >= 256; piece /= 4) {
        for (size_t lines; bytes - at > piece; count -= lines, at += piece)
            if ((lines = scan_count(data + at, piece, format->delimiter)) >= count)
                break;
    }
    while (at < bytes && count > 0) {
        size_t scanned;

        count -=
            record_ends(format, scan, data + at, bytes - at, ends, count < SCAN_ENDS ? count : SCAN_ENDS, &scanned);
        at += scanned;
    }
    return at;
}

void record_advance(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes)
{
    const struct record_kind *kind = record_kind(format);
    uint32_t ends[SCAN_ENDS];

    if (kind->advance != NULL && bytes > 0)
        kind->advance(format, scan, data, bytes);
    for (size_t at = 0, scanned; kind->advance == NULL && at < bytes; at += scanned)
        (void)record_ends(format, scan, data + at, bytes - at, ends, SCAN_ENDS, &scanned);
}

const uint8_t *record_start(const struct record_format *format, size_t *bytes)
{
    const size_t newlines =
        record_is(format, RECORD_STARTS) ? strspn((const char *)format->string, "\n") : format->string_bytes;

    *bytes = format->string_bytes - newlines;
    return *bytes > 0 ? format->string + newlines : NULL;
}

ssize_t record_missing(const struct record_format *format, const struct record_scan *scan, const uint8_t **missing)
{
    const struct record_kind *kind = record_kind(format);

    *missing = &format->delimiter;
    if (kind->missing != NULL)
        return kind->missing(format, scan, missing);
    return record_is(format, RECORD_TEXT) ? scan->open : -scan->open;
}

void record_put_but_last(struct record_kept *kept, size_t most, const uint8_t *data, size_t bytes,
                         void (*put)(void *context, const uint8_t *data, size_t bytes), void *context)
{
    const size_t total = kept->bytes + bytes, ready = total - least_size(total, most);
    const size_t old = least_size(ready, kept->bytes), more = ready - old;

    put(context, kept->data, old);
    put(context, data, more);
    kept->bytes -= old;
    memmove(kept->data, kept->data + old, kept->bytes);
    memcpy(kept->data + kept->bytes, data + more, bytes - more);
    kept->bytes += bytes - more;
}
