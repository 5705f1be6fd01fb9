#ifndef BIGSHUF_SHUFFLE_SCATTER_H
#define BIGSHUF_SHUFFLE_SCATTER_H

/* Pass 1: every record of a source goes to the pile that a router names, in the order of the source. */

#include <stddef.h>
#include <stdint.h>

#include "input/source.h"
#include "shuffle/pile.h"
#include "shuffle/run.h"

/* pile[i] receives the pile of record first + i, for `count` records. A function of the record's number alone: it is
 * asked by several threads, and twice for a record that two input blocks share. */
typedef void scatter_route(const void *context, uint64_t first, size_t count, uint16_t *pile);

/* Fill `count` piles from `source`, using the run's buffer and workers. If the piles before a pile hold as many records
 * as may be written (run->left), it is dropped. *piles must be released by the caller, also after a failure. 0, or -1
 * after a report. */
int scatter(struct run *run, struct source *source, scatter_route *route, const void *context, unsigned count,
            struct piles *piles);

/* The same with piles that go to storage of another kind than temporary files, which is freed with them, also after a
 * failure. */
int scatter_in(struct run *run, struct source *source, scatter_route *route, const void *context, unsigned count,
               struct storage *storage, struct piles *piles);

#endif
