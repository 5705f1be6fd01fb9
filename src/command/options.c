/*
 * getopt_long knows the habits that people expect (abbreviations, options after operands, "--"). What it needs is made
 * from the tables of option_table.c. It works on a copy of the words: it moves them about, and takes from the first one
 * the program's name for its messages, which is always "bigshuf" here, however the program was started.
 */

#include "command/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/number.h"
#include "command/argument.h"
#include "command/help.h"
#include "command/option_table.h"
#include "output/split.h"
#include "record/record.h"
#include "shuffle/order.h"
#include "store/store.h"
#include "system/fault.h"
#include "system/sys.h"

/* What a run of options_parse works with. */
struct parser {
    struct options *options;
    struct fault fault;
    struct option longs[OPTION_END]; /* the last one is zero; there are more codes than options */
    struct option *abbreviation;     /* among them: where one that is kept is put when it is given */
    char shorts[2 * OPTION_END];
    bool given[OPTION_END];               /* by code: the options before the one at hand, and what is said of them */
    char spelling[OPTION_SPELLING_BYTES]; /* the option at hand as it was given: "-S" or "--buffer-size" */
    int print;                            /* OPTION_HELP or OPTION_VERSION if that is all there is to do; else 0 */
};

static int has_argument(const struct help_row *row)
{
    if (row->argument == NULL)
        return no_argument;
    return help_is_optional(row) ? optional_argument : required_argument;
}

static void prepare(struct parser *parser)
{
    char *letter = parser->shorts;
    struct option *name = parser->longs;
    size_t rows;
    const struct help_row *row = option_table_rows(&rows);

    if (getenv("POSIXLY_CORRECT") != NULL)
        *letter++ = '+'; /* not every libc looks for the variable by itself */
    for (; rows > 0; rows--, row++) {
        *name++ = (struct option){row->name, has_argument(row), NULL, row->code};
        if (help_has_letter(row)) {
            *letter++ = (char)row->code;
            if (has_argument(row) == required_argument)
                *letter++ = ':';
        }
    }
    parser->abbreviation = name;
}

/* If the next long option among the words is an abbreviation that is kept, let it be an option. Only then: getopt_long
 * lists all options that an ambiguous one may stand for. */
static void keep_abbreviation(struct parser *parser, int count, char **words)
{
    size_t abbreviations;
    const struct option_abbreviation *kept = option_table_abbreviations(&abbreviations);
    int next = optind > 0 ? optind : 1;

    *parser->abbreviation = (struct option){.name = NULL};
    while (next < count && strncmp(words[next], "--", 2) != 0)
        next++;
    for (; next < count && abbreviations > 0; abbreviations--, kept++) {
        const char *name = words[next] + 2;
        size_t length = strlen(kept->name);

        if (strncmp(name, kept->name, length) == 0 && (name[length] == '\0' || name[length] == '='))
            *parser->abbreviation =
                (struct option){kept->name, has_argument(option_table_row(kept->code)), NULL, kept->code};
    }
}

static int next_option(struct parser *parser, int count, char **words, int *index)
{
    keep_abbreviation(parser, count, words);
    return getopt_long(count, words, parser->shorts, parser->longs, index);
}

static int set_range(struct parser *parser, const char *range)
{
    struct options *options = parser->options;
    uint64_t last;

    if (options->range)
        return fault_say(&parser->fault, "multiple -i options specified");
    if (argument_range(&parser->fault, range, &options->range_first, &last) != 0)
        return -1;
    options->range = true;
    options->range_count = last - options->range_first + 1; /* 2^64 is 0 */
    options->range_full = options->range_first == 0 && last == UINT64_MAX;
    return 0;
}

static int set_count(struct parser *parser, const char *number)
{
    uint64_t count;

    if (argument_count(&parser->fault, number, &count) != 0)
        return -1;
    if (count < parser->options->count)
        parser->options->count = count;
    return 0;
}

static int set_output(struct parser *parser, const char *name)
{
    if (parser->options->output != NULL && strcmp(parser->options->output, name) != 0)
        return fault_say(&parser->fault, "multiple output files specified");
    parser->options->output = name;
    return 0;
}

static int set_random_source(struct parser *parser, const char *name)
{
    if (parser->options->random_source != NULL && strcmp(parser->options->random_source, name) != 0)
        return fault_say(&parser->fault, "multiple random sources specified");
    parser->options->random_source = name;
    return 0;
}

