#pragma once

/* Pass 2: the piles in order, each shuffled, to the output. */

#include <stdint.h>

#include "output/output.h"
#include "shuffle/keyed.h"
#include "shuffle/order.h"
#include "shuffle/pile.h"
#include "shuffle/run.h"
#include "system/table.h"

/* What the records of pile j of a set are: those of child j of `node`; with orders, those of the node of its number in
 * the tree of orders[j]; with ranks, those whose ranks are [j share, (j + 1) share). */
struct gather_order {
    struct order_node node;
    const struct order *orders;
    const struct keyed *keyed;      /* not NULL: by their keys (keyed.h), */
    unsigned bits;                  /* of whose hashes these first bits have brought them to the piles */
    const struct keyed_vote *votes; /* of the piles; NULL: unknown */
    struct table *ranks; /* places j share and the following hold the ranks of pile j's records, in their order */
    uint64_t share;
    bool sorted; /* by the keys in the piles beside them (sorted.h) */
};

/* The node whose records pile `pile` holds, unless the order is one of ranks. */
struct order_node gather_node(const struct gather_order *order, unsigned pile);

/* Bytes of memory that a pile takes while it is gathered: its records and an index of them, with a second table if they
 * are scattered once more, or those it takes to sort it by keys. UINT64_MAX if it is more than that. */
uint64_t gather_memory(uint64_t bytes, uint64_t records, bool keyed);

/* Write those records of the piles from *next on that are wanted (run_pass) to `output` and leave those piles empty,
 * until all that is wanted has been written, or up to a pile that does not fit into memory, bytes plus index; or that
 * would fit only after others had left it, which it need not (keyed_share). *next receives the number of that pile, or
 * piles->count when all is done. */
void gather(struct run *run, struct piles *piles, struct gather_order order, unsigned *next, struct output *output);
