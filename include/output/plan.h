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
    OUTPUT_SIDES_MAX = 64,    /* splits by a field: each takes 64 KiB of memory beside the limit */
    OUTPUT_DIGITS_MAX = 20,   /* that a pattern may ask for: as many as 2^64 - 1 has */
};

/* What is pointed to must stay. */
struct output_plan {
    const char *path; /* a file, or the pattern of all files if there are several; NULL: standard output */

    const char *const *inputs; /* names of files, of which only a single output may be one; "-": standard input */
    size_t input_count;
    bool each; /* is each input divided by itself? Then all paths are patterns, and the files of one follow another's */

    struct split *split; /* the records go to these in turn, and what is left to `path` */
    size_t splits;
    struct key_rule split_key;    /* if there is one, it decides where a record goes: see sides.h */
    bool groups;                  /* are units groups of records with the same key? */
    struct strata *strata;        /* its classes, if each is split by itself (strata.h); else NULL */
    const struct random_key *key; /* of the order, for that; known in output_begin */
    unsigned threads;             /* that may write, at most; known in output_begin */

    /* At most one of these is not 0. The records that are left by the splits go to: */
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

/* The run ends if the plan is impossible, as far as can be known before any record comes. */
void output_plan_check(const struct output_plan *plan);

/* Are records divided by a field? */
bool output_plan_has_sides(const struct output_plan *plan);

bool output_plan_has_shards(const struct output_plan *plan);

/* Is the number of files known only when all records have been written? */
bool output_plan_is_open_ended(const struct output_plan *plan);

/* How many files there will be in any case, however many records come; without those whose number is not known. If
 * `each`, of each input, and the number below is that of a file among these. */
size_t output_plan_files(const struct output_plan *plan);

bool output_plan_is_shard(const struct output_plan *plan, size_t number);

/* What a file is called in messages; and is it to get records, so that it is worth a warning if it gets none? Not if
 * the others take all, or if what it gets is thrown away; nor shards, of which there may be none. */
const char *output_plan_called(const struct output_plan *plan, size_t number);
bool output_plan_is_wanted(const struct output_plan *plan, size_t number);

/* The run ends if `records` records in all (UINT64_MAX: nobody knows how many) cannot be divided, or leave more than
 * OUTPUT_EMPTY_MAX shards empty. Returns how many they leave empty. */
uint64_t output_plan_check_records(const struct output_plan *plan, uint64_t records);

/* How many of `records` records in all the splits leave. */
uint64_t output_plan_rest(const struct output_plan *plan, uint64_t records);
