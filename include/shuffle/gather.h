#pragma once

/* Pass 2: the piles in order, each shuffled, to the output. */

#include <stdint.h>

#include "output/output.h"
#include "shuffle/keyed.h"
#include "shuffle/order.h"
#include "shuffle/pile.h"
#include "shuffle/run.h"
#include "system/table.h"

/* Which records are in pile j of a set: those of child j of `node`; with orders, those of node node.number in the tree
 * of orders[j]; with ranks, those with the ranks [j share, (j + 1) share). */
struct gather_order {
    struct order_node node;
    const struct order *orders;
    const struct keyed *keyed;      /* not NULL: by their keys (keyed.h) */
    unsigned bits;                  /* hashes in a pile have the same first `bits` bits */
    const struct keyed_vote *votes; /* one for each pile; NULL: unknown */
    struct table *ranks;            /* from place j share on: the ranks of pile j's records, in their order */
    uint64_t share;
    bool sorted; /* by keys in piles of their own (sorted.h) */
};

/* The node whose records are in pile `pile`, unless the order is by ranks. */
struct order_node gather_node(const struct gather_order *order, unsigned pile);

/* Bytes of memory that a pile takes while it is gathered: its records and an index of them, with a second table if they
 * are scattered once more, or the tables that sort them by keys. UINT64_MAX on overflow. */
uint64_t gather_memory(uint64_t bytes, uint64_t records, bool keyed);

/* Write the wanted records (run_pass) of the piles from *next on to `output` and leave those piles empty, until all
 * wanted records are written; or up to a pile that does not fit into memory, bytes plus index, or for which others
 * would have to be spilled, though it needs no table (keyed_share). *next receives the number of that pile, or
 * piles->count when all is done. */
void gather(struct run *run, struct piles *piles, struct gather_order order, unsigned *next, struct output *output);
