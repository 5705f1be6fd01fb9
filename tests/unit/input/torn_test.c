/* A key that comes again after another one is noticed if it is one of the recent ones, or of those that are sampled. */

#include <stdbool.h>
#include <string.h>

#include "support/unit.h"

#include "input/torn.h"

static struct torn torn;

static bool look(uint64_t key, uint64_t name)
{
    return torn_look(&torn, (struct torn_key){.key = torn_hash(&key, sizeof key), .name = name}) != NULL;
}

static int setup(void **state)
{
    (void)state;
    memset(&torn, 0, sizeof torn);
    return 0;
}

#define TEST(name) UNIT_TEST_IN(name, setup, NULL)

TEST(a_key_that_begins_twice_with_another_name_or_in_another_scope_is_found)
{
    struct torn_key again = {.scope = 7, .key = torn_hash("", 0), .name = 5};

    assert_null(torn_look(&torn, again));
    for (unsigned i = 0; i < 3; i++) {
        assert_false(look(1, 5));
        assert_false(look(2, 5));
    }
    assert_null(torn_look(&torn, again));
    again.name = 6;
    assert_int_equal(torn_look(&torn, again)->name, 5);
    again.name = 5;
    again.scope = 8;
    assert_int_equal(torn_look(&torn, again)->scope, 7);
    assert_true(look(1, 9));
}

/* As if two sorted files had been put together. */
TEST(of_many_keys_that_come_again_late_one_is_noticed)
{
    enum { KEYS = 500 * TORN_KEYS };
    unsigned found = 0;

    for (unsigned i = 0; i < KEYS; i++)
        assert_false(look(i, i));
    for (unsigned i = 0; i < KEYS; i++)
        found += look(i, KEYS + i);
    assert_in_range(found, TORN_KEYS - 10, 3 * TORN_KEYS);
}

TEST(a_key_that_comes_again_soon_is_mostly_noticed)
{
    unsigned found = 0;

    for (unsigned i = 0; i < 1000000; i++)
        (void)look(i, i);
    for (unsigned i = 0; i < 100000; i += 100) {
        for (unsigned k = 0; k < 100; k++)
            (void)look(2000000 + i + k, 1);
        found += look(2000000 + i, 2);
    }
    assert_in_range(found, 900, 1000);
}
