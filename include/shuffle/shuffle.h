#pragma once

/*
 * Scatter, gather, and start over piles that do not fit.
 *
 * A pile that does not fit into memory, bytes plus index, is started over: its records are scattered again, from its
 * file into further piles, which are shuffled in its place. The records of a node that scatters go to its children, as
 * the permutation says (order.h). For a leaf, the order is drawn first, which needs only the number of its records;
 * then each record goes to the pile of its neighbours in the output. Such piles may be uneven, and may be started over
 * in turn; they have fewer records, so this ends. A single record is copied in blocks. In an order by keys (keyed.h),
 * records go by the next digits of their hashes; a pile of one key is copied record by record; of a pile in which
 * nearly all records have one key, only the others are scattered. A pile that fits is never started over.
 */

#include "input/source.h"
#include "output/output.h"
#include "shuffle/gather.h"
#include "shuffle/run.h"

/* Shuffle all of `source` to `output`, by scattering the root of the tree. False: there is no room for references to
 * all records and the tables that sort them; the output has not begun, and the caller must start again without
 * references. */
bool shuffle_source(struct run *run, struct source *source, struct output *output);

/* Write the records of a single pile, or the first of them, in the order that `draw` draws. If `again` is not NULL, the
 * pile only counts the records, and they are read from `again` after the draw. `draw` sets ranks[i] (by table_set) to
 * the place of record i in the output, for all i in [0, records): a permutation. The order takes 4 bytes of memory for
 * each record, 8 from 2^32 records on, and an eighth more; if that is too much, the run ends with a message that says
 * how much is needed. Nothing is spilled if the pile and the order fit, with some of the piles to which records then go
 * by their ranks. */
typedef void shuffle_draw(void *context, struct table *ranks, uint64_t records);
void shuffle_drawn(struct run *run, struct piles *piles, struct source *again, shuffle_draw *draw, void *context,
                   struct output *output);

/* Shuffle piles to `output` and leave them empty. */
void shuffle_piles(struct run *run, struct piles *piles, struct gather_order order, struct output *output);
