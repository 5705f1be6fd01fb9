#pragma once

/* Sampling with replacement. */

#include <stdbool.h>
#include <stdint.h>

#include "input/source.h"
#include "output/output.h"
#include "sample/gnu.h"
#include "sample/keep.h"
#include "shuffle/run.h"
#include "system/table.h"

/* Draw one of `bound`, all equally likely: a number from 0 to bound - 1, 0 standing for 2^64. By the bytes that GNU
 * shuf takes, or if `gnu` is NULL by the words with this label. */
#define REPLACEMENT_LABEL "repeat"
uint64_t replacement_draw(struct gnu *gnu, struct random_words *words, uint64_t bound);

/* Who draws records. */
struct replacement_rule {
    struct keep_rule keep; /* by which records are looked at as they come; all are kept */

    /* All have come; `resident`: and stay in memory. Each call of `draw` goes through all of them then. May be NULL. */
    void (*prepare)(void *context, uint64_t records, bool resident);

    /* Draw the numbers of the next `count` records of the order, each less than `records`, and put them into
     * numbers[0, count), a table of 8-byte numbers, unless that is NULL. */
    void (*draw)(void *context, uint64_t records, struct table *numbers, uint64_t count);
    void *context;
};

/* Write the records of a source that are drawn, from run->skip on run->limit of them, for ever without a limit. What is
 * drawn does not depend on the memory. What does not fit into memory is read again if it may be (run->rereads), else
 * spilled. */
void replacement_source(struct run *run, struct source *source, struct replacement_rule *rule, struct output *output);

/* All equally likely. */
void replacement_uniform(struct run *run, struct source *source, struct gnu *gnu, struct output *output);
