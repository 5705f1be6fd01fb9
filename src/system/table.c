/* The list of addresses stands outside the pool and is as long as the pool has blocks, of which only the used part is
 * ever touched. */

#include "system/table.h"

#include <errno.h>
#include <stdlib.h>

#include "system/fault.h"
#include "system/sys.h"

void table_init(struct table *table, struct pool *pool)
{
    *table = (struct table){.pool = pool, .shift = pool->block_shift};
    table->block = fault_memory(sys_map(pool->blocks * sizeof *table->block));
}

void table_release(struct table *table)
{
    if (table->block == NULL)
        return;
    table_clear(table);
    sys_unmap(table->block, table->pool->blocks * sizeof *table->block);
    table->block = NULL;
}

void table_grow(struct table *table, uint64_t count, size_t number_bytes)
{
    uint64_t blocks = pool_blocks_for(table->pool, count * number_bytes);

    while (table->blocks < blocks)
        table->block[table->blocks++] = pool_block(table->pool, pool_get_promised(table->pool));
    table->wide = number_bytes == sizeof(uint64_t);
}

void table_take(struct table *table, struct pool *pool, uint64_t count, size_t number_bytes)
{
    uint64_t room = ((uint64_t)pool->blocks << pool->block_shift) / number_bytes;

    table_init(table, pool);
    if (count > room || !pool_promise(pool, (uint32_t)pool_blocks_for(pool, count * number_bytes)))
        die_errno("memory", ENOMEM);
    table_grow(table, count, number_bytes);
}

void table_pin(struct table *table)
{
    pool_pin(table->pool, table->blocks);
    table->pinned = true;
}

void table_clear(struct table *table)
{
    for (uint32_t b = 0; b < table->blocks; b++)
        if (table->block[b] != NULL)
            table_put_block(table, b);
    table->pinned = false;
    table->blocks = 0;
}

void table_take_block(struct table *table, uint64_t b)
{
    uint32_t block = pool_get(table->pool);

    if (block == POOL_NONE)
        die_errno("memory", ENOMEM);
    table->block[b] = pool_block(table->pool, block);
    if (b >= table->blocks)
        table->blocks = (uint32_t)b + 1;
}

bool table_extend(struct table *table, uint64_t i)
{
    const uint64_t block = i >> table_number_shift(table);

    if (block < table->blocks)
        return true;
    if (pool_free(table->pool) == 0)
        return false;
    table_take_block(table, block);
    return true;
}

void table_put_block(struct table *table, uint64_t b)
{
    uint32_t block = (uint32_t)((size_t)(table->block[b] - table->pool->memory) >> table->shift);

    if (table->pinned)
        pool_unpin(table->pool, 1);
    pool_put(table->pool, block, block, 1);
    table->block[b] = NULL;
}

/* ---- Sorting: pairs move to other tables by the lowest byte of their keys, then by the next byte ---- */

enum { BYTE_BITS = 8, VALUES = 1 << BYTE_BITS, KEY_BYTES = sizeof(uint64_t) };

void table_pairs_take(struct table_pairs *pairs, struct pool *pool, uint64_t count)
{
    table_take(&pairs->key, pool, count, sizeof(uint64_t));
    table_take(&pairs->value, pool, count, sizeof(uint64_t));
}

void table_pairs_release(struct table_pairs *pairs)
{
    table_release(&pairs->key);
    table_release(&pairs->value);
}

/* The byte number b, from the lowest on, of pair i's key. */
static unsigned digit(const struct table_pairs *pairs, uint64_t i, unsigned b)
{
    return *table_u64(&pairs->key, i) >> BYTE_BITS * b & (VALUES - 1);
}

/* Move all pairs in the order of their bytes number b; false, and nothing moves, if these are all the same. */
static bool move_by_byte(const struct table_pairs *from, struct table_pairs *to, uint64_t count, unsigned b)
{
    uint64_t place[VALUES + 1] = {0};

    for (uint64_t i = 0; i < count; i++)
        place[digit(from, i, b) + 1]++;
    if (place[digit(from, 0, b) + 1] == count)
        return false;
    for (unsigned value = 1; value < VALUES; value++)
        place[value] += place[value - 1];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t next = place[digit(from, i, b)]++;

        *table_u64(&to->key, next) = *table_u64(&from->key, i);
        *table_u64(&to->value, next) = *table_u64(&from->value, i);
    }
    return true;
}

void table_sort_with(struct table_pairs *pairs, struct table_pairs *spare, uint64_t count)
{
    for (unsigned b = 0; b < KEY_BYTES && count > 0; b++)
        if (move_by_byte(pairs, spare, count, b)) {
            const struct table_pairs unsorted = *pairs;

            *pairs = *spare;
            *spare = unsorted;
        }
}

void table_sort(struct table_pairs *pairs, uint64_t count)
{
    struct table_pairs spare;

    table_pairs_take(&spare, pairs->key.pool, count);
    table_sort_with(pairs, &spare, count);
    table_pairs_release(&spare);
}
