#pragma once

/*
 * All options: a row for each, with everything about it. Parsing, defaults, --help, completions and messages about
 * options that exclude each other are made from the rows.
 */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "command/argument.h"

/* The code of an option is its letter, or OPTION_WORDS plus the number of its row. */
enum { OPTION_WORDS = UCHAR_MAX + 1, OPTION_END = OPTION_WORDS + 64 /* above all codes */ };

/* Classes of options. An option is of some classes, excludes other options of some, and may need one of some. */
#define CLASS(number)      ((option_classes)1 << (number))
#define CLASS_GIVEN        CLASS(0)  /* records that come from no file: -e, -i */
#define CLASS_RANGE        CLASS(1)  /* -i */
#define CLASS_NAMES        CLASS(2)  /* --files0-from */
#define CLASS_READING      CLASS(3)  /* how files are read, and records counted */
#define CLASS_ZERO         CLASS(4)  /* -z */
#define CLASS_DELIMITER    CLASS(5)  /* --delimiter */
#define CLASS_KIND         CLASS(6)  /* what a record is */
#define CLASS_LINED        CLASS(7)  /* kinds that are made of lines */
#define CLASS_FIELD        CLASS(8)  /* fields, except those of splits */
#define CLASS_WEIGHT_FIELD CLASS(9)  /* --weight-field */
#define CLASS_SPLIT_FIELD  CLASS(10) /* --split-field, --stratify-field */
#define CLASS_HEADER       CLASS(11) /* all about headers */
#define CLASS_HEADER_RULE  CLASS(12) /* --header, in any form */
#define CLASS_HEADER_COUNT CLASS(13) /* --header[=N] */
#define CLASS_HEADER_START CLASS(14) /* --header=start:STRING */
#define CLASS_SEED         CLASS(15) /* --seed */
#define CLASS_SOURCE       CLASS(16) /* --random-source */
#define CLASS_COUNT        CLASS(17) /* -n */
#define CLASS_REPEAT       CLASS(18) /* -r */
#define CLASS_SAMPLE       CLASS(19) /* other samples */
#define CLASS_PART         CLASS(20) /* --part */
#define CLASS_OUTPUT       CLASS(21) /* all about output files */
#define CLASS_FILE         CLASS(22) /* -o */
#define CLASS_SHARDS       CLASS(23) /* --shards */
#define CLASS_SPLIT        CLASS(24) /* --split */
#define CLASS_IN_TURN      CLASS(25) /* possible only if files are filled one after another */
#define CLASS_TEMPORARY    CLASS(26) /* temporary files */
#define CLASS_SCATTER      CLASS(27) /* --scatter */
#define CLASS_GATHER       CLASS(28) /* --gather */
#define CLASS_BATCH        CLASS(29) /* about a batch that is added */
#define CLASS_VIEW         CLASS(30) /* about the order in which a store is read */
#define CLASS_SKIP         CLASS(31) /* --skip */
#define CLASS_REQUESTS     CLASS(32) /* --requests */
#define CLASS_KEYED        CLASS(33) /* --group-field, --unique */
#define CLASS_EACH         CLASS(34) /* --each */
#define CLASS_STORE        CLASS(35) /* maintenance of stores */

#define CLASSES_ORDER (CLASS_SOURCE | CLASS_REPEAT | CLASS_SAMPLE) /* orders other than that of the seed */

/* Groups of options, in the order of --help. */
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

/* What happens if an option is given again. */
enum option_again {
    AGAIN_SAME,  /* the same argument is fine; another one is an error */
    AGAIN_LAST,  /* the last one counts: people have defaults in aliases and scripts */
    AGAIN_LEAST, /* the least one counts, as for shuf */
    AGAIN_MORE,  /* all count */
    AGAIN_NEVER, /* its setter decides */
};

struct option_row {
    const char *name; /* without its two hyphens */
    char letter;      /* 0 if it has none */
    enum option_group group;
    const char *argument; /* its name in --help; NULL: none, or it has forms */
    const char *text;     /* for --help, in one or more lines; NULL: not in --help */
    struct argument takes;
    option_classes is, excludes, needs;
    bool common;     /* does -h explain it? */
    const char *why; /* added to the message that a needed option is missing; NULL: nothing */
    enum option_again again;
    const char *several; /* if several are an error, their name in the message; NULL: the option */
    const char *alone;   /* the argument if the user leaves it out; NULL: it must be given */
};

/* The rows in the order of --help: each group is in one piece. A name that is NULL ends the list. */
extern const struct option_row option_table[];

int option_table_code(const struct option_row *row);
const struct option_row *option_table_row(int code);
