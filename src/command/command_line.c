/*
 * getopt_long finds the options among the words in the way that people are used to (abbreviations, options after
 * operands, "--"). The lists of options that it needs are made from the rows of option_table.c. It is given a copy of
 * the words, since it puts them into another order.
 */

#include "command/command_line.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/argument.h"
#include "command/help.h"
#include "command/option_table.h"
#include "command/suggest.h"
#include "sample/range.h"
#include "system/fault.h"

/* ---- Which options go together ---- */

/* List everything that is given, with its classes: options by their rows, and after them facts about several options
 * together or about arguments. Then compare each entry with each other one. */
struct given {
    char name[ARGUMENT_SPELLING_BYTES]; /* in messages */
    bool is_last;                       /* of two that do not go together, it is named last */
    option_classes is, excludes, needs;
    const char *why;
};

/* More than there are options and other facts. */
enum { GIVEN_MAX = OPTION_END };

struct list {
    struct given given[GIVEN_MAX];
    size_t count;
};

static struct given *add(struct list *list, const char *name)
{
    struct given *given = &list->given[list->count++];

    *given = (struct given){.is_last = true};
    snprintf(given->name, sizeof given->name, "%s", name);
    return given;
}

static void add_fact(struct list *list, bool is_true, const char *phrase, option_classes excludes)
{
    if (is_true)
        add(list, phrase)->excludes = excludes;
}

/* "-n", "--seed", or "--shards=bytes": forms but the first one are named. */
static void spell(const struct option_row *row, const struct argument_form *form,
                  char spelling[ARGUMENT_SPELLING_BYTES])
{
    if (row->letter != 0)
        snprintf(spelling, ARGUMENT_SPELLING_BYTES, "-%c", row->letter);
    else if (form == row->takes.forms)
        snprintf(spelling, ARGUMENT_SPELLING_BYTES, "--%s", row->name);
    else
        snprintf(spelling, ARGUMENT_SPELLING_BYTES, "--%s=%.*s", row->name, (int)strcspn(form->text, ":"), form->text);
}

/* An option, in one of its forms if it has any. */
static void add_option(struct list *list, const struct option_row *row, const struct argument_form *form)
{
    struct given *given = add(list, "");

    spell(row, form, given->name);
    given->is_last = false;
    given->is = row->is | (form != NULL ? form->is : 0);
    given->excludes = row->excludes | (form != NULL ? form->excludes : 0);
    given->needs = row->needs | (form != NULL ? form->needs : 0);
    given->why = form != NULL ? form->why : row->why;
}

/* The kind of records in place of the option that names it. */
static void add_kind(struct list *list, const struct parsing *parsing)
{
    static const struct {
        unsigned trait;
        option_classes without; /* what a kind excludes that has it not */
    } excludes[] = {
        {RECORD_OF_LINES, CLASS_ZERO | CLASS_DELIMITER},
        {RECORD_QUOTED, CLASS_FIELD | CLASS_SPLIT_FIELD},
        {RECORD_HEADER, CLASS_HEADER},
        {RECORD_HEADER_COUNT, CLASS_HEADER_COUNT},
        {RECORD_TEXT, CLASS_HEADER_START},
    };
    struct given *given = add(list, parsing->kind_spelling);
    const unsigned traits = parsing->kind->traits;

    given->is = CLASS_KIND | ((traits & RECORD_OF_LINES) != 0 ? CLASS_LINED : 0);
    for (size_t i = 0; i < sizeof excludes / sizeof excludes[0]; i++)
        if ((traits & excludes[i].trait) == 0)
            given->excludes |= excludes[i].without;
}

static bool has_counted_split(const struct options *options)
{
    for (size_t i = 0; i < options->splits; i++)
        if (!options->split[i].is_percentage)
            return true;
    return false;
}

