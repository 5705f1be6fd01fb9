/* All that the user has given is listed with its classes: options by their rows, and after them facts about several
 * options together or about arguments. Then each entry is compared with every other one. */

#include "command/combinations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/division.h"
#include "sample/range.h"
#include "system/fault.h"
#include "system/standard.h"

struct given {
    char name[ARGUMENT_SPELLING_BYTES]; /* in messages */
    bool is_last;                       /* is it named last in a message about two? */
    option_classes is, excludes, needs;
    const char *why;
};

/* More than there are options and other facts. */
enum { GIVEN_MAX = OPTION_END };

struct list {
    struct given given[GIVEN_MAX];
    size_t count;
};

static struct given *add_given(struct list *list, const char *name)
{
    struct given *given = &list->given[list->count++];

    *given = (struct given){.is_last = true};
    snprintf(given->name, sizeof given->name, "%s", name);
    return given;
}

static void add_fact(struct list *list, bool is_true, const char *phrase, option_classes excludes)
{
    if (is_true)
        add_given(list, phrase)->excludes = excludes;
}

/* "-n", "--seed", or "--shards=bytes": the first form is not named. */
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

/* Add an option, in one of its forms if it has any. */
static void add_option(struct list *list, const struct option_row *row, const struct argument_form *form)
{
    struct given *given = add_given(list, "");

    spell(row, form, given->name);
    given->is_last = false;
    given->is = row->is | (form != NULL ? form->is : 0);
    given->excludes = row->excludes | (form != NULL ? form->excludes : 0);
    given->needs = row->needs | (form != NULL ? form->needs : 0);
    given->why = form != NULL && form->why != NULL ? form->why : row->why;
}

/* Add a kind of records in place of the option that names it. */
static void add_kind(struct list *list, const char *spelling, const struct record_kind *kind)
{
    static const struct {
        unsigned trait;
        option_classes without; /* excluded by kinds without this trait */
    } excludes[] = {
        {RECORD_OF_LINES, CLASS_ZERO | CLASS_DELIMITER},
        {RECORD_QUOTED, CLASS_FIELD | CLASS_SPLIT_FIELD},
        {RECORD_HEADER, CLASS_HEADER},
        {RECORD_HEADER_COUNT, CLASS_HEADER_COUNT},
        {RECORD_TEXT, CLASS_HEADER_START},
    };
    struct given *given = add_given(list, spelling);

    given->is = CLASS_KIND | ((kind->traits & RECORD_OF_LINES) != 0 ? CLASS_LINED : 0);
    for (size_t i = 0; i < sizeof excludes / sizeof excludes[0]; i++)
        if ((kind->traits & excludes[i].trait) == 0)
            given->excludes |= excludes[i].without;
}

static void add_facts(struct list *list, const struct parsing *parsing)
{
    const struct options *options = parsing->options;
    const size_t bytes = parsing->delimiter_bytes;
    const uint8_t byte = parsing->delimiter[0];
    const bool stratified = division_is(&options->plan, DIVISION_CLASSES);
    bool counted = false; /* is a split a number of records? */

    for (size_t i = 0; i < options->plan.splits; i++)
        counted = counted || !options->plan.split[i].is_percentage;
    add_fact(list, bytes > 1 || (bytes == 1 && byte != '\0'), "--delimiter other than '\\0'", CLASS_ZERO);
    add_fact(list, bytes == 1 && byte >= '0' && byte <= '9', "a digit as --delimiter", CLASS_RANGE);
    add_fact(list, bytes > 1, "--delimiter of several bytes",
             CLASS_GIVEN | CLASS_LINED | CLASS_FIELD | CLASS_SPLIT_FIELD);
    add_fact(list, !stratified && counted, "--split=N:FILE; write P%:FILE, or --group-field for N groups",
             CLASS_SPLIT_FIELD);
    add_fact(list, stratified && options->pile_last < UINT64_MAX, "--only-piles", CLASS_SPLIT_FIELD);
    if (options->unique && options->order_key.count > 0)
        add_given(list, "--unique of a field")->is = CLASS_FIELD;
    add_fact(list, options->unique && options->order_key.count == 0 && parsing->kind == &tar_kind, "--unique",
             CLASS_KIND);
    add_fact(list,
             !options->unique && options->order_key.count > 0 && !key_has_all(&options->order_key, &options->split_key),
             "--group-field of another field", CLASS_SPLIT_FIELD);
    add_fact(list, options->repeat && options->count == UINT64_MAX, "-r without -n", CLASS_SHARDS | CLASS_SPLIT);
    add_fact(list,
             !options->repeat && options->count < UINT64_MAX &&
                 (options->numbers.full || options->numbers.count > RANGE_DRAWN_FROM),
             "-n of an -i range over 2^27", CLASS_PART | CLASS_SKIP);
}

