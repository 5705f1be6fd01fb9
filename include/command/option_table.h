#ifndef BIGSHUF_COMMAND_OPTION_TABLE_H
#define BIGSHUF_COMMAND_OPTION_TABLE_H

/* What options there are, in tables: a row for each one, the short names that it keeps, and which of them go together.
 * Parsing and --help are made from the rows, so an option cannot be parsed without being explained. */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "command/help.h"
#include "system/fault.h"

/* The code of an option is its letter, or one of these; option_table_check also knows what is said about some of them.
 */
enum option_code {
    OPTION_RANDOM_SOURCE = UCHAR_MAX + 1,
    OPTION_FILES0_FROM,
    OPTION_SEED,
    OPTION_KEEP_ORDER,
    OPTION_PROBABILITY,
    OPTION_WEIGHTS,
    OPTION_WEIGHT_FIELD,
    OPTION_DELIMITER,
    OPTION_RECORD_LINES,
    OPTION_RECORD_SIZE,
    OPTION_RECORD_START,
    OPTION_CSV,
    OPTION_HEADER,
    OPTION_HEADER_BYTES,
    OPTION_SHARDS,
    OPTION_SHARD_RECORDS,
    OPTION_SHARD_BYTES,
    OPTION_SPLIT,
    OPTION_FILTER,
    OPTION_PARALLEL,
    OPTION_COMPRESS_PROGRAM,
    OPTION_SCATTER,
    OPTION_PILES,
    OPTION_BATCH,
    OPTION_KEEP,
    OPTION_SWEEP,
    OPTION_GATHER,
    OPTION_PILE,
    OPTION_EPOCH,
    OPTION_LIST,
    OPTION_TUNE,
    OPTION_HELP,
    OPTION_VERSION,

    OPTION_DELIMITER_NOT_NUL, /* --delimiter is anything else than NUL alone, */
    OPTION_DELIMITER_DIGIT,   /* is a digit, */
    OPTION_DELIMITER_LONG,    /* is several bytes */
    OPTION_SPLIT_PERCENTAGE,  /* one --split at least is of a percentage */
    OPTION_ENDLESS,           /* -r without -n */
    OPTION_GATHER_RECORDS,    /* --gather without --list */
    OPTION_PILE_OF_EPOCH,     /* --pile, and --epoch is not 0 */

    OPTION_END, /* above them all */
};

enum { OPTION_SPELLING_BYTES = 64 };

/* The rows in the order of --help. */
const struct help_row *option_table_rows(size_t *count);

/* Names that stand for an option though they could be the beginning of another one as well: those that GNU shuf, which
 * has fewer options, understands. The rest of a row is as in the option's own. */
struct option_abbreviation {
    const char *name;
    int code;
};
const struct option_abbreviation *option_table_abbreviations(size_t *count);

/* The row of an option. */
const struct help_row *option_table_row(int code);

/* Do the options go together for which given[code] is set? 0, or -1 after a report. */
int option_table_check(const bool given[OPTION_END], struct fault *fault);

#endif
