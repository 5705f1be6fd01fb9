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

/* A number from 0 to bound - 1, all equally likely; bound 0 stands for 2^64. By the bytes that GNU shuf takes, or, if
 * `gnu` is NULL, by `words`, which have this label. */
#define REPLACEMENT_LABEL "repeat"
uint64_t replacement_draw(struct gnu *gnu, struct random_words *words, uint64_t bound);

/* How records are drawn. */
struct replacement_rule {
    struct keep_rule keep; /* looks at records as they come; all are kept */

    /* After the last record. `resident`: all stay in memory. NULL unless each `draw` goes through all records. */
    void (*prepare)(void *context, uint64_t records, bool resident);

    /* Draw the numbers of the next `count` records of the order, each less than `records`, and put them into
     * numbers[0, count), a table of 8-byte numbers, unless that is NULL. */
    void (*draw)(void *context, uint64_t records, struct table *numbers, uint64_t count);
    void *context;
};

/* Write run->limit drawn records of a source, from draw number run->skip on; without a limit, for ever. The draws do
 * not depend on memory. Records that do not fit are read again if they may be (run->rereads), else spilled. */
void replacement_source(struct run *run, struct source *source, struct replacement_rule *rule, struct output *output);

/* The same, with all records equally likely. */
void replacement_uniform(struct run *run, struct source *source, struct gnu *gnu, struct output *output);
