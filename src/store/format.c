/*
 * The same calls write a text and read it, so its form stands once. Every value has one form only: a reader takes a
 * value from the text, and then compares the text with what would be written for it. Each function pass_... writes or
 * reads a part of the text. In writing, all conditions about the text hold.
 */

#include "store/format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xxh64.h"

/* ---- Words, numbers and strings ---- */

struct line {
    char *to;         /* writing: the place of the next byte; NULL when reading */
    const char *end;  /* of the room, which suffices; NUL follows the text written */
    const char *from; /* reading: the rest of a text that ends with NUL; NULL: the text was wrong */
};

/* Optional words: are they there? Writing: if `is`; reading: if they come next. line_has also passes them. */
static bool line_begins(const struct line *line, bool is, const char *words)
{
    return line->to != NULL ? is : line->from != NULL && strncmp(line->from, words, strlen(words)) == 0;
}

/* Reading: without this condition, the text is wrong. */
static void line_must(struct line *line, bool holds)
{
    line->from = holds ? line->from : NULL;
}

static void pass_words(struct line *line, const char *words)
{
    const size_t bytes = strlen(words);

    if (line->to == NULL) {
        line->from = line_begins(line, true, words) ? line->from + bytes : NULL;
    } else if (bytes < (size_t)(line->end - line->to)) {
        memcpy(line->to, words, bytes + 1);
        line->to += bytes;
    }
}

static bool line_has(struct line *line, bool is, const char *words)
{
    const bool has = line_begins(line, is, words);

    if (has)
        pass_words(line, words);
    return has;
}

static void pass_number(struct line *line, uint64_t *number, int base)
{
    const int width = base == 16 ? 16 : 1;
    char digits[64];

    if (line->to == NULL) {
        snprintf(digits, sizeof digits, "%.*s", base == 16 ? width : 40, line->from != NULL ? line->from : "");
        *number = strtoull(digits, NULL, base);
    }
    snprintf(digits, sizeof digits, base == 16 ? "%0*" PRIx64 : "%*" PRIu64, width, *number);
    pass_words(line, digits);
}

/* The byte that stands here plainly or as an escape, if that is well-formed. */
static uint8_t read_byte(const char *at)
{
    unsigned byte = (unsigned char)*at;

    if (*at == '\\' && sscanf(at + 1, "%3o", &byte) != 1)
        byte = at[1] == 'n' ? '\n' : (unsigned char)at[1];
    return (uint8_t)byte;
}

static void pass_string(struct line *line, uint8_t *string, size_t room, size_t *bytes)
{
    const bool reads = line->to == NULL;
    size_t i = 0;

    pass_words(line, "\"");
    for (; reads ? line->from != NULL && *line->from != '"' : i < *bytes; i++) {
        char text[5];

        if (i == room) {
            line->from = NULL;
            break;
        }
        if (reads)
            string[i] = read_byte(line->from);
        if (string[i] == '\n')
            snprintf(text, sizeof text, "\\n");
        else if (string[i] < ' ' || string[i] >= 0x7f)
            snprintf(text, sizeof text, "\\%03o", string[i]);
        else
            snprintf(text, sizeof text, "%s%c", string[i] == '"' || string[i] == '\\' ? "\\" : "", string[i]);
        pass_words(line, text);
    }
    *bytes = i;
    pass_words(line, "\"");
}

/* Pass the text of `pattern`, where % and a letter stand for the next arguments: d is a decimal number, x one of 16
 * hexadecimal digits, each a uint64_t *; s are words, a const char *; q is a string as in C: uint8_t *, room in bytes,
 * size_t, and their number, size_t *. */
