/*
 * What a file's last record lacks is told by the state of a scan over all that was read; the scan does without the ends
 * of records, which others look for later. Only for CSV there is more to keep: where the quote was opened that is still
 * open, for the message, and how the first record of all ended, since an added line end is to be like those that are
 * there.
 */

#include "record/tail.h"

#include <string.h>

#include "record/scan.h"
#include "record/tar_headers.h"

void tail_init(struct tail *tail, const struct record_format *format, bool after_header)
{
    *tail = (struct tail){.format = format, .after_header = after_header};
}

void tail_check_size(struct tail *tail, const char *name, uint64_t bytes)
{
    if (tail->format->kind == RECORD_TAR && bytes == 0)
        fault_say("%s: empty, and so no tar archive", name);
    if (tail->format->kind == RECORD_TAR && bytes % TAR_BLOCK_BYTES > 0)
        fault_say("%s: truncated, or no tar archive: its size, %llu bytes, is not a multiple of %d", name,
                  (unsigned long long)bytes, TAR_BLOCK_BYTES);
    if (tail->format->kind == RECORD_SIZE && bytes % tail->format->count > 0)
        fault_say("%s: size%s is not a multiple of %llu bytes", name, tail->after_header ? " after the header" : "",
                  (unsigned long long)tail->format->count);
}

void tail_begin(struct tail *tail)
{
    tail->scan = (struct record_scan){0};
    tail->lengths = (struct length_check){0};
    tail->open = false;
    tail->last = tail->solid = 0;
    tail->newlines = 0;
    tail->stray_line = 0;
}

void tail_pass(struct tail *tail, const uint8_t *data, size_t bytes)
{
    if (tail->format->kind == RECORD_CSV)
        tail->newlines += scan_count(data, bytes, '\n');
    tail->lengths.start = tail->lengths.at += bytes;
}

/* Look for the first end of a record of all. Called before `scan` and `last` move on. */
static void learn_end(struct tail *tail, const uint8_t *data, size_t bytes)
{
    struct record_scan scan = tail->scan;
    uint32_t end;
    size_t scanned;

    if (tail->format->kind == RECORD_BYTE && !tail->newline)
        tail->newline = memchr(data, '\n', bytes) != NULL;
    if (record_ends(tail->format, &scan, data, bytes, &end, 1, &scanned) == 0)
        return;
    tail->end_known = true;
    tail->carriage_return = tail->format->kind == RECORD_CSV && (end >= 2 ? data[end - 2] : tail->last) == '\r';
}

/* Called before all that it uses moves on. The byte-order mark with which some programs begin their files
 * is no part of the first field. */
static void find_stray_quote(struct tail *tail, bool first, const uint8_t *data, size_t bytes)
{
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    const size_t from = first && bytes >= sizeof mark && memcmp(data, mark, sizeof mark) == 0 ? sizeof mark : 0;
    const struct scan_quotes before = {.separator = tail->format->separator,
                                       .quoted = tail->scan.quoted,
                                       .last = from > 0 ? '\n' : tail->last,
                                       .solid = from > 0 ? '\n' : tail->solid};
    const size_t quote = from + scan_stray(data + from, bytes - from, before);

    if (quote < bytes)
        tail->stray_line = tail->newlines + scan_count(data, quote, '\n') + 1;
}

/* Called after `scan` has moved on. If it is inside quotes, the last quote of all is the one that opened. */
static void follow_lines(struct tail *tail, const uint8_t *data, size_t bytes)
{
    size_t after = tail->scan.quoted ? bytes : 0; /* the last quote */

    while (after > 0 && data[after - 1] != '"')
        after--;
    if (after > 0)
        tail->quote_line = tail->newlines + scan_count(data, after, '\n') + 1;
    tail->newlines += scan_count(data, bytes, '\n');
    while (bytes > 0 && data[bytes - 1] == ' ')
        bytes--;
    if (bytes > 0)
        tail->solid = data[bytes - 1];
}

static void check_lengths(struct tail *tail, const char *name, const uint8_t *data, size_t bytes)
{
    const char *wrong = length_check(&tail->lengths, tail->format->coding, data, bytes);

    if (wrong != NULL)
        fault_say("%s: record at byte %llu: %s", name, (unsigned long long)tail->lengths.start, wrong);
}

void tail_follow(struct tail *tail, const char *name, const uint8_t *data, size_t bytes)
{
    const bool csv = tail->format->kind == RECORD_CSV;
    const bool chosen = tail->format->kind == RECORD_BYTE && tail->format->delimiter != '\n';
    const bool first = !tail->open;

    tail->open = true;
    if (bytes == 0 || tail->format->kind == RECORD_TAR)
        return;
    if (tail->format->kind == RECORD_LENGTH) {
        check_lengths(tail, name, data, bytes);
        return;
    }
    if ((csv || chosen || tail->format->kind == RECORD_STRING) && !tail->end_known)
        learn_end(tail, data, bytes);
    if (csv && tail->stray_line == 0)
        find_stray_quote(tail, first, data, bytes);
    record_advance(tail->format, &tail->scan, data, bytes);
    if (csv)
        follow_lines(tail, data, bytes);
    tail->last = data[bytes - 1];
}

/* The last record cannot be completed. */
static void report(struct tail *tail, const char *name)
{
    const struct record_format *format = tail->format;
    unsigned long long lines;

    switch (format->kind) {
    case RECORD_LINES:
        lines = tail->scan.done + tail->scan.open;
        fault_say("%s: %llu line%s left over at the end: records%s are of %llu lines", name, lines,
                  lines == 1 ? " is" : "s are", tail->after_header ? " after the header" : "",
                  (unsigned long long)format->count);
    case RECORD_CSV:
        fault_say("%s: unclosed quote that starts in line %llu", name, (unsigned long long)tail->quote_line);
    case RECORD_LENGTH:
        fault_say("%s: record at byte %llu is cut short", name, (unsigned long long)tail->lengths.start);
    case RECORD_SIZE:
    case RECORD_BYTE:
    case RECORD_STRING:
    case RECORD_TAR:
        break;
    }
    tail_check_size(tail, name, tail->scan.done);
}

size_t tail_end(struct tail *tail, const char *name, const uint8_t **missing)
{
    static const uint8_t line_end[] = {'\r', '\n'};
    ssize_t count = 0;

    *missing = NULL;
    if (tail->format->kind == RECORD_LENGTH)
        count = tail->lengths.at > tail->lengths.start ? -1 : 0;
    else if (tail->open)
        count = record_missing(tail->format, &tail->scan, missing);
    else if (tail->format->kind == RECORD_TAR)
        count = -1; /* an empty file is none */
    if (count < 0)
        report(tail, name);
    if (count > 0 && tail->carriage_return && tail->last != '\r') {
        *missing = line_end;
        count = sizeof line_end;
    }
    tail->open = false;
    return (size_t)count;
}