static void add_facts(struct list *list, const struct parsing *parsing)
{
    const struct options *options = parsing->options;
    const size_t bytes = parsing->delimiter_bytes;
    const uint8_t byte = parsing->delimiter[0];

    add_fact(list, bytes > 1 || (bytes == 1 && byte != '\0'), "--delimiter other than '\\0'", CLASS_ZERO);
    add_fact(list, bytes == 1 && byte >= '0' && byte <= '9', "a digit as --delimiter", CLASS_RANGE);
    add_fact(list, bytes > 1, "--delimiter of several bytes",
             CLASS_GIVEN | CLASS_LINED | CLASS_FIELD | CLASS_SPLIT_FIELD);
    add_fact(list, !options->stratified && has_counted_split(options), "--split of a number of records",
             CLASS_SPLIT_FIELD);
    add_fact(list, options->stratified && options->pile_last < UINT64_MAX, "--piles=J-K", CLASS_SPLIT_FIELD);
    if (options->unique_key.count > 0)
        add(list, "--unique of a field")->is = CLASS_FIELD;
    add_fact(list, options->unique_key.count == 0 && options->unique && parsing->kind == &tar_kind, "--unique",
             CLASS_KIND);
    add_fact(list, options->group_key.count > 0 && !key_has_all(&options->group_key, &options->split_key),
             "--group-field of another field", CLASS_SPLIT_FIELD);
    add_fact(list, options->repeat && options->count == UINT64_MAX, "-r without -n", CLASS_SHARDS | CLASS_SPLIT);
    add_fact(list, options->gather != NULL && !options->list, "--gather without --list", CLASS_ZERO);
    add_fact(list,
             !options->repeat && options->count < UINT64_MAX &&
                 (options->range_full || options->range_count > RANGE_DRAWN_FROM),
             "-n of an -i range over 2^27", CLASS_PART | CLASS_SKIP);
}

/* "--a, --b or c" of all options of these classes. */
static void list_options(option_classes classes, char text[ARGUMENT_LIST_BYTES])
{
    size_t left = 0;

    for (const struct option_row *row = option_table; row->name != NULL; row++)
        left += (row->is & classes) != 0;
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        char name[ARGUMENT_SPELLING_BYTES];

        if ((row->is & classes) == 0)
            continue;
        spell(row, row->takes.forms, name);
        argument_list(text, name, --left == 0);
    }
}

static void check_needs(const struct list *list)
{
    option_classes all = 0;

    for (size_t i = 0; i < list->count; i++)
        all |= list->given[i].is;
    for (size_t i = 0; i < list->count; i++) {
        const struct given *one = &list->given[i];
        char needed[ARGUMENT_LIST_BYTES] = "";

        if (one->needs == 0 || (one->needs & all) != 0)
            continue;
        list_options(one->needs, needed);
        die("%s needs %s%s", one->name, needed, one->why != NULL ? one->why : "");
    }
}

/* Why options of two classes do not go together, where a few words tell; the first row that fits. */
static const struct {
    option_classes one, other;
    const char *why;
} reasons[] = {
    {CLASS_EACH, CLASS_GIVEN | CLASS_GATHER, "; it takes FILEs"},
    {CLASS_EACH, CLASS_REQUESTS, "; leave it out, or draw the same numbers from each FILE"},
    {CLASS_EACH, CLASS_SOURCE, "; write --seed"},
    {CLASS_EACH, CLASS_HEADER, "; each FILE keeps its own"},
    {CLASS_EACH, CLASS_FIELD | CLASS_KEYED | CLASS_SPLIT_FIELD | CLASS_SAMPLE,
     "; paste the FILEs, so that a field counts for all"},
    {CLASS_EACH, CLASS_SHARDS | CLASS_IN_TURN, "; give each FILE a run, with the same --seed"},
    {CLASS_REQUESTS, CLASS_COUNT | CLASS_REPEAT, "; requests say it: draw COUNT, or draw COUNT repeat"},
    {CLASS_SCATTER, CLASS_COUNT | CLASS_OUTPUT, "; all records go to the store, and --gather writes them"},
    {CLASS_GATHER, CLASS_KIND | CLASS_DELIMITER | CLASS_HEADER, "; the store says what its records are"},
    {CLASS_GIVEN, CLASS_KIND, "; each word or number is a record"},
    {CLASS_SAMPLE, CLASS_COUNT, "; one takes a share, the other a number"},
    {CLASS_SEED, CLASS_SOURCE, "; each of them decides the order"},
    {CLASS_WEIGHT_FIELD, CLASS_FIELD, "; a group has no weight"},
    {CLASS_KEYED, CLASS_GATHER, "; --scatter says by what, or pipe what --gather writes to another run"},
    {CLASS_KEYED, CLASSES_ORDER | CLASS_SPLIT_FIELD, "; write to a file, and draw from that in another run"},
    {CLASS_KEYED, CLASS_KEYED, "; use one run for each"},
    {CLASS_SPLIT_FIELD, CLASS_SHARDS, "; write --split=P%:FILE for each file"},
    {CLASS_SPLIT_FIELD, CLASS_IN_TURN, "; its files are written side by side"},
    {CLASS_SPLIT_FIELD, CLASS_COUNT, "; write --split=N:FILE -o /dev/null for N lines of each class"},
    {CLASS_SPLIT_FIELD, CLASS_SPLIT_FIELD, "; split a list of the groups by class, then the lines by group"},
};

