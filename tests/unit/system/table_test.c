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

WITH_POOL(numbers_of_either_width_keep_their_places_over_many_blocks)
{
    for (size_t number_bytes = 4; number_bytes <= 8; number_bytes *= 2) {
        const uint64_t count = 20 * BLOCK / number_bytes + 1, high = number_bytes == 4 ? 0 : (uint64_t)1 << 40;
        struct table table;

        table_take(&table, &pool, count, number_bytes);
        assert_int_equal(table.blocks, 21);
        assert_int_equal(pool.free, BLOCKS - 21);
        assert_int_equal(pool.promised, 0);
        for (uint64_t i = 0; i < count; i++)
            table_set(&table, i, high + (UINT32_MAX - i));
        for (uint64_t i = 0; i < count; i++) {
            assert_true(table_get(&table, i) == high + (UINT32_MAX - i));
            assert_true((high == 0 ? *table_u32(&table, i) : *table_u64(&table, i)) == high + (UINT32_MAX - i));
        }
        table_release(&table);
        table_release(&table);
    }
}

WITH_POOL(growing_keeps_and_uses_the_blocks_it_has_also_for_another_width)
{
    struct table table;
    uint64_t *first;

    table_init(&table, &pool);
    for (unsigned round = 0; round < 2; round++) {
        table_grow(&table, 0, 8);
        assert_int_equal(table.blocks, 0);
        assert_true(pool_promise(&pool, 5));
        table_grow(&table, 1, 8);
        first = table_u64(&table, 0);
        table_grow(&table, BLOCK / 8, 8);
        assert_int_equal(table.blocks, 1);
        table_grow(&table, 5 * BLOCK / 8, 8);
        assert_int_equal(table.blocks, 5);
        assert_ptr_equal(table_u64(&table, 0), first);
        table_grow(&table, 3, 4);
        assert_int_equal(table.blocks, 5);
        table_set(&table, 1, 7);
        assert_int_equal(*table_u32(&table, 1), 7);
        assert_int_equal(pool.free, BLOCKS - 5);
        table_clear(&table);
        table_clear(&table);
    }
    table_release(&table);
}

/* The blocks go from one to the other, which is filled from its beginning and from its middle. */
WITH_POOL(numbers_move_from_table_to_table_through_one_pool)
{
    enum { COUNT = (BLOCKS - 3) * BLOCK / 4 - 7 }; /* 3 may be half empty meanwhile */
    static const size_t number_bytes[] = {4, 8};
    struct table from, to;

    for (int k = 0; k < 2; k++) {
        uint64_t count = COUNT * 4 / number_bytes[k];
        uint64_t next[] = {0, (count + 1) / 2};
        unsigned shift;

        table_take(&from, &pool, count, number_bytes[k]);
        table_pin(&from);
        table_init(&to, &pool);
        to.wide = from.wide;
        shift = table_number_shift(&to);
        assert_int_equal(1u << shift, BLOCK / number_bytes[k]);
        for (uint64_t i = 0; i < count; i++)
            table_set(&from, i, i);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t place = next[i % 2]++;

            if (to.block[place >> shift] == NULL)
                table_take_block(&to, place >> shift);
            table_set(&to, place, table_get(&from, i));
            if ((i + 1) >> shift > i >> shift)
                table_put_block(&from, i >> shift);
        }
        assert_int_equal(pool.pinned, 1);
        for (uint64_t i = 0; i < count; i++)
            assert_int_equal(table_get(&to, i), i < (count + 1) / 2 ? 2 * i : 2 * (i - (count + 1) / 2) + 1);
        table_release(&from);
        assert_int_equal(pool.pinned, 0);
        table_release(&to);
        assert_int_equal(pool.free, BLOCKS);
    }
}

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
