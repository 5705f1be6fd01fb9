/* All that is particular about one option is a line here or there in these tables; the code goes over them. */

#include "command/option_table.h"

#include <stdio.h>

static const struct help_row rows[] = {
    {"echo", 'e', NULL, "the lines are the ARGs themselves"},
    {"input-range", 'i', "LO-HI", "the lines are the numbers from LO to HI"},
    {"head-count", 'n', "COUNT", "write at most COUNT lines"},
    {"output", 'o', "FILE", "write to FILE, which may be an input as well"},
    {"random-source", OPTION_RANDOM_SOURCE, "FILE", "take the random bytes from FILE"},
    {"repeat", 'r', NULL, "draw every line from all lines, so that they\nrepeat; without end if there is no -n"},
    {"zero-terminated", 'z', NULL, "lines end with NUL, not newline"},
    {"files0-from", OPTION_FILES0_FROM, "F",
     "read the names of the FILEs, each ended by\nNUL, from file F; - is standard input"},
    {"seed", OPTION_SEED, "STRING",
     "the same STRING and number of lines give the\nsame order; default: a new order every time"},
    {"keep-order", OPTION_KEEP_ORDER, NULL, "with -n: a sample in the order of the input"},
    {"probability", OPTION_PROBABILITY, "P", "write each line with the probability P, from\n0 to 1"},
    {"weights", OPTION_WEIGHTS, "FILE", "draw lines in proportion to their weights,\nwhich are the lines of FILE"},
    {"weight-field", OPTION_WEIGHT_FIELD, "N", "the same with weights in the field N of each\nline, from 1"},
    {"field-separator", 't', "C", "C, or an escape such as \\t, ends a field;\ndefault: TAB"},
    {"delimiter", OPTION_DELIMITER, "STRING",
     "lines end with STRING, which may have escapes\nas in C, not with newline"},
    {"record-lines", OPTION_RECORD_LINES, "N", "shuffle groups of N lines as if each were one"},
    {"record-size", OPTION_RECORD_SIZE, "BYTES", "shuffle records of BYTES, not lines"},
    {"record-start", OPTION_RECORD_START, "STRING", "shuffle records that begin with a line that\nbegins with STRING"},
    {"csv", OPTION_CSV, NULL, "lines go on after a newline in double quotes"},
    {"header", OPTION_HEADER, "[N]",
     "leave the first N lines (records, where those\nare not made of lines) of the FILEs, which are\nthe same in all, "
     "at the top; default: 1"},
    {"header-bytes", OPTION_HEADER_BYTES, "N", "the same with the first N bytes"},
    {"shards", OPTION_SHARDS, "K",
     "write the lines to K files; the name after -o\nhas their numbers in place of %05d or the like"},
    {"shard-records", OPTION_SHARD_RECORDS, "N", "the same with N lines in each file"},
    {"shard-bytes", OPTION_SHARD_BYTES, "BYTES", "the same with at most BYTES in each file"},
    {"split", OPTION_SPLIT, "COUNT:FILE",
     "write COUNT lines, or so many % of them, to\nFILE and go on with the rest; may be repeated"},
    {"filter", OPTION_FILTER, "COMMAND", "write files through COMMAND, a line of shell\nin which $FILE is the name"},
    {"buffer-size", 'S', "SIZE", "use at most SIZE of memory; default: half of\nwhat is available"},
    {"temporary-directory", 'T', "DIR",
     "keep what does not fit in memory in DIR, not\n$TMPDIR or /var/tmp; may be repeated"},
    {"parallel", OPTION_PARALLEL, "N",
     "use at most N threads; default: one for each\nprocessor, and a few more that wait for disks"},
    {"compress-program", OPTION_COMPRESS_PROGRAM, "PROG",
     "compress temporary files with PROG, and\ndecompress them with PROG -d"},
    {"scatter", OPTION_SCATTER, "DIR",
     "only scatter the lines: add them as a batch to\nthe store of piles in DIR, made if need be"},
    {"piles", OPTION_PILES, "M", "the store has M piles, a power of two from 2\nto 4096; default: 512"},
    {"batch", OPTION_BATCH, "NAME", "call the batch NAME; default: the time (UTC),\nhost and process"},
    {"keep", OPTION_KEEP, "N", "then remove all batches but the newest N by\nname"},
    {"sweep", OPTION_SWEEP, NULL, "with --scatter: only remove, and list, what\nothers left unfinished"},
    {"gather", OPTION_GATHER, "DIR", "shuffle the lines of the store of piles in DIR"},
    {"pile", OPTION_PILE, "J[-K]", "only those of pile J, or piles J to K, from 0"},
    {"epoch", OPTION_EPOCH, "E", "another order of the same store; default: 0"},
    {"list", OPTION_LIST, NULL, "with --gather: only list what is in the store;\nwith -z for programs"},
    {"tune", OPTION_TUNE, "NAME=VALUE", "for testing: leaf-records=T changes the order"},
    {"verbose", 'v', NULL, "end with a summary on standard error"},
    {"help", OPTION_HELP, NULL, "display this help and exit"},
    {"version", OPTION_VERSION, NULL, "output version information and exit"},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0], OTHERS_MAX = 24 };

