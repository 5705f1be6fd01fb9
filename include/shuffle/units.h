#pragma once

/* Counts the contents of piles before anything is written: units (keyed.h), or classes. Both functions use the whole
 * buffer, and leave the piles as they are. */

#include "output/output.h"
#include "shuffle/run.h"

/* The number of records in the piles; in an order by keys, of units, that is of distinct keys, where `bits` hash bits
 * tell the piles apart. UINT64_MAX: they would have to be counted, and nothing needs that. */
uint64_t units_count(struct run *run, struct piles *piles, unsigned bits, const struct output *output);

/* Count the records by their classes, if run->strata is set (strata.h). */
void units_classify(struct run *run, struct piles *piles);
