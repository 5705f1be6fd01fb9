#ifndef BIGSHUF_SAMPLE_RANGE_H
#define BIGSHUF_SAMPLE_RANGE_H

/*
 * Numbers of a range that are drawn one by one, so that nothing is stored but the fact that they were drawn: what a
 * sample of a range takes does not depend on how large the range is. Functions write run->limit numbers.
 */

#include <stdbool.h>
#include <stdint.h>

#include "input/generated.h"
#include "output/output.h"
#include "shuffle/run.h"
#include "shuffle/transfer.h"

/* Independent draws, by the words labelled "repeat". */
void range_repeated(struct run *run, const struct number_range *range, struct output *output);

/* Different numbers, no more than half of the range: the first ones to appear among the draws of the words labelled
 * "range", as they are drawn or in ascending order. Takes 16 to 32 bytes for each. */
void range_different(struct run *run, const struct number_range *range, bool in_order, struct output *output);

/* Write number `i` of the range. */
void range_put(struct run *run, struct transfer *transfer, const struct number_range *range, uint64_t i);

#endif
