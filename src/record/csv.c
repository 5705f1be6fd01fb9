/*
 * CSV: a record ends with a newline outside double quotes, each of which opens or closes. To tell of a quote that
 * was not closed, its line is known.
 */

#include "record/record.h"
#include "record/scan.h"
#include "record/tail.h"
#include "system/fault.h"

static size_t find_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                        uint32_t *ends, size_t room, size_t *scanned)
{
    struct scan_search search = {.sought = SCAN_UNQUOTED, .byte = '\n', .quoted = scan->quoted};
    const size_t found = scan_find(&search, data, bytes, ends, room, scanned);

    (void)format;
    scan->quoted = search.quoted;
    if (*scanned > 0)
        scan->open = found == 0 || ends[found - 1] != *scanned;
    return found;
}

static void advance(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes)
{
    (void)format;
    scan->quoted ^= scan_count(data, bytes, '"') % 2 != 0;
    scan->open = scan->quoted || data[bytes - 1] != '\n';
}

/* If the scan ends inside quotes, the last quote of all is the one that opened. */
static void follow(struct tail *tail, const char *name, const uint8_t *data, size_t bytes)
{
    size_t after; /* the last quote */

    (void)name;
    tail_advance(tail, data, bytes);
    after = tail->scan.quoted ? bytes : 0;
    while (after > 0 && data[after - 1] != '"')
        after--;
    if (after > 0)
        tail->quote_line = tail->newlines + scan_count(data, after, '\n') + 1;
    tail->newlines += scan_count(data, bytes, '\n');
}

static void refuse(const struct tail *tail, const char *name)
{
    fault_say("%s: unclosed quote that starts in line %llu", name, (unsigned long long)tail->quote_line);
}

const struct record_kind csv_kind = {
    .name = "csv",
    .text = "rows; newlines may be quoted",
    .traits = RECORD_QUOTED | RECORD_HEADER | RECORD_HEADER_COUNT | RECORD_TEXT,
    .ends = find_ends,
    .advance = advance,
    .follow = follow,
    .refuse = refuse,
};
