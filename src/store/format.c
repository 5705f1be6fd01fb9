/* There is one way only to write a format (line.h): what was read is written again, and compared. */

#include "store/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "store/line.h"

#define TITLE "bigshuf store 2\n"

/* ---- The text of the format: writing ---- */

/* Write a string as in C, behind a space. Returns the end of what was written. */
static char *put_string(char *at, const char *end, const uint8_t *string, size_t bytes)
{
    at = line_put(at, end, " \"");
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

/* Write the name of the kind, and what it takes: a number, a string, how CSV is written. Lines are named as what else
 * ends with a string. */
static char *put_records(char *at, const char *end, const struct record_format *format)
{
    const struct record_kind *kind = format->kind != NULL ? format->kind : &string_end_kind;
    const bool starts = kind->takes == RECORD_START;

    at = line_put(at, end, "%s of %s", record_is(format, RECORD_GROUP) ? "frames" : "records", kind->name);
    if (kind->takes == RECORD_COUNT || kind->takes == RECORD_BYTES)
        at = line_put(at, end, " %" PRIu64, format->count);
    if (format->kind == NULL || kind->takes == RECORD_COUNT)
        at = put_string(at, end, &format->delimiter, 1);
    else if (starts || kind->takes == RECORD_END)
        at = put_string(at, end, format->string + starts, format->string_bytes - starts);
    if (format->quotes.separated)
        at = put_string(at, end, &format->quotes.separator, 1);
    if (format->quotes.backslash)
        at = line_put(at, end, " backslash");
    return line_put(at, end, "\n");
}

static char *put_header_rule(char *at, const char *end, const struct store_format *format)
{
    const char *start = format->header_start;

    if (*start != '\0')
        at = put_string(line_put(at, end, "header of lines"), end, (const uint8_t *)start, strlen(start));
    else if (format->header_bytes > 0)
        at = line_put(at, end, "header of bytes %" PRIu64, format->header_bytes);
    else if (format->header_lines > 0)
        at = line_put(at, end, "header of lines %" PRIu64, format->header_lines);
    else
        at = line_put(at, end, "no header");
    return line_put(at, end, "\n");
}

static char *put_keys(char *at, const char *end, const struct store_format *format)
{
    if (format->keys == STORE_KEYS_NONE)
        return at;
    at = line_put(at, end, "%s%s", format->keys == STORE_KEYS_GROUP ? "groups" : "unique records",
                  format->fields > 0 ? " by" : "");
    for (unsigned i = 0; i < format->fields; i++)
        at = put_string(at, end, (const uint8_t *)format->field[i], strlen(format->field[i]));
    if (format->fields > 0)
        at = put_string(line_put(at, end, " separated by"), end, &format->separator, 1);
    return line_put(at, end, " key %s\n", format->key);
}

size_t store_format_text(const struct store_format *format, char text[STORE_FORMAT_TEXT_BYTES])
{
    const char *end = text + STORE_FORMAT_TEXT_BYTES;
    char *at = line_put(text, end, TITLE "%u piles\n", format->piles);

    return (size_t)(put_header_rule(put_keys(put_records(at, end, &format->record), end, format), end, format) - text);
}

/* ---- Reading: each function returns what follows, or NULL ---- */

static const char *read_string(const char *at, uint8_t *string, size_t room, size_t *bytes)
{
    char text[STORE_FORMAT_STRING_BYTES];
    size_t length = 0;

    at = line_read(at, " \"");
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

/* How CSV is written, if more than its name is given. */
static const char *read_quotes(const char *at, struct quotes_rule *quotes)
{
    size_t bytes;

    quotes->separated = line_read(at, " \"") != NULL;
    at = quotes->separated ? read_string(at, &quotes->separator, 1, &bytes) : at;
    quotes->backslash = line_read(at, " backslash") != NULL;
    return quotes->backslash ? line_read(at, " backslash") : at;
}

/* What a kind takes. A single byte at the end of records is the delimiter of lines. */
static const char *read_argument(const char *at, struct record_format *format, uint8_t *string)
{
    const enum record_argument takes = format->kind->takes;
    const bool starts = takes == RECORD_START;
    size_t bytes = 1;

    string[0] = '\n';
    if (takes == RECORD_COUNT || takes == RECORD_BYTES)
        at = line_read(at, " %d", &format->count);
    if (takes == RECORD_ALONE)
        return record_is(format, RECORD_QUOTED) ? read_quotes(at, &format->quotes) : at;
    if (at == NULL || takes == RECORD_BYTES)
        return at != NULL && format->count > 0 ? at : NULL;
    if (takes == RECORD_COUNT) {
        at = read_string(at, &format->delimiter, 1, &bytes);
        return bytes == 1 && format->count > 0 ? at : NULL;
    }
    at = read_string(at, string + starts, RECORD_DELIMITER_BYTES_MAX - (size_t)starts, &bytes);
    if (at == NULL || bytes == 0 || (starts && memchr(string + 1, '\n', bytes) != NULL))
        return NULL;
    format->string_bytes = bytes + starts;
    if (!starts && bytes == 1) {
        format->kind = NULL;
        format->delimiter = string[0];
    }
    return at;
}

static const char *read_records(const char *at, struct record_format *format, uint8_t *string)
{
    const char *frames = line_read(at, "frames of ");
    size_t bytes;

    *format = (struct record_format){.delimiter = '\n', .string = string};
    at = frames != NULL ? frames : line_read(at, "records of ");
    if (at == NULL)
        return NULL;
    bytes = strcspn(at, " \n");
    format->kind = record_kind_of_name(at, bytes);
    if (format->kind == NULL || format->kind->stands_for != NULL || record_is(format, RECORD_GROUP) != (frames != NULL))
        return NULL;
    return read_argument(at + bytes, format, string);
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
    const char *after = line_read(at, "no header");

    format->header_bytes = format->header_lines = 0;
    format->header_start[0] = '\0';
    if (after == NULL)
        after = line_read(at, "header of bytes %d", &format->header_bytes);
    if (after == NULL)
        after = line_read(at, "header of lines %d", &format->header_lines);
    return after != NULL ? after : read_header_start(line_read(at, "header of lines"), format->header_start);
}

static const char *read_fields(const char *at, struct store_format *format)
{
    size_t bytes;

    for (; line_read(at, " \"") != NULL; format->fields++) {
        char *field = format->field[format->fields % KEY_FIELDS_MAX];

        at = read_string(at, (uint8_t *)field, STORE_FORMAT_FIELD_BYTES - 1, &bytes);
        if (at == NULL || bytes == 0 || memchr(field, '\0', bytes) != NULL || format->fields == KEY_FIELDS_MAX)
            return NULL;
        field[bytes] = '\0';
    }
    at = read_string(line_read(at, " separated by"), &format->separator, 1, &bytes);
    return at != NULL && bytes == 1 ? at : NULL;
}

static const char *read_keys(const char *at, struct store_format *format)
{
    const char *groups = line_read(at, "groups"), *unique = line_read(at, "unique records");

    format->keys = groups != NULL ? STORE_KEYS_GROUP : unique != NULL ? STORE_KEYS_UNIQUE : STORE_KEYS_NONE;
    format->fields = 0;
    if (format->keys == STORE_KEYS_NONE)
        return at;
    at = groups != NULL ? groups : unique;
    if (line_read(at, " by") != NULL)
        at = read_fields(line_read(at, " by"), format);
    at = line_read(at, " key ");
    if (at == NULL || strspn(at, "0123456789abcdef") != STORE_FORMAT_KEY_DIGITS)
        return NULL;
    snprintf(format->key, sizeof format->key, "%s", at);
    return line_read(at + STORE_FORMAT_KEY_DIGITS, "\n");
}

bool store_format_parse(struct store_format *format, uint8_t string[RECORD_DELIMITER_BYTES_MAX], const char *text,
                        size_t bytes)
{
    char again[STORE_FORMAT_TEXT_BYTES];
    const char *at = text;

    at = read_piles(at, &format->piles);
    at = line_read(read_records(at, &format->record, string), "\n");
    at = line_read(read_header(read_keys(at, format), format), "\n");
    return at != NULL && store_format_text(format, again) == bytes && memcmp(again, text, bytes) == 0;
}
