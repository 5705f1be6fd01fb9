/*
 * getopt_long knows the habits that people expect (abbreviations, options after operands, "--"). What it needs is made
 * from the table of rows, as --help is, so an option cannot be parsed without being explained. It works on a copy of
 * the words: it moves them about, and takes from the first one the program's name for its messages, which is always
 * "bigshuf" here, however the program was started.
 */

#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argument.h"
#include "decimal.h"
#include "fault.h"
#include "hardware.h"
#include "help.h"
#include "number.h"
#include "order.h"
#include "sys.h"

/* What getopt_long returns for an option without a letter; letters are below. */
enum code {
    CODE_RANDOM_SOURCE = UCHAR_MAX + 1,
    CODE_FILES0_FROM,
    CODE_SEED,
    CODE_KEEP_ORDER,
    CODE_PROBABILITY,
    CODE_WEIGHTS,
    CODE_WEIGHT_FIELD,
    CODE_PARALLEL,
    CODE_TUNE,
    CODE_HELP,
    CODE_VERSION,
    CODE_END, /* above them all */
};

/* In the order of --help. */
static const struct help_row rows[] = {
    {"echo", 'e', NULL, "the lines are the ARGs themselves"},
    {"input-range", 'i', "LO-HI", "the lines are the numbers from LO to HI"},
    {"head-count", 'n', "COUNT", "write at most COUNT lines"},
    {"output", 'o', "FILE", "write to FILE, which may be an input as well"},
    {"random-source", CODE_RANDOM_SOURCE, "FILE", "take the random bytes from FILE"},
    {"repeat", 'r', NULL, "draw every line from all lines, so that they\nrepeat; without end if there is no -n"},
    {"zero-terminated", 'z', NULL, "lines end with NUL, not newline"},
    {"files0-from", CODE_FILES0_FROM, "F",
     "read the names of the FILEs, each ended by\nNUL, from file F; - is standard input"},
    {"seed", CODE_SEED, "STRING",
     "the same STRING and number of lines give the\nsame order; default: a new order every time"},
    {"keep-order", CODE_KEEP_ORDER, NULL, "with -n: a sample in the order of the input"},
    {"probability", CODE_PROBABILITY, "P", "write each line with the probability P, from\n0 to 1"},
    {"weights", CODE_WEIGHTS, "FILE", "draw lines in proportion to their weights,\nwhich are the lines of FILE"},
    {"weight-field", CODE_WEIGHT_FIELD, "N", "the same with weights in the field N of each\nline, from 1"},
    {"field-separator", 't', "C", "C ends a field, \\0 is NUL; default: TAB"},
    {"buffer-size", 'S', "SIZE", "use at most SIZE of memory; default: half of\nwhat is available"},
    {"temporary-directory", 'T', "DIR",
     "keep what does not fit in memory in DIR, not\n$TMPDIR or /var/tmp; may be repeated"},
    {"parallel", CODE_PARALLEL, "N",
     "use at most N threads; default: one for each\nprocessor, and a few more that wait for disks"},
    {"tune", CODE_TUNE, "NAME=VALUE", "for testing: leaf-records=T changes the order"},
    {"verbose", 'v', NULL, "end with a summary on standard error"},
    {"help", CODE_HELP, NULL, "display this help and exit"},
    {"version", CODE_VERSION, NULL, "output version information and exit"},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0], SPELLING_BYTES = 32 };

