/*
 * getopt_long finds the options among the words in the way that people are used to (abbreviations, options after
 * operands, "--"). Its lists of options are made from the rows of option_table.c. It gets a copy of the words, since it
 * changes their order.
 */

#include "command/command_line.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/argument.h"
#include "command/combinations.h"
#include "command/help.h"
#include "command/option_table.h"
#include "command/suggest.h"
#include "output/division.h"
#include "system/fault.h"

/* Abbreviations that stand for an option although they begin another one as well, since GNU shuf, with fewer options,
 * understands them. And one that stands for none, although it begins one. */
static const struct {
    const char *name;
    char letter; /* of the option */
} abbreviations[] = {{"e", 'e'},  {"hea", 'n'}, {"head", 'n'},  {"re", 'r'},  {"v", 'V'},
                     {"ve", 'V'}, {"ver", 'V'}, {"field", '?'}, {"keep", '?'}};

enum { ABBREVIATIONS = sizeof abbreviations / sizeof abbreviations[0] };

struct parser {
    struct parsing parsing;
    unsigned given[OPTION_END];      /* by code: a bit for each form; without forms, the first bit */
    const char *text[OPTION_END];    /* by code: the last argument */
    struct option longs[OPTION_END]; /* for getopt_long, up to a zeroed one */
    const struct option *options;    /* in `longs`: without the abbreviations, which come first */
    char shorts[2 * OPTION_END];     /* for getopt_long */
};

static int has_argument(const struct option_row *row)
{
    if (row->argument == NULL && row->takes.forms == NULL)
        return no_argument;
    return row->alone != NULL ? optional_argument : required_argument;
}

/* Make the lists for getopt_long. */
static void prepare(struct parser *parser)
{
    char *letter = parser->shorts;
    struct option *name = parser->longs;

    if (getenv("POSIXLY_CORRECT") != NULL)
        *letter++ = '+'; /* not every libc looks for the variable itself */
    for (size_t i = 0; i < ABBREVIATIONS; i++) {
        const char option = abbreviations[i].letter;
        const int takes = option == '?' ? optional_argument : has_argument(option_table_row(option));

        *name++ = (struct option){abbreviations[i].name, takes, NULL, option};
    }
    parser->options = name;
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        *name++ = (struct option){row->name, has_argument(row), NULL, option_table_code(row)};
        if (row->letter != 0) {
            *letter++ = row->letter;
            if (has_argument(row) == required_argument)
                *letter++ = ':';
        }
    }
}

/* ---- Words that are wrong ---- */

/* Refuse a long option that is unknown, or could be several. */
_Noreturn static void refuse_long(const struct parser *parser, const char *word)
{
    const char *name = word + strspn(word, "-");
    const size_t bytes = strcspn(name, "=");
    char suggestion[SUGGEST_BYTES], possible[ARGUMENT_LIST_BYTES] = "";
    size_t left = 0;

    for (const struct option *option = parser->options; option->name != NULL; option++)
        left += strncmp(option->name, name, bytes) == 0;
    for (size_t i = 0; i < ABBREVIATIONS; i++)
        left *= abbreviations[i].letter != '?' || strlen(abbreviations[i].name) != bytes ||
                strncmp(abbreviations[i].name, name, bytes) != 0;
    if (left == 0)
        die("unrecognized option '%s'%s", word, suggest_option(parser->options, name, suggestion));
    for (const struct option *option = parser->options; option->name != NULL; option++)
        if (strncmp(option->name, name, bytes) == 0) {
            char spelling[ARGUMENT_SPELLING_BYTES];

            snprintf(spelling, sizeof spelling, "--%s", option->name);
            argument_list(possible, spelling, --left == 0);
        }
    die("option '%s' is ambiguous; write %s", word, possible);
}

/* Refuse a letter. getopt_long has moved on from its word only if it was the last letter. Several letters may be meant
 * as a long option. */
