#pragma once

/*
 * Numbers of a range, drawn one by one: the time and memory of a sample do not depend on the size of the range. Draws
 * come from `gnu`, or, if it is NULL, from the words of the seed.
 */

#include <stdbool.h>

#include "input/generated.h"
#include "output/output.h"
#include "sample/gnu.h"
#include "shuffle/run.h"

/* Write independent draws: from run->skip on run->limit of them, for ever without a limit. */
void range_repeated(struct run *run, const struct number_range *range, struct gnu *gnu, struct output *output);

/* In a range of more numbers than this, a sample of up to half of them is drawn number by number. This decides what the
 * sample is, so it never changes. */
#define RANGE_DRAWN_FROM ((uint64_t)1 << 27)

/* Write run->limit different numbers, as they are drawn or in ascending order: those of gnu_sparse, or the first ones
 * to appear among the draws of the words labelled "range". These are no more than half of the range. Takes 24 bytes for
 * each, or 40 for gnu_sparse. */
void range_different(struct run *run, const struct number_range *range, struct gnu *gnu, bool in_order,
                     struct output *output);