/* What does not go together, beside -e and -i. */
static const struct {
    int one, other;
} conflicts[] = {
    {CODE_SEED, CODE_RANDOM_SOURCE},
    {CODE_RANDOM_SOURCE, CODE_KEEP_ORDER},
    {CODE_RANDOM_SOURCE, CODE_PROBABILITY},
    {CODE_RANDOM_SOURCE, CODE_WEIGHTS},
    {CODE_RANDOM_SOURCE, CODE_WEIGHT_FIELD},
    {CODE_WEIGHTS, CODE_WEIGHT_FIELD},
    {CODE_PROBABILITY, 'n'},
    {CODE_PROBABILITY, 'r'},
    {CODE_PROBABILITY, CODE_KEEP_ORDER},
    {CODE_PROBABILITY, CODE_WEIGHTS},
    {CODE_PROBABILITY, CODE_WEIGHT_FIELD},
    {CODE_KEEP_ORDER, 'r'},
    {CODE_FILES0_FROM, 'e'},
    {CODE_FILES0_FROM, 'i'},
};

/* What a run of options_parse works with. */
struct parser {
    struct options *options;
    struct fault fault;
    struct option longs[ROW_COUNT + 1];
    char shorts[2 * ROW_COUNT + 2];
    bool given[CODE_END];          /* by code: the options before the one at hand */
    char spelling[SPELLING_BYTES]; /* the option at hand as it was given: "-S" or "--buffer-size" */
    enum code print;               /* CODE_HELP or CODE_VERSION if that is all there is to do; else 0 */
};

static void prepare(struct parser *parser)
{
    char *letter = parser->shorts;

    if (getenv("POSIXLY_CORRECT") != NULL)
        *letter++ = '+'; /* not every libc looks for the variable by itself */
    for (size_t i = 0; i < ROW_COUNT; i++) {
        int has_argument = rows[i].argument != NULL ? required_argument : no_argument;

        parser->longs[i] = (struct option){rows[i].name, has_argument, NULL, rows[i].code};
        if (help_has_letter(&rows[i])) {
            *letter++ = (char)rows[i].code;
            if (has_argument == required_argument)
                *letter++ = ':';
        }
    }
    *letter = '\0';
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

static int set_memory(struct parser *parser, const char *size)
{
    const char *spelling = parser->spelling;

    if (number_parse_size(size, hardware_physical_memory(), &parser->options->memory_bytes) != 0) {
        if (errno == ERANGE)
            return fault_say(&parser->fault, "%s argument '%s' too large", spelling, size);
        return fault_say(&parser->fault, "invalid %s argument '%s'", spelling, size);
    }
    if (parser->options->memory_bytes < HARDWARE_MEMORY_MIN) {
        char least[32];

        return fault_say(&parser->fault, "%s %s: memory must be at least %s", spelling, size,
                         number_format_size(HARDWARE_MEMORY_MIN, least));
    }
    return 0;
}

static int set_parallel(struct parser *parser, const char *number)
{
    uint64_t value;

    if (number_parse(number, &value) != 0) {
        if (errno != ERANGE)
            return fault_say(&parser->fault, "invalid %s argument '%s'", parser->spelling, number);
        value = UINT64_MAX; /* it is a maximum: more than can be counted is no error */
    }
    if (value == 0)
        return fault_say(&parser->fault, "number in parallel must be nonzero");
    parser->options->parallel = value < UINT_MAX ? (unsigned)value : UINT_MAX;
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

/* Do what one option says. -1 after a message. */
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
    case 'o':
        return set_output(parser, argument);
    case CODE_RANDOM_SOURCE:
        return set_random_source(parser, argument);
    case 'r':
        options->repeat = true;
        return 0;
    case 'z':
        options->delimiter = '\0';
        return 0;
    case CODE_FILES0_FROM:
        options->files0_from = argument;
        return 0;
    case CODE_SEED:
        options->seed = argument;
        return 0;
    case CODE_KEEP_ORDER:
        options->keep_order = true;
        return 0;
    case CODE_PROBABILITY:
        return set_probability(parser, argument);
    case CODE_WEIGHTS:
        options->weights = argument;
        return 0;
    case CODE_WEIGHT_FIELD:
        return argument_field(&parser->fault, argument, &options->weight_field);
    case 't':
        return set_separator(parser, argument);
    case 'S':
        return set_memory(parser, argument);
    case 'T':
        options->temporary[options->temporary_count++] = argument;
        return 0;
    case CODE_PARALLEL:
        return set_parallel(parser, argument);
    case CODE_TUNE:
        return set_tune(parser, argument);
    case 'v':
        options->verbose = true;
        return 0;
    case CODE_HELP:
    case CODE_VERSION:
        parser->print = (enum code)code;
        return 0;
    default: /* getopt_long has printed a message */
        help_hint();
        return -1;
    }
}