static void line_pass(struct line *line, const char *pattern, ...)
{
    va_list more;

    va_start(more, pattern);
    for (; *pattern != '\0'; pattern++) {
        if (*pattern != '%') {
            pass_words(line, (char[]){*pattern, '\0'});
        } else if (*++pattern == 's') {
            pass_words(line, va_arg(more, const char *));
        } else if (*pattern == 'q') {
            uint8_t *string = va_arg(more, uint8_t *);
            const size_t room = va_arg(more, size_t);

            pass_string(line, string, room, va_arg(more, size_t *));
        } else if (*pattern == 'x') {
            pass_number(line, va_arg(more, uint64_t *), 16);
        } else {
            pass_number(line, va_arg(more, uint64_t *), 10);
        }
    }
    va_end(more);
}

/* ---- The lines of a format ---- */

static void pass_piles(struct line *line, struct store_format *format)
{
    uint64_t version = STORE_FORMAT_VERSION, piles = format->piles;

    line_pass(line, STORE_FORMAT_TITLE "%d\n%d piles\n", &version, &piles);
    line_must(line, version == STORE_FORMAT_VERSION);
    line_must(line, piles >= STORE_FORMAT_PILES_MIN && piles <= STORE_FORMAT_PILES_MAX && (piles & (piles - 1)) == 0);
    format->piles = (unsigned)piles;
}

/* The name of the kind. */
static void pass_kind(struct line *line, struct record_format *format, uint8_t *string)
{
    const bool frames = line_has(line, format->kind != NULL && record_is(format, RECORD_GROUP), "frames");

    line_pass(line, frames ? " of " : "records of ");
    if (line->to == NULL && line->from != NULL)
        format->kind = line_begins(line, true, string_delimiter_kind.name)
                           ? &string_delimiter_kind
                           : record_kind_of_name(line->from, strcspn(line->from, " \n"));
    line_must(line,
              format->kind != NULL && format->kind->stands_for == NULL && record_is(format, RECORD_GROUP) == frames);
    if (format->kind == NULL)
        return;
    line_pass(line, "%s", format->kind->name);
    if (format->kind->string != NULL)
        record_take(format, format->kind, string);
}

/* The options of CSV, if there are any. */
static void pass_quotes(struct line *line, struct quotes_rule *quotes)
{
    size_t bytes = 1;

    quotes->separated = line_begins(line, quotes->separated, " \"");
    if (quotes->separated)
        line_pass(line, " %q", &quotes->separator, (size_t)1, &bytes);
    line_must(line, bytes == 1);
    quotes->backslash = line_has(line, quotes->backslash, " backslash");
}

/* The kind and its argument: a number, a string, or the options of CSV. Lines are written like other records that end
 * with a string, their delimiter. */
static void pass_records(struct line *line, struct record_format *format, uint8_t *string)
{
    const bool is_lines = line->to != NULL && format->kind == NULL;
    size_t bytes = 1, starts;

    format->kind = is_lines ? &string_delimiter_kind : format->kind;
    pass_kind(line, format, string);
    if (format->kind == NULL)
        return;
    starts = format->kind->takes == RECORD_LINE;
    if (format->kind->takes == RECORD_COUNT || format->kind->takes == RECORD_BYTES) {
        line_pass(line, " %d", &format->count);
        line_must(line, format->count > 0);
    }
    if (format->kind->takes == RECORD_COUNT) {
        line_pass(line, " %q", &format->delimiter, (size_t)1, &bytes);
    } else if (starts || format->kind == &string_delimiter_kind) {
        bytes = is_lines ? 1 : format->string_bytes - starts;
        line_pass(line, " %q", string + starts, RECORD_DELIMITER_BYTES_MAX - starts, &bytes);
        format->string_bytes = bytes + starts;
        line_must(line, !starts || memchr(string + 1, '\n', bytes) == NULL);
    } else if (record_is(format, RECORD_QUOTED)) {
        pass_quotes(line, &format->quotes);
    }
    line_must(line, bytes > 0);
    line_pass(line, "\n");
    if (format->kind == &string_delimiter_kind && bytes == 1) {
        format->kind = NULL;
        format->delimiter = string[0];
    }
}

/* A field, or the beginning of the lines of a header. */
static void pass_text(struct line *line, char *text, size_t room)
{
    size_t bytes = strlen(text);

    line_pass(line, " %q", (uint8_t *)text, room - 1, &bytes);
    text[bytes] = '\0';
    line_must(line, bytes > 0 && strlen(text) == bytes);
}

