/* tags: threads */

#include "support/unit.h"

#include "system/pool.h"

#include <string.h>

enum { BLOCK = 4096, BLOCKS = 100, BYTES = BLOCKS * (BLOCK + 4) + POOL_SLACK_BYTES };

static struct pool opened;

static int open_pool(void **state)
{
    (void)state;
    return pool_open(&opened, BYTES, BLOCK);
}

static int close_pool(void **state)
{
    (void)state;
    pool_close(&opened);
    return 0;
}

#define WITH_POOL(name) UNIT_TEST_IN(name, open_pool, close_pool)

UNIT_TEST(blocks_and_their_list_are_cut_from_the_bytes_given)
{
    struct pool pool = {0};

    pool_close(&pool);
    assert_int_equal(pool_open(&pool, SIZE_MAX / 2, (size_t)1 << 20), -1);
    pool_close(&pool);
    for (unsigned less = 0; less < 2; less++) {
        assert_int_equal(pool_open(&pool, BYTES - less, BLOCK), 0);
        assert_int_equal(pool.blocks, BLOCKS - less);
        assert_int_equal(pool.free, BLOCKS - less);
        assert_true((uint8_t *)(pool.next + pool.blocks) <= pool.memory + BYTES - less);
        assert_true((uint8_t *)pool.next >= pool_block(&pool, pool.blocks - 1) + BLOCK + POOL_SLACK_BYTES);
        assert_int_equal(pool_blocks_for(&pool, BLOCK), 1);
        assert_int_equal(pool_blocks_for(&pool, ((uint64_t)1 << 40) + 1), ((uint64_t)1 << 28) + 1);
        pool_close(&pool);
        pool_close(&pool);
    }
}

WITH_POOL(promised_blocks_are_kept_back_from_others)
{
    struct pool *pool = &opened;
    uint32_t block = POOL_NONE;

    assert_true(pool_promise(pool, 60));
    assert_false(pool_promise(pool, 41));
    assert_true(pool_promise(pool, 30));
    assert_int_equal(pool_free(pool), 10);
    for (int i = 0; i < 10; i++)
        assert_int_not_equal(pool_get(pool), POOL_NONE);
    assert_int_equal(pool_get(pool), POOL_NONE);
    assert_false(pool_promise(pool, 1));
    for (int i = 0; i < 60; i++)
        assert_true(pool_get_promised(pool) < BLOCKS);
    assert_int_equal(pool_free(pool), 0); /* they were not free before either */
    pool_release_promise(pool, 30);
    assert_int_equal(pool_free(pool), 30);
    for (int i = 0; i < 30; i++)
        block = pool_get(pool);
    assert_int_equal(pool_get(pool), POOL_NONE);
    pool_put(pool, block, block, 1);
    assert_true(pool_promise(pool, 1));
    assert_int_equal(pool_get_promised(pool), block);
    pool_put_promised(pool, block, block, 1); /* and stays promised */
    assert_int_equal(pool_get(pool), POOL_NONE);
    assert_int_equal(pool_get_promised(pool), block);
    pool_pin(pool, 5);
    pool_unpin(pool, 2);
    assert_true(pool->free == 0 && pool->promised == 0 && pool->pinned == 3);
}

enum { THREADS = 4, ROUNDS = 3000, HELD = 20 };

/* Take some blocks, promised or not, mark them, and see that the marks stay until they are given back. */
static void *take_and_give(void *context)
{
    struct pool *pool = context;
    uintptr_t wrong = 0;
    uint64_t state = (uintptr_t)&wrong;

    for (int round = 0; round < ROUNDS; round++) {
        uint32_t held[HELD];
        uint32_t count = 0;
        uint32_t wanted = (uint32_t)(state >> 33) % HELD + 1;
        bool promised = round % 2 == 0 && pool_promise(pool, wanted);

        state = state * 6364136223846793005 + 1442695040888963407;
        for (; count < wanted; count++) {
            held[count] = promised ? pool_get_promised(pool) : pool_get(pool);
            if (held[count] == POOL_NONE)
                break;
            memcpy(pool_block(pool, held[count]), &state, sizeof state);
        }
        wrong += promised && count < wanted;
        for (uint32_t i = 0; i < count; i++) {
            wrong += memcmp(pool_block(pool, held[i]), &state, sizeof state) != 0;
            pool->next[held[i]] = i + 1 < count ? held[i + 1] : POOL_NONE;
        }
        if (count > 0)
            pool_put(pool, held[0], held[count - 1], count);
    }
    return (void *)wrong;
}

WITH_POOL(no_block_is_held_by_two_threads)
{
    struct pool *pool = &opened;
    pthread_t thread[THREADS];

    assert_true(pool_promise(pool, BLOCKS / 2)); /* so that blocks are scarce */
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_and_give, pool), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;

        assert_int_equal(pthread_join(thread[i], &wrong), 0);
        assert_null(wrong);
    }
    pool_release_promise(pool, BLOCKS / 2);
    assert_int_equal(pool->free, BLOCKS);
    assert_int_equal(pool->promised, 0);
    for (int i = 0; i < BLOCKS; i++)
        assert_int_not_equal(pool_get(pool), POOL_NONE);
}

WITH_POOL(neighbours_are_neither_promised_to_others_nor_more_than_there_are)
{
    struct pool *pool = &opened;

    assert_true(pool_promise(pool, 40));
    assert_int_equal(pool_get_neighbours(pool, BLOCKS - 39), POOL_NONE);
    assert_int_equal(pool_get_neighbours(pool, BLOCKS - 40), 0);
    assert_int_equal(pool_get_neighbours(pool, 1), POOL_NONE);
    for (uint32_t b = 0; b < BLOCKS - 40; b++)
        assert_int_equal(pool->next[b], b + 1 < BLOCKS - 40 ? b + 1 : POOL_NONE);
    pool_put(pool, 0, BLOCKS - 41, BLOCKS - 40);
    assert_int_equal(pool_get_neighbours(pool, 41), POOL_NONE); /* free, but used before */
    pool_release_promise(pool, 40);
    assert_int_equal(pool_get_neighbours(pool, 10), BLOCKS - 40);
    for (uint32_t b = 0; b < BLOCKS - 30; b++)
        assert_false(pool_get(pool) - (BLOCKS - 40) < 30); /* single blocks do not come between neighbours */
    assert_int_equal(pool_get_neighbours(pool, 20), BLOCKS - 30);
}
