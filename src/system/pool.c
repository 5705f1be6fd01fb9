/*
 * Free blocks are of two kinds: those given back, in a chain, and those never used, which are all from `fresh` to
 * `fresh_end`. The chain is used first, so that memory is touched only when it is needed: a small input leaves a large
 * pool as it was mapped. Neighbours are taken from one end of the fresh ones and single blocks from the other, so
 * repeated calls for neighbours give one piece of memory. Blocks are used in order, so large pages are, as a rule, used
 * whole.
 */

#include "system/pool.h"

#include <stdlib.h>

#include "base/must.h"
#include "system/sys.h"

int pool_open(struct pool *pool, size_t bytes, size_t block_bytes)
{
    size_t lists;

    *pool = (struct pool){.block_bytes = block_bytes, .free_first = POOL_NONE};
    while ((size_t)1 << pool->block_shift < block_bytes)
        pool->block_shift++;
    pool->blocks = (uint32_t)((bytes - POOL_SLACK_BYTES) / (block_bytes + sizeof *pool->next));
    pool->free = pool->fresh_end = pool->blocks;
    pool->mapping_bytes = bytes;
    pool->memory = sys_map_large(bytes);
    if (pool->memory == NULL)
        return -1;
    pthread_mutex_init(&pool->mutex, NULL);
    lists = (size_t)pool->blocks * block_bytes + POOL_SLACK_BYTES;
    pool->next = (uint32_t *)(void *)(pool->memory + lists);
    MUST((pool->held = calloc(pool->blocks + (size_t)1, 1)) != NULL);
    return 0;
}

void pool_close(struct pool *pool)
{
    if (pool->memory == NULL)
        return;
    pthread_mutex_destroy(&pool->mutex);
    sys_unmap(pool->memory, pool->mapping_bytes);
    free(pool->held);
    pool->held = NULL;
    pool->memory = NULL;
}

/* Set whether a chain is `held`. False if it was so, or if it is no chain of `blocks` blocks up to `last`. For MUST. */
__attribute__((unused)) static bool change(struct pool *pool, uint32_t first, uint32_t last, uint32_t blocks, bool held)
{
    uint32_t block = first;

    for (uint32_t b = 0; b < blocks; b++) {
        if (block >= pool->blocks || pool->held[block] == held || (b + 1 == blocks) != (block == last))
            return false;
        pool->held[block] = held;
        block = pool->next[block];
    }
    return blocks > 0;
}

/* The caller has made sure that there is one. */
static uint32_t take_block(struct pool *pool)
{
    uint32_t block = pool->free_first;

    MUST_ALWAYS(pool->free > 0);
    if (block == POOL_NONE)
        block = --pool->fresh_end;
    else
        pool->free_first = pool->next[block];
    pool->next[block] = POOL_NONE;
    pool->free--;
    MUST(change(pool, block, block, 1, true));
    return block;
}

uint32_t pool_get(struct pool *pool)
{
    uint32_t block = POOL_NONE;

    pthread_mutex_lock(&pool->mutex);
    if (pool->free > pool->promised)
        block = take_block(pool);
    pthread_mutex_unlock(&pool->mutex);
    return block;
}

uint32_t pool_get_neighbours(struct pool *pool, uint32_t blocks)
{
    uint32_t first = POOL_NONE;

    pthread_mutex_lock(&pool->mutex);
    if (pool->free - pool->promised >= blocks && pool->fresh_end - pool->fresh >= blocks) {
        first = pool->fresh;
        pool->fresh += blocks;
        for (uint32_t b = first; b + 1 < pool->fresh; b++)
            pool->next[b] = b + 1;
        pool->next[pool->fresh - 1] = POOL_NONE;
        pool->free -= blocks;
        MUST(blocks == 0 || change(pool, first, pool->fresh - 1, blocks, true));
    }
    pthread_mutex_unlock(&pool->mutex);
    return first;
}

uint32_t pool_free(struct pool *pool)
{
    uint32_t blocks;

    pthread_mutex_lock(&pool->mutex);
    blocks = pool->free - pool->promised;
    pthread_mutex_unlock(&pool->mutex);
    return blocks;
}

bool pool_promise(struct pool *pool, uint32_t blocks)
{
    bool possible;

    pthread_mutex_lock(&pool->mutex);
    possible = pool->free - pool->promised >= blocks;
    if (possible)
        pool->promised += blocks;
    pthread_mutex_unlock(&pool->mutex);
    return possible;
}

uint32_t pool_get_promised(struct pool *pool)
{
    uint32_t block;

    pthread_mutex_lock(&pool->mutex);
    MUST_ALWAYS(pool->promised > 0);
    pool->promised--;
    block = take_block(pool);
    pthread_mutex_unlock(&pool->mutex);
    return block;
}

void pool_release_promise(struct pool *pool, uint32_t blocks)
{
    pthread_mutex_lock(&pool->mutex);
    MUST_ALWAYS(blocks <= pool->promised);
    pool->promised -= blocks;
    pthread_mutex_unlock(&pool->mutex);
}

static void put_chain(struct pool *pool, uint32_t first, uint32_t last, uint32_t blocks, uint32_t promised)
{
    if (blocks == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    MUST_ALWAYS(blocks <= pool->blocks - pool->free);
    MUST(change(pool, first, last, blocks, false));
    pool->next[last] = pool->free_first;
    pool->free_first = first;
    pool->free += blocks;
    pool->promised += promised;
    pthread_mutex_unlock(&pool->mutex);
}

void pool_put(struct pool *pool, uint32_t first, uint32_t last, uint32_t blocks)
{
    put_chain(pool, first, last, blocks, 0);
}

void pool_put_promised(struct pool *pool, uint32_t first, uint32_t last, uint32_t blocks)
{
    put_chain(pool, first, last, blocks, blocks);
}

void pool_pin(struct pool *pool, uint32_t blocks)
{
    pthread_mutex_lock(&pool->mutex);
    pool->pinned += blocks;
    pthread_mutex_unlock(&pool->mutex);
}

void pool_unpin(struct pool *pool, uint32_t blocks)
{
    pthread_mutex_lock(&pool->mutex);
    MUST_ALWAYS(blocks <= pool->pinned);
    pool->pinned -= blocks;
    pthread_mutex_unlock(&pool->mutex);
}
