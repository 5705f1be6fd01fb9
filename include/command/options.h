#pragma once

/* The command line, option by option, as the rows of option_table.c fill it in. job/task.h says what it means. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/generated.h"
#include "output/plan.h"
#include "record/field.h"
#include "record/header.h"
#include "record/key.h"
#include "record/record.h"
#include "temporary/spill_place.h"

/* OPTIONS_PROGRESS_AUTO: on a terminal. */
enum options_progress { OPTIONS_PROGRESS_AUTO, OPTIONS_PROGRESS_ALWAYS, OPTIONS_PROGRESS_NEVER };

/* The strings are those of the caller's argv; command_line_release frees the arrays `files`, `temporary` and
 * plan.split. Must not be moved, since `format` points to `string`, also in a copy. */
struct options {
    const char **files; /* names of inputs in order, "-" is standard input; with `echo` the records themselves */
    size_t file_count;  /* 0 with files0_from, `range`, `gather`, `sweep` or `list`, any with `echo`; else at least 1 */

    const char *files0_from;     /* read the names from this file ("-": standard input); NULL if not given */
    bool echo;                   /* -e */
    bool range;                  /* -i LO-HI: the records are numbers */
    bool compressed;             /* -Z */
    bool zero_terminated;        /* -z */
    struct number_range numbers; /* of -i; its delimiter is that of the lines */

    struct record_format format;                /* within the program: words of -e end with NUL, which none contains */
    uint8_t string[RECORD_DELIMITER_BYTES_MAX]; /* format.string, if the format has one */
    uint8_t delimiter;           /* the end of a line: '\n', '\0' with -z, or --delimiter if it is a byte */
    struct key_choice order_key; /* --group-field or --unique=FIELD, which exclude each other */
    bool unique;                 /* --unique, in either form */
    struct header_rule header;   /* --header, --headers-differ */

    const char *taken_by; /* the option with an argument that may have been meant as a FILE; NULL: none, */
    const char *taken;    /* or a FILE is named, too; and that argument */

    struct output_plan plan;     /* -o, each --split, --shards, --filter, --each; job/resources.c adds the rest */
    struct key_choice split_key; /* --split-field or --stratify-field, as plan.split_by says */

    uint64_t count;  /* -n: records, the least if given several times; UINT64_MAX: not given; becomes run.limit */
    uint64_t part;   /* --part=R/W: R, from 1; 0 if not given */
    uint64_t parts;  /* and W, at most PART_MAX; 0 if not given */
    uint64_t skip;   /* --skip: records; 0 if not given */
    bool repeat;     /* -r */
    bool keep_order; /* --keep-order, only with -n */
    bool requests;   /* --requests */
    bool separator_given;
    uint8_t field_separator;          /* -t; if not given, it depends on the records */
    struct field_choice weight_field; /* --weight-field */
    const char *weights;              /* --weights: the name of a file; NULL if not given */
    const char *probability;          /* --probability, as decimal_threshold takes it; NULL if not given */

    uint64_t memory_bytes; /* -S: at least HARDWARE_MEMORY_MIN; 0 if not given */

    const char **temporary; /* the directory of each -T, in order */
    size_t temporary_count;
    enum spill_packing packing; /* --tune=compress-temporary=WHEN */

    const char *scatter; /* --scatter: the directory of a store to which a batch is added; NULL if not given */
    const char *gather;  /* --gather: the directory of a store that is read; NULL if not given */
    uint64_t piles;      /* --piles=M: how many the store has; 0 if not given */
    const char *batch;   /* --batch: the name of the batch; NULL if not given */
    uint64_t newest;     /* --keep-newest: how many batches stay; 0 if not given */
    const char *sweep;   /* --sweep: the directory of a store; NULL if not given */
    const char *list;    /* --list: the directory of a store; NULL if not given */
    uint64_t pile_first; /* --only-piles=J-K: only piles from this number, 0 if not given, */
    uint64_t pile_last;  /* to this one, UINT64_MAX if not given */
    uint64_t epoch;      /* --epoch; 0 if not given */

    const char *seed;          /* --seed; NULL if not given */
    const char *random_source; /* --random-source: the name of a file; NULL if not given */
    uint64_t leaf_records;     /* --tune=leaf-records=T; ORDER_LEAF_RECORDS if not given */
    uint64_t parallel;         /* --parallel: threads, at most UINT_MAX; 0 if not given */
    uint64_t expected_records; /* --expect-records; UINT64_MAX if not given */
    enum options_progress progress;
    bool verbose;
};