static const struct option_abbreviation abbreviations[] = {
    {"e", 'e'},
    {"hea", 'n'},
    {"head", 'n'},
    {"re", 'r'},
    {"v", OPTION_VERSION},
    {"ve", OPTION_VERSION},
    {"ver", OPTION_VERSION},
};

/* How to speak of what is said about an option. */
static const struct {
    int code;
    const char *phrase;
} phrases[] = {
    {OPTION_DELIMITER_NOT_NUL, "--delimiter other than '\\0'"},
    {OPTION_DELIMITER_DIGIT, "a digit as --delimiter"},
    {OPTION_DELIMITER_LONG, "--delimiter of several bytes"},
    {OPTION_SPLIT_PERCENTAGE, "--split of a percentage"},
    {OPTION_ENDLESS, "-r without -n"},
    {OPTION_GATHER_RECORDS, "--gather without --list"},
    {OPTION_PILE_OF_EPOCH, "--pile with --epoch"},
};

/* What does not go together with what, beside -e and -i. */
static const struct {
    int one, others[OTHERS_MAX]; /* ended by 0 */
} conflicts[] = {
    {OPTION_SEED, {OPTION_RANDOM_SOURCE}},
    {OPTION_RANDOM_SOURCE, {OPTION_KEEP_ORDER, OPTION_PROBABILITY, OPTION_WEIGHTS, OPTION_WEIGHT_FIELD}},
    {OPTION_WEIGHTS, {OPTION_WEIGHT_FIELD}},
    {OPTION_PROBABILITY,
     {'n', 'r', OPTION_KEEP_ORDER, OPTION_WEIGHTS, OPTION_WEIGHT_FIELD, OPTION_SHARDS, OPTION_SPLIT_PERCENTAGE}},
    {OPTION_KEEP_ORDER, {'r'}},
    {OPTION_FILES0_FROM, {'e', 'i'}},

    {'z', {OPTION_DELIMITER_NOT_NUL, OPTION_RECORD_SIZE, OPTION_RECORD_START, OPTION_CSV, OPTION_GATHER_RECORDS}},
    {OPTION_CSV, {OPTION_DELIMITER, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_START}},
    {OPTION_DELIMITER, {OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_START}},
    {OPTION_RECORD_LINES, {OPTION_RECORD_SIZE, OPTION_RECORD_START}},
    {OPTION_RECORD_SIZE, {OPTION_RECORD_START}},
    {'e',
     {OPTION_DELIMITER_LONG, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_START, OPTION_CSV, OPTION_HEADER,
      OPTION_HEADER_BYTES}},
    {'i',
     {OPTION_DELIMITER_LONG, OPTION_DELIMITER_DIGIT, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_START,
      OPTION_CSV, OPTION_HEADER, OPTION_HEADER_BYTES}},
    {OPTION_WEIGHT_FIELD,
     {OPTION_DELIMITER_LONG, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_START, OPTION_CSV}},

    {OPTION_SHARDS, {OPTION_SHARD_RECORDS, OPTION_SHARD_BYTES, OPTION_ENDLESS}},
    {OPTION_SHARD_RECORDS, {OPTION_SHARD_BYTES, OPTION_ENDLESS}},
    {OPTION_SHARD_BYTES, {OPTION_ENDLESS}},
    {OPTION_SPLIT, {OPTION_ENDLESS}},

    {OPTION_SCATTER,
     {OPTION_GATHER, 'e', 'i', 'n', 'r', 'o', OPTION_RANDOM_SOURCE, OPTION_KEEP_ORDER, OPTION_PROBABILITY,
      OPTION_WEIGHTS, OPTION_WEIGHT_FIELD, OPTION_SHARDS, OPTION_SHARD_RECORDS, OPTION_SHARD_BYTES, OPTION_SPLIT,
      OPTION_FILTER, 'T', OPTION_COMPRESS_PROGRAM}},
    {OPTION_GATHER,
     {'e', 'i', 'r', OPTION_RANDOM_SOURCE, OPTION_KEEP_ORDER, OPTION_PROBABILITY, OPTION_WEIGHTS, OPTION_WEIGHT_FIELD,
      OPTION_FILES0_FROM, OPTION_DELIMITER, OPTION_RECORD_LINES, OPTION_RECORD_SIZE, OPTION_RECORD_START, OPTION_CSV,
      OPTION_HEADER, OPTION_HEADER_BYTES}},
    {OPTION_SWEEP, {OPTION_BATCH, OPTION_KEEP, OPTION_PILES, OPTION_FILES0_FROM}},
    {OPTION_LIST, {OPTION_PILE, OPTION_EPOCH, 'n', 'o', OPTION_SPLIT}},
};

