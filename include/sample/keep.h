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
    bool counts_only; /* nothing is stored, as the source will be read again; without weights nobody is asked */
};

/* Of records that have numbers, only those with the least are written, `limit` of them: which may be among these? */
struct keep_first {
    uint64_t limit;
    size_t kept;     /* numbers, the least, that these may have: as many as there are counts before the first record */
    uint64_t *count; /* of records with each of these numbers; zeroed before the first record */
    uint64_t candidates; /* records with them */
};

/* One more, with this number: may it? */
bool keep_first_admit(struct keep_first *first, size_t number);

/* Are records only counted? They are if they can be read again, and memory has no room for them. */
bool keep_may_count(const struct run *run, const struct source *source);

/* Read all of `source`. Records that are kept go to the first of `count` new piles, which counts them, and the piles
 * are sealed; all are counted in run->progress. Uses ENGINE_READING. */
void keep_records(struct run *run, struct source *source, struct keep_rule *rule, struct piles *piles, unsigned count);

/* Write the records of a source that are kept, in its order, and count them. The output is begun (run_begin), for
 * `records` records, once the first one has come, and with it the input's header. */
void keep_write(struct run *run, struct source *source, uint64_t records, keep_function *admit, void *context,
                struct output *output);
