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
#include "system/sys.h"

struct parser {
    struct parsing parsing;
    struct option longs[OPTION_END]; /* for getopt_long, up to a zeroed one; there are more codes than options */
    struct option *abbreviation;     /* in longs, behind the options: a place for one of option_table_abbreviations */
    char shorts[2 * OPTION_END];     /* for getopt_long */
};

static int has_argument(const struct option_row *row)
{
    if (row->argument == NULL)
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
        *name++ = (struct option){row->name, has_argument(row), NULL, row->code};
        if (option_table_has_letter(row)) {
            *letter++ = (char)row->code;
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
                (struct option){kept->name, has_argument(option_table_row(kept->code)), NULL, kept->code};
    }
}

static int next_option(struct parser *parser, int count, char **words, int *index)
{
    add_abbreviation(parser, count, words);
    return getopt_long(count, words, parser->shorts, parser->longs, index);
}

/* Whatever text these are given, something is made of it: so nothing else tells that it was cut out of a line that ends
 * with CRLF. */
static bool takes_any_text(int code)
{
    static const int codes[] = {'o', OPTION_SPLIT, OPTION_FILTER, OPTION_SEED, OPTION_SCATTER};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i] == code)
            return true;
    return false;
}

/* The message says what the last byte is (fault.h). */
static void warn_of_return(const struct parsing *parsing, const char *argument)
{
    const size_t bytes = argument != NULL ? strlen(argument) : 0;

    if (bytes > 0 && argument[bytes - 1] == '\r' && takes_any_text(parsing->row->code))
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
static int set_all(struct parser *parser, int count, char **words)
{
    struct parsing *parsing = &parser->parsing;
    int code, index = -1;

    optind = 0; /* start anew: getopt_long remembers where it was */
    while (parsing->print == 0 && (code = next_option(parser, count, words, &index)) != -1) {
        if (code == '?') { /* getopt_long has printed a message */
            argument_hint();
            return -1;
        }
        if (index >= 0)
            snprintf(parsing->spelling, sizeof parsing->spelling, "--%s", parser->longs[index].name);
        else
            snprintf(parsing->spelling, sizeof parsing->spelling, "-%c", code);
        parsing->row = option_table_row(code);
        if (code == 'h' && index < 0 && find_long_word(words) != NULL) {
            fault_say(parsing->fault, "-h goes with no other letters, as in '%s': long options begin with two dashes",
                      find_long_word(words));
            argument_hint();
            return -1;
        }
        if (parsing->row->set(parsing, optarg) != 0)
            return -1;
        warn_of_return(parsing, optarg);
        parsing->given[code] = true;
        index = -1;
    }
    return 0;
}

/* Do the options go together? */
static int check(struct parsing *parsing)
{
    bool *given = parsing->given;

    given[OPTION_ENDLESS] = given['r'] && !given['n'];
    given[OPTION_GATHER_RECORDS] = given[OPTION_GATHER] && !given[OPTION_LIST];
    given[OPTION_OTHER_GROUPS] = given[OPTION_GROUP_FIELD] && given[OPTION_SPLIT_FIELD] &&
                                 parsing->options->group_field != parsing->options->split_field;
    given[OPTION_PILE_OF_EPOCH] = given[OPTION_PILE] && parsing->options->epoch > 0;
    given[OPTION_PART_OF_STORE] = given[OPTION_PART] && given[OPTION_GATHER];
    return combination_check(given, parsing->fault);
}

/* The words that are no options: the inputs. */
static int set_files(struct parsing *parsing, int count, char **words)
{
    struct options *options = parsing->options;
    bool none = options->range || options->gather != NULL || options->sweep;

    if (count > 0 && (none || options->files0_from != NULL)) {
        fault_say(parsing->fault, "extra operand '%s'", words[0]);
        if (options->files0_from != NULL)
            fputs("file operands cannot be combined with --files0-from\n", stderr);
        else if (!options->range)
            fputs("--gather and --sweep take no files\n", stderr);
        argument_hint();
        return -1;
    }
    for (int i = 0; i < count; i++)
        options->files[options->file_count++] = words[i];
    if (count == 0 && !options->echo && !none && options->files0_from == NULL)
        options->files[options->file_count++] = "-";
    return 0;
}

static int print(const struct parsing *parsing)
{
    size_t count;
    const struct option_row *rows = option_table_rows(&count);

    if (parsing->print == 'V')
        return help_print_version(parsing->fault);
    if (parsing->print == 'h')
        return help_print_common(parsing->fault);
    return help_print(parsing->fault, rows, count);
}

enum command_line_verdict command_line_parse(struct options *options, int argc, char **argv)
{
    char program[] = "bigshuf";
    struct fault fault;
    struct parser parser = {.parsing = {.options = options, .fault = &fault}};
    enum command_line_verdict verdict = COMMAND_LINE_BAD;
    size_t room = argc > 0 ? (size_t)argc + 1 : 2;
    char **words = sys_allocate(room, sizeof *words);

    fault_init(&fault);
    if (options_init(options, room) != 0 || words == NULL) {
        fault_say(&fault, "memory exhausted");
        goto out;
    }
    words[0] = program;
    for (int i = 1; i < argc; i++)
        words[i] = argv[i];
    argc = (int)room - 1;

    prepare(&parser);
    if (set_all(&parser, argc, words) != 0)
        goto out;
    if (parser.parsing.print != 0) {
        verdict = print(&parser.parsing) == 0 ? COMMAND_LINE_DONE : COMMAND_LINE_BAD;
        goto out;
    }
    options->delimiter = options->format.delimiter;
    if (check(&parser.parsing) == 0 && set_files(&parser.parsing, argc - optind, words + optind) == 0)
        verdict = COMMAND_LINE_RUN;
out:
    fault_release(&fault);
    free(words);
    return verdict;
}