_Noreturn static void refuse_pair(const struct given *one, const struct given *other)
{
    const char *why = "";

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0] && why[0] == '\0'; i++)
        if (((one->is & reasons[i].one) != 0 && (other->is & reasons[i].other) != 0) ||
            ((other->is & reasons[i].one) != 0 && (one->is & reasons[i].other) != 0))
            why = reasons[i].why;
    die("cannot combine %s and %s%s", one->name, other->name, why);
}

/* The one that excludes the other is named first, unless it is to be named last. */
static void check_pair(const struct given *one, const struct given *other)
{
    const bool first = (one->excludes & other->is) != 0, second = (other->excludes & one->is) != 0;

    if (!first && !second)
        return;
    if ((first && !one->is_last) || other->is_last)
        refuse_pair(one, other);
    refuse_pair(other, one);
}

/* End the run unless the options go together that have been parsed: given[code] has a bit for each form of one. */
static void check_combination(struct parsing *parsing, const unsigned given[OPTION_END])
{
    struct list *list = fault_allocate(1, sizeof *list);

    if (parsing->options->echo && parsing->options->range) {
        argument_misused(parsing);
        die("cannot combine -e and -i options");
    }
    for (const struct option_row *row = option_table; row->name != NULL; row++)
        for (unsigned forms = given[option_table_code(row)], form = 0; forms >> form != 0; form++)
            if ((forms >> form & 1) != 0 && row->is != CLASS_KIND)
                add_option(list, row, row->takes.forms != NULL ? &row->takes.forms[form] : NULL);
    if (parsing->kind != NULL)
        add_kind(list, parsing);
    add_facts(list, parsing);
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < i; j++)
            check_pair(&list->given[j], &list->given[i]);
    check_needs(list);
    free(list);
}

/* ---- Words ---- */

/* Names that stand for an option, though they could be the beginning of another one as well: GNU shuf, which has fewer
 * options, understands them. */
static const struct {
    const char *name;
    char letter; /* of the option */
} abbreviations[] = {{"e", 'e'}, {"hea", 'n'}, {"head", 'n'}, {"re", 'r'}, {"v", 'V'}, {"ve", 'V'}, {"ver", 'V'}};

enum { ABBREVIATIONS = sizeof abbreviations / sizeof abbreviations[0] };

