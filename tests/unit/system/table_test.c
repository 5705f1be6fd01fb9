#include "support/scratch.h"
#include "support/unit.h"

#include "system/table.h"

enum { BLOCK = 4096, BLOCKS = 256 };

static struct pool pool;

static int open_pool(void **state)
{
    (void)state;
    return pool_open(&pool, BLOCKS * (BLOCK + 4) + POOL_SLACK_BYTES, BLOCK);
}

/* Whatever has happened, all blocks have been given back. */
static int close_pool(void **state)
{
    const bool clean = pool.free == BLOCKS && pool.promised == 0 && pool.pinned == 0;

    (void)state;
    pool_close(&pool);
    return clean ? 0 : -1;
}

#define WITH_POOL(name) UNIT_TEST_IN(name, open_pool, close_pool)

WITH_POOL(a_block_cannot_be_taken_out_of_an_empty_pool)
{
    struct table all, one;

    table_take(&all, &pool, BLOCKS * BLOCK / 8, 8);
    table_init(&one, &pool);
    assert_ends(table_take_block(&one, 3), "bigshuf: memory: Cannot allocate memory\n");
    one.wide = true;
    assert_false(table_extend(&one, 0));
    table_put_block(&all, 5);
    table_take_block(&one, 3);
    table_release(&one);
    table_release(&all);
}

WITH_POOL(what_is_not_free_cannot_be_taken)
{
    static const uint64_t counts[] = {(BLOCKS - 10) * BLOCK / 8 + 1, BLOCKS * BLOCK / 8 + 1,
                                      (uint64_t)BLOCK / 8 << 32, /* as many blocks as 32 bits cannot count */
                                      UINT64_MAX / 8 - BLOCK};

    assert_true(pool_promise(&pool, 10));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct table table = {0};

        table_release(&table);
        assert_ends(table_take(&table, &pool, counts[i], 8), "bigshuf: memory: Cannot allocate memory\n");
        assert_int_equal(pool.free, BLOCKS);
        assert_int_equal(pool.promised, 10);
    }
    pool_release_promise(&pool, 10);
}

/* ---- Sorting ---- */

/* At random, some of them equal, ascending, descending, or all equal. */
enum { KEYS = 5 };

static uint64_t key_of(int kind, uint64_t i)
{
    const uint64_t mixed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t any = (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);

    return (const uint64_t[KEYS]){any, any % 5 << 61, i, UINT64_MAX - i, UINT64_MAX}[kind];
}

/* Sort keys of this kind, with i beside each, and see that key and number are still a pair, that keys ascend, and
 * numbers among equal keys. */
static void assert_sorts(uint64_t count, int kind)
{
    struct table_pairs pairs;

    table_pairs_take(&pairs, &pool, count + 1);
    for (uint64_t i = 0; i <= count; i++) {
        *table_u64(&pairs.key, i) = i < count ? key_of(kind, i) : 0;
        *table_u64(&pairs.value, i) = i;
    }
    table_sort(&pairs, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t here = *table_u64(&pairs.key, i);
        uint64_t number = *table_u64(&pairs.value, i);

        assert_true(number < count && key_of(kind, number) == here);
        if (i > 0) {
            uint64_t before = *table_u64(&pairs.key, i - 1);

            assert_true(before < here || (before == here && *table_u64(&pairs.value, i - 1) < number));
        }
    }
    table_pairs_release(&pairs);
}

WITH_POOL(pairs_come_in_the_order_of_their_keys)
{
    for (int k = 0; k < KEYS; k++) {
        for (uint64_t count = 0; count < 300; count++)
            assert_sorts(count, k);
        assert_sorts(16 * 1024, k);
        assert_sorts(30011, k);
    }
}