static int set_probability(struct parser *parser, const char *probability)
{
    uint64_t threshold;
    bool all;

    if (decimal_threshold(probability, &threshold, &all) != 0)
        return fault_say(&parser->fault, "invalid probability: '%s'", probability);
    parser->options->probability = probability;
    return 0;
}

static int set_separator(struct parser *parser, const char *tab)
{
    uint8_t separator;

    if (argument_separator(&parser->fault, tab, &separator) != 0)
        return -1;
    if (parser->given['t'] && separator != parser->options->field_separator)
        return fault_say(&parser->fault, "incompatible tabs");
    parser->options->field_separator = separator;
    return 0;
}

static int set_delimiter(struct parser *parser, const char *text)
{
    struct record_format *format = &parser->options->format;
    uint8_t *string = parser->options->string;
    size_t bytes;

    if (argument_delimiter(&parser->fault, parser->spelling, text, string, &bytes) != 0)
        return -1;
    format->kind = bytes == 1 ? RECORD_BYTE : RECORD_STRING;
    format->delimiter = string[0];
    format->string = string;
    format->string_bytes = bytes;
    parser->given[OPTION_DELIMITER_NOT_NUL] = bytes > 1 || string[0] != '\0';
    parser->given[OPTION_DELIMITER_DIGIT] = bytes == 1 && string[0] >= '0' && string[0] <= '9';
    parser->given[OPTION_DELIMITER_LONG] = bytes > 1;
    return 0;
}

/* The newline before what records start with belongs to the delimiter. */
static int set_start(struct parser *parser, const char *text)
{
    struct record_format *format = &parser->options->format;
    uint8_t *string = parser->options->string;
    size_t bytes;

    if (argument_start(&parser->fault, parser->spelling, text, &bytes) != 0)
        return -1;
    string[0] = '\n';
    memcpy(string + 1, text, bytes);
    format->kind = RECORD_STRING;
    format->starts = true;
    format->string = string;
    format->string_bytes = bytes + 1;
    return 0;
}

static int set_split(struct parser *parser, const char *text)
{
    struct split *split = &parser->options->split[parser->options->splits];

    if (split_parse(text, split) != 0)
        return argument_refuse(&parser->fault, parser->spelling, text);
    parser->options->splits++;
    if (split->is_percentage)
        parser->given[OPTION_SPLIT_PERCENTAGE] = true;
    return 0;
}

static int set_compress_program(struct parser *parser, const char *program)
{
    if (parser->options->compress_program != NULL && strcmp(parser->options->compress_program, program) != 0)
        return fault_say(&parser->fault, "multiple compress programs specified");
    parser->options->compress_program = program;
    return 0;
}

/* NAME=VALUE,NAME=VALUE... */
static int set_tune(struct parser *parser, const char *list)
{
    const struct {
        const char *name; /* with its "=" */
        uint64_t *value, least, most;
    } knobs[] = {
        {"leaf-records=", &parser->options->leaf_records, 8, (uint64_t)1 << 31},
    };

    for (const char *item = list, *end;; item = end + 1) {
        size_t i = 0, name_length;
        char digits[24];
        int length;

        end = item + strcspn(item, ",");
        while (i < sizeof knobs / sizeof knobs[0] && strncmp(item, knobs[i].name, strlen(knobs[i].name)) != 0)
            i++;
        if (i == sizeof knobs / sizeof knobs[0])
            return fault_say(&parser->fault, "invalid --tune argument '%s'", list);
        name_length = strlen(knobs[i].name);
        length = snprintf(digits, sizeof digits, "%.*s", (int)(end - item) - (int)name_length, item + name_length);
        if (length >= (int)sizeof digits || number_parse(digits, knobs[i].value) != 0 ||
            *knobs[i].value < knobs[i].least || *knobs[i].value > knobs[i].most)
            return fault_say(&parser->fault, "invalid --tune argument '%s': %.*s must be from %llu to %llu", list,
                             (int)name_length - 1, item, (unsigned long long)knobs[i].least,
                             (unsigned long long)knobs[i].most);
        if (*end == '\0')
            return 0;
    }
}

