#ifndef BIGSHUF_COMMAND_OPTIONS_H
#define BIGSHUF_COMMAND_OPTIONS_H

/* What the command line says: what the setters of option_table.h set, before their meaning is looked at. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/split.h"
#include "record/record.h"

/* The strings are the caller's argv's; the three arrays are freed by options_release. It stays where it is: `format`
 * points into it. */
struct options {
    const char **files; /* inputs in order, "-" is standard input; with `echo` the records themselves */
    size_t file_count; /* at least 1 after parsing, unless files0_from, `range`, `gather`, `sweep` (then 0) or `echo` is
                          set */

    const char *files0_from; /* read the names from this file ("-": standard input); NULL if not given */
    bool echo;               /* -e */
    bool range;              /* -i LO-HI: the records are numbers */
    bool range_full;         /* there are 2^64 of them, which range_count cannot tell */
    uint64_t range_first;    /* LO */
    uint64_t range_count;    /* HI - LO + 1, maybe 0; also 0 if range_full */

    struct record_format format;
    uint8_t string[RECORD_DELIMITER_BYTES_MAX]; /* that of the format */
    uint8_t delimiter;                          /* of lines: '\n', '\0' with -z, or --delimiter if it is a byte */
    uint64_t header_lines;                      /* --header; 0 if not given */
    uint64_t header_bytes;                      /* --header-bytes; 0 if not given */

    const char *output;     /* -o, the pattern if there are shards; NULL is standard output */
    uint64_t shards;        /* 0 if not given, as the following two; at most one of them is */
    uint64_t shard_records; /* in a file */
    uint64_t shard_bytes;   /* at most, in a file */
    struct split *split;    /* --split, in order */
    size_t splits;
    const char *filter; /* --filter; NULL if not given */

    uint64_t count;          /* -n, the least of several; UINT64_MAX if not given */
    bool repeat;             /* -r */
    bool keep_order;         /* only if -n is given */
    uint8_t field_separator; /* -t; TAB if not given */
    uint64_t weight_field;   /* from 1; 0 if not given */
    const char *weights;     /* name of the file; NULL if not given */
    const char *probability; /* as decimal_threshold takes it; NULL if not given */

    uint64_t memory_bytes; /* -S, at least HARDWARE_MEMORY_MIN; 0 if not given */

    const char **temporary; /* -T, in order; none if not given */
    size_t temporary_count;
    const char *compress_program; /* NULL if not given */

    const char *scatter; /* the directory of a store to which a batch is added; NULL if not given */
    const char *gather;  /* the directory of a store that is gathered; NULL if not given */
    unsigned piles;      /* of the store; 0 if not given */
    const char *batch;   /* its name; NULL if not given */
    uint64_t keep;       /* batches; 0 if not given */
    bool sweep;
    bool list;
    uint64_t pile_first; /* --pile: places in the order of the epoch; from 0 to UINT64_MAX if not given */
    uint64_t pile_last;
    uint64_t epoch; /* 0 if not given */

    const char *seed;          /* --seed; NULL if not given, "" is a seed */
    const char *random_source; /* name of the file; NULL if not given */
    uint64_t leaf_records;     /* --tune=leaf-records=T; ORDER_LEAF_RECORDS if not given */
    unsigned parallel;         /* --parallel; 0 if not given */
    bool verbose;
};

/* Nothing is given yet. There is room for as many files, directories and splits as the command line has words. 0, or -1
 * with errno; it must be released in either case. */
int options_init(struct options *options, size_t words);
void options_release(struct options *options);

#endif
