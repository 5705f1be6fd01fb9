#pragma once

/* Small inputs, without piles. */

#include "input/source.h"
#include "output/output.h"
#include "shuffle/run.h"

/* As shuffle_source, for a source that holds all that comes, less than `most` bytes, which are a 16th of the run's
 * pool; no more records than a leaf, and no keys. */
void small_shuffle(struct run *run, struct source *source, size_t most, struct output *output);
