#pragma once

/*
 * The memory of a run: one mapping, cut into equal blocks that go from hand to hand. Whatever grows with the input
 * lives in blocks, so the memory limit is the number of blocks. Blocks form chains (the member `next`); a pile in
 * memory is a chain. A user that must not be left without blocks has some promised: nobody else gets them.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_NONE UINT32_MAX

/* Reading up to this many bytes past the end of any block stays inside the mapping. */
enum { POOL_SLACK_BYTES = 64 };

struct pool {
    uint8_t *memory;      /* the mapping: the blocks, one after another, and the lists */
    size_t block_bytes;   /* a power of two, at least 256 */
    unsigned block_shift; /* its logarithm */
    uint32_t blocks;      /* how many there are */
    uint32_t *next;       /* the block that follows in its chain, or POOL_NONE */
    size_t mapping_bytes;
    pthread_mutex_t mutex; /* guards the fields below */
    uint32_t free;         /* blocks that nobody holds, promised ones among them */
    uint32_t promised;
    uint32_t pinned;     /* held blocks that cannot be spilled */
    uint32_t free_first; /* chain of blocks given back: used first, as they have been touched */
    uint32_t fresh;      /* [fresh, fresh_end) have never been used */
    uint32_t fresh_end;
    uint8_t *held; /* for each block: does somebody hold it? Only in builds that check (must.h) */
};

/* Map `bytes` bytes of memory, the pool's own lists included. 0, or -1 with errno. */
int pool_open(struct pool *pool, size_t bytes, size_t block_bytes);
void pool_close(struct pool *pool); /* also after a failed pool_open, or when zeroed */

/* The functions below abort if a caller breaks their rules: takes more than was promised, or gives back more than it
 * took. pool_get: a block without successor, or POOL_NONE if all blocks left are promised to others. */
uint32_t pool_get(struct pool *pool);

/* Blocks that could be promised. */
uint32_t pool_free(struct pool *pool);

/* Take `blocks` adjacent, never-used blocks, chained in order, right after those of the previous call. Returns the
 * first of them, or POOL_NONE if there are fewer. */
uint32_t pool_get_neighbours(struct pool *pool, uint32_t blocks);

/* Promise the caller `blocks` blocks; false if there are fewer. Then pool_get_promised takes them one by one and never
 * fails; pool_release_promise gives up those not taken. */
bool pool_promise(struct pool *pool, uint32_t blocks);
uint32_t pool_get_promised(struct pool *pool);
void pool_release_promise(struct pool *pool, uint32_t blocks);

/* Give back the `blocks` blocks of the chain from `first` to `last`. */
void pool_put(struct pool *pool, uint32_t first, uint32_t last, uint32_t blocks);

/* The same, and have them promised to the caller. */
void pool_put_promised(struct pool *pool, uint32_t first, uint32_t last, uint32_t blocks);

/* Note `blocks` blocks that can neither be given back nor spilled until they are unpinned. */
void pool_pin(struct pool *pool, uint32_t blocks);
void pool_unpin(struct pool *pool, uint32_t blocks);

static inline uint8_t *pool_block(const struct pool *pool, uint32_t block)
{
    return pool->memory + ((size_t)block << pool->block_shift);
}

/* Blocks that hold `bytes` bytes. */
static inline uint64_t pool_blocks_for(const struct pool *pool, uint64_t bytes)
{
    return (bytes + pool->block_bytes - 1) >> pool->block_shift;
}
