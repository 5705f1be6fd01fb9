#ifndef BIGSHUF_SAMPLE_RANGE_H
#define BIGSHUF_SAMPLE_RANGE_H

/*
 * Numbers of a range that are drawn one by one: what a sample of a range takes does not depend on how large the range
 * is. `gnu` is what is drawn from; NULL: the words of the seed.
 */

#include <stdbool.h>

#include "input/generated.h"
#include "output/output.h"
#include "sample/gnu.h"
#include "shuffle/run.h"

/* Write independent draws: run->limit of them, for ever without a limit. */
void range_repeated(struct run *run, const struct number_range *range, struct gnu *gnu, struct output *output);

/* Write run->limit different numbers, as they are drawn or in ascending order: those of gnu_sparse, or the first ones
 * to appear among the draws of the words labelled "range". These are no more than half of the range. Takes 24 bytes for
 * each, or 40 for gnu_sparse. */
void range_different(struct run *run, const struct number_range *range, struct gnu *gnu, bool in_order,
                     struct output *output);

#endif