/* Do what an option says: one of resources, or another one that is left. These four return -1 after a message. */
static int set_resources(struct parser *parser, int code, const char *argument)
{
    struct options *options = parser->options;
    struct fault *fault = &parser->fault;

    switch (code) {
    case 'S':
        return argument_memory(fault, parser->spelling, argument, &options->memory_bytes);
    case 'T':
        options->temporary[options->temporary_count++] = argument;
        return 0;
    case OPTION_PARALLEL:
        return argument_parallel(fault, parser->spelling, argument, &options->parallel);
    case OPTION_COMPRESS_PROGRAM:
        return set_compress_program(parser, argument);
    case OPTION_TUNE:
        return set_tune(parser, argument);
    case 'v':
        options->verbose = true;
        return 0;
    case OPTION_HELP:
    case OPTION_VERSION:
        parser->print = code;
        return 0;
    default: /* getopt_long has printed a message */
        help_hint();
        return -1;
    }
}

/* ... of stores */
static int set_stores(struct parser *parser, int code, const char *argument)
{
    struct options *options = parser->options;
    struct fault *fault = &parser->fault;

    switch (code) {
    case OPTION_SCATTER:
        options->scatter = argument;
        return 0;
    case OPTION_PILES:
        return argument_piles(fault, parser->spelling, argument, &options->piles);
    case OPTION_BATCH:
        options->batch = argument;
        return store_name_is_batch(argument)
                   ? 0
                   : fault_say(fault,
                               "invalid --batch argument '%s': it is 1 to %d of the bytes A-Z a-z "
                               "0-9 . _ -, the first no dot, and not format or header",
                               argument, STORE_NAME_MAX);
    case OPTION_KEEP:
        return argument_number(fault, parser->spelling, argument, 1, &options->keep);
    case OPTION_SWEEP:
        options->sweep = true;
        return 0;
    case OPTION_GATHER:
        options->gather = argument;
        return 0;
    case OPTION_PILE:
        return argument_pile(fault, parser->spelling, argument, &options->pile_first, &options->pile_last);
    case OPTION_EPOCH:
        return argument_number(fault, parser->spelling, argument, 0, &options->epoch);
    case OPTION_LIST:
        options->list = true;
        return 0;
    default:
        return set_resources(parser, code, argument);
    }
}

/* ... of outputs */
static int set_outputs(struct parser *parser, int code, const char *argument)
{
    struct options *options = parser->options;
    struct fault *fault = &parser->fault;

    switch (code) {
    case 'o':
        return set_output(parser, argument);
    case OPTION_SHARDS:
        return argument_number(fault, parser->spelling, argument, 1, &options->shards);
    case OPTION_SHARD_RECORDS:
        return argument_number(fault, parser->spelling, argument, 1, &options->shard_records);
    case OPTION_SHARD_BYTES:
        return argument_bytes(fault, parser->spelling, argument, &options->shard_bytes);
    case OPTION_SPLIT:
        return set_split(parser, argument);
    case OPTION_FILTER:
        if (argument[0] == '\0')
            return fault_say(&parser->fault, "invalid --filter argument ''");
        options->filter = argument;
        return 0;
    default:
        return set_stores(parser, code, argument);
    }
}

/* ... of records */
static int set_records(struct parser *parser, int code, const char *argument)
{
    struct options *options = parser->options;
    struct fault *fault = &parser->fault;

    switch (code) {
    case 'z':
        options->format.delimiter = '\0';
        return 0;
    case OPTION_DELIMITER:
        return set_delimiter(parser, argument);
    case OPTION_RECORD_LINES:
        options->format.kind = RECORD_LINES;
        return argument_number(fault, parser->spelling, argument, 1, &options->format.count);
    case OPTION_RECORD_SIZE:
        options->format.kind = RECORD_SIZE;
        return argument_bytes(fault, parser->spelling, argument, &options->format.count);
    case OPTION_RECORD_START:
        return set_start(parser, argument);
    case OPTION_CSV:
        options->format.kind = RECORD_CSV;
        return 0;
    case OPTION_HEADER:
        return argument_number(fault, parser->spelling, argument != NULL ? argument : "1", 0, &options->header_lines);
    case OPTION_HEADER_BYTES:
        return argument_number(fault, parser->spelling, argument, 0, &options->header_bytes);
    default:
        return set_outputs(parser, code, argument);
    }
}

