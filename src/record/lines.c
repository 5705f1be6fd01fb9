/* Records of format->count lines each: ends of lines are counted, many at a time. */

#include "base/arithmetic.h"
#include "record/record.h"
#include "record/scan.h"
#include "record/tail.h"
#include "system/fault.h"

static size_t find_lines_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                              size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    struct scan_search search = {.byte = format->delimiter};
    uint32_t lines[SCAN_ENDS];
    size_t found = 0, at = 0;

    while (at < bytes && found < room) {
        uint64_t left = format->count - scan->done; /* lines to the record's end */
        size_t looked_at;
        size_t count = scan_find(&search, data + at, bytes - at, lines, SCAN_ENDS, &looked_at);
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

static void advance_lines(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                          size_t bytes)
{
    scan->done = modulo_add(scan->done, scan_count(data, bytes, format->delimiter), format->count);
    scan->open = data[bytes - 1] != format->delimiter;
}

static ssize_t find_lines_missing(const struct record_format *format, const struct record_scan *scan,
                                  const uint8_t **missing)
{
    *missing = &format->delimiter;
    if (scan->done + scan->open == 0)
        return 0;
    return scan->open && scan->done == format->count - 1 ? 1 : -1;
}

static void refuse_lines(const struct tail *tail, const char *name)
{
    const unsigned long long lines = tail->scan.done + tail->scan.open;

    die("%s: %llu line%s left over at the end; records%s must have %llu lines", name, lines,
        lines == 1 ? " is" : "s are", tail->after_header ? " after the header" : "",
        (unsigned long long)tail->format->count);
}

const struct record_kind lines_kind = {
    .name = "lines",
    .argument = "N",
    .text = "N lines each",
    .takes = RECORD_COUNT,
    .traits = RECORD_OF_LINES | RECORD_HEADER | RECORD_HEADER_COUNT | RECORD_TEXT,
    .ends = find_lines_ends,
    .advance = advance_lines,
    .missing = find_lines_missing,
    .refuse = refuse_lines,
};
