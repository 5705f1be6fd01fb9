#pragma once

/* Weighted samples, of any number of records. The law is in weight_law.h; the words are those labelled "weight". */

#include <stdbool.h>

#include "input/source.h"
#include "output/output.h"
#include "sample/weight_input.h"
#include "shuffle/run.h"

/* Without replacement: all records of a weight above zero, or the first run->limit of them; each next one is drawn in
 * proportion to weight among those that are left. With `keep_order` these are written in the order of the input,
 * and hardly more is kept than that, with 8 bytes for each. */
void weighted_order(struct run *run, struct source *source, struct weight_place place, bool keep_order,
                    struct output *output);

/* With replacement: write run->limit records, for ever without a limit. Each is drawn independently of the others, in
 * proportion to weight. */
void weighted_repeat(struct run *run, struct source *source, struct weight_place place, struct output *output);
