/* Each function below passes a part of the text, which is written or read (line.h). Of a format that is written, all
 * that is asked about the text holds. */

#include "store/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/line.h"

static void pass_piles(struct line *line, struct store_format *format)
{
    uint64_t piles = format->piles;

    line_pass(line, "bigshuf store 2\n%d piles\n", &piles);
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

/* How CSV is written, if more than its name is given. */
static void pass_quotes(struct line *line, struct quotes_rule *quotes)
{
    size_t bytes = 1;

    quotes->separated = line_begins(line, quotes->separated, " \"");
    if (quotes->separated)
        line_pass(line, " %q", &quotes->separator, (size_t)1, &bytes);
    line_must(line, bytes == 1);
    quotes->backslash = line_has(line, quotes->backslash, " backslash");
}

/* The kind and what it takes: a number, a string, how CSV is written. Lines are named as what else ends with a string,
 * which is their delimiter. */
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

/* A field, or the beginning of the lines of a header: an argument of the command line. */
static void pass_text(struct line *line, char *text, size_t room)
{
    size_t bytes = strlen(text);

    line_pass(line, " %q", (uint8_t *)text, room - 1, &bytes);
    text[bytes] = '\0';
    line_must(line, bytes > 0 && strlen(text) == bytes);
}

/* The store's key is said as two numbers. */
static void pass_keys(struct line *line, struct store_format *format)
{
    uint64_t key[2] = {0};
    size_t bytes = 1;
    unsigned i = 0;

    if (line_has(line, format->keys == STORE_KEYS_GROUP, "groups"))
        format->keys = STORE_KEYS_GROUP;
    else if (line_has(line, format->keys == STORE_KEYS_UNIQUE, "unique records"))
        format->keys = STORE_KEYS_UNIQUE;
    else
        return;
    if (line_has(line, format->fields > 0, " by")) {
        for (; line_begins(line, i < format->fields, " \"") && i < KEY_FIELDS_MAX; i++)
            pass_text(line, format->field[i], STORE_FORMAT_FIELD_BYTES);
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

static void pass(struct line *line, struct store_format *format, uint8_t *string)
{
    pass_piles(line, format);
    pass_records(line, &format->record, string);
    pass_keys(line, format);
    pass_header(line, format);
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
