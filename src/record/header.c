/*
 * A file is read from its beginning until the header's lines have ended, each time as much again; bytes read after them
 * are handed on. A file that ends within the last line of the header has that line completed like any other.
 */

#include "record/header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "record/scan.h"
#include "system/fault.h"

/* Bytes of the first read. */
TUNABLE(READ_BYTES, 4096, 1, 4096);

bool header_is_none(const struct header_rule *rule)
{
    return rule->bytes == 0 && rule->lines == 0 && rule->start == NULL;
}

void header_check_fields(const struct header_rule *rule, bool columns, const struct field_choice *choice, size_t count,
                         const char *option)
{

    for (; count > 0; choice++, count--) {
        if (choice->kind == FIELD_NAME && rule->lines == 0)
            die("%s=%s: a name needs a header line that has it; add --header, or give the number%s", option,
                choice->text,
                strchr(choice->text, ',') != NULL ? "; repeat the option for several fields"
                : columns                         ? ""
                                                  : "; in lines of JSON, a field is a JSON Pointer, such as /user/id");
        if (choice->kind == FIELD_POINTER && columns)
            die("%s=%s: a JSON Pointer needs lines of JSON, without --csv or -t; write '\"%s\"' for a column", option,
                choice->text, choice->text);
    }
}

/* Is a header of this format made of lines, and not of records? */
static bool has_lines(const struct record_format *format)
{
    return record_is(format, RECORD_OF_LINES | RECORD_STARTS | RECORD_LAST_LINE);
}

/* The format of the lines or records of a header, or of the `first` lines, which begin with a string. */
static struct record_format line_of(const struct record_format *format, bool first)
{
    if (has_lines(format) || (first && record_is(format, RECORD_QUOTED)))
        return (struct record_format){.delimiter = record_is(format, RECORD_OF_LINES) ? format->delimiter : '\n'};
    return *format;
}

void header_init(struct header *header, const struct record_format *format, const struct header_rule *rule)
{
    *header = (struct header){
        .format = format, .line = line_of(format, false), .has_lines = has_lines(format), .rule = *rule};
    header->start = record_start(format, &header->start_bytes);
    header->known = header_is_none(rule);
    if (header->known && !record_is(format, RECORD_STARTS) && (format->as == NULL || !format->as->looks))
        return;
    header->buffer = fault_allocate(1, HEADER_BYTES_MAX + 2 * RECORD_DELIMITER_BYTES_MAX);
}

void header_release(struct header *header)
{
    free(header->text);
    free(header->buffer);
}

/* ---- Messages ---- */

enum { SIZE_BYTES = RECORD_DELIMITER_BYTES_MAX + 128, SHOWN_BYTES = 60 };

/* "3 bytes", "1 line", "lines that begin with '#' and 1 line" */
static const char *describe_header(const struct header *header, char text[SIZE_BYTES])
{
    const struct record_format *line = &header->line;
    const char *noun = line->kind == NULL && (line->delimiter == '\n' || line->delimiter == '\0') ? "line" : "record";
    const uint64_t bytes = header_is_none(&header->rule) ? header->text_bytes : header->rule.bytes;
    const uint64_t number = bytes > 0 ? bytes : header->rule.lines;

    size_t used = 0;

    text[0] = '\0';
    if (header->rule.start != NULL)
        used = (size_t)snprintf(text, SIZE_BYTES, "lines that begin with '%s'%s", header->rule.start,
                                number > 0 ? " and " : "");
    if (header->rule.start == NULL || number > 0)
        snprintf(text + used, SIZE_BYTES - used, "%llu %s%s", (unsigned long long)number, bytes > 0 ? "byte" : noun,
                 number == 1 ? "" : "s");
    return text;
}

_Noreturn static void report_short(struct header *header, const char *name)
{
    char size[SIZE_BYTES];

    die("%s: shorter than a header of %s", name, describe_header(header, size));
}

_Noreturn static void report_large(const char *name)
{
    die("%s: header is larger than %d bytes", name, HEADER_BYTES_MAX);
}

void header_warn_alone(const struct header *header)
{
    char size[SIZE_BYTES];

    fault_warn("the input is only a header of %s", describe_header(header, size));
}

/* ---- Finding it ---- */

/* The part of a file that was read. */
struct beginning {
    size_t used; /* bytes in the buffer */
    bool at_end; /* is that the whole file? */
    struct header_place header;
};

/* How many of a file's first bytes are a byte-order mark, or may become one with the next. */
static size_t mark_bytes(const uint8_t *data, size_t bytes, bool at_end)
{
    const size_t there = least_size(bytes, 3);

    return (there == 3 || !at_end) && memcmp(data, "\xef\xbb\xbf", there) == 0 ? there : 0;
}

/* Does the line at offset `at` of a file's first bytes begin with the string, as far as it is there? A byte-order mark
 * before it is skipped. */