_Noreturn static void refuse_letter(const struct parser *parser, const char *before, const char *word)
{
    const char letter[] = {(char)optopt, '\0'};
    char suggestion[SUGGEST_BYTES];

    if (word == NULL || word[0] != '-' || word[1] == '-' || strchr(word, letter[0]) == NULL)
        word = before;
    for (const struct option *option = parser->options; option->name != NULL; option++)
        if (strlen(word) > 2 && strncmp(option->name, word + 1, strcspn(word + 1, "=")) == 0)
            die("invalid option -- '%s'; long options begin with two dashes: -%s", letter, word);
    die("invalid option -- '%s'%s", letter, suggest_option(parser->options, letter, suggestion));
}

/* Refuse a word that getopt_long has found wrong. The messages are those of GNU, followed by what would be right. */
_Noreturn static void refuse_word(struct parser *parser, char **words)
{
    const char *word = words[optind - 1];
    const bool is_long = strncmp(word, "--", 2) == 0;
    const struct option_row *row = option_table;
    const char *argument;

    argument_misused();
    if (optopt == 0)
        refuse_long(parser, word);
    while (row->name != NULL && option_table_code(row) != optopt)
        row++;
    if (row->name == NULL)
        refuse_letter(parser, word, words[optind]);
    if (is_long && strchr(word, '=') != NULL)
        die("option '--%s' doesn't allow an argument; it stands alone", row->name);
    argument = row->argument != NULL ? row->argument : row->takes.forms[0].text;
    if (is_long)
        die("option '--%s' requires an argument; write --%s=%s", row->name, row->name, argument);
    die("option requires an argument -- '%c'; write -%c %s", optopt, optopt, argument);
}

/* -h was found. If letters follow it in its word, a long option was meant: getopt_long has not moved on from a word
 * that is not finished. */
static void check_short_help(char **words)
{
    const char *before = words[optind - 1], *word = words[optind];
    const bool is_alone = before[0] == '-' && before[1] != '-' && before[strlen(before) - 1] == 'h';

    if (is_alone || word == NULL)
        return;
    argument_misused();
    die("-h goes with no other letters, as in '%s'; long options begin with two dashes", word);
}

/* Set an option. If it is given again, its argument may not change in silence, unless its row allows that; two forms of
 * one option are checked later. */
static void set_option(struct parser *parser, const struct option_row *row, const char *text)
{
    struct parsing *parsing = &parser->parsing;
    const int code = parsing->code;
    const char *before = parser->text[code];
    const unsigned forms = parser->given[code];

    argument_set(parsing, &row->takes, text);
    parser->given[code] |= 1U << parsing->form;
    parser->text[code] = text;
    if (row->again == AGAIN_SAME && (forms >> parsing->form & 1) != 0 && text != NULL && strcmp(before, text) != 0)
        die("multiple %s%s specified; give one", row->several != NULL ? row->several : parsing->spelling,
            row->several != NULL ? "" : " options");
}

/* Process the options among the words, up to --help, -h or --version, which take effect at once. */
static void set_all(struct parser *parser, int count, char **words)
{
    struct parsing *parsing = &parser->parsing;
    const struct option_row *row;
    int code, index = -1;

    optind = 0; /* start again: getopt_long has a memory */
    opterr = 0; /* no messages of its own */
    optopt = 0;
    while (parsing->print == 0 && (code = getopt_long(count, words, parser->shorts, parser->longs, &index)) != -1) {
        if (code == '?')
            refuse_word(parser, words);
        if (index >= 0)
            snprintf(parsing->spelling, sizeof parsing->spelling, "--%s", parser->longs[index].name);
        else
            snprintf(parsing->spelling, sizeof parsing->spelling, "-%c", code);
        if (index < 0 && optarg != NULL && optarg != words[optind - 1] && optarg[0] == '=' && optarg[1] != '\0')
            die("-%c%s: a letter takes no =; write -%c %s", code, optarg, code, optarg + 1); /* except -t= */
        parsing->code = code;
        parsing->form = 0;
        row = option_table_row(code);
        if (code == 'h' && index < 0)
            check_short_help(words);
        if ((row->is & (CLASS_SEED | CLASS_SOURCE | CLASS_DELIMITER)) != 0) {
            parsing->options->taken_by = row->name;
            parsing->options->taken = optarg;
        }
        set_option(parser, row, optarg != NULL ? optarg : row->alone);
        index = -1;
    }
}

