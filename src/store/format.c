/*
 * The text can be written in one way only, so two formats are the same if their texts are, and a text is understood if
 * what was read in it gives the same text again.
 */

#include "store/format.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "record/header.h"
#include "record/record.h"
#include "store/line.h"

#define TITLE "bigshuf store 2\n"

/* ---- Writing ---- */

static const char *plural(uint64_t number)
{
    return number == 1 ? "" : "s";
}

/* Write a string as in C. Returns the end of what was written. */
static char *put_string(char *at, const char *end, const uint8_t *string, size_t bytes)
{
    at = line_put(at, end, "\"");
    for (size_t i = 0; i < bytes; i++)
        if (string[i] == '\n')
            at = line_put(at, end, "\\n");
        else if (string[i] == '"' || string[i] == '\\')
            at = line_put(at, end, "\\%c", string[i]);
        else if (string[i] < ' ' || string[i] >= 0x7f)
            at = line_put(at, end, "\\%03o", string[i]);
        else
            at = line_put(at, end, "%c", string[i]);
    return line_put(at, end, "\"");
}

/* Write the kind's text for its records, with the format's values for %n, %p, %d and %s (record.h). */
static char *put_records(char *to, const char *end, const struct record_format *format)
{
    const bool starts = record_is(format, RECORD_STARTS);

    to = line_put(to, end, "%s", format->grouped ? "groups of " : "");
    for (const char *at = record_kind(format)->stored; *at != '\0'; at++) {
        if (*at != '%') {
            to = line_put(to, end, "%c", *at);
            continue;
        }
        at++;
        if (*at == 'n')
            to = line_put(to, end, "%" PRIu64, format->count);
        else if (*at == 'p')
            to = line_put(to, end, "%s", plural(format->count));
        else if (*at == 'd')
            to = put_string(to, end, &format->delimiter, 1);
        else
            to = put_string(to, end, format->string + starts, format->string_bytes - starts);
    }
    return line_put(to, end, "\n");
}

static char *put_header(char *at, const char *end, const struct store_format *format)
{
    const char *noun = header_has_lines(&format->record) ? "line" : "record";
    const uint64_t bytes = format->header_bytes, lines = format->header_lines;
    const char *start = format->header_start;

    if (*start != '\0')
        at = put_string(line_put(at, end, "a header of lines starting with "), end, (const uint8_t *)start,
                        strlen(start));
    else if (bytes > 0)
        at = line_put(at, end, "a header of %" PRIu64 " byte%s", bytes, plural(bytes));
    else if (lines > 0)
        at = line_put(at, end, "a header of %" PRIu64 " %s%s", lines, noun, plural(lines));
    else
        at = line_put(at, end, "no header");
    return line_put(at, end, "\n");
}

size_t store_format_text(const struct store_format *format, char text[STORE_FORMAT_TEXT_BYTES])
{
    const char *end = text + STORE_FORMAT_TEXT_BYTES;
    char *at = line_put(text, end, TITLE "%u piles\n", format->piles);

    return (size_t)(put_header(put_records(at, end, &format->record), end, format) - text);
}

/* ---- Reading: each function returns what follows, or NULL ---- */

/* A noun after its number, in the singular or the plural. */
static const char *skip_noun(const char *at, const char *noun)
{
    at = line_read(at, noun);
    return at != NULL && *at == 's' ? at + 1 : at;
}

static const char *read_string(const char *at, uint8_t *string, size_t room, size_t *bytes)
{
    char text[STORE_FORMAT_STRING_BYTES];
    size_t length = 0;

    at = line_read(at, "\"");
    if (at == NULL)
        return NULL;
    while (at[length] != '"' && at[length] != '\0')
        length += at[length] == '\\' && at[length + 1] != '\0' ? 2 : 1;
    if (length >= sizeof text)
        return NULL;
    memcpy(text, at, length);
    text[length] = '\0';
    return escape_parse(text, string, room, bytes) == 0 ? line_read(at + length, "\"") : NULL;
}

/* A string of one byte. */
static const char *read_byte(const char *at, uint8_t *byte)
{
    size_t bytes;

    at = read_string(at, byte, 1, &bytes);
    return at != NULL && bytes == 1 ? at : NULL;
}

