#pragma once

/* Weighted samples, of any number of records, by weight_law.h and the words labelled "weight". */

#include <stdbool.h>

#include "input/source.h"
#include "output/output.h"
#include "sample/weight_input.h"
#include "shuffle/run.h"

/* Without replacement: write all records with a weight above zero, or the first run->limit of them; each is drawn in
 * proportion to weight among those left. With `keep_order` they are written in the order of the input; hardly any
 * other record is stored, and 8 bytes more for each that is. */
void weighted_order(struct run *run, struct source *source, struct weight_place place, bool keep_order,
                    struct output *output);

/* With replacement: write run->limit records (for ever without one), each drawn by itself in proportion to weight. */
void weighted_repeat(struct run *run, struct source *source, struct weight_place place, struct output *output);
