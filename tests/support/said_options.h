#ifndef BIGSHUF_TESTS_SAID_OPTIONS_H
#define BIGSHUF_TESTS_SAID_OPTIONS_H

/*
 * Options as words again: what is not as it is without options, in the order of --help, and behind "--" the operands.
 * Two command lines mean the same if the same is said of them; and what is said means the same as what was given.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/option_table.h"
#include "record/header.h"

struct said_options {
    FILE *to;
    char separator; /* between words */
};

#define SAY(said, ...) (void)(fprintf((said)->to, __VA_ARGS__), fputc((said)->separator, (said)->to))

static inline void say_escaped(const struct said_options *said, const char *option, const uint8_t *string, size_t bytes)
{
    fputs(option, said->to);
    for (size_t i = 0; i < bytes; i++)
        fprintf(said->to, "\\%03o", string[i]);
    fputc(said->separator, said->to);
}

static inline void say_records(const struct said_options *said, const struct options *options)
{
    const struct record_format *format = &options->format;
    char option[64];

    if (format->kind == NULL || record_is(format, RECORD_OF_LINES)) {
        if (format->delimiter == '\0')
            SAY(said, "--zero-terminated");
        else if (format->delimiter != '\n')
            say_escaped(said, "--delimiter=", &format->delimiter, 1);
    }
    if (format->kind == NULL)
        return;
    snprintf(option, sizeof option, "--records=%s%s", format->kind->name,
             format->kind->takes == RECORD_ALONE ? "" : ":");
    switch (format->kind->takes) {
    case RECORD_ALONE:
        SAY(said, "%s", option);
        break;
    case RECORD_COUNT:
    case RECORD_BYTES:
        SAY(said, "%s%" PRIu64, option, format->count);
        break;
    case RECORD_START:
        SAY(said, "%s%.*s", option, (int)format->string_bytes - 1, (const char *)format->string + 1);
        break;
    case RECORD_END:
        say_escaped(said, option, format->string, format->string_bytes);
        break;
    }
}

static inline void say_splits(const struct said_options *said, const struct options *options)
{
    for (const struct split *split = options->split; split != options->split + options->splits; split++) {
        if (split->is_percentage)
            SAY(said, "--split=%" PRIu64 ".%04" PRIu64 "%%:%s", split->amount / 10000, split->amount % 10000,
                split->path);
        else
            SAY(said, "--split=%" PRIu64 ":%s", split->amount, split->path);
    }
}

static inline void say_text(const struct said_options *said, const char *option, const char *text)
{
    if (text != NULL)
        SAY(said, "%s=%s", option, text);
}

static inline void say_special(const struct said_options *said, const struct options *options,
                               const struct option_row *row)
{
    argument_setter *const set = row->takes.set;

    if (set == argument_input_range && options->range)
        SAY(said, "--input-range=%" PRIu64 "-%" PRIu64, options->range_first,
            options->range_first + options->range_count - 1);
    else if (set == argument_records && row->argument != NULL) /* which says -z and --delimiter as well */
        say_records(said, options);
    else if (set == argument_header_start)
        say_text(said, "--header-start", options->header.start);
    else if (set == argument_head_count && (options->count != UINT64_MAX || options->keep_order))
        SAY(said, "--head-count=%" PRIu64, options->count);
    else if (set == argument_part && options->parts > 0)
        SAY(said, "--part=%" PRIu64 "/%" PRIu64, options->part, options->parts);
    else if (set == argument_probability)
        say_text(said, "--probability", options->probability);
    else if (set == argument_separator && options->separator_given)
        say_escaped(said, "--field-separator=", &options->field_separator, 1);
    else if (set == argument_split)
        say_splits(said, options);
    else if (set == argument_filter)
        say_text(said, "--filter", options->filter);
    else if (set == argument_memory && options->memory_bytes > 0)
        SAY(said, "--buffer-size=%" PRIu64 "b", options->memory_bytes);
    else if (set == argument_parallel && options->parallel > 0)
        SAY(said, "--parallel=%u", options->parallel);
    else if (set == argument_piles && options->piles > 0)
        SAY(said, "--piles=%u", options->piles);
    else if (set == argument_batch)
        say_text(said, "--batch", options->batch);
    else if (set == argument_pile && options->pile_last != UINT64_MAX)
        SAY(said, "--pile=%" PRIu64 "-%" PRIu64, options->pile_first, options->pile_last);
    else if (set == argument_tune && options->leaf_records != row->takes.preset)
        SAY(said, "--tune=leaf-records=%" PRIu64, options->leaf_records);
    for (size_t i = 0; set == argument_temporary && i < options->temporary_count; i++)
        SAY(said, "--temporary-directory=%s", options->temporary[i]);
}

static inline void say_option(const struct said_options *said, const struct options *options,
                              const struct option_row *row)
{
    const void *field = (const char *)options + row->takes.field;

    switch (row->takes.type) {
    case ARGUMENT_FLAG:
        if (*(const bool *)field)
            SAY(said, "--%s", row->name);
        break;
    case ARGUMENT_CONSTANT:
        if (*(const unsigned *)field == row->takes.least)
            SAY(said, "--%s", row->name);
        break;
    case ARGUMENT_CHOICE:
        if (*(const unsigned *)field > 0)
            SAY(said, "--%s=%s", row->name, row->takes.choices[*(const unsigned *)field]);
        break;
    case ARGUMENT_COUNT:
    case ARGUMENT_SIZE:
    case ARGUMENT_FIELD:
        if (*(const uint64_t *)field != row->takes.preset)
            SAY(said, "--%s=%" PRIu64, row->name, *(const uint64_t *)field);
        else if (row->takes.field == offsetof(struct options, header.lines) && options->header.may_differ &&
                 header_is_none(&options->header))
            SAY(said, "--header=0"); /* which --headers-differ needs */
        break;
    case ARGUMENT_TEXT:
        if (*(const char *const *)field != NULL)
            SAY(said, "--%s=%s", row->name, *(const char *const *)field);
        break;
    case ARGUMENT_SPECIAL:
        say_special(said, options, row);
        break;
    }
}

/* The words, each followed by the separator. The caller frees them. */
static inline char *said_options(const struct options *options, char separator)
{
    char *text = NULL;
    size_t bytes = 0, count;
    struct said_options said = {.to = open_memstream(&text, &bytes), .separator = separator};
    const struct option_row *row = option_table_rows(&count);

    if (said.to == NULL)
        abort();
    for (; count > 0; count--, row++)
        say_option(&said, options, row);
    SAY(&said, "--");
    for (size_t i = 0; i < options->file_count; i++)
        SAY(&said, "%s", options->files[i]);
    if (fclose(said.to) != 0)
        abort();
    return text;
}

#endif