static bool is_started(const char *start, const uint8_t *data, size_t bytes, bool at_end, size_t at)
{
    const size_t length = strlen(start);
    size_t there;

    at += at == 0 ? mark_bytes(data, bytes, at_end) : 0;
    there = bytes - at;
    return (there >= length || !at_end) && memcmp(data + at, start, least_size(there, length)) == 0;
}

/* The end of the line that begins at offset `at`; *open: it does not end. */
static size_t end_of(const struct record_format *line, const uint8_t *data, size_t bytes, size_t at, bool *open)
{
    struct record_scan scan = {0};
    uint32_t end;
    size_t scanned;

    *open = record_ends(line, &scan, data + at, bytes - at, &end, 1, &scanned) == 0;
    return at + scanned;
}

/* A byte-order mark before records that start with a string is a header. */
struct header_place header_find(const struct header_rule *rule, const struct record_format *format, const uint8_t *data,
                                size_t bytes, bool at_end)
{
    const struct record_format first = line_of(format, true), line = line_of(format, false);
    struct header_place place = {.end = (size_t)least(rule->bytes, bytes), .left = rule->lines};
    bool started = rule->start != NULL;

    if (header_is_none(rule) && record_is(format, RECORD_STARTS)) {
        place.end = mark_bytes(data, bytes, at_end);
        place.left = place.end % 3;
    }
    while (!place.open) {
        started = started && is_started(rule->start, data, bytes, at_end, place.end);
        if (!started && (place.left == 0 || place.end == bytes))
            break;
        place.end = end_of(started ? &first : &line, data, bytes, place.end, &place.open);
        place.first = started ? place.end : place.first;
        place.left -= !started && !place.open;
    }
    place.left += started; /* the unfinished line, or one that may come */
    return place;
}

/* Does the buffer have the whole header and the start after it? */
static bool is_found(const struct header *header, const struct beginning *beginning)
{
    return beginning->header.left == 0 && beginning->used >= header->rule.bytes &&
           beginning->used - beginning->header.end >= header->start_bytes;
}

/* Read until the buffer has the header, the beginning of the next line, which shows that it does not belong to it, and
 * the start after it; or until the file ends, or the header is too large. */
static struct beginning read_beginning(struct header *header, header_read *read, void *context)
{
    const size_t most = HEADER_BYTES_MAX + RECORD_DELIMITER_BYTES_MAX + header->start_bytes;
    struct beginning beginning = {.used = 0};

    do {
        size_t room = most - beginning.used;
        size_t wanted = beginning.used < READ_BYTES ? READ_BYTES : beginning.used;
        size_t got = read(context, header->buffer + beginning.used, least_size(wanted, room));

        beginning.used += got;
        beginning.at_end = got == 0;
        beginning.header = header_find(&header->rule, header->format, header->buffer, beginning.used, got == 0);
    } while (!beginning.at_end && beginning.used < most && !is_found(header, &beginning));
    return beginning;
}

/* The file ends within its header: add the end of the last line if only that is missing. */
static void complete_header(struct header *header, const char *name, struct tail *tail, struct beginning *beginning)
{
    const uint8_t *missing = &header->line.delimiter;
    size_t bytes = beginning->header.open;

    if (!header->has_lines &&
        (!record_is(header->format, RECORD_QUOTED) || beginning->header.end > beginning->header.first))
        bytes = tail_end(tail, name, &missing);
    if (beginning->header.left > 1 || !beginning->header.open)
        report_short(header, name);
    memcpy(header->buffer + beginning->used, missing, bytes);
    beginning->used += bytes;
    beginning->header.end = beginning->used;
}

/* ---- Taking it off ---- */

/* The string with which records start stands after the header, unless the file ends there. */
static void check_record_start(struct header *header, const char *name, const struct beginning *beginning)
{
    const size_t bytes = header->start_bytes;
    char size[SIZE_BYTES], advice[SIZE_BYTES] = "";
    size_t at = beginning->header.end, used, lines = scan_count(header->buffer, at, '\n');
    bool open;

    if (beginning->used - beginning->header.end >= bytes &&
        memcmp(header->buffer + beginning->header.end, header->start, bytes) == 0)
        return;
    for (; beginning->used - at >= bytes && memcmp(header->buffer + at, header->start, bytes) != 0; lines++)
        at = end_of(&header->line, header->buffer, beginning->used, at, &open);
    if (beginning->used - at >= bytes) {
        used = (size_t)snprintf(advice, sizeof advice, "; to keep it at the top, write --header=%zu", lines);
        at += bytes;
        if (beginning->used > at && (header->buffer[at] == '\n' || header->buffer[at] == '\r'))
            snprintf(advice + used, sizeof advice - used,
                     "; if such a line only separates records, write --delimiter='%.*s\\n'", (int)bytes,
                     (const char *)header->start);
    }
    if (header_is_none(&header->rule))
        die("%s: text before the first '%.*s'%s", name, (int)bytes, (const char *)header->start, advice);
    die("%s: text between the header of %s and the first '%.*s'%s", name, describe_header(header, size), (int)bytes,
        (const char *)header->start, advice);
}