/* What needs another option, which is one of up to two. */
static const struct {
    int one, either, other;
} needs[] = {
    {OPTION_KEEP_ORDER, 'n', 0},
    {OPTION_SHARDS, 'o', 0},
    {OPTION_SHARD_RECORDS, 'o', 0},
    {OPTION_SHARD_BYTES, 'o', 0},
    {OPTION_FILTER, 'o', OPTION_SPLIT},
    {OPTION_PILES, OPTION_SCATTER, 0},
    {OPTION_BATCH, OPTION_SCATTER, 0},
    {OPTION_KEEP, OPTION_SCATTER, 0},
    {OPTION_SWEEP, OPTION_SCATTER, 0},
    {OPTION_PILE, OPTION_GATHER, 0},
    {OPTION_EPOCH, OPTION_GATHER, 0},
    {OPTION_LIST, OPTION_GATHER, 0},
    {OPTION_PILE_OF_EPOCH, OPTION_SEED, 0},
};

const struct help_row *option_table_rows(size_t *count)
{
    *count = ROW_COUNT;
    return rows;
}

const struct option_abbreviation *option_table_abbreviations(size_t *count)
{
    *count = sizeof abbreviations / sizeof abbreviations[0];
    return abbreviations;
}

const struct help_row *option_table_row(int code)
{
    const struct help_row *row = rows;

    while (row->code != code)
        row++;
    return row;
}

/* "-n", "--seed" or a phrase */
static const char *spell(int code, char spelling[OPTION_SPELLING_BYTES])
{
    const struct help_row *row;

    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        if (phrases[i].code == code)
            return phrases[i].phrase;
    }
    row = option_table_row(code);
    if (help_has_letter(row))
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

static int check_needs(const bool given[OPTION_END], struct fault *fault)
{
    char names[3][OPTION_SPELLING_BYTES];

    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        int one = needs[i].one, either = needs[i].either, other = needs[i].other;

        if (!given[one] || given[either] || (other != 0 && given[other]))
            continue;
        return fault_say(fault, "%s needs %s%s%s", spell(one, names[0]), spell(either, names[1]),
                         other != 0 ? " or " : "", other != 0 ? spell(other, names[2]) : "");
    }
    return 0;
}

int option_table_check(const bool given[OPTION_END], struct fault *fault)
{
    if (given['e'] && given['i']) {
        fault_say(fault, "cannot combine -e and -i options");
        help_hint();
        return -1;
    }
    return check_conflicts(given, fault) == 0 ? check_needs(given, fault) : -1;
}