/* The string of a kind, which has one byte at least. A single byte at the end of records is the delimiter of lines. */
static const char *read_kind_string(const char *at, struct record_format *format, uint8_t *string)
{
    const bool starts = record_is(format, RECORD_STARTS);

    string[0] = '\n';
    at = read_string(at, string + starts, RECORD_DELIMITER_BYTES_MAX - (size_t)starts, &format->string_bytes);
    if (starts && at != NULL && memchr(string + 1, '\n', format->string_bytes) != NULL)
        return NULL;
    format->string_bytes += starts;
    return format->string_bytes >= 2 ? at : NULL;
}

static const char *read_count(const char *at, uint64_t *count)
{
    at = line_read(at, "%d", count);
    return at != NULL && *count > 0 ? at : NULL;
}

/* Read what `stored` of the format's kind says (record.h). */
static const char *read_kind(const char *at, struct record_format *format, uint8_t *string)
{
    for (const char *pattern = record_kind(format)->stored; *pattern != '\0' && at != NULL; pattern++) {
        if (*pattern != '%') {
            at = *at == *pattern ? at + 1 : NULL;
            continue;
        }
        pattern++;
        if (*pattern == 'n')
            at = read_count(at, &format->count);
        else if (*pattern == 'p')
            at += *at == 's';
        else if (*pattern == 'd')
            at = read_byte(at, &format->delimiter);
        else
            at = read_kind_string(at, format, string);
    }
    return at;
}

/* Lines, which have no row, come last. */
static const char *read_records(const char *at, struct record_format *format, uint8_t *string)
{
    const char *members = line_read(at, "groups of ");
    const struct record_kind *const *kind = record_kinds;
    const char *after = NULL;

    at = members != NULL ? members : at;
    do {
        *format =
            (struct record_format){.kind = *kind, .grouped = members != NULL, .delimiter = '\n', .string = string};
        if (record_kind(format)->stored != NULL && (members != NULL || !record_is(format, RECORD_MEMBER)))
            after = read_kind(at, format, string);
    } while (after == NULL && *kind++ != NULL);
    return after;
}

static const char *read_piles(const char *at, unsigned *piles)
{
    uint64_t number = 0;

    at = line_read(at, TITLE "%d piles\n", &number);
    *piles = (unsigned)number;
    return number >= STORE_FORMAT_PILES_MIN && number <= STORE_FORMAT_PILES_MAX && (number & (number - 1)) == 0 ? at
                                                                                                                : NULL;
}

/* An argument of the command line, without a newline or a NUL byte. */
static const char *read_header_start(const char *at, char start[RECORD_DELIMITER_BYTES_MAX])
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX - 1];
    size_t bytes;

    at = read_string(at, string, sizeof string, &bytes);
    if (at == NULL || bytes == 0 || memchr(string, '\n', bytes) != NULL || memchr(string, '\0', bytes) != NULL)
        return NULL;
    memcpy(start, string, bytes);
    start[bytes] = '\0';
    return at;
}

static const char *read_header(const char *at, struct store_format *format)
{
    const char *noun = header_has_lines(&format->record) ? " line" : " record";
    const char *after = line_read(at, "no header");
    uint64_t number = 0;

    format->header_bytes = format->header_lines = 0;
    format->header_start[0] = '\0';
    if (after != NULL)
        return after;
    after = line_read(at, "a header of lines starting with ");
    if (after != NULL)
        return read_header_start(after, format->header_start);
    at = line_read(at, "a header of %d", &number);
    after = skip_noun(at, " byte");
    if (after != NULL)
        format->header_bytes = number;
    else
        format->header_lines = number;
    return after != NULL ? after : skip_noun(at, noun);
}

bool store_format_parse(struct store_format *format, uint8_t string[RECORD_DELIMITER_BYTES_MAX], const char *text,
                        size_t bytes)
{
    char again[STORE_FORMAT_TEXT_BYTES];
    const char *at = text;

    at = read_piles(at, &format->piles);
    at = line_read(read_records(at, &format->record, string), "\n");
    at = line_read(read_header(at, format), "\n");
    return at != NULL && store_format_text(format, again) == bytes && memcmp(again, text, bytes) == 0;
}
