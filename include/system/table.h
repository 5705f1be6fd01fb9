#pragma once

/* An array of 4- or 8-byte numbers laid over blocks of a pool. It costs one more look-up than an array, but needs no
 * contiguous memory, which a pool that is almost full could not give. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "system/pool.h"

struct table {
    struct pool *pool;
    uint8_t **block; /* where each block is, or NULL; room for every block of the pool */
    uint32_t blocks; /* block[blocks] and all after it are NULL */
    unsigned shift;  /* logarithm of the bytes of a block */
    bool pinned;
    bool wide; /* are the numbers of 8 bytes? */
};

/* Allocates the list of blocks only. Without memory for that, the run ends. */
void table_init(struct table *table, struct pool *pool);
void table_release(struct table *table); /* also when zeroed; gives the blocks back */

/* Make room for `count` numbers of `number_bytes` bytes, 4 or 8, out of blocks promised to the caller; contents are
 * undefined. Blocks that the table has already are used. */
void table_grow(struct table *table, uint64_t count, size_t number_bytes);

/* A new table with room for `count` numbers, out of the pool's free blocks. If these are too few, the run ends: who can
 * do without it asks the pool before. */
void table_take(struct table *table, struct pool *pool, uint64_t count, size_t number_bytes);

/* Pin its blocks (pool_pin) until it is cleared or released: it is held while piles are gathered. */
void table_pin(struct table *table);

void table_clear(struct table *table); /* gives all blocks back to the pool */

/* For a table that is filled in any order, while another one is emptied: take block b, which it lacks, out of the
 * pool's free blocks, for numbers as wide as `wide` says. The run ends if none is free. */
void table_take_block(struct table *table, uint64_t b);

/* The same for the block of number i, unless it is there; false if none is free. */
bool table_extend(struct table *table, uint64_t i);

void table_put_block(struct table *table, uint64_t b); /* gives back block b */

/* The logarithm of how many numbers a block holds. */
static inline unsigned table_number_shift(const struct table *table)
{
    return table->shift - (table->wide ? 3 : 2);
}

static inline bool table_has(const struct table *table, uint64_t block)
{
    return block < table->blocks && table->block[block] != NULL;
}

static inline uint64_t *table_u64(const struct table *table, uint64_t i)
{
    size_t mask = ((size_t)1 << (table->shift - 3)) - 1;

    MUST(table_has(table, i >> (table->shift - 3)));
    return (uint64_t *)(void *)table->block[i >> (table->shift - 3)] + (i & mask);
}

static inline uint32_t *table_u32(const struct table *table, uint64_t i)
{
    size_t mask = ((size_t)1 << (table->shift - 2)) - 1;

    MUST(table_has(table, i >> (table->shift - 2)));
    return (uint32_t *)(void *)table->block[i >> (table->shift - 2)] + (i & mask);
}

/* How many 8-byte numbers stand one after another in memory, from number i on. */
static inline uint64_t table_run(const struct table *table, uint64_t i)
{
    const uint64_t numbers = (uint64_t)1 << (table->shift - 3);

    return numbers - (i & (numbers - 1));
}

/* Numbers of either width, in code that is not in a hurry. */
static inline uint64_t table_get(const struct table *table, uint64_t i)
{
    return table->wide ? *table_u64(table, i) : *table_u32(table, i);
}

static inline void table_set(const struct table *table, uint64_t i, uint64_t number)
{
    if (table->wide)
        *table_u64(table, i) = number;
    else
        *table_u32(table, i) = (uint32_t)number;
}

/* Number i will be read and set soon. */
static inline void table_prefetch(const struct table *table, uint64_t i)
{
    __builtin_prefetch(table->wide ? (void *)table_u64(table, i) : (void *)table_u32(table, i), 1);
}

/* ---- Sorting ---- */

/* 8-byte keys with an 8-byte number beside each. */
struct table_pairs {
    struct table key;
    struct table value;
};

/* Room for `count` pairs, as table_take. */
void table_pairs_take(struct table_pairs *pairs, struct pool *pool, uint64_t count);
void table_pairs_release(struct table_pairs *pairs); /* also when zeroed */

/* Sort pairs [0, count) by key; equal keys keep their order. (Radix sort from the lowest byte up) Meanwhile it takes
 * room for `count` pairs more; or uses `spare`, and may exchange the two. */
void table_sort(struct table_pairs *pairs, uint64_t count);
void table_sort_with(struct table_pairs *pairs, struct table_pairs *spare, uint64_t count);