/* The store's key is written as two numbers. */
static void pass_keys(struct line *line, struct store_format *format)
{
    uint64_t key[2] = {0};
    struct field_choice field;
    size_t bytes = 1;
    unsigned i = 0;

    if (line_has(line, format->keys == STORE_KEYS_GROUP, "groups"))
        format->keys = STORE_KEYS_GROUP;
    else if (line_has(line, format->keys == STORE_KEYS_UNIQUE, "unique records"))
        format->keys = STORE_KEYS_UNIQUE;
    else
        return;
    if (line_has(line, format->fields > 0, " by")) {
        for (; line_begins(line, i < format->fields, " \"") && i < KEY_FIELDS_MAX; i++) {
            pass_text(line, format->field[i], STORE_FORMAT_FIELD_BYTES);
            line_must(line, field_parse(&field, format->field[i]));
        }
        line_must(line, i > 0);
        line_pass(line, " separated by %q", &format->separator, (size_t)1, &bytes);
        line_must(line, bytes == 1);
    }
    format->fields = i;
    sscanf(format->key, "%16" SCNx64 "%16" SCNx64, &key[0], &key[1]);
    line_pass(line, " key %x%x\n", &key[0], &key[1]);
    snprintf(format->key, sizeof format->key, "%016" PRIx64 "%016" PRIx64, key[0], key[1]);
}

static void pass_header(struct line *line, struct store_format *format)
{
    if (line_has(line, format->header_start[0] == '\0' && format->header_bytes + format->header_lines == 0,
                 "no header\n"))
        return;
    if (line_has(line, format->header_bytes > 0, "header of bytes ")) {
        line_pass(line, "%d", &format->header_bytes);
        line_must(line, format->header_bytes > 0);
    } else {
        line_pass(line, "header of lines");
        if (line_begins(line, format->header_start[0] != '\0', " \"")) {
            pass_text(line, format->header_start, sizeof format->header_start);
            line_must(line, strchr(format->header_start, '\n') == NULL);
        }
        if (line_begins(line, format->header_lines > 0, " ") || format->header_start[0] == '\0') {
            line_pass(line, " %d", &format->header_lines);
            line_must(line, format->header_lines > 0);
        }
    }
    line_pass(line, "\n");
}

/* `text`: the beginning of the whole text. */
static void pass_checksum(struct line *line, const char *text)
{
    const char *end = line->to != NULL ? line->to : line->from;
    uint64_t right = end != NULL ? xxh64(text, (size_t)(end - text)) : 0, checksum = right;

    line_pass(line, "checksum %x\n", &checksum);
    line_must(line, checksum == right);
}

static void pass(struct line *line, struct store_format *format, uint8_t *string)
{
    const char *text = line->to != NULL ? line->to : line->from;

    pass_piles(line, format);
    pass_records(line, &format->record, string);
    pass_keys(line, format);
    pass_header(line, format);
    pass_checksum(line, text);
}

size_t store_format_text(const struct store_format *format, char text[STORE_FORMAT_TEXT_BYTES])
{
    struct line line = {.to = text, .end = text + STORE_FORMAT_TEXT_BYTES};
    struct store_format copy = *format;
    uint8_t string[RECORD_DELIMITER_BYTES_MAX] = {format->record.delimiter};

    if (format->record.string_bytes > 0)
        memcpy(string, format->record.string, format->record.string_bytes);
    pass(&line, &copy, string);
    return (size_t)(line.to - text);
}

bool store_format_parse(struct store_format *format, uint8_t string[RECORD_DELIMITER_BYTES_MAX], const char *text,
                        size_t bytes)
{
    struct line line = {.from = text};

    *format = (struct store_format){.record = {.delimiter = '\n', .string = string}};
    string[0] = '\n';
    pass(&line, format, string);
    return line.from == text + bytes;
}
