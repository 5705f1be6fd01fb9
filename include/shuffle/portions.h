#ifndef BIGSHUF_SHUFFLE_PORTIONS_H
#define BIGSHUF_SHUFFLE_PORTIONS_H

/*
 * Pass 1 for an input that is in memory as a whole: each worker scatters a portion of its own. No byte and no list goes
 * from one processor's cache to another's, as they do on the way through the queue (queue.h), which costs much if
 * records are short. In return it must be known first how many records there are in the portions before, and every
 * worker has piles of its own, which are joined at the end.
 */

#include <stdbool.h>

#include "input/source.h"
#include "record/record.h"
#include "shuffle/engine.h"
#include "shuffle/pile.h"
#include "shuffle/scatter_plan.h"

/* Can it be done so, and is it worth it? There must be memory, all records must be wanted, and in the piles. */
bool portions_suit(struct engine *engine, const struct record_format *format, const struct scatter_plan *plan,
                   const struct source *source);

/* Fill piles that are empty. 0, or -1 after a report. */
int portions_scatter(struct engine *engine, const struct record_format *format, const struct scatter_plan *plan,
                     struct source *source, struct piles *piles);

#endif
