/*
 * getopt_long finds the options among the words in the way that people are used to (abbreviations, options after
 * operands, "--"). The lists of options that it needs are made from the rows of option_table.c. It is given a copy of
 * the words, since it puts them into another order, and since its messages begin with the first of them, which is to be
 * "bigshuf" however the program was started.
 */

#include "command/command_line.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/argument.h"
#include "command/combination.h"
#include "command/help.h"
#include "command/option_table.h"
#include "system/fault.h"

struct parser {
    struct parsing parsing;
    bool given[OPTION_END];          /* by code */
    struct option longs[OPTION_END]; /* for getopt_long, up to a zeroed one; there are more codes than options */
    struct option *abbreviation;     /* in longs, behind the options: a place for one of option_table_abbreviations */
    char shorts[2 * OPTION_END];     /* for getopt_long */
};

static int has_argument(const struct option_row *row)
{
    if (row->argument == NULL && row->takes.choices == NULL)
        return no_argument;
    return option_table_is_optional(row) ? optional_argument : required_argument;
}

/* Make the lists for getopt_long. */
static void prepare(struct parser *parser)
{
    char *letter = parser->shorts;
    struct option *name = parser->longs;
    size_t rows;
    const struct option_row *row = option_table_rows(&rows);

    if (getenv("POSIXLY_CORRECT") != NULL)
        *letter++ = '+'; /* not every libc looks for the variable by itself */
    for (; rows > 0; rows--, row++) {
        *name++ = (struct option){row->name, has_argument(row), NULL, option_table_code(row)};
        if (row->letter != 0) {
            *letter++ = row->letter;
            if (has_argument(row) == required_argument)
                *letter++ = ':';
        }
    }
    parser->abbreviation = name;
}

/* If the next long option among the words is one of option_table_abbreviations, let getopt_long know that name. Not
 * otherwise, since its message about an ambiguous name lists all that it knows. */
static void add_abbreviation(struct parser *parser, int count, char **words)
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
                (struct option){kept->name, has_argument(option_table_row(kept->letter)), NULL, kept->letter};
    }
}

static int next_option(struct parser *parser, int count, char **words, int *index)
{
    add_abbreviation(parser, count, words);
    return getopt_long(count, words, parser->shorts, parser->longs, index);
}

/* Nothing else tells that a text of which anything can be made was cut out of a line that ends with CRLF. The message
 * says what the last byte is (fault.h). */
static void warn_of_return(const struct parsing *parsing, const struct option_row *row, const char *argument)
{
    const size_t bytes = argument != NULL ? strlen(argument) : 0;

    if (bytes > 0 && argument[bytes - 1] == '\r' && row->any_text)
        fault_warn("%s '%s'", parsing->spelling, argument);
}

/* -h was found, and letters come behind it in its word: then a long option was meant. Of a word that is not finished,
 * getopt_long has not moved on. */
static const char *find_long_word(char **words)
{
    const char *before = words[optind - 1], *word = words[optind];
    const bool is_alone = before[0] == '-' && before[1] != '-' && before[strlen(before) - 1] == 'h';

    return is_alone || word == NULL ? NULL : word;
}

/* Do what the options among the words say, up to --help, -h or --version, which is obeyed where it stands. */
static void set_all(struct parser *parser, int count, char **words)
{
    struct parsing *parsing = &parser->parsing;
    const struct option_row *row;
    int code, index = -1;

    optind = 0; /* start anew: getopt_long remembers where it was */
    while (parsing->print == 0 && (code = next_option(parser, count, words, &index)) != -1) {
        if (code == '?') { /* getopt_long has printed a message */
            argument_hint(NULL);
            fault_end();
        }
        if (index >= 0)
            snprintf(parsing->spelling, sizeof parsing->spelling, "--%s", parser->longs[index].name);
        else
            snprintf(parsing->spelling, sizeof parsing->spelling, "-%c", code);
        parsing->code = code;
        row = option_table_row(code);
        if (code == 'h' && index < 0 && find_long_word(words) != NULL)
            argument_misuse(NULL, "-h goes with no other letters, as in '%s': long options begin with two dashes",
                            find_long_word(words));
        argument_set(parsing, &row->takes, optarg);
        warn_of_return(parsing, row, optarg);
        parser->given[code] = true;
        index = -1;
    }
}

/* The words that are no options: the inputs. */
static void set_files(struct parsing *parsing, int count, char **words)
{
    struct options *options = parsing->options;
    bool none = options->range || options->gather != NULL || options->sweep;

    if (count > 0 && options->files0_from != NULL)
        argument_misuse("file operands cannot be combined with --files0-from", "extra operand '%s'", words[0]);
    if (count > 0 && none)
        argument_misuse(options->range ? NULL : "--gather and --sweep take no files", "extra operand '%s'", words[0]);
    for (int i = 0; i < count; i++)
        options->files[options->file_count++] = words[i];
    if (count == 0 && !options->echo && !none && options->files0_from == NULL)
        options->files[options->file_count++] = "-";
}

/* Nothing is given yet. There is room for as many files, directories and splits as the command line has words. */
static void init(struct options *options, size_t words)
{
    size_t count;
    const struct option_row *rows = option_table_rows(&count);

    *options = (struct options){.format.delimiter = '\n'};
    for (size_t i = 0; i < count; i++)
        if (rows[i].takes.preset != 0)
            *(uint64_t *)(void *)((char *)options + rows[i].takes.field) = rows[i].takes.preset;
    options->files = fault_allocate(words, sizeof *options->files);
    options->temporary = fault_allocate(words, sizeof *options->temporary);
    options->split = fault_allocate(words, sizeof *options->split);
}

void command_line_release(struct options *options)
{
    free(options->files);
    free(options->temporary);
    free(options->split);
    *options = (struct options){.files = NULL};
}

bool command_line_parse(struct options *options, int argc, char **argv)
{
    char program[] = "bigshuf";
    struct parser parser = {.parsing = {.options = options}};
    size_t room = argc > 0 ? (size_t)argc + 1 : 2;
    char **words = fault_allocate(room, sizeof *words);

    init(options, room);
    words[0] = program;
    for (int i = 1; i < argc; i++)
        words[i] = argv[i];
    argc = (int)room - 1;

    prepare(&parser);
    set_all(&parser, argc, words);
    if (parser.parsing.print != 0) {
        help_print(parser.parsing.print);
    } else {
        combination_check(&parser.parsing, parser.given);
        argument_settle_records(&parser.parsing);
        set_files(&parser.parsing, argc - optind, words + optind);
    }
    free(words);
    return parser.parsing.print == 0;
}
