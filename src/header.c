/*
 * A file is read until its header's records have ended, from its beginning and twice as much each time; what was read
 * too much is handed on. A file that ends within the header has its last record completed like any other. The start of
 * the first record is taken away before the header's records, and by the rules of record.h they end with the start of
 * the record after them: so the text of the header in the file is as long as its records, and begins where the start
 * does.
 */

#include "header.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"
#include "sys.h"

/* The first read. */
enum { READ_BYTES = 4096 };

int header_init(struct header *header, const struct record_format *format, uint64_t bytes, uint64_t records,
                struct fault *fault)
{
    *header = (struct header){.format = format, .bytes = bytes, .records = records, .fault = fault};
    header->known = bytes == 0 && records == 0;
    if (header->known && !format->starts)
        return 0;
    header->buffer = sys_allocate(1, HEADER_BYTES_MAX + RECORD_DELIMITER_BYTES_MAX);
    return header->buffer == NULL ? -1 : 0;
}

void header_release(struct header *header)
{
    free(header->text);
    free(header->buffer);
}

/* Of the string with which records start. */
static size_t start_bytes(const struct header *header)
{
    return header->format->starts ? header->format->string_bytes - 1 : 0;
}

/* Find the end of the header's records in what was read, which is more than `at` bytes, where they begin. */
static bool find_end(const struct header *header, size_t used, size_t at, size_t *end)
{
    enum { ENDS = 64 };
    uint32_t ends[ENDS];
    struct record_scan scan = {0};
    uint64_t left = header->records;

    while (left > 0 && at < used) {
        size_t scanned;

        left -= record_ends(header->format, &scan, header->buffer + at, used - at, ends,
                            left < ENDS ? (size_t)left : ENDS, &scanned);
        at += scanned;
    }
    *end = at;
    return left == 0;
}

/* Read as far as the header goes, or the file, or HEADER_BYTES_MAX. *end receives its end, or 0 if that was not found;
 * *at_end whether the file is at its end. */
static int read_beginning(struct header *header, int fd, size_t begin, size_t *used, size_t *end, bool *at_end)
{
    *used = 0;
    *end = 0;
    *at_end = false;
    while (!*at_end && *used < HEADER_BYTES_MAX) {
        size_t room = HEADER_BYTES_MAX - *used;
        size_t wanted = *used < READ_BYTES ? READ_BYTES : *used;
        ssize_t got = io_read(fd, header->buffer + *used, wanted < room ? wanted : room);

        if (got < 0)
            return -1;
        *used += (size_t)got;
        *at_end = got == 0;
        if (*used >= begin && find_end(header, *used, begin, end))
            return 0;
        *end = 0;
    }
    return 0;
}

/* Is what was read of the file such as a file may begin? */
static int check_beginning(struct header *header, const char *name, size_t used)
{
    const uint8_t *start;

    if (used < header->bytes)
        return fault_say(header->fault, "%s: shorter than a header of %llu bytes", name,
                         (unsigned long long)header->bytes);
    if (!header->format->starts)
        return 0;
    start = header->format->string + 1; /* after the newline */
    if (used - header->bytes < start_bytes(header) ||
        memcmp(header->buffer + header->bytes, start, start_bytes(header)) != 0)
        return fault_say(header->fault, "%s: text before the first '%.*s'", name, (int)start_bytes(header),
                         (const char *)start);
    return 0;
}

/* Keep the header in the buffer, or compare it with the one that is known. */
static int check_text(struct header *header, const char *name, size_t bytes)
{
    if (!header->known) {
        header->text = sys_allocate(bytes, 1);
        if (header->text == NULL)
            return fault_report(header->fault, name, errno);
        memcpy(header->text, header->buffer, bytes);
        header->text_bytes = bytes;
        header->from = name;
        header->known = true;
    }
    if (bytes != header->text_bytes || (bytes > 0 && memcmp(header->buffer, header->text, bytes) != 0))
        return fault_say(header->fault, "%s: header differs from that of %s", name, header->from);
    return 0;
}

/* Complete the last record of a file that is all in the buffer. */
static int add_missing(struct header *header, const char *name, struct tail *tail, size_t *used)
{
    const uint8_t *missing;
    size_t bytes;

    if (tail_end(tail, name, &missing, &bytes) != 0)
        return -1;
    if (bytes > 0)
        memcpy(header->buffer + *used, missing, bytes);
    *used += bytes;
    return 0;
}

static int report_large(struct header *header, const char *name)
{
    return fault_say(header->fault, "%s: header is larger than %d bytes", name, HEADER_BYTES_MAX);
}

int header_take(struct header *header, int fd, const char *name, struct tail *tail)
{
    size_t begin, used, end;
    bool at_end;

    header->rest_bytes = 0;
    if (header->buffer == NULL)
        return 0;
    if (header->bytes > HEADER_BYTES_MAX)
        return report_large(header, name);
    begin = (size_t)header->bytes + start_bytes(header);
    if (read_beginning(header, fd, begin, &used, &end, &at_end) != 0)
        return fault_report(header->fault, name, errno);
    if (used == 0)
        return 0;
    if (used == header->bytes && at_end) /* there are no records, and so nothing starts */
        return check_text(header, name, used);
    if (check_beginning(header, name, used) != 0)
        return -1;
    tail_follow(tail, header->buffer + begin, used - begin);
    if (end == 0 && at_end) {
        if (add_missing(header, name, tail, &used) != 0)
            return -1;
        end = used;
    }
    if (end == 0)
        return report_large(header, name);
    header->rest = header->buffer + end;
    header->rest_bytes = used - end;
    return check_text(header, name, end - start_bytes(header));
}
