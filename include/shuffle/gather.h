#ifndef BIGSHUF_SHUFFLE_GATHER_H
#define BIGSHUF_SHUFFLE_GATHER_H

/* Pass 2: the piles in order, each shuffled, to the output. */

#include <stdint.h>

#include "output/output.h"
#include "shuffle/order.h"
#include "shuffle/pile.h"
#include "shuffle/run.h"
#include "system/table.h"

/* What the records of a set of piles are to each other. */
enum gather_kind {
    GATHER_NODE,     /* one pile: all records of node `node` */
    GATHER_CHILDREN, /* pile j holds the records of child j of node `node` */
    GATHER_TREES,    /* pile j holds the records of the node `node` of a tree of its own, with the key keys[j] */
    GATHER_RANKS,    /* pile j holds the records whose ranks are [j share, (j + 1) share) */
};

struct gather_order {
    enum gather_kind kind;
    const struct order *order; /* NULL if there are ranks */
    const struct random_key *keys;
    struct order_node node;
    struct table *ranks; /* places j share and the following hold the ranks of pile j's records, in their order */
    uint64_t share;
};

/* A node of a tree. */
struct gather_node {
    struct order order;
    struct order_node node;
};

/* The node whose records pile `pile` holds, unless the order is one of ranks. */
struct gather_node gather_node(const struct gather_order *order, unsigned pile);

/* Bytes of memory that a pile takes while it is gathered: its records and an index of them, with a second table if they
 * are scattered once more. UINT64_MAX if there are so many that it is more than that. */
uint64_t gather_memory(uint64_t bytes, uint64_t records);

/* Write the records of the piles from *next on, less those that are skipped (run_skip), to `output` and leave those
 * piles empty, until all is done, no more records may be written, or a pile does not fit into memory, bytes plus index.
 * *next receives the number of that pile, or piles->count when all is done. What is written is taken off
 * run_left. */
void gather(struct run *run, struct piles *piles, struct gather_order order, unsigned *next, struct output *output);

#endif
