#pragma once

/*
 * The permutation, version 1: fixed for ever, since people pin seeds in papers.
 *
 * The piles form a tree. The root is node 0; child j of node v is node 512 v + j + 1 (mod 2^64). The root scatters its
 * records into 512 piles; another node with c records scatters if c > T (the leaf size), into 2^k piles, k the
 * smallest from 2 to 9 with 2c <= 2^k T, or 9: record i, in the order of entry, goes to child w >> (16 - k), w the i-th
 * 16-bit word of stream v. Another node with c <= T records is a leaf: forward Fisher-Yates, with numbers drawn
 * without bias from the 32-bit words of stream v (D. Lemire, "Fast random integer generation in an interval", ACM
 * TOMACS 29, 2019). The output is the leaves from left to right.
 */

#include <stdint.h>

#include "base/random.h"
#include "system/table.h"

enum {
    ORDER_LEAF_RECORDS = 262144, /* T */
    ORDER_ROOT_BITS = 9,
};

/* With the number of records, this fixes their order. */
struct order {
    struct random_key key;
    uint64_t leaf_records; /* T, from 8 to 2^31 */
};

/* A node of the tree of an order. */
struct order_node {
    const struct order *order;
    uint64_t number; /* 0: the root of the order, or of a pile in a store */
};

struct order_node order_child(struct order_node node, unsigned child);

/* The logarithm of the number of piles into which a node with `records` records scatters; 0: it is a leaf. (The root
 * always scatters by ORDER_ROOT_BITS.) */
unsigned order_scatter_bits(struct order_node node, uint64_t records);

/* pile[i] receives the child of record first + i of a node that scatters, for `count` records. */
void order_scatter(struct order_node node, unsigned bits, uint64_t first, size_t count, uint16_t *pile);

/* Shuffle a leaf: the numbers [first, first + records) of a table. */
void order_leaf(struct order_node node, const struct table *table, uint64_t first, uint64_t records);

/*
 * Stores of piles have keys of their own, also fixed. The records of the batch NAME are scattered into 2^k piles, like
 * those of a node, by stream 0 of the key "batch"(NAME). Pile j of all batches together, in the order of their names,
 * is node 0, but not the root, of a tree with the key "pile"(E, j) for the epoch E. The order of the piles is that of a
 * leaf of node 0 with the key "epoch"(E). (NAME: its length and its bytes; numbers have 8 bytes.)
 */

enum { ORDER_NAME_MAX = 255 }; /* bytes in the name of a batch */

struct order order_of_batch(const struct order *order, const char *name);
struct order order_of_pile(const struct order *order, uint64_t epoch, uint64_t pile);

/* number[i] receives the number of the pile at place i, for `piles` piles. */
void order_of_epoch(const struct order *order, uint64_t epoch, unsigned piles, uint32_t *number);
