#ifndef BIGSHUF_SAMPLE_RANGE_H
#define BIGSHUF_SAMPLE_RANGE_H

/*
 * Numbers of a range that are drawn one by one, so that nothing is stored but the fact that they were drawn: what a
 * sample of a range takes does not depend on how large the range is. Functions write run->limit numbers.
 */

#include <stdbool.h>

#include "input/generated.h"
#include "output/output.h"
#include "sample/gnu_random.h"
#include "shuffle/run.h"

/* Independent draws: by the words labelled "repeat", or from GNU's generator if there is one. */
void range_repeated(struct run *run, const struct number_range *range, struct gnu_random *gnu, struct output *output);

/* Different numbers, no more than half of the range: the first ones to appear among the draws of the words labelled
 * "range", as they are drawn or in ascending order. Takes 16 to 32 bytes for each. */
void range_different(struct run *run, const struct number_range *range, bool in_order, struct output *output);

/* Different numbers: those of GNU's generator (gnu_random_sparse). */
void range_gnu(struct run *run, const struct number_range *range, struct gnu_random *gnu, struct output *output);

#endif
