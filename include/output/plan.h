#pragma once

/* What is to be written, as the options say: how records are divided among files, which files those are, and how each
 * of them is written. Files are numbered from 0: those of the splits, and then the shards or the one for what is left.
 */

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
    OUTPUT_EMPTY_MAX = 10000, /* shards that get no record: more are hardly meant */
    OUTPUT_BESIDE_MAX = 64,   /* splits that are filled side by side: each takes 64 KiB of memory beside the limit */
    OUTPUT_DIGITS_MAX = 20,   /* that a pattern may ask for: as many as 2^64 - 1 has */
};

struct division_kind;

/* What is pointed to must stay. */
struct output_plan {
    const char *path; /* a file, or the pattern of all files if there are several; NULL: standard output */

    const char *const *inputs; /* names of files, of which only a single output may be one; "-": standard input */
    size_t input_count;
    bool (*is_store)(const char *folder); /* in which no output may be; NULL: it may be anywhere */
    bool each; /* is each input divided by itself? Then all paths are patterns, and the files of one follow another's */

    struct split *split; /* some records go to these, and what is left, the rest, to `path` */
    size_t splits;
    const struct division_kind *split_by; /* division.h; NULL: output_open takes the usual one, if there are splits */
    const struct division_kind *rest_by;  /* known when output_open returns */
    struct key_rule split_key;            /* what decides, by_key.h; no choice if nothing does */
    bool groups;                          /* are units groups of records with the same key? */
    uint64_t class_bytes;                 /* of memory for its classes, if each is split by itself (strata.h); else 0 */
    struct strata *strata;                /* these; known when output_open returns */
    const struct random_key *key;         /* of the order, for that; known in output_begin */
    unsigned threads;                     /* that may write, at most; known in output_begin */

    /* At most one of these is not 0. The rest goes to: */
    uint64_t shards;        /* so many files, whose numbers of records differ by at most one, larger ones first */
    uint64_t shard_records; /* files of so many records, the last one with what is left; no file if there is none */
    uint64_t shard_bytes;   /* files of as many records as fit into so many bytes, or of one that is larger */

    const char *filter; /* the command that all files but standard output are written through, or NULL */
    bool packs;         /* are files compressed that are not, if their names say so? */
    bool verbose;       /* is it said by which programs? */
    unsigned filters;   /* at most so many programs unfinished at a time, at least 1 (filter.h) */

    struct record_format format;
    const struct header_rule *header; /* of the inputs */
    struct framing framing;           /* its header is not counted in shard_bytes */
    struct spill_place *place;        /* for temporary files; needed with shard_bytes */
};

/* Is it a pattern: text with one "%d", or "%0Nd" for at least N digits, where the number stands; or if `each`, with one
 * "%s" for the name of an input? "%%" is a percent sign. The syntax is that of printf, but printf never gets a pattern.
 */
bool output_plan_is_pattern(const char *text, bool each);

/* The name of a shard by its pattern, or if `input` is not NULL, of that input's file, malloc'd; or NULL with errno. */
char *output_plan_name(const char *pattern, uint64_t number, const char *input);
