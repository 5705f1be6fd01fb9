#include "input/held.h"

#include "base/arithmetic.h"

bool held_grow(struct held *held, size_t bytes)
{
    struct pool *pool = held->pool;
    const size_t room = (size_t)(held->end - held->filled);
    uint32_t blocks, first;

    if (room >= bytes)
        return true;
    blocks = (uint32_t)pool_blocks_for(pool, bytes - room);
    first = pool_get_neighbours(pool, blocks);
    if (first == POOL_NONE)
        return false;
    if (held->end > held->base)
        pool->next[first - 1] = first;
    pool_pin(pool, blocks);
    if (held->base == NULL)
        held->base = held->at = held->filled = held->given = held->end = pool_block(pool, first);
    held->end += (size_t)blocks << pool->block_shift;
    return true;
}

size_t held_lend(struct held *held, const uint8_t **data, size_t bytes)
{
    const size_t lent = least_size(bytes, (size_t)(held->filled - held->at));

    *data = held->at;
    held->at += lent;
    return lent;
}

/* The last block goes with the last byte. */
void held_forget(struct held *held, const uint8_t *end)
{
    struct pool *pool = held->pool;
    const uint8_t *to = end < held->filled ? end : held->end;
    const size_t blocks = (size_t)(to - held->given) >> pool->block_shift;
    const uint32_t first = (uint32_t)((size_t)(held->given - pool->memory) >> pool->block_shift);

    if (blocks == 0)
        return;
    pool_put(pool, first, first + (uint32_t)blocks - 1, (uint32_t)blocks);
    pool_unpin(pool, (uint32_t)blocks);
    held->given += blocks << pool->block_shift;
}
