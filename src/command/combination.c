/* Each rule is a line in one of three tables; the functions below go over them. */

#include "command/combination.h"

#include <stdio.h>

#include "command/argument.h"
#include "command/option_table.h"

enum { OTHERS_MAX = 24 };

/* How messages call what is no option by itself. */
static const struct {
    int code;
    const char *phrase;
} phrases[] = {
    {OPTION_DELIMITER_NOT_NUL, "--delimiter other than '\\0'"},
    {OPTION_DELIMITER_DIGIT, "a digit as --delimiter"},
    {OPTION_DELIMITER_LONG, "--delimiter of several bytes"},
    {OPTION_SPLIT_COUNT, "--split of a number of records"},
    {OPTION_OTHER_GROUPS, "--group-field of another field"},
    {OPTION_ENDLESS, "-r without -n"},
    {OPTION_GATHER_RECORDS, "--gather without --list"},
    {OPTION_PILE_OF_EPOCH, "--pile with --epoch"},
    {OPTION_PART_OF_STORE, "--part with --gather"},
};

/* Which option excludes which others. -e and -i exclude each other in words of their own. */
static const struct {
    int one, others[OTHERS_MAX]; /* ended by 0 */
} conflicts[] = {
    {OPTION_SEED, {OPTION_RANDOM_SOURCE}},
    {OPTION_RANDOM_SOURCE, {OPTION_KEEP_ORDER, OPTION_PROBABILITY, OPTION_WEIGHTS, OPTION_WEIGHT_FIELD}},
    {OPTION_WEIGHTS, {OPTION_WEIGHT_FIELD}},
    {OPTION_PROBABILITY, {'n', 'r', OPTION_KEEP_ORDER, OPTION_WEIGHTS, OPTION_WEIGHT_FIELD}},
    {OPTION_KEEP_ORDER, {'r'}},
    {OPTION_PART,
     {'r', OPTION_RANDOM_SOURCE, OPTION_KEEP_ORDER, OPTION_PROBABILITY, OPTION_WEIGHTS, OPTION_WEIGHT_FIELD,
      OPTION_SCATTER, OPTION_PILE, OPTION_LIST}},
    {OPTION_PART_OF_STORE, {'n'}},
    {OPTION_FILES0_FROM, {'e', 'i'}},

    {'z',
     {OPTION_DELIMITER_NOT_NUL, OPTION_RECORD_SIZE, OPTION_RECORD_LENGTH, OPTION_RECORD_START, OPTION_CSV,
      OPTION_GATHER_RECORDS}},
    {OPTION_TAR,
     {'z', 'e', 'i', OPTION_DELIMITER, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_LENGTH,
      OPTION_RECORD_START, OPTION_CSV, OPTION_GROUP_FIELD, OPTION_HEADER, OPTION_HEADER_BYTES, OPTION_HEADER_START,
      OPTION_HEADERS_DIFFER, OPTION_SPLIT_FIELD, OPTION_WEIGHT_FIELD, OPTION_GATHER}},
    {OPTION_CSV,
     {OPTION_DELIMITER, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_LENGTH, OPTION_RECORD_START}},
    {OPTION_DELIMITER, {OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_LENGTH, OPTION_RECORD_START}},
    {OPTION_RECORD_LINES, {OPTION_RECORD_SIZE, OPTION_RECORD_LENGTH, OPTION_RECORD_START}},
    {OPTION_RECORD_SIZE, {OPTION_RECORD_LENGTH, OPTION_RECORD_START}},
    {OPTION_RECORD_LENGTH, {OPTION_RECORD_START, OPTION_HEADER}},
    {OPTION_HEADER_START, {OPTION_RECORD_SIZE, OPTION_RECORD_LENGTH, OPTION_HEADER, OPTION_HEADER_BYTES}},
    {'e',
     {OPTION_DELIMITER_LONG, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_LENGTH, OPTION_RECORD_START,
      OPTION_CSV, OPTION_HEADER, OPTION_HEADER_BYTES, OPTION_HEADER_START, OPTION_HEADERS_DIFFER}},
    {'i',
     {OPTION_DELIMITER_LONG, OPTION_DELIMITER_DIGIT, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_LENGTH,
      OPTION_RECORD_START, OPTION_CSV, OPTION_HEADER, OPTION_HEADER_BYTES, OPTION_HEADER_START, OPTION_HEADERS_DIFFER}},
    {OPTION_WEIGHT_FIELD,
     {OPTION_DELIMITER_LONG, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_LENGTH, OPTION_RECORD_START}},

    {OPTION_GROUP_FIELD,
     {'e', 'i', OPTION_WEIGHT_FIELD, OPTION_DELIMITER_LONG, OPTION_RECORD_LINES, OPTION_RECORD_SIZE,
      OPTION_RECORD_LENGTH, OPTION_RECORD_START}},

    {OPTION_COMPRESS_PROGRAM, {OPTION_COMPRESS_TEMPORARY}},

    {OPTION_SHARDS, {OPTION_SHARD_RECORDS, OPTION_SHARD_BYTES, OPTION_ENDLESS}},
    {OPTION_SHARD_RECORDS, {OPTION_SHARD_BYTES, OPTION_ENDLESS}},
    {OPTION_SHARD_BYTES, {OPTION_ENDLESS}},
    {OPTION_SPLIT, {OPTION_ENDLESS}},
    {OPTION_SPLIT_FIELD,
     {'e', 'i', OPTION_RANDOM_SOURCE, OPTION_DELIMITER_LONG, OPTION_RECORD_LINES, OPTION_RECORD_SIZE,
      OPTION_RECORD_LENGTH, OPTION_RECORD_START, OPTION_SPLIT_COUNT, OPTION_OTHER_GROUPS, OPTION_SHARDS,
      OPTION_FILTER}},

    {OPTION_SCATTER,
     {OPTION_GATHER, 'e', 'i', 'n', 'r', 'o', OPTION_RANDOM_SOURCE, OPTION_KEEP_ORDER, OPTION_PROBABILITY,
      OPTION_WEIGHTS, OPTION_WEIGHT_FIELD, OPTION_SHARDS, OPTION_SHARD_RECORDS, OPTION_SHARD_BYTES, OPTION_SPLIT,
      OPTION_FILTER, 'T', OPTION_COMPRESS_PROGRAM, OPTION_COMPRESS_TEMPORARY}},
    {OPTION_GATHER,
     {'e', 'i', 'r', OPTION_RANDOM_SOURCE, OPTION_KEEP_ORDER, OPTION_PROBABILITY, OPTION_WEIGHTS, OPTION_WEIGHT_FIELD}},
    {OPTION_GATHER,
     {OPTION_FILES0_FROM, OPTION_DELIMITER, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_LENGTH,
      OPTION_RECORD_START, OPTION_CSV, OPTION_GROUP_FIELD, OPTION_HEADER, OPTION_HEADER_BYTES, OPTION_HEADER_START,
      OPTION_HEADERS_DIFFER}},
    {OPTION_EXPECT_RECORDS, {'i', OPTION_SWEEP, OPTION_LIST}},
    {OPTION_SWEEP, {'Z', OPTION_BATCH, OPTION_KEEP, OPTION_PILES, OPTION_FILES0_FROM}},
    {OPTION_LIST, {'Z', OPTION_PILE, OPTION_EPOCH, 'n', 'o', OPTION_SPLIT}},
};

