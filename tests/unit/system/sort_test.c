#include "support/faulty_sys.h"

#include <errno.h>

#include "support/unit.h"
#include "system/sort.h"

enum { BLOCK = 4096, BLOCKS = 256 };

static struct pool pool;

static int setup(void **state)
{
    (void)state;
    faulty_reset();
    return pool_open(&pool, BLOCKS * (BLOCK + 4) + POOL_SLACK_BYTES, BLOCK);
}

/* Whatever has happened, all blocks are given back. */
static int teardown(void **state)
{
    bool clean = pool.free == BLOCKS && pool.promised == 0;

    (void)state;
    pool_close(&pool);
    return clean ? 0 : -1;
}

/* Sort keys that key(i) gives, with i beside each, and see that key and number are still a pair, that keys ascend, and
 * numbers among equal keys. What is beyond the last pair stays. */
static void assert_sorts(uint64_t count, uint64_t (*key)(uint64_t i))
{
    struct sort_pairs pairs;
    struct sort_pairs spare;
    const struct sort_pairs *sorted;

    assert_int_equal(sort_pairs_take(&pairs, &pool, count + 1), 0);
    assert_int_equal(sort_pairs_take(&spare, &pool, count + 1), 0);
    for (uint64_t i = 0; i <= count; i++) {
        *table_u64(&pairs.key, i) = i < count ? key(i) : 0;
        *table_u64(&pairs.value, i) = i;
    }
    sorted = sort_by_key(&pairs, &spare, count);
    assert_true(sorted == &pairs || sorted == &spare);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t here = *table_u64(&sorted->key, i);
        uint64_t number = *table_u64(&sorted->value, i);

        assert_true(number < count && key(number) == here);
        if (i > 0) {
            uint64_t before = *table_u64(&sorted->key, i - 1);

            assert_true(before < here || (before == here && *table_u64(&sorted->value, i - 1) < number));
        }
    }
    assert_true(*table_u64(&pairs.key, count) == 0 && *table_u64(&pairs.value, count) == count);
    sort_pairs_release(&pairs);
    sort_pairs_release(&spare);
}

static int compare(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return (a > b) - (a < b);
}

/* Sort the same keys alone. */
static void assert_sorts_numbers(size_t count, uint64_t (*key)(uint64_t i))
{
    static uint64_t wanted[30011];
    struct table numbers;

    assert_int_equal(table_take(&numbers, &pool, count + 1, sizeof(uint64_t)), 0);
    for (uint64_t i = 0; i < count; i++)
        *table_u64(&numbers, i) = wanted[i] = key(i);
    *table_u64(&numbers, count) = 0;
    qsort(wanted, count, sizeof wanted[0], compare);
    sort_numbers(&numbers, count);
    for (uint64_t i = 0; i < count; i++)
        assert_true(*table_u64(&numbers, i) == wanted[i]);
    assert_true(*table_u64(&numbers, count) == 0);
    table_release(&numbers);
}

static uint64_t key_at_random(uint64_t i)
{
    i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (i ^ i >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static uint64_t key_of_few(uint64_t i)
{
    return key_at_random(i) % 5 << 61;
}

static uint64_t key_ascending(uint64_t i)
{
    return i;
}

static uint64_t key_descending(uint64_t i)
{
    return UINT64_MAX - i;
}

static uint64_t key_equal(uint64_t i)
{
    (void)i;
    return UINT64_MAX;
}

static uint64_t (*const keys[])(uint64_t i) = {key_at_random, key_of_few, key_ascending, key_descending, key_equal};

#define WITH_POOL(name) UNIT_TEST_IN(name, setup, teardown)

WITH_POOL(pairs_and_numbers_come_in_the_order_of_their_keys)
{
    for (int k = 0; k < 5; k++) {
        for (uint64_t count = 0; count < 300; count++) {
            assert_sorts(count, keys[k]);
            assert_sorts_numbers((size_t)count, keys[k]);
        }
        assert_sorts(16 * 1024, keys[k]);
        assert_sorts(30011, keys[k]);
        assert_sorts_numbers(30011, keys[k]);
    }
}

WITH_POOL(too_many_pairs_for_the_pool_are_refused_and_nothing_is_kept)
{
    static const uint64_t counts[] = {(BLOCKS + 1) * BLOCK / 8, BLOCKS * BLOCK / 8, BLOCKS * BLOCK / 16 + 1};

    for (int i = 0; i < 3; i++) {
        struct sort_pairs pairs = {.key = {.pool = NULL}};

        errno = 0;
        assert_int_equal(sort_pairs_take(&pairs, &pool, counts[i]), -1);
        assert_int_equal(errno, ENOMEM);
        sort_pairs_release(&pairs);
        assert_int_equal(pool.free, BLOCKS);
        assert_int_equal(pool.promised, 0);
    }
}

WITH_POOL(without_its_lists_nothing_is_taken)
{
    for (unsigned i = 1; i <= 2; i++) {
        struct sort_pairs pairs = {.key = {.pool = NULL}};

        faulty_fail("map", i, ENOMEM);
        assert_int_equal(sort_pairs_take(&pairs, &pool, 100), -1);
        assert_int_equal(errno, ENOMEM);
        sort_pairs_release(&pairs);
    }
}