/* The header in the buffer is not the known one. It may be no header, but records: the message shows it. */
_Noreturn static void report_difference(const struct header *header, const char *name, size_t bytes)
{
#define DIFFERS "%s: header differs from that of %s in line %llu, at byte %llu%s; --headers-differ keeps the first"
    const uint8_t *data = header->buffer, delimiter = header->line.delimiter;
    unsigned long long line;
    size_t at = 0, start, end;
    const char *what = "";
    char size[SIZE_BYTES];

    while (at < bytes && at < header->text_bytes && data[at] == header->text[at])
        at++;
    line = scan_count(data, at, delimiter) + 1;
    if ((at < bytes && data[at] == '\r') || (at < header->text_bytes && header->text[at] == '\r'))
        what = ", by a carriage return";
    else if (at == 0 && bytes > 0 && header->text_bytes > 0 && (data[0] == 0xef || header->text[0] == 0xef))
        what = ", by a byte-order mark";
    if (at == bytes)
        die(DIFFERS, name, header->from, line, at + 1ULL, what);
    for (start = at; start > 0 && data[start - 1] != delimiter;)
        start--;
    for (end = start; end < bytes && data[end] != delimiter && data[end] != '\r';)
        end++;
    die(DIFFERS ", and drops %s of %s: '%.*s%s'", name, header->from, line, at + 1ULL, what,
        header->rule.lines == 1 ? "this line" : describe_header(header, size), name,
        (int)least_size(end - start, SHOWN_BYTES), (const char *)data + start, end - start > SHOWN_BYTES ? "..." : "");
}

void header_find_columns(const struct header_rule *rule, const struct record_format *format,
                         const struct field_place names[HEADER_NAMES_MAX], const char *file, const uint8_t *text,
                         size_t bytes)
{
    const struct header_rule names_rule = {.start = rule->start, .lines = 1};
    struct header_place place;

    text = bytes > 0 ? text : (const uint8_t *)"";
    place = header_find(&names_rule, format, text, bytes, true);
    for (size_t i = 0; i < HEADER_NAMES_MAX && names[i].choice != NULL; i++)
        field_find_column(&names[i], file, text + place.first, place.end - place.first);
}

/* Keep the header in the buffer, or compare it with the known one. Either may be empty. */
static void check_text(struct header *header, const char *name, size_t bytes)
{
    header->own_bytes = bytes;
    header_find_columns(&header->rule, header->format, header->rule.names, name, header->buffer, bytes);
    if (!header->known || (header_is_none(&header->rule) && header->text_bytes == 0 && bytes > 0)) {
        header->text = fault_allocate(bytes + 1, 1);
        memcpy(header->text, header->buffer, bytes);
        header->text_bytes = bytes;
        header->from = name;
        header->known = true;
    }
    if (header->rule.may_differ || header_is_none(&header->rule))
        return;
    if (bytes != header->text_bytes || (bytes > 0 && memcmp(header->buffer, header->text, bytes) != 0))
        report_difference(header, name, bytes);
}

/* The tail follows the records: those of a header as well, but not its lines. */
static void begin_records(struct header *header, const char *name, struct tail *tail, const struct beginning *beginning)
{
    const bool quoted = record_is(header->format, RECORD_QUOTED) && header->rule.start != NULL;
    size_t from = header->has_lines ? beginning->header.end
                  : quoted          ? beginning->header.first
                                    : (size_t)header->rule.bytes;

    tail_pass(tail, header->buffer, from);
    if (header->has_lines && beginning->used == beginning->header.end)
        return;
    if (record_is(header->format, RECORD_STARTS)) {
        check_record_start(header, name, beginning);
        from += header->start_bytes;
    }
    tail_follow(tail, name, header->buffer + from, beginning->used - from);
}

void header_take(struct header *header, header_read *read, void *context, const char *name, struct tail *tail)
{
    struct beginning beginning;
    size_t rest;

    header->rest_bytes = 0;
    header->taken_bytes = 0;
    if (header->buffer == NULL)
        return;
    if (header->rule.bytes > HEADER_BYTES_MAX)
        report_large(name);
    beginning = read_beginning(header, read, context);
    header->taken_bytes = beginning.used;
    if (beginning.used == 0)
        return;
    if (beginning.used < header->rule.bytes)
        report_short(header, name);
    if (beginning.header.left > 0 && !beginning.at_end)
        report_large(name);
    begin_records(header, name, tail, &beginning);
    if (beginning.header.left > 0)
        complete_header(header, name, tail, &beginning);
    if (beginning.header.end > HEADER_BYTES_MAX)
        report_large(name);
    rest = beginning.header.end + (beginning.used > beginning.header.end ? header->start_bytes : 0);
    header->rest = header->buffer + rest;
    header->rest_bytes = beginning.used - rest;
    check_text(header, name, beginning.header.end);
}
