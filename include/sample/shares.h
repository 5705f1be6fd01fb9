#ifndef BIGSHUF_SAMPLE_SHARES_H
#define BIGSHUF_SAMPLE_SHARES_H

/* Weighted samples with replacement: each record has a share of all draws, in proportion to its weight. */

#include "input/source.h"
#include "output/output.h"
#include "sample/weight_input.h"
#include "shuffle/run.h"

/* Write run->limit records, for ever without a limit; each is drawn independently of the others, by the words labelled
 * "weight". */
void shares_repeat(struct run *run, struct source *source, struct weight_place place, struct output *output);

#endif
