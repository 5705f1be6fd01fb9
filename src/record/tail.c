/*
 * The state of a scan over all bytes read tells what the last record of a file lacks; the scan does not look for the
 * ends of records, which others find later. For CSV more is kept: where the open quotes began, for the message, and how
 * the first record ended, since an added line end must be like the others.
 */

#include "record/tail.h"

#include <string.h>

#include "record/scan.h"
#include "system/fault.h"

void tail_init(struct tail *tail, const struct record_format *format, bool after_header)
{
    *tail = (struct tail){.format = format, .after_header = after_header};
}

/* The kind that checks the bytes of files. */
static const struct record_kind *checker(const struct tail *tail)
{
    return tail->format->as != NULL ? tail->format->as : record_kind(tail->format);
}

void tail_check_size(struct tail *tail, const char *name, uint64_t bytes)
{
    const struct record_kind *kind = record_kind(tail->format);

    if (kind->check_size != NULL)
        kind->check_size(tail, name, bytes);
}

void tail_begin(struct tail *tail)
{
    tail->scan = (struct record_scan){0};
    tail->lengths = (struct length_check){0};
    tail->open = false;
    tail->last = 0;
    tail->read = (struct tail_read){0};
    tail->newlines = tail->passed = 0;
    tail->blank = 0;
}

void tail_pass(struct tail *tail, const uint8_t *data, size_t bytes)
{
    if (checker(tail)->follow != NULL)
        tail->passed = tail->newlines = scan_count(data, bytes, '\n');
    tail->lengths.start = tail->lengths.at += bytes;
}

void tail_learn_end(struct tail *tail, const uint8_t *data, size_t bytes)
{
    struct record_scan scan = tail->scan;
    uint32_t end;
    size_t scanned;

    if (!tail->end_known && record_ends(tail->format, &scan, data, bytes, &end, 1, &scanned) > 0) {
        tail->end_known = true;
        tail->carriage_return = record_is(tail->format, RECORD_QUOTED | RECORD_LAST_LINE) &&
                                (end >= 2 ? data[end - 2] : tail->last) == '\r';
    }
    tail->last = data[bytes - 1];
}

void tail_follow(struct tail *tail, const char *name, const uint8_t *data, size_t bytes)
{
    const struct record_kind *kind = checker(tail);

    tail->open = true;
    if (bytes == 0 || record_is(tail->format, RECORD_GROUP)) /* archives are checked where they are read */
        return;
    if (kind->follow != NULL) {
        kind->follow(tail, name, data, bytes);
        return;
    }
    /* If records do not end with newlines: was there one before the first end? */
    if (!tail->end_known && !tail->newline)
        tail->newline = memchr(data, '\n', bytes) != NULL;
    tail_learn_end(tail, data, bytes);
    record_advance(tail->format, &tail->scan, data, bytes);
}

bool tail_may_pass_over(const struct tail *tail)
{
    return record_is(tail->format, RECORD_GROUP) ||
           (tail->format->kind == NULL && checker(tail)->follow == NULL && tail->end_known);
}

size_t tail_end(struct tail *tail, const char *name, const uint8_t **missing)
{
    static const uint8_t line_ends[] = {'\r', '\n', '\r', '\n'};
    ssize_t count = 0;

    *missing = NULL;
    if (!tail->open)
        tail_check_size(tail, name, 0);
    else
        count = record_missing(tail->format, &tail->scan, missing);
    if (count < 0)
        (checker(tail)->refuse != NULL ? checker(tail) : record_kind(tail->format))->refuse(tail, name);
    if (count > 0 && checker(tail)->check_last != NULL)
        checker(tail)->check_last(tail, name);
    if (count > 0 && tail->carriage_return) {
        *missing = line_ends + (tail->last == '\r');
        count = 2 * count - (tail->last == '\r');
    }
    tail->open = false;
    return (size_t)count;
}
