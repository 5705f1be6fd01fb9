#ifndef BIGSHUF_SHUFFLE_DIVIDE_H
#define BIGSHUF_SHUFFLE_DIVIDE_H

/*
 * A resident pile whose node scatters, divided in memory into a pile for each child. It takes one more copy of short
 * records than an index of the whole pile that is scattered, and then each child's records and index are in the
 * processor's cache when they are shuffled and copied to the output.
 */

#include <stdbool.h>

#include "record/record.h"
#include "shuffle/order.h"
#include "shuffle/pile.h"

/* Is it faster than an index, and are 2^bits blocks less than such an index takes? */
bool divide_is_worth(const struct piles *piles, unsigned pile, unsigned bits);

/* Move the records of piles->pile[pile], which is resident, to `children`, which are 2^bits empty piles for so many
 * children of the node. All blocks come out of what is promised to the caller: those that the pile leaves, each of
 * which stays promised, and at most 2^bits more. *promised follows. */
void divide(struct piles *piles, unsigned pile, const struct record_format *format, const struct order *order,
            struct order_node node, unsigned bits, struct piles *children, uint32_t *promised);

#endif
