#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/pile_keys.h"

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
    assert_int_equal(piles_init(&piles, 2, 1, &small.run.engine.pool, &small.place), 0);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(pile_keys_append(&piles, KEYS, key_of(i)), 0);
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
    uint64_t key;

    assert_int_equal(pile_keys_open(&keys, &piles, KEYS, true), 0);
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(pile_keys_next(&keys, &key), 0);
        assert_true(key == key_of(i));
    }
    pile_keys_close(&keys);
    pile_keys_close(&keys);
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
    assert_int_equal(pile_flush(&piles, KEYS), 0);
    assert_reads(COUNT);
    assert_reads(COUNT);
    assert_int_equal(disk.punched_bytes, 0);
    empty();
}

TEST(keys_may_be_more_than_memory_holds)
{
    enum { MANY = 1500000 };

    fill(MANY);
    piles_seal(&piles);
    assert_true(piles.pile[KEYS].spilled && piles.pile[KEYS].blocks > 0);
    assert_reads(MANY);
    empty();
}

TEST(that_there_are_no_more_keys_is_a_failure)
{
    static const uint64_t counts[] = {0, PILE_KEYS_AHEAD, COUNT};

    for (int i = 0; i < 3; i++) {
        struct pile_keys keys;
        uint64_t key;
        fill(counts[i]);
        piles_seal(&piles);
        assert_int_equal(pile_keys_open(&keys, &piles, KEYS, true), 0);
        for (uint64_t k = 0; k < counts[i]; k++)
            assert_int_equal(pile_keys_next(&keys, &key), 0);
        scratch_listen();
        assert_int_equal(pile_keys_next(&keys, &key), -1);
        assert_string_equal(scratch_heard(), "bigshuf: a pile does not hold the keys that were put there\n");
        pile_keys_close(&keys);
        empty();
    }
}

TEST(a_disk_that_fails_or_changes_is_reported)
{
    struct pile_keys keys;
    uint64_t key = 0;
    int status = 0;

    fill(COUNT);
    piles_seal(&piles);
    assert_int_equal(pile_flush(&piles, KEYS), 0);
    assert_int_equal(pile_keys_open(&keys, &piles, KEYS, true), 0);
    disk.flip_read = 2;
    scratch_listen();
    for (int i = 0; i < COUNT && status == 0; i++)
        status = pile_keys_next(&keys, &key);
    assert_non_null(strstr(scratch_heard(), "contents have changed since they were written\n"));
    assert_int_equal(status, -1);
    pile_keys_close(&keys);
    empty();
}

TEST(a_key_that_cannot_be_spilled_is_reported)
{
    uint64_t key = 0;

    fill(0);
    disk.room[0] = 0;
    scratch_listen();
    while (pile_keys_append(&piles, KEYS, key) == 0)
        key++;
    assert_string_equal(scratch_heard(), DISK_IS_FULL);
    assert_true(key * 8 > ENGINE_MEMORY_MIN / 10 * 9);
    disk.room[0] = UINT64_MAX;
    empty();
}

TEST(without_memory_nothing_is_opened)
{
    fill(10);
    piles_seal(&piles);
    for (unsigned i = 1; i <= 2; i++) {
        struct pile_keys keys;
        disk.fail_allocation = i;
        scratch_listen();
        assert_int_equal(pile_keys_open(&keys, &piles, KEYS, true), -1);
        assert_string_equal(scratch_heard(), "bigshuf: memory: Cannot allocate memory\n");
        pile_keys_close(&keys);
    }
    empty();
}

UNIT_TEST(zeroed_keys_can_be_closed)
{
    struct pile_keys keys = {.source = NULL};

    pile_keys_close(&keys);
}
