#include "support/faulty_sys.h"

#include <errno.h>

#include "support/unit.h"
#include "system/table.h"

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
 * numbers among equal keys. */
static void assert_sorts(uint64_t count, uint64_t (*key)(uint64_t i))
{
    struct table_pairs pairs;

    table_pairs_take(&pairs, &pool, count + 1);
    for (uint64_t i = 0; i <= count; i++) {
        *table_u64(&pairs.key, i) = i < count ? key(i) : 0;
        *table_u64(&pairs.value, i) = i;
    }
    table_sort(&pairs, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t here = *table_u64(&pairs.key, i);
        uint64_t number = *table_u64(&pairs.value, i);

        assert_true(number < count && key(number) == here);
        if (i > 0) {
            uint64_t before = *table_u64(&pairs.key, i - 1);

            assert_true(before < here || (before == here && *table_u64(&pairs.value, i - 1) < number));
        }
    }
    table_pairs_release(&pairs);
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

WITH_POOL(pairs_come_in_the_order_of_their_keys)
{
    for (int k = 0; k < 5; k++) {
        for (uint64_t count = 0; count < 300; count++)
            assert_sorts(count, keys[k]);
        assert_sorts(16 * 1024, keys[k]);
        assert_sorts(30011, keys[k]);
    }
}
