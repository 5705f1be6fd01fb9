#ifndef BIGSHUF_SAMPLE_WEIGHTED_H
#define BIGSHUF_SAMPLE_WEIGHTED_H

/* Weighted samples without replacement, of any number of records. The law is in weight_law.h; the words are those
 * labelled "weight". */

#include "input/source.h"
#include "output/output.h"
#include "sample/weight_input.h"
#include "shuffle/run.h"

/* All records of a weight above zero, or the first run->limit of them: each next one is drawn in
 * proportion to weight among those that are left. */
void weighted_order(struct run *run, struct source *source, struct weight_place place, struct output *output);

/* The same sample, which needs a limit, in input order. Hardly more records are kept than the sample has, and 8 bytes
 * with each. */
void weighted_select(struct run *run, struct source *source, struct weight_place place, struct output *output);

#endif
