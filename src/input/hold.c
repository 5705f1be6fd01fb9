/*
 * Blocks that leave are used next by whoever asks the pool, so that what is copied from here to piles takes no memory
 * besides, and none that was not touched before.
 */

#include "input/hold.h"

void hold_open(struct hold *hold, struct pool *pool)
{
    *hold = (struct hold){.pool = pool};
}

bool hold_grow(struct hold *hold, size_t bytes)
{
    struct pool *pool = hold->pool;
    const size_t room = (size_t)(hold->end - hold->filled);
    uint32_t blocks, first;

    if (room >= bytes)
        return true;
    blocks = (uint32_t)pool_blocks_for(pool, bytes - room);
    first = pool_get_neighbours(pool, blocks);
    if (first == POOL_NONE)
        return false;
    if (hold->end > hold->base)
        pool->next[first - 1] = first;
    pool_pin(pool, blocks);
    if (hold->base == NULL)
        hold->base = hold->at = hold->filled = hold->given = hold->end = pool_block(pool, first);
    hold->end += (size_t)blocks << pool->block_shift;
    return true;
}

/* The last block goes with the last byte. */
void hold_forget(struct hold *hold, const uint8_t *end)
{
    struct pool *pool = hold->pool;
    const uint8_t *to = end < hold->filled ? end : hold->end;
    const size_t blocks = (size_t)(to - hold->given) >> pool->block_shift;
    const uint32_t first = (uint32_t)((size_t)(hold->given - pool->memory) >> pool->block_shift);

    if (blocks == 0)
        return;
    pool_put(pool, first, first + (uint32_t)blocks - 1, (uint32_t)blocks);
    pool_unpin(pool, (uint32_t)blocks);
    hold->given += blocks << pool->block_shift;
}
