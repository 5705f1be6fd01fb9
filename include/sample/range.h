#pragma once

/*
 * Numbers of a range, drawn one by one: the time and memory of a sample do not depend on the size of the range. If
 * `gnu` is NULL, draws come from the words of the seed.
 */

#include <stdbool.h>

#include "input/generated.h"
#include "output/output.h"
#include "sample/gnu.h"
#include "shuffle/run.h"

/* Write run->limit independent draws, from draw number run->skip on; without a limit, for ever. */
void range_repeated(struct run *run, const struct number_range *range, struct gnu *gnu, struct output *output);

/* In a range of more numbers than this, a sample of up to half of them is drawn number by number. Never changes, since
 * it decides what the sample is. */
#define RANGE_DRAWN_FROM ((uint64_t)1 << 27)

/* Write run->limit different numbers, at most half of the range, as they are drawn or in ascending order: those of
 * gnu_sparse, or the first different draws of the words labelled "range". Takes 24 bytes for each, or 40 for
 * gnu_sparse. */
void range_different(struct run *run, const struct number_range *range, struct gnu *gnu, bool in_order,
                     struct output *output);
