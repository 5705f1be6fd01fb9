#ifndef BIGSHUF_COMMAND_OPTION_TABLE_H
#define BIGSHUF_COMMAND_OPTION_TABLE_H

/*
 * All options: a row for each, with everything about it. Parsing, defaults, --help, the completions and the messages
 * about options that do not go together are made from the rows.
 */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "command/argument.h"

/* The code of an option is its letter, or the number of its row and one of these. */
enum { OPTION_WORDS = UCHAR_MAX + 1, OPTION_END = OPTION_WORDS + 64 /* above them all */ };

/* Classes of options. An option belongs to some classes, excludes all other options of some, and may need one of some
 * class. */
enum option_class {
    CLASS_GIVEN = 1 << 0,         /* records that are in no file: -e, -i */
    CLASS_RANGE = 1 << 1,         /* -i */
    CLASS_NAMES = 1 << 2,         /* --files0-from */
    CLASS_READING = 1 << 3,       /* how files are read, and records counted */
    CLASS_ZERO = 1 << 4,          /* -z */
    CLASS_DELIMITER = 1 << 5,     /* --delimiter */
    CLASS_KIND = 1 << 6,          /* what a record is */
    CLASS_LINED = 1 << 7,         /* kinds that are made of lines */
    CLASS_FIELD = 1 << 8,         /* fields, but those of splits */
    CLASS_WEIGHT_FIELD = 1 << 9,  /* --weight-field */
    CLASS_SPLIT_FIELD = 1 << 10,  /* --split-field, --stratify-field */
    CLASS_HEADER = 1 << 11,       /* whatever is about headers */
    CLASS_HEADER_RULE = 1 << 12,  /* --header, in any form, */
    CLASS_HEADER_COUNT = 1 << 13, /* of a number of lines, */
    CLASS_HEADER_START = 1 << 14, /* or known by how its lines begin */
    CLASS_SEED = 1 << 15,         /* --seed */
    CLASS_SOURCE = 1 << 16,       /* --random-source */
    CLASS_COUNT = 1 << 17,        /* -n */
    CLASS_REPEAT = 1 << 18,       /* -r */
    CLASS_SAMPLE = 1 << 19,       /* other samples */
    CLASS_PART = 1 << 20,         /* --part */
    CLASS_OUTPUT = 1 << 21,       /* whatever is about output files */
    CLASS_FILE = 1 << 22,         /* -o */
    CLASS_SHARDS = 1 << 23,       /* --shards */
    CLASS_SPLIT = 1 << 24,        /* --split */
    CLASS_IN_TURN = 1 << 25,      /* what only files can do that are filled one after another */
    CLASS_TEMPORARY = 1 << 26,    /* temporary files */
    CLASS_SCATTER = 1 << 27,      /* --scatter */
    CLASS_GATHER = 1 << 28,       /* --gather */
    CLASS_BATCH = 1 << 29,        /* about a batch that is added */
    CLASS_VIEW = 1 << 30,         /* about the order in which a store is read */

    CLASSES_ORDER = CLASS_SOURCE | CLASS_REPEAT | CLASS_SAMPLE /* other orders than that of the seed */
};

/* --skip. An enumerator would be an int. */
#define CLASS_SKIP (1u << 31)

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
    char letter;      /* 0 if it has none */
    enum option_group group;
    const char *argument; /* what --help calls it; NULL if there is none, or it has forms */
    const char *text;     /* what --help says; a newline continues on the next line; NULL: --help leaves it out */
    struct argument takes;
    unsigned is, excludes, needs; /* classes */
    bool common;                  /* -h explains it */
    bool any_text;                /* any text is valid, even one cut out of a line that ends with CRLF */
    const char *why;              /* follows the message that nothing is there of what is needed; NULL: nothing does */
    const char *alone;            /* what the argument is if it is left out; NULL: it must be there */
};

/* The rows in the order of --help: each group is in one piece. */
const struct option_row *option_table_rows(size_t *count);

int option_table_code(const struct option_row *row);
const struct option_row *option_table_row(int code);

#endif
