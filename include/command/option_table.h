#ifndef BIGSHUF_COMMAND_OPTION_TABLE_H
#define BIGSHUF_COMMAND_OPTION_TABLE_H

/*
 * What options there are: a row for each, with everything that is to be known of it. Parsing, --help and the messages
 * about options that do not go together (combination.h) are made from the rows.
 */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "command/options.h"
#include "system/fault.h"

/* The code of an option is its letter, or one of these if it has none. */
enum option_code {
    OPTION_RANDOM_SOURCE = UCHAR_MAX + 1,
    OPTION_FILES0_FROM,
    OPTION_SEED,
    OPTION_PART,
    OPTION_KEEP_ORDER,
    OPTION_PROBABILITY,
    OPTION_WEIGHTS,
    OPTION_WEIGHT_FIELD,
    OPTION_DELIMITER,
    OPTION_RECORD_LINES,
    OPTION_RECORD_SIZE,
    OPTION_RECORD_LENGTH,
    OPTION_RECORD_START,
    OPTION_CSV,
    OPTION_TAR,
    OPTION_GROUP_FIELD,
    OPTION_HEADER,
    OPTION_HEADER_BYTES,
    OPTION_HEADER_START,
    OPTION_HEADERS_DIFFER,
    OPTION_SHARDS,
    OPTION_SHARD_RECORDS,
    OPTION_SHARD_BYTES,
    OPTION_SPLIT,
    OPTION_SPLIT_FIELD,
    OPTION_FILTER,
    OPTION_PARALLEL,
    OPTION_COMPRESS_PROGRAM,
    OPTION_COMPRESS_TEMPORARY,
    OPTION_SCATTER,
    OPTION_PILES,
    OPTION_BATCH,
    OPTION_KEEP,
    OPTION_SWEEP,
    OPTION_GATHER,
    OPTION_PILE,
    OPTION_EPOCH,
    OPTION_LIST,
    OPTION_EXPECT_RECORDS,
    OPTION_PROGRESS,
    OPTION_NO_PROGRESS,
    OPTION_TUNE,
    OPTION_HELP,

    /* Not options, but what may be true of those that were given; which options go together depends on it. */
    OPTION_DELIMITER_NOT_NUL, /* --delimiter is anything else than NUL alone */
    OPTION_DELIMITER_DIGIT,   /* --delimiter is a digit */
    OPTION_DELIMITER_LONG,    /* --delimiter is several bytes */
    OPTION_SPLIT_COUNT,       /* a --split is a number of records */
    OPTION_OTHER_GROUPS,      /* --group-field and --split-field are not the same */
    OPTION_ENDLESS,           /* -r without -n */
    OPTION_GATHER_RECORDS,    /* --gather without --list */
    OPTION_PILE_OF_EPOCH,     /* --pile, and --epoch is not 0 */
    OPTION_PART_OF_STORE,     /* --part of --gather */

    OPTION_END, /* above them all */
};

enum { OPTION_SPELLING_BYTES = 64 };

struct option_row;

/* A command line that is being parsed, as far as setters see it. */
struct parsing {
    struct options *options; /* what the setters fill */
    struct fault *fault;
    bool given[OPTION_END];               /* by code: the options before the one at hand, and what is true of them */
    const struct option_row *row;         /* of the option at hand */
    char spelling[OPTION_SPELLING_BYTES]; /* the option at hand as it was given: "-S" or "--buffer-size" */
    int print;                            /* OPTION_HELP, 'h' or 'V' once one of them was given; else 0 */
};

/* Do what an option says. `argument` is NULL if there is none. 0, or -1 after a report. */
typedef int option_setter(struct parsing *parsing, const char *argument);

/* What an option is about, in the order of --help. */
enum option_group {
    GROUP_INPUT,
    GROUP_RECORDS,
    GROUP_ORDER,
    GROUP_OUTPUT,
    GROUP_RESOURCES,
    GROUP_STORES,
    GROUP_OTHER,
    GROUPS,
};

struct option_row {
    const char *name; /* without its two hyphens */
    int code;         /* the letter; an option_code if it has none */
    enum option_group group;
    const char *argument; /* what --help calls it, in [] if it may be left out; NULL if there is none */
    const char *text;     /* what --help says; a newline continues on the next line, in the same column */
    option_setter *set;
    size_t field; /* for setters that serve several options: the offset in struct options of what they set */
};

bool option_table_has_letter(const struct option_row *row);
bool option_table_is_optional(const struct option_row *row); /* the argument */

/* The rows in the order of --help: each group is in one piece. */
const struct option_row *option_table_rows(size_t *count);

/* The row of an option. */
const struct option_row *option_table_row(int code);

/* The codes of the options that -h explains, in its order. */
const int *option_table_common(size_t *count);

/* Names that stand for an option though they could be the beginning of another one as well: those that GNU shuf, which
 * has fewer options, understands. */
struct option_abbreviation {
    const char *name;
    int code;
};
const struct option_abbreviation *option_table_abbreviations(size_t *count);

#endif
