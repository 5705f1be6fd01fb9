#pragma once

/* What the options say about the output: how records are divided among files, which files these are, and how each is
 * written. Files are numbered from 0: those of the splits, and then the shards or the file of the rest. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "output/framing.h"
#include "output/split.h"
#include "record/header.h"
#include "record/key.h"
#include "record/record.h"
#include "temporary/spill.h"

enum {
    OUTPUT_FILES_MAX = 1000000,
    OUTPUT_EMPTY_MAX = 10000, /* shards without a record: more would be a mistake */
    OUTPUT_BESIDE_MAX = 64,   /* splits that are filled side by side: each takes 64 KiB of memory beside the limit */
    OUTPUT_DIGITS_MAX = 20,   /* of a number in a pattern: 2^64 - 1 has 20 */
};

struct division_kind;

/* All that it points to must stay. */
struct output_plan {
    const char *path; /* a file, or the pattern of all files if there are several; NULL: standard output */

    const char *const *inputs; /* names of files, of which a single output may be one; "-": standard input */
    size_t input_count;
    bool (*is_store)(const char *folder); /* in which no output may be; NULL: it may be anywhere */
    bool each; /* is each input divided by itself? Then all paths are patterns, and each input has its own files */

    struct split *split; /* some records go to these, and the rest to `path` */
    size_t splits;
    const struct division_kind *split_by; /* NULL: output_open takes the usual one, if there are splits */
    const struct division_kind *rest_by;  /* set by output_open */
    struct key_rule split_key;            /* of by_key.h; without a choice: no key */
    bool groups;                          /* are units groups of records with the same key? */
    uint64_t class_bytes;                 /* of memory for classes, if each is split by itself (strata.h); else 0 */
    struct strata *strata;                /* these; set by output_open */
    const struct random_key *key;         /* of the order, for splits by keys; set before output_begin */
    unsigned threads;                     /* that may call output_find; set before output_begin */

    /* At most one of these is not 0. The rest goes to: */
    uint64_t shards;        /* `shards` files, whose numbers of records differ by at most one, larger ones first */
    uint64_t shard_records; /* files of this many records, the last one with fewer; no file without records */
    uint64_t shard_bytes;   /* files of all records that fit into this many bytes, or of one larger record */

    const char *filter; /* the command that all files but standard output are written through, or NULL */
    bool packs;         /* are files compressed if their names say so? */
    bool verbose;       /* with a message that names the programs? */
    unsigned filters;   /* most programs unfinished at a time, at least 1 (filter.h) */

    struct record_format format;
    const struct header_rule *header; /* of the inputs */
    struct framing framing;           /* its header is not counted in shard_bytes */
    struct spill_place *place;        /* for temporary files; needed with shard_bytes */
};

/* Is it a pattern: text with one "%d", or "%0Nd" for at least N digits, in place of the number; or, if `each`, with one
 * "%s" in place of an input's name? "%%" is a percent sign. Though the syntax is printf's, printf never gets one. */
bool output_plan_is_pattern(const char *text, bool each);

/* The name of shard `number`, or, if `input` is not NULL, of that input's file, malloc'd; or NULL with errno. */
char *output_plan_name(const char *pattern, uint64_t number, const char *input);
