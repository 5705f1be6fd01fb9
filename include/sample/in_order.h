#pragma once

/* Samples that keep the order of the input. */

#include <stdbool.h>
#include <stdint.h>

#include "input/source.h"
#include "output/output.h"
#include "shuffle/run.h"

/* A probability: threshold / 2^64, or 1 if `all`. */
struct in_order_share {
    uint64_t threshold;
    bool all;
    bool wait; /* write only when all has been read, since the output may be an input? */
};

/* Write each record with a probability: record i if word i of the words labelled "bernoulli" is less than the
 * threshold. Stores nothing, unless it must wait with writing. */
void in_order_bernoulli(struct run *run, struct source *source, struct in_order_share share, struct output *output);

/* Write, in the order of the input, the first run->limit records of the order (order.h). Hardly any other record is
 * stored meanwhile. One leaf is shuffled, which takes 4 bytes for each of its records. */
void in_order_first(struct run *run, struct source *source, struct output *output);