enum { NEEDED_MAX = 3, NEEDED_BYTES = OPTION_SPELLING_BYTES + sizeof " or " };

/* Which option needs one of others. */
static const struct {
    int one, others[NEEDED_MAX + 1];
} needs[] = {
    {OPTION_KEEP_ORDER, {'n'}},
    {OPTION_SHARDS, {'o'}},
    {OPTION_SHARD_RECORDS, {'o'}},
    {OPTION_SHARD_BYTES, {'o'}},
    {OPTION_SPLIT_FIELD, {OPTION_SPLIT}},
    {OPTION_FILTER, {'o', OPTION_SPLIT}},
    {OPTION_HEADERS_DIFFER, {OPTION_HEADER, OPTION_HEADER_BYTES, OPTION_HEADER_START}},
    {OPTION_PILES, {OPTION_SCATTER}},
    {OPTION_BATCH, {OPTION_SCATTER}},
    {OPTION_KEEP, {OPTION_SCATTER}},
    {OPTION_SWEEP, {OPTION_SCATTER}},
    {OPTION_PILE, {OPTION_GATHER}},
    {OPTION_EPOCH, {OPTION_GATHER}},
    {OPTION_LIST, {OPTION_GATHER}},
    {OPTION_PILE_OF_EPOCH, {OPTION_SEED}},
    {OPTION_PART, {OPTION_SEED}},
};

/* "-n", "--seed" or a phrase */
static const char *spell(int code, char spelling[OPTION_SPELLING_BYTES])
{
    const struct option_row *row;

    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        if (phrases[i].code == code)
            return phrases[i].phrase;
    }
    row = option_table_row(code);
    if (option_table_has_letter(row))
        snprintf(spelling, OPTION_SPELLING_BYTES, "-%c", code);
    else
        snprintf(spelling, OPTION_SPELLING_BYTES, "--%s", row->name);
    return spelling;
}

static int check_conflicts(const bool given[OPTION_END], struct fault *fault)
{
    char names[2][OPTION_SPELLING_BYTES];

    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
        int one = conflicts[i].one;

        for (const int *other = conflicts[i].others; *other != 0; other++) {
            if (given[one] && given[*other])
                return fault_say(fault, "cannot combine %s and %s", spell(one, names[0]), spell(*other, names[1]));
        }
    }
    return 0;
}

/* "--a, --b or --c" */
static const char *list_needed(const int *others, char list[NEEDED_MAX * NEEDED_BYTES])
{
    char name[OPTION_SPELLING_BYTES];
    size_t bytes = 0;

    for (const int *other = others; *other != 0; other++) {
        const char *before = other == others ? "" : other[1] == 0 ? " or " : ", ";

        bytes += (size_t)snprintf(list + bytes, NEEDED_BYTES, "%s%s", before, spell(*other, name));
    }
    return list;
}

static bool is_any_given(const bool given[OPTION_END], const int *others)
{
    while (*others != 0 && !given[*others])
        others++;
    return *others != 0;
}

static int check_needs(const bool given[OPTION_END], struct fault *fault)
{
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        const int one = needs[i].one, *others = needs[i].others;
        char name[OPTION_SPELLING_BYTES], list[NEEDED_MAX * NEEDED_BYTES];

        if (given[one] && !is_any_given(given, others))
            return fault_say(fault, "%s needs %s%s", spell(one, name), list_needed(others, list),
                             others[0] == OPTION_SEED ? ", so that all parts are of one order" : "");
    }
    return 0;
}

int combination_check(const bool given[OPTION_END], struct fault *fault)
{
    if (given['e'] && given['i']) {
        fault_say(fault, "cannot combine -e and -i options");
        argument_hint();
        return -1;
    }
    return check_conflicts(given, fault) == 0 ? check_needs(given, fault) : -1;
}