struct parser {
    struct parsing parsing;
    unsigned given[OPTION_END];      /* by code: bits of forms, or the first one */
    const char *text[OPTION_END];    /* and the last argument */
    struct option longs[OPTION_END]; /* for getopt_long, up to a zeroed one; there are more codes than names; */
    const struct option *options;    /* of these, those that are no abbreviations, which are last */
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
        *letter++ = '+'; /* not every libc looks for the variable by itself */
    for (size_t i = 0; i < ABBREVIATIONS; i++) {
        const char option = abbreviations[i].letter;

        *name++ = (struct option){abbreviations[i].name, has_argument(option_table_row(option)), NULL, option};
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

/* A long option that is not there, or that could be several. */
_Noreturn static void refuse_long(const struct parser *parser, const char *word)
{
    const char *name = word + strspn(word, "-");
    const size_t bytes = strcspn(name, "=");
    char suggestion[SUGGEST_BYTES], possible[ARGUMENT_LIST_BYTES] = "";
    size_t left = 0;

    for (const struct option *option = parser->options; option->name != NULL; option++)
        left += strncmp(option->name, name, bytes) == 0;
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

/* A letter that is none, in a word of which getopt_long has moved on only if it was the last one. Several letters may
 * be a long option. */
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

/* getopt_long has found a word that is wrong. The messages are those of GNU, with what would be right behind them. */
_Noreturn static void refuse_word(struct parser *parser, char **words)
{
    const char *word = words[optind - 1];
    const bool is_long = strncmp(word, "--", 2) == 0;
    const struct option_row *row = option_table;
    const char *argument;

    argument_misused(&parser->parsing);
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

/* -h was found. If letters come behind it in its word, a long option was meant. Of a word that is not finished,
 * getopt_long has not moved on. */
static void check_short_help(struct parsing *parsing, char **words)
{
    const char *before = words[optind - 1], *word = words[optind];
    const bool is_alone = before[0] == '-' && before[1] != '-' && before[strlen(before) - 1] == 'h';

    if (is_alone || word == NULL)
        return;
    argument_misused(parsing);
    die("-h goes with no other letters, as in '%s'; long options begin with two dashes", word);
}

/* An option that is given again. What it says may not change in silence, unless its row says so; two forms of one are
 * looked at later. */
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

    optind = 0; /* start anew: getopt_long remembers where it was */
    opterr = 0; /* and prints nothing */
    while (parsing->print == 0 && (code = getopt_long(count, words, parser->shorts, parser->longs, &index)) != -1) {
        if (code == '?')
            refuse_word(parser, words);
        if (index >= 0)
            snprintf(parsing->spelling, sizeof parsing->spelling, "--%s", parser->longs[index].name);
        else
            snprintf(parsing->spelling, sizeof parsing->spelling, "-%c", code);
        if (index < 0 && optarg != NULL && optarg != words[optind - 1] && optarg[0] == '=' && optarg[1] != '\0')
            die("-%c%s: a letter takes no =; write -%c %s", code, optarg, code, optarg + 1); /* but -t= does */
        parsing->code = code;
        parsing->form = 0;
        row = option_table_row(code);
        if (code == 'h' && index < 0)
            check_short_help(parsing, words);
        if ((row->is & (CLASS_SEED | CLASS_SOURCE | CLASS_DELIMITER)) != 0) {
            parsing->options->taken_by = row->name;
            parsing->options->taken = optarg;
        }
        set_option(parser, row, optarg != NULL ? optarg : row->alone);
        index = -1;
    }
}

/* Of a store, its format says what is in it. */
static void check_fields(const struct options *options)
{
    const bool columns = options->separator_given || record_is(&options->format, RECORD_QUOTED);

    header_check_fields(&options->header, columns, options->group_key.field, options->group_key.count, "--group-field");
    header_check_fields(&options->header, columns, options->unique_key.field, options->unique_key.count, "--unique");
    header_check_fields(&options->header, columns, &options->weight_field, 1, "--weight-field");
    if (options->gather == NULL)
        header_check_fields(&options->header, columns, options->split_key.field, options->split_key.count,
                            options->stratified ? "--stratify-field" : "--split-field");
}

/* The words that are no options: the inputs. */
static void set_files(struct parsing *parsing, int count, char **words)
{
    struct options *options = parsing->options;
    const bool stored = options->gather != NULL || options->sweep, none = options->range || stored;

    if (count > 0 && (none || options->files0_from != NULL)) {
        argument_misused(parsing);
        die("extra operand '%s'%s", words[0],
            options->files0_from != NULL ? "; file operands cannot be combined with --files0-from"
            : stored                     ? "; --gather and --sweep take no files"
                                         : "; -i takes no files");
    }
    for (int i = 0; i < count; i++)
        options->files[options->file_count++] = words[i];
    if (count == 0 && !options->echo && !none && options->files0_from == NULL)
        options->files[options->file_count++] = "-";
    else
        options->taken_by = NULL;
}

/* Nothing is given yet. There is room for as many files, directories and splits as the command line has words. */
static void init(struct options *options, size_t words)
{
    *options = (struct options){.format.delimiter = '\n'};
    for (const struct option_row *row = option_table; row->name != NULL; row++)
        if (row->takes.preset != 0)
            *(uint64_t *)(void *)((char *)options + row->takes.field) = row->takes.preset;
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
    struct parser parser = {.parsing = {.options = options}};
    size_t room = argc > 0 ? (size_t)argc + 1 : 2;
    char **words = fault_allocate(room, sizeof *words);

    init(options, room);
    for (int i = 0; i < argc; i++)
        words[i] = argv[i];
    argc = (int)room - 1;

    prepare(&parser);
    set_all(&parser, argc, words);
    if (parser.parsing.print != 0) {
        help_print(parser.parsing.print, parser.parsing.spelling[1] == 'h');
    } else {
        check_combination(&parser.parsing, parser.given);
        argument_settle_records(&parser.parsing);
        check_fields(options);
        set_files(&parser.parsing, argc - optind, words + optind);
    }
    free(words);
    return parser.parsing.print == 0;
}