/* ... of what is shuffled, and how */
static int set(struct parser *parser, int code, const char *argument)
{
    struct options *options = parser->options;

    switch (code) {
    case 'e':
        options->echo = true;
        return 0;
    case 'i':
        return set_range(parser, argument);
    case 'n':
        return set_count(parser, argument);
    case OPTION_RANDOM_SOURCE:
        return set_random_source(parser, argument);
    case 'r':
        options->repeat = true;
        return 0;
    case OPTION_FILES0_FROM:
        options->files0_from = argument;
        return 0;
    case OPTION_SEED:
        options->seed = argument;
        return 0;
    case OPTION_KEEP_ORDER:
        options->keep_order = true;
        return 0;
    case OPTION_PROBABILITY:
        return set_probability(parser, argument);
    case OPTION_WEIGHTS:
        options->weights = argument;
        return 0;
    case OPTION_WEIGHT_FIELD:
        return argument_field(&parser->fault, argument, &options->weight_field);
    case 't':
        return set_separator(parser, argument);
    default:
        return set_records(parser, code, argument);
    }
}

/* The options among the words, up to --help or --version, which is obeyed where it stands. */
static int set_all(struct parser *parser, int count, char **words)
{
    int code, index = -1;

    optind = 0; /* start anew: getopt_long remembers where it was */
    while (parser->print == 0 && (code = next_option(parser, count, words, &index)) != -1) {
        if (index >= 0)
            snprintf(parser->spelling, sizeof parser->spelling, "--%s", parser->longs[index].name);
        else
            snprintf(parser->spelling, sizeof parser->spelling, "-%c", code);
        if (set(parser, code, optarg) != 0)
            return -1;
        parser->given[code] = true;
        index = -1;
    }
    return 0;
}

/* Do the options go together? */
static int check(struct parser *parser)
{
    parser->given[OPTION_ENDLESS] = parser->given['r'] && !parser->given['n'];
    parser->given[OPTION_GATHER_RECORDS] = parser->given[OPTION_GATHER] && !parser->given[OPTION_LIST];
    parser->given[OPTION_PILE_OF_EPOCH] = parser->given[OPTION_PILE] && parser->options->epoch > 0;
    return option_table_check(parser->given, &parser->fault);
}

static int set_files(struct parser *parser, int count, char **words)
{
    struct options *options = parser->options;

    bool none = options->range || options->gather != NULL || options->sweep;

    if (count > 0 && (none || options->files0_from != NULL)) {
        fault_say(&parser->fault, "extra operand '%s'", words[0]);
        if (options->files0_from != NULL)
            fputs("file operands cannot be combined with --files0-from\n", stderr);
        help_hint();
        return -1;
    }
    for (int i = 0; i < count; i++)
        options->files[options->file_count++] = words[i];
    if (count == 0 && !options->echo && !none && options->files0_from == NULL)
        options->files[options->file_count++] = "-";
    return 0;
}

static int print(struct parser *parser)
{
    size_t count;
    const struct help_row *rows = option_table_rows(&count);

    if (parser->print == OPTION_VERSION)
        return help_print_version(&parser->fault);
    return help_print(&parser->fault, rows, count);
}

enum options_verdict options_parse(struct options *options, int argc, char **argv)
{
    char program[] = "bigshuf";
    struct parser parser = {.options = options};
    enum options_verdict verdict = OPTIONS_BAD;
    size_t room = argc > 0 ? (size_t)argc + 1 : 2;
    char **words = sys_allocate(room, sizeof *words);

    *options = (struct options){.format.delimiter = '\n',
                                .count = UINT64_MAX,
                                .field_separator = '\t',
                                .pile_last = UINT64_MAX,
                                .leaf_records = ORDER_LEAF_RECORDS};
    options->files = sys_allocate(room, sizeof *options->files);
    options->temporary = sys_allocate(room, sizeof *options->temporary);
    options->split = sys_allocate(room, sizeof *options->split);
    fault_init(&parser.fault);
    if (words == NULL || options->files == NULL || options->temporary == NULL || options->split == NULL) {
        fault_say(&parser.fault, "memory exhausted");
        goto out;
    }
    words[0] = program;
    for (int i = 1; i < argc; i++)
        words[i] = argv[i];
    argc = (int)room - 1;

    prepare(&parser);
    if (set_all(&parser, argc, words) != 0)
        goto out;
    if (parser.print != 0) {
        verdict = print(&parser) == 0 ? OPTIONS_DONE : OPTIONS_BAD;
        goto out;
    }
    options->delimiter = options->format.delimiter;
    if (check(&parser) == 0 && set_files(&parser, argc - optind, words + optind) == 0)
        verdict = OPTIONS_RUN;
out:
    fault_release(&parser.fault);
    free(words);
    return verdict;
}

void options_release(struct options *options)
{
    free(options->files);
    free(options->temporary);
    free(options->split);
    *options = (struct options){.files = NULL};
}
