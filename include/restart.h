#ifndef BIGSHUF_RESTART_H
#define BIGSHUF_RESTART_H

/*
 * Starting over a pile that does not fit into memory: its records are scattered again, from its file into further piles,
 * which are gathered in its place. There are three cases:
 *
 *     a node that scatters    goes to its children by section "scatter" of the permutation (order.h)
 *     a leaf                  its order is drawn first, which takes only the number of its records; each record goes to the
 *                             pile of those that stand near it in the output
 *     one record              is copied through in blocks: nothing is left to be shuffled
 *
 * In the second case the piles may be uneven and one of them may have to be started over in its turn; it has fewer
 * records, so this ends.
 */

#include "gather.h"

/* Write the records of pile `pile` of `piles` to `sink`. All that the piles have in memory is written to their files
 * first, so that all memory is free. 0, or -1 after a report. */
int restart(struct run *run, struct piles *piles, unsigned pile, const struct gather_order *order, struct sink *sink);

/* The node whose records pile `pile` holds, when the order is not one of ranks. */
struct order_node gather_node_of(const struct gather_order *order, unsigned pile);

#endif
