#include "support/unit.h"

#include <stdlib.h>

#include "base/steps.h"
#include "sample/weight_tree.h"

enum { BLOCK = 1024, BLOCKS = 4096 };

static struct pool pool;
static struct weight_tree tree;

static int setup(void **state)
{
    (void)state;
    if (pool_open(&pool, (size_t)BLOCKS * (BLOCK + 4) + POOL_SLACK_BYTES, BLOCK) != 0)
        return -1;
    weight_tree_init(&tree, &pool);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof tree.level / sizeof tree.level[0]; k++)
        table_release(&tree.level[k]);
    assert_int_equal(pool_free(&pool), pool.blocks);
    pool_close(&pool);
    return 0;
}

/* Zero, few steps, any number, the most but one, or the most. */
static uint64_t any_weight(void)
{
    switch (below(8)) {
    case 0:
    case 1:
        return 0;
    case 2:
        return 1 + below(3);
    case 3:
        return STEPS_MOST - below(2) * 2;
    default:
        return (uint64_t)below(UINT32_MAX) << 32 | below(UINT32_MAX);
    }
}

static struct uint128 uint128(uint64_t high, uint64_t low)
{
    return (struct uint128){.high = high, .low = low};
}

/* ---- Against a list ---- */

/* Asserts that the first and the last number of each of some weights name it, and that the total is right. */
static void assert_finds(const uint64_t *weights, uint64_t count, size_t step)
{
    struct uint128 before = {0};
    struct uint128 numbers[2];
    uint64_t places[2];

    for (uint64_t i = 0; i < count; i++) {
        const struct uint128 first = before;

        before = uint128_add(before, steps_count(weights[i]));
        assert_true(weight_tree_get(&tree, i) == weights[i]);
        if (weights[i] == 0 || below(step) != 0)
            continue;
        numbers[0] = first;
        numbers[1] = uint128_subtract(before, uint128(0, 1));
        weight_tree_find(&tree, numbers, places, 2);
        assert_true(places[0] == i && places[1] == i);
    }
    assert_true(uint128_compare(before, tree.total) == 0);
}

UNIT_TEST_IN(a_tree_of_any_size_finds_what_a_list_finds, setup, teardown)
{
    enum { MOST = 70000 };
    uint64_t *weights = calloc(MOST, sizeof *weights);

    for (uint64_t count = 0; count < MOST; count++) {
        weights[count] = any_weight();
        assert_true(weight_tree_add(&tree, weights[count]));
        if (count < 300 || count % 4093 == 0 || (count + 2) % 4096 < 4)
            assert_finds(weights, count + 1, count < 300 ? 1 : 100);
    }
    free(weights);
}

UNIT_TEST_IN(after_a_million_changes_all_sums_are_exact, setup, teardown)
{
    enum { COUNT = 5000, CHANGES = 1000000 };
    static uint64_t weights[COUNT];

    for (uint64_t i = 0; i < COUNT; i++)
        assert_true(weight_tree_add(&tree, weights[i] = any_weight()));
    for (uint64_t change = 0; change < CHANGES; change++) {
        const uint64_t i = below(COUNT);

        weight_tree_set(&tree, i, weights[i] = any_weight());
        if (change % 50000 == 0)
            assert_finds(weights, COUNT, 10);
    }
    assert_finds(weights, COUNT, 1);
    for (uint64_t i = 0; i < COUNT; i++)
        weight_tree_set(&tree, i, weights[i] = 0);
    assert_true(tree.total.high == 0 && tree.total.low == 0);
    weight_tree_set(&tree, 4711, weights[4711] = 1);
    assert_finds(weights, COUNT, 1);
}

UNIT_TEST_IN(where_the_pool_is_full_nothing_is_added_and_nothing_is_lost, setup, teardown)
{
    uint64_t count = 0;
    struct uint128 total;

    while (weight_tree_add(&tree, 3))
        count++;
    total = tree.total;
    assert_false(weight_tree_add(&tree, 3));
    assert_true(tree.count == count && uint128_compare(tree.total, total) == 0 && total.low == 3 * count);
    assert_true(count * 104 / 10 > (uint64_t)(BLOCKS - 60) * BLOCK); /* what the header says of its memory */
}
