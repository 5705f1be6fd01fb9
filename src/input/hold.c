#include "input/hold.h"

#include <string.h>

#include "base/least.h"

/* The part of the pool that is left for the references to a pile's records, while they are put in order, by two threads
 * at least: a pile has a 512th of all. */
enum { LEFT_SHARE = 32 };

void hold_open(struct hold *hold, struct pool *pool)
{
    *hold = (struct hold){.pool = pool};
}

static bool extend(struct hold *hold, uint32_t blocks)
{
    struct pool *pool = hold->pool;
    uint32_t first = POOL_NONE;

    if (pool_free(pool) >= pool->blocks / LEFT_SHARE + blocks)
        first = pool_extend(pool, blocks);
    if (first == POOL_NONE)
        return false;
    pool_pin(pool, blocks);
    if (hold->base == NULL)
        hold->base = hold->at = hold->filled = hold->end = pool_block(pool, first);
    hold->end += (size_t)blocks << pool->block_shift;
    return true;
}

size_t hold_room(struct hold *hold, size_t bytes)
{
    const size_t room = (size_t)(hold->end - hold->filled);

    if (room >= bytes || extend(hold, (uint32_t)pool_blocks_for(hold->pool, bytes - room)))
        return bytes;
    hold->full = room == 0;
    return room;
}

void hold_rewind(struct hold *hold)
{
    hold->at = hold->base;
}

void hold_leave(struct hold *hold)
{
    hold_rewind(hold);
    hold->leaving = true;
    hold->full = false;
}

/* Give back the whole blocks of [from, to), of which the first was begun before. */
static void give_back(struct hold *hold, const uint8_t *from, const uint8_t *to)
{
    struct pool *pool = hold->pool;
    const uint32_t first = (uint32_t)((size_t)(from - pool->memory) >> pool->block_shift);
    const uint32_t last = (uint32_t)((size_t)(to - pool->memory) >> pool->block_shift);

    if (last > first) {
        pool_put(pool, first, last - 1, last - first);
        pool_unpin(pool, last - first);
    }
}

size_t hold_take(struct hold *hold, uint8_t *data, size_t bytes)
{
    const size_t taken = least_size(bytes, (size_t)(hold->filled - hold->at));

    if (taken == 0)
        return 0;
    memcpy(data, hold->at, taken);
    hold->at += taken;
    give_back(hold, hold->at - taken, hold->at < hold->filled ? hold->at : hold->end);
    return taken;
}
