#pragma once

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
#define CLASS(number)      ((option_classes)1 << (number))
#define CLASS_GIVEN        CLASS(0)  /* records that are in no file: -e, -i */
#define CLASS_RANGE        CLASS(1)  /* -i */
#define CLASS_NAMES        CLASS(2)  /* --files0-from */
#define CLASS_READING      CLASS(3)  /* how files are read, and records counted */
#define CLASS_ZERO         CLASS(4)  /* -z */
#define CLASS_DELIMITER    CLASS(5)  /* --delimiter */
#define CLASS_KIND         CLASS(6)  /* what a record is */
#define CLASS_LINED        CLASS(7)  /* kinds that are made of lines */
#define CLASS_FIELD        CLASS(8)  /* fields, but those of splits */
#define CLASS_WEIGHT_FIELD CLASS(9)  /* --weight-field */
#define CLASS_SPLIT_FIELD  CLASS(10) /* --split-field, --stratify-field */
#define CLASS_HEADER       CLASS(11) /* whatever is about headers */
#define CLASS_HEADER_RULE  CLASS(12) /* --header, in any form, */
#define CLASS_HEADER_COUNT CLASS(13) /* of a number of lines, */
#define CLASS_HEADER_START CLASS(14) /* or known by how its lines begin */
#define CLASS_SEED         CLASS(15) /* --seed */
#define CLASS_SOURCE       CLASS(16) /* --random-source */
#define CLASS_COUNT        CLASS(17) /* -n */
#define CLASS_REPEAT       CLASS(18) /* -r */
#define CLASS_SAMPLE       CLASS(19) /* other samples */
#define CLASS_PART         CLASS(20) /* --part */
#define CLASS_OUTPUT       CLASS(21) /* whatever is about output files */
#define CLASS_FILE         CLASS(22) /* -o */
#define CLASS_SHARDS       CLASS(23) /* --shards */
#define CLASS_SPLIT        CLASS(24) /* --split */
#define CLASS_IN_TURN      CLASS(25) /* what only files can do that are filled one after another */
#define CLASS_TEMPORARY    CLASS(26) /* temporary files */
#define CLASS_SCATTER      CLASS(27) /* --scatter */
#define CLASS_GATHER       CLASS(28) /* --gather */
#define CLASS_BATCH        CLASS(29) /* about a batch that is added */
#define CLASS_VIEW         CLASS(30) /* about the order in which a store is read */
#define CLASS_SKIP         CLASS(31) /* --skip */
#define CLASS_REQUESTS     CLASS(32) /* --requests */
#define CLASS_KEYED        CLASS(33) /* --group-field, --unique */
#define CLASS_EACH         CLASS(34) /* --each */
#define CLASS_STORE        CLASS(35) /* what only looks after a store */

#define CLASSES_ORDER (CLASS_SOURCE | CLASS_REPEAT | CLASS_SAMPLE) /* other orders than that of the seed */

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

/* What it means that an option is given again. */
enum option_again {
    AGAIN_SAME,  /* nothing if it says the same; another argument is an error */
    AGAIN_LAST,  /* the last one counts: people have defaults in aliases and scripts */
    AGAIN_LEAST, /* the least one counts, as for shuf */
    AGAIN_MORE,  /* all count */
    AGAIN_NEVER, /* its setter knows */
};

struct option_row {
    const char *name; /* without its two hyphens */
    char letter;      /* 0 if it has none */
    enum option_group group;
    const char *argument; /* what --help calls it; NULL if there is none, or it has forms */
    const char *text;     /* what --help says; a newline continues on the next line; NULL: --help leaves it out */
    struct argument takes;
    option_classes is, excludes, needs;
    bool common;     /* -h explains it */
    const char *why; /* follows the message that nothing is there of what is needed; NULL: nothing does */
    enum option_again again;
    const char *several; /* what several are called if that is an error; NULL: by the option */
    const char *alone;   /* what the argument is if it is left out; NULL: it must be there */
};

/* The rows in the order of --help: each group is in one piece. A name that is NULL ends the list. */
extern const struct option_row option_table[];

int option_table_code(const struct option_row *row);
const struct option_row *option_table_row(int code);