/* Check fields against the header; not those of a store, whose format knows. */
static void check_fields(const struct options *options)
{
    const bool columns = options->separator_given || record_is(&options->format, RECORD_QUOTED);

    if (options->separator_given && !record_is(&options->format, RECORD_QUOTED) && options->weight_field.text == NULL &&
        options->order_key.count + options->split_key.count == 0)
        die("-t separates fields, and no option takes one; write --group-field=FIELD, --unique=FIELD or another");
    header_check_fields(&options->header, columns, options->order_key.field, options->order_key.count,
                        options->unique ? "--unique" : "--group-field");
    header_check_fields(&options->header, columns, &options->weight_field, 1, "--weight-field");
    if (options->gather == NULL && options->split_key.count > 0)
        header_check_fields(&options->header, columns, options->split_key.field, options->split_key.count,
                            options->plan.split_by->option);
}

/* The words that are no options: the inputs. */
static void set_files(struct parsing *parsing, int count, char **words)
{
    struct options *options = parsing->options;
    const bool stored = options->gather != NULL || options->sweep != NULL || options->list != NULL;
    const bool none = options->range || stored;

    if (count > 0 && (none || options->files0_from != NULL)) {
        argument_misused();
        die("extra operand '%s'%s", words[0],
            options->files0_from != NULL ? "; file operands cannot be combined with --files0-from"
            : stored                     ? "; a store that is read takes no files"
                                         : "; -i takes no files");
    }
    for (int i = 0; i < count; i++)
        options->files[options->file_count++] = words[i];
    if (count == 0 && !options->echo && !none && options->files0_from == NULL)
        options->files[options->file_count++] = "-";
    else
        options->taken_by = NULL;
}

/* Set all defaults. Files, directories and splits each get room for all `words` words of the command line. */
static void preset_all(struct options *options, size_t words)
{
    *options = (struct options){.format.delimiter = '\n', .pile_last = UINT64_MAX};
    for (const struct option_row *row = option_table; row->name != NULL; row++)
        if (row->takes.preset != 0)
            *(uint64_t *)(void *)((char *)options + row->takes.field) = row->takes.preset;
    options->files = fault_allocate(words, sizeof *options->files);
    options->temporary = fault_allocate(words, sizeof *options->temporary);
    options->plan.split = fault_allocate(words, sizeof *options->plan.split);
}

void command_line_release(struct options *options)
{
    free(options->files);
    free(options->temporary);
    free(options->plan.split);
    *options = (struct options){.files = NULL};
}

bool command_line_parse(struct options *options, int argc, char **argv)
{
    struct parser parser = {.parsing = {.options = options}};
    size_t room = argc > 0 ? (size_t)argc + 1 : 2;
    char **words = fault_allocate(room, sizeof *words);

    preset_all(options, room);
    for (int i = 0; i < argc; i++)
        words[i] = argv[i];
    argc = (int)room - 1;

    prepare(&parser);
    set_all(&parser, argc, words);
    if (parser.parsing.print > OPTION_WORDS) {
        combinations_print();
    } else if (parser.parsing.print != 0) {
        help_print(parser.parsing.print, parser.parsing.spelling[1] == 'h');
    } else {
        combinations_check(&parser.parsing, parser.given);
        argument_settle_records(&parser.parsing);
        check_fields(options);
        set_files(&parser.parsing, argc - optind, words + optind);
    }
    free(words);
    return parser.parsing.print == 0;
}
