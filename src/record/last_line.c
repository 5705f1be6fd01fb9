/*
 * Records of lines whose last line is known: it is STRING, or blank. So a record ends where such a line does, which the
 * bytes before it are enough to tell. A carriage return before the newline is no part of a line. Blank lines before the
 * first other line of a paragraph do not end it.
 *
 * Lines of the right length are found many at a time (scan.h), and then compared. The first bytes of a fragment, which
 * may end a line that began before it, are followed one by one, and so are its last ones: `done` is 0 where a record
 * begins, and else says how the current line begins; `open` is set by the first byte of the record that is no line end.
 * Until `open` is set, the bytes may be blank lines after a file's last record, which are left out.
 */

#include <string.h>

#include "base/tunable.h"
#include "record/record.h"
#include "record/scan.h"
#include "record/tail.h"
#include "system/fault.h"

TUNABLE(NEAR, 4096, 1, 4096); /* bytes at the end in which the last end is sought first */

/* `done`: LINE plus the number of bytes of the line, which so far is STRING or its beginning, or STRING and a carriage
 * return; OTHER: it is another line. */
enum { LINE = 1, OTHER = LINE + RECORD_DELIMITER_BYTES_MAX + 1 };

/* Of STRING; 0 for a blank line. */
static size_t length_of(const struct record_format *format)
{
    return format->string_bytes > 0 ? format->string_bytes - 1 : 0;
}

/* Move on by one byte. Does it end a record? */
static bool step_last_line(const struct record_format *format, struct record_scan *scan, uint8_t byte)
{
    const size_t length = length_of(format), there = scan->done > LINE ? (size_t)scan->done - LINE : 0;
    bool ends = false;

    if (byte == '\n') {
        ends = (there == length || there == length + 1) && (length > 0 || scan->open);
        scan->done = ends ? 0 : LINE;
    } else if (there < length && byte == format->string[1 + there]) {
        scan->done = LINE + there + 1;
    } else {
        scan->done = there == length && byte == '\r' ? LINE + length + 1 : OTHER;
    }
    scan->open = !ends && (scan->open || (byte != '\n' && byte != '\r'));
    return ends;
}

/* The place of the first byte from `at` on that is no part of a line end. */
static size_t skip_ends(const uint8_t *data, size_t at, size_t bytes)
{
    while (at < bytes && (data[at] == '\n' || data[at] == '\r'))
        at++;
    return at;
}

/* A line of the right length, perhaps with a carriage return, ends at `end`. Is it the last line of a record whose
 * first byte other than line ends is at `text`? */
static bool is_last(const struct record_format *format, const uint8_t *data, size_t end, size_t text)
{
    const size_t length = length_of(format);
    const uint8_t *line = data + end - 1 - length;

    if (length == 0)
        return text < end;
    return (line[-1] == '\n' && memcmp(line, format->string + 1, length) == 0) ||
           (line[length - 1] == '\r' && line[-2] == '\n' && memcmp(line - 1, format->string + 1, length) == 0);
}

static size_t find_last_line_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                                  size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    const size_t before = length_of(format) + 2;
    struct scan_search search = {.sought = SCAN_LINE, .byte = '\n', .distance = length_of(format)};
    uint32_t candidates[SCAN_ENDS];
    size_t found = 0, at = 0, start = 0, text;

    for (; at < bytes && at < before && found < room; at++)
        if (step_last_line(format, scan, data[at]))
            ends[found++] = (uint32_t)(start = at + 1);
    *scanned = at;
    if (at == bytes || found == room)
        return found;
    text = scan->open ? 0 : skip_ends(data, at, bytes);
    while (at < bytes && found < room) {
        size_t looked_at;
        const size_t count = scan_find(&search, data + at, bytes - at, candidates, SCAN_ENDS, &looked_at);

        for (size_t i = 0; i < count && found < room; i++) {
            const size_t end = at + candidates[i];

            if (!is_last(format, data, end, text))
                continue;
            ends[found++] = (uint32_t)end;
            start = end;
            text = skip_ends(data, end, bytes);
        }
        at += looked_at;
    }
    *scanned = found == room ? start : bytes;
    at = start + before < *scanned ? *scanned - before : start;
    *scan = (struct record_scan){.done = at == start && start > 0 ? 0
                                         : data[at - 1] == '\n'   ? LINE
                                                                  : OTHER,
                                 .open = text < at};
    while (at < *scanned)
        (void)step_last_line(format, scan, data[at++]);
    return found;
}

/* Find the last end of a record, searching backwards, and move on from there to the end of the data. Within a line, a
 * record counts as open if nothing else is known of it. Returns that end; 0: there is none. */
static size_t move_on(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes)
{
    const struct record_scan before = *scan;
    uint32_t ends[SCAN_ENDS];
    size_t last = 0;

    for (size_t piece = NEAR, from = bytes, scanned; last == 0 && from > 0; piece *= 16) {
        for (from = bytes > piece ? bytes - piece : 0; from > 0 && skip_ends(data, from - 1, from) == from;)
            from--;
        *scan = from > 0 ? (struct record_scan){.done = OTHER, .open = true} : before;
        for (size_t at = from; at < bytes; at += scanned) {
            const size_t count = find_last_line_ends(format, scan, data + at, bytes - at, ends, SCAN_ENDS, &scanned);

            last = count > 0 ? at + ends[count - 1] : last;
        }
    }
    return last;
}

static void advance_last_line(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                              size_t bytes)
{
    (void)move_on(format, scan, data, bytes);
}

/* Adds the newline to a line, and a blank line to a paragraph. */
static ssize_t find_last_line_missing(const struct record_format *format, const struct record_scan *scan,
                                      const uint8_t **missing)
{
    static const uint8_t newlines[] = {'\n', '\n'};
    const size_t length = length_of(format);

    *missing = newlines;
    if (!scan->open)
        return 0;
    if (scan->done == LINE + length || scan->done == LINE + length + 1)
        return 1;
    return length == 0 ? 2 : -1;
}

/* ---- Files ---- */

static void follow_last_line(struct tail *tail, const char *name, const uint8_t *data, size_t bytes)
{
    size_t last;

    (void)name;
    tail_learn_end(tail, data, bytes);
    last = move_on(tail->format, &tail->scan, data, bytes);
    if (last > 0)
        tail->lengths.start = tail->lengths.at + skip_ends(data, last, bytes);
    tail->lengths.at += bytes;
    tail->blank = tail->scan.open ? 0 : last > 0 ? bytes - last : tail->blank + bytes;
}

static void refuse_last_line(const struct tail *tail, const char *name)
{
    const int length = (int)length_of(tail->format);
    const char *string = (const char *)tail->format->string + 1;

    die("%s: record at byte %llu, the last one, has no last line '%.*s'; if it only separates records, write "
        "--delimiter='%.*s\\n'",
        fault_name(name), (unsigned long long)tail->lengths.start, length, string, length, string);
}

#define KIND(is, ...)                                                                                                  \
    {                                                                                                                  \
        .name = (is), .traits = RECORD_HEADER | RECORD_HEADER_COUNT | RECORD_TEXT | RECORD_LAST_LINE,                  \
        .ends = find_last_line_ends, .advance = advance_last_line, .missing = find_last_line_missing,                  \
        .follow = follow_last_line, .refuse = refuse_last_line, __VA_ARGS__                                            \
    }

const struct record_kind last_line_end =
    KIND("end", .argument = "STRING", .takes = RECORD_LINE, .text = "their last line is STRING");
const struct record_kind last_line_paragraph =
    KIND("paragraph", .noun = "paragraphs", .text = "lines up to a blank one");
