#pragma once

/* Shuffles a small input in the order of the seed: in one piece, on one thread. Orders by keys go to shuffle_source. */

#include "input/source.h"
#include "output/output.h"
#include "shuffle/run.h"

/* The order is that of shuffle_source. No child of the root has more records than a leaf; run->keyed is NULL. */
void small_shuffle(struct run *run, struct source *source, struct output *output);
