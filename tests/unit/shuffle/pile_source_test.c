#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/pile_source.h"

static struct piles piles;

enum { KEYS = 1, COUNT = 3 * PILE_KEYS_AHEAD + 5 };

static uint64_t key_of(uint64_t i)
{
    return engine_random(&i);
}

/* Two piles, of which the second has `count` keys. */
static void fill(uint64_t count)
{
    small_open(1, ORDER_LEAF_RECORDS);
    piles_init(&piles, 2, 1, &small.run.engine.pool, &small.place);
    for (uint64_t i = 0; i < count; i++)
        pile_source_keys_append(&piles, KEYS, key_of(i));
    assert_true(pile_bytes(&piles, KEYS) == 8 * count);
}

static void empty(void)
{
    piles_release(&piles);
    small_close();
}

static void assert_reads(uint64_t count)
{
    struct pile_keys keys;

    pile_source_keys_open(&keys, &piles, KEYS, true);
    for (uint64_t i = 0; i < count; i++)
        assert_true(pile_source_keys_next(&keys) == key_of(i));
    pile_source_keys_close(&keys);
    pile_source_keys_close(&keys);
}

#define TEST(name) UNIT_TEST_IN(name, small_setup, small_teardown)

TEST(keys_come_back_in_their_order)
{
    static const uint64_t counts[] = {0, 1, PILE_KEYS_AHEAD, COUNT};

    for (int i = 0; i < 4; i++) {
        fill(counts[i]);
        piles_seal(&piles);
        assert_reads(counts[i]);
        empty();
    }
    assert_int_equal(disk.files, 0);
}

TEST(keys_on_disk_can_be_read_again)
{
    fill(COUNT);
    piles_seal(&piles);
    pile_flush(&piles, KEYS);
    assert_reads(COUNT);
    assert_reads(COUNT);
    assert_int_equal(disk.punched_bytes, 0);
    empty();
}

TEST(that_there_are_no_more_keys_is_a_failure)
{
    static const uint64_t counts[] = {0, PILE_KEYS_AHEAD, COUNT};

    for (int i = 0; i < 3; i++) {
        struct pile_keys keys;

        fill(counts[i]);
        piles_seal(&piles);
        pile_source_keys_open(&keys, &piles, KEYS, true);
        for (uint64_t k = 0; k < counts[i]; k++)
            pile_source_keys_next(&keys);
        assert_ends(pile_source_keys_next(&keys), "bigshuf: a pile does not hold the keys that were put there\n");
        pile_source_keys_close(&keys);
        empty();
    }
}