/* List all options of these classes: "--a, --b or c". */
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

/* Why options of two classes exclude each other, if a few words tell; by the first row that fits. */
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
    {CLASS_KIND, CLASS_FIELD | CLASS_SPLIT_FIELD,
     "; a field is one of a line: make a line of each record, as paste - - - - < FILE does, or seqkit fx2tab"},
    {CLASS_KIND, CLASS_DELIMITER, "; a kind says where records end, and -t C what separates fields"},
    {CLASS_GIVEN, CLASS_KIND, "; each word or number is a record"},
    {CLASS_SAMPLE, CLASS_COUNT, "; one takes a share, the other a number"},
    {CLASS_SEED, CLASS_SOURCE, "; each of them decides the order"},
    {CLASS_WEIGHT_FIELD, CLASS_FIELD, "; a group has no weight"},
    {CLASS_KEYED, CLASS_GATHER, "; --scatter says by what, or pipe what --gather writes to another run"},
    {CLASS_KEYED, CLASS_SAMPLE, "; for the first of each in input order write awk '!seen[$0]++'"},
    {CLASS_KEYED, CLASSES_ORDER | CLASS_SPLIT_FIELD, "; write to a file, and draw from that in another run"},
    {CLASS_KEYED, CLASS_KEYED, "; use one run for each"},
    {CLASS_SPLIT_FIELD, CLASS_SHARDS, "; write --split=P%:FILE for each file"},
    {CLASS_SPLIT_FIELD, CLASS_IN_TURN, "; its files are written side by side"},
    {CLASS_SPLIT_FIELD, CLASS_COUNT, "; write --split=N:FILE -o /dev/null for N lines of each class"},
    {CLASS_SPLIT_FIELD, CLASS_SPLIT_FIELD, "; split a list of the groups by class, then the lines by group"},
};

/* End the run if one excludes the other: that one is named first, unless it `is_last`. */
static void check_pair(const struct given *one, const struct given *other)
{
    bool excludes = (one->excludes & other->is) != 0;
    const char *why = "";

    if (!excludes && (other->excludes & one->is) == 0)
        return;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0] && why[0] == '\0'; i++)
        if (((one->is & reasons[i].one) != 0 && (other->is & reasons[i].other) != 0) ||
            ((other->is & reasons[i].one) != 0 && (one->is & reasons[i].other) != 0))
            why = reasons[i].why;
    excludes = (excludes && !one->is_last) || other->is_last;
    die("cannot combine %s and %s%s", (excludes ? one : other)->name, (excludes ? other : one)->name, why);
}

void combinations_check(const struct parsing *parsing, const unsigned given[OPTION_END])
{
    struct list *list = fault_allocate(1, sizeof *list);

    if (parsing->options->echo && parsing->options->range) {
        argument_misused();
        die("cannot combine -e and -i options");
    }
    for (const struct option_row *row = option_table; row->name != NULL; row++)
        for (unsigned forms = given[option_table_code(row)], form = 0; forms >> form != 0; form++)
            if ((forms >> form & 1) != 0 && row->is != CLASS_KIND)
                add_option(list, row, row->takes.forms != NULL ? &row->takes.forms[form] : NULL);
    if (parsing->kind != NULL)
        add_kind(list, parsing->kind_spelling, parsing->kind);
    add_facts(list, parsing);
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < i; j++)
            check_pair(&list->given[j], &list->given[i]);
    check_needs(list);
    free(list);
}

void combinations_print(void)
{
    struct list *list = fault_allocate(1, sizeof *list);
    char text[ARGUMENT_LIST_BYTES];

    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        const struct argument_form *form = row->takes.forms;

        do
            if (row->is != CLASS_KIND)
                add_option(list, row, form);
        while (form != NULL && (++form)->text != NULL);
    }
    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++) {
        const char *name = (*kind)->stands_for;

        snprintf(text, sizeof text, "--records=%s", (*kind)->name);
        add_kind(list, text, name != NULL ? record_kind_of_name(name, strcspn(name, ":")) : *kind);
    }
    for (const struct given *one = list->given; one < list->given + list->count; one++) {
        for (const struct given *other = list->given; other < list->given + list->count; other++)
            if (one != other && (one->excludes & other->is) != 0)
                standard_print("%s excludes %s\n", one->name, other->name);
        text[0] = '\0';
        list_options(one->needs, text);
        if (one->needs != 0)
            standard_print("%s needs %s\n", one->name, text);
    }
    standard_close();
    free(list);
}
