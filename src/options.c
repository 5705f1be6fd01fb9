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
#include <unistd.h>

#include "fault.h"
#include "hardware.h"
#include "io.h"
#include "number.h"
#include "order.h"
#include "sys.h"

#ifndef BIGSHUF_VERSION
#define BIGSHUF_VERSION "unknown"
#endif

/* What getopt_long returns for an option without a letter; letters are below. */
enum code {
    CODE_FILES0_FROM = UCHAR_MAX + 1,
    CODE_SEED,
    CODE_PARALLEL,
    CODE_TUNE,
    CODE_HELP,
    CODE_VERSION,
};

struct row {
    const char *name;
    int code;             /* the letter, if it has one */
    const char *argument; /* what --help calls it; NULL if there is none */
    const char *help;     /* a newline continues on the next line, in the same column */
};

/* In the order of --help. */
static const struct row rows[] = {
    {"output", 'o', "FILE", "write to FILE, which may be an input as well"},
    {"zero-terminated", 'z', NULL, "lines end with NUL, not newline"},
    {"files0-from", CODE_FILES0_FROM, "F",
     "read the names of the FILEs, each ended by\nNUL, from file F; - is standard input"},
    {"seed", CODE_SEED, "STRING",
     "the same STRING and number of lines give the\nsame order; default: a new order every time"},
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

enum { ROW_COUNT = sizeof rows / sizeof rows[0], HELP_COLUMN = 33 };

static const char help_head[] = "Usage: bigshuf [OPTION]... [FILE]...\n"
                                "Write the lines of the FILEs in random order, every order equally likely.\n"
                                "The FILEs may be larger than memory.\n"
                                "\n"
                                "With no FILE, or when FILE is -, read standard input.\n"
                                "\n";
static const char help_tail[] = "\n"
                                "SIZE is a number and a unit: K (1024 bytes, the default), b (bytes), M, G, T\n"
                                "and so on, or % of physical memory. It must be at least 8M.\n";

/* What a run of options_parse works with. */
struct parser {
    struct options *options;
    struct fault fault;
    struct option longs[ROW_COUNT + 1];
    char shorts[2 * ROW_COUNT + 2];
    char spelling[32]; /* the option at hand as it was given: "-S" or "--buffer-size" */
    enum code print;   /* CODE_HELP or CODE_VERSION if that is all there is to do; else 0 */
};

static bool is_letter(int code)
{
    return code <= UCHAR_MAX;
}

static void prepare(struct parser *parser)
{
    char *letter = parser->shorts;

    if (getenv("POSIXLY_CORRECT") != NULL)
        *letter++ = '+'; /* not every libc looks for the variable by itself */
    for (size_t i = 0; i < ROW_COUNT; i++) {
        int has_argument = rows[i].argument != NULL ? required_argument : no_argument;

        parser->longs[i] = (struct option){rows[i].name, has_argument, NULL, rows[i].code};
        if (is_letter(rows[i].code)) {
            *letter++ = (char)rows[i].code;
            if (has_argument == required_argument)
                *letter++ = ':';
        }
    }
    *letter = '\0';
}

static void hint(void)
{
    fputs("Try 'bigshuf --help' for more information.\n", stderr);
}

static int set_output(struct parser *parser, const char *name)
{
    if (parser->options->output != NULL && strcmp(parser->options->output, name) != 0)
        return fault_say(&parser->fault, "multiple output files specified");
    parser->options->output = name;
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
    case 'o':
        return set_output(parser, argument);
    case 'z':
        options->delimiter = '\0';
        return 0;
    case CODE_FILES0_FROM:
        options->files0_from = argument;
        return 0;
    case CODE_SEED:
        options->seed = argument;
        return 0;
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
        hint();
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
        index = -1;
    }
    return 0;
}

static int set_files(struct parser *parser, int count, char **words)
{
    struct options *options = parser->options;

    if (options->files0_from != NULL) {
        if (count == 0)
            return 0;
        fault_say(&parser->fault, "extra operand '%s'", words[0]);
        fputs("file operands cannot be combined with --files0-from\n", stderr);
        hint();
        return -1;
    }
    for (int i = 0; i < count; i++)
        options->files[options->file_count++] = words[i];
    if (count == 0)
        options->files[options->file_count++] = "-";
    return 0;
}

static void print_row(FILE *to, const struct row *row)
{
    int width = is_letter(row->code) ? fprintf(to, "  -%c, ", row->code) : fprintf(to, "      ");

    width += fprintf(to, "--%s", row->name);
    if (row->argument != NULL)
        width += fprintf(to, "=%s", row->argument);
    if (width > HELP_COLUMN - 2) { /* too long to stand beside its help */
        fputc('\n', to);
        width = 0;
    }
    for (const char *line = row->help; line != NULL; width = 0) {
        const char *end = strchr(line, '\n');

        fprintf(to, "%*s%.*s\n", HELP_COLUMN - width, "", end == NULL ? INT_MAX : (int)(end - line), line);
        line = end == NULL ? NULL : end + 1;
    }
}

static void print_help(FILE *to)
{
    fputs(help_head, to);
    for (size_t i = 0; i < ROW_COUNT; i++)
        print_row(to, &rows[i]);
    fputs(help_tail, to);
}

/* Print to standard output and close it, since some file systems tell only then that a write has failed. */
static int print(struct parser *parser)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    int result = -1;

    if (to == NULL)
        goto out;
    if (parser->print == CODE_HELP)
        print_help(to);
    else
        fputs("bigshuf " BIGSHUF_VERSION "\n", to);
    if (fclose(to) != 0)
        goto out;
    result = io_write(STDOUT_FILENO, text, length);
    if (result == 0)
        result = io_close(STDOUT_FILENO);
out:
    if (result != 0)
        fault_report(&parser->fault, "write error", errno);
    free(text);
    return result;
}

enum options_verdict options_parse(struct options *options, int argc, char **argv)
{
    char program[] = "bigshuf";
    struct parser parser = {.options = options};
    enum options_verdict verdict = OPTIONS_BAD;
    size_t room = argc > 0 ? (size_t)argc + 1 : 2;
    char **words = sys_allocate(room, sizeof *words);

    *options = (struct options){.delimiter = '\n', .leaf_records = ORDER_LEAF_RECORDS};
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
    if (set_files(&parser, argc - optind, words + optind) == 0)
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
