#pragma once

/* What is in piles, counted before any of it is written: units (keyed.h), which are different keys of records, or
 * classes. Both use the whole buffer, and the piles stay as they are. */

#include "output/output.h"
#include "shuffle/run.h"

/* How many records the piles have, or units in an order by keys, whose first `bits` bits tell the piles apart.
 * UINT64_MAX: they would have to be counted, and the output can do without. */
uint64_t units_count(struct run *run, struct piles *piles, unsigned bits, const struct output *output);

/* Count the records by their classes, if there are any (strata.h). */
void units_classify(struct run *run, struct piles *piles);