/* The options among the words, up to --help or --version, which is obeyed where it stands. */
static int set_all(struct parser *parser, int count, char **words)
{
    int code, index = -1;

    optind = 0; /* start anew: getopt_long remembers where it was */
    while (parser->print == 0 && (code = getopt_long(count, words, parser->shorts, parser->longs, &index)) != -1) {
        if (index >= 0)
            snprintf(parser->spelling, sizeof parser->spelling, "--%s", rows[index].name);
        else
            snprintf(parser->spelling, sizeof parser->spelling, "-%c", code);
        if (set(parser, code, optarg) != 0)
            return -1;
        parser->given[code] = true;
        index = -1;
    }
    return 0;
}

/* "-n" or "--seed" */
static const char *spell(int code, char spelling[SPELLING_BYTES])
{
    const struct help_row *row = rows;

    while (row->code != code)
        row++;
    if (help_has_letter(row))
        snprintf(spelling, SPELLING_BYTES, "-%c", code);
    else
        snprintf(spelling, SPELLING_BYTES, "--%s", row->name);
    return spelling;
}

/* Do the options go together? */
static int check(struct parser *parser)
{
    const bool *given = parser->given;

    if (given['e'] && given['i']) {
        fault_say(&parser->fault, "cannot combine -e and -i options");
        help_hint();
        return -1;
    }
    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
        int one = conflicts[i].one, other = conflicts[i].other;
        char names[2][SPELLING_BYTES];

        if (given[one] && given[other])
            return fault_say(&parser->fault, "cannot combine %s and %s", spell(one, names[0]), spell(other, names[1]));
    }
    if (given[CODE_KEEP_ORDER] && !given['n'])
        return fault_say(&parser->fault, "--keep-order needs -n");
    return 0;
}

static int set_files(struct parser *parser, int count, char **words)
{
    struct options *options = parser->options;

    if (count > 0 && (options->range || options->files0_from != NULL)) {
        fault_say(&parser->fault, "extra operand '%s'", words[0]);
        if (options->files0_from != NULL)
            fputs("file operands cannot be combined with --files0-from\n", stderr);
        help_hint();
        return -1;
    }
    for (int i = 0; i < count; i++)
        options->files[options->file_count++] = words[i];
    if (count == 0 && !options->echo && !options->range && options->files0_from == NULL)
        options->files[options->file_count++] = "-";
    return 0;
}

static int print(struct parser *parser)
{
    if (parser->print == CODE_VERSION)
        return help_print_version(&parser->fault);
    return help_print(&parser->fault, rows, ROW_COUNT);
}

enum options_verdict options_parse(struct options *options, int argc, char **argv)
{
    char program[] = "bigshuf";
    struct parser parser = {.options = options};
    enum options_verdict verdict = OPTIONS_BAD;
    size_t room = argc > 0 ? (size_t)argc + 1 : 2;
    char **words = sys_allocate(room, sizeof *words);

    *options = (struct options){
        .delimiter = '\n', .count = UINT64_MAX, .field_separator = '\t', .leaf_records = ORDER_LEAF_RECORDS};
    options->files = sys_allocate(room, sizeof *options->files);
    options->temporary = sys_allocate(room, sizeof *options->temporary);
    fault_init(&parser.fault);
    if (words == NULL || options->files == NULL || options->temporary == NULL) {
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
    *options = (struct options){.files = NULL};
}
