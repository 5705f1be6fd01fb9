#pragma once

/* Samples take two passes. The first keeps the records that may be drawn, in one pile and in the order of the input;
 * the second writes some of them, or some records of an input that is read again. */

#include <stdbool.h>
#include <stdint.h>

#include "input/source.h"
#include "output/output.h"
#include "sample/weight_input.h"
#include "shuffle/pile.h"
#include "shuffle/run.h"

/* The record with the number `record` in the source begins: is it kept? */
typedef bool keep_function(void *context, uint64_t record);

/* Which records are kept. */
struct keep_rule {
    keep_function *admit; /* NULL: all records are kept */
    void *context;
    struct weight_input *weights; /* of the records; NULL: none */
    struct decimal weight;        /* of the record that `admit` is asked about; set by keep_records */
    bool counts_only; /* store nothing, since the source will be read again; without weights, `admit` is not called */
};

/* The `limit` records with the least numbers are written, of records that have numbers. Which may be among them? */
struct keep_first {
    uint64_t limit;
    uint64_t kept;       /* records with a number below this may be among them; at first, how many numbers there are */
    uint64_t *count;     /* [kept]: how many records have each number; zeroed at first */
    uint64_t candidates; /* how many records may be among them */
};

/* May one more record, with this number, be among them? It is counted, unless its number is too high already. */
bool keep_first_admit(struct keep_first *first, uint64_t number);

/* Should records only be counted, since they can be read again, and memory has no room for them? */
bool keep_may_count(const struct run *run, const struct source *source);

/* Read all of `source`, and count its records in run->progress. The records kept go to the first of `count` new piles,
 * which counts them; then the piles are sealed. Uses ENGINE_READING. */
void keep_records(struct run *run, struct source *source, struct keep_rule *rule, struct piles *piles, unsigned count);

/* Write the records of a source that are kept, in its order, and count them. The output is begun (run_begin), for
 * `records` records, once the first one has come, and with it the input's header. */
void keep_write(struct run *run, struct source *source, uint64_t records, keep_function *admit, void *context,
                struct output *output);
