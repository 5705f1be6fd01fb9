/*
 * What is given is listed, with its classes: options by their rows, and after them what is true of options together, or
 * of what stands in an argument. Then each is held against each.
 */

#include "command/combination.h"

#include <stdio.h>
#include <string.h>

#include "system/fault.h"

struct given {
    const char *name; /* in messages */
    char spelling[ARGUMENT_SPELLING_BYTES];
    bool is_last; /* of two that do not go together, it is named last */
    unsigned is, excludes, needs;
};

/* More than there are options and other facts. */
enum { GIVEN_MAX = OPTION_END };

struct list {
    struct given given[GIVEN_MAX];
    size_t count;
};

static void add_fact(struct list *list, bool is_true, const char *phrase, unsigned excludes, unsigned needs)
{
    if (is_true)
        list->given[list->count++] =
            (struct given){.name = phrase, .is_last = true, .excludes = excludes, .needs = needs};
}

/* "-n" or "--seed" */
static void spell(const struct option_row *row, char spelling[ARGUMENT_SPELLING_BYTES])
{
    if (row->letter != 0)
        snprintf(spelling, ARGUMENT_SPELLING_BYTES, "-%c", row->letter);
    else
        snprintf(spelling, ARGUMENT_SPELLING_BYTES, "--%s", row->name);
}

static void add_option(struct list *list, const struct option_row *row)
{
    struct given *given = &list->given[list->count++];

    *given = (struct given){.is = row->is, .excludes = row->excludes, .needs = row->needs};
    spell(row, given->spelling);
    given->name = given->spelling;
}

/* The kind of records in place of the option that names it. */
static void add_kind(struct list *list, const struct parsing *parsing)
{
    struct given *given = &list->given[list->count++];
    const unsigned traits = parsing->kind->traits;

    *given = (struct given){.name = parsing->kind_spelling, .is_last = true, .is = CLASS_KIND};
    if ((traits & RECORD_OF_LINES) != 0)
        given->is |= CLASS_LINED;
    else
        given->excludes |= CLASS_ZERO | CLASS_DELIMITER;
    if ((traits & RECORD_QUOTED) == 0)
        given->excludes |= CLASS_FIELD | CLASS_SPLIT_FIELD;
    if ((traits & RECORD_HEADER) == 0)
        given->excludes |= CLASS_HEADER;
    if ((traits & RECORD_HEADER_COUNT) == 0)
        given->excludes |= CLASS_HEADER_COUNT;
    if ((traits & RECORD_TEXT) == 0)
        given->excludes |= CLASS_HEADER_START;
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

    add_fact(list, bytes > 1 || (bytes == 1 && byte != '\0'), "--delimiter other than '\\0'", CLASS_ZERO, 0);
    add_fact(list, bytes == 1 && byte >= '0' && byte <= '9', "a digit as --delimiter", CLASS_RANGE, 0);
    add_fact(list, bytes > 1, "--delimiter of several bytes",
             CLASS_GIVEN | CLASS_LINED | CLASS_FIELD | CLASS_SPLIT_FIELD, 0);
    add_fact(list, has_counted_split(options), "--split of a number of records", CLASS_SPLIT_FIELD, 0);
    add_fact(list, options->group_field > 0 && options->group_field != options->split_field,
             "--group-field of another field", CLASS_SPLIT_FIELD, 0);
    add_fact(list, options->repeat && options->count == UINT64_MAX, "-r without -n", CLASS_SHARDS | CLASS_SPLIT, 0);
    add_fact(list, options->gather != NULL && !options->list, "--gather without --list", CLASS_ZERO, 0);
    add_fact(list, options->gather != NULL && options->parts > 0, "--part with --gather", CLASS_COUNT, 0);
}

/* "--a, --b or c" of all options of these classes. */
static void list_options(unsigned classes, char *text, size_t room)
{
    size_t count, left = 0, bytes = 0;
    const struct option_row *rows = option_table_rows(&count);

    for (size_t i = 0; i < count; i++)
        left += (rows[i].is & classes) != 0;
    for (size_t i = 0; i < count; i++) {
        char name[ARGUMENT_SPELLING_BYTES];

        if ((rows[i].is & classes) == 0)
            continue;
        spell(&rows[i], name);
        left--;
        bytes += (size_t)snprintf(text + bytes, room - bytes, "%s%s", name, left > 1 ? ", " : left == 1 ? " or " : "");
    }
}

static void check_needs(const struct list *list)
{
    unsigned all = 0;

    for (size_t i = 0; i < list->count; i++)
        all |= list->given[i].is;
    for (size_t i = 0; i < list->count; i++) {
        const struct given *one = &list->given[i];
        char needed[128];

        if (one->needs == 0 || (one->needs & all) != 0)
            continue;
        list_options(one->needs, needed, sizeof needed);
        fault_say("%s needs %s%s", one->name, needed,
                  one->needs == CLASS_SEED ? ", so that all parts are of one order" : "");
    }
}

/* The one that excludes the other is named first, unless it is to be named last. */
static void check_pair(const struct given *one, const struct given *other)
{
    const bool first = (one->excludes & other->is) != 0, second = (other->excludes & one->is) != 0;

    if (!first && !second)
        return;
    if ((first && !one->is_last) || other->is_last)
        fault_say("cannot combine %s and %s", one->name, other->name);
    fault_say("cannot combine %s and %s", other->name, one->name);
}

void combination_check(const struct parsing *parsing, const bool given[OPTION_END])
{
    struct list list = {.count = 0};
    size_t count;
    const struct option_row *rows = option_table_rows(&count);

    if (parsing->options->echo && parsing->options->range)
        argument_misuse(NULL, "cannot combine -e and -i options");
    for (size_t i = 0; i < count; i++)
        if (given[option_table_code(&rows[i])] && rows[i].is != CLASS_KIND)
            add_option(&list, &rows[i]);
    if (parsing->kind != NULL)
        add_kind(&list, parsing);
    add_facts(&list, parsing);
    for (size_t i = 0; i < list.count; i++)
        for (size_t j = 0; j < i; j++)
            check_pair(&list.given[j], &list.given[i]);
    check_needs(&list);
}
