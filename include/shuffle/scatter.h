#ifndef BIGSHUF_SHUFFLE_SCATTER_H
#define BIGSHUF_SHUFFLE_SCATTER_H

/* Pass 1: every record of a source goes to the pile that a router names, in the order of the source. */

#include "input/source.h"
#include "record/record.h"
#include "shuffle/engine.h"
#include "shuffle/pile.h"
#include "shuffle/scatter_plan.h"

/* Fill piles from `source`, which may lend, using the whole buffer and all workers. *piles must be released by the
 * caller, also after a failure. 0, or -1 after a report. */
int scatter(struct engine *engine, const struct record_format *format, const struct scatter_plan *plan,
            struct source *source, struct piles *piles);

#endif
