#include "support/small_run.h"

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

    assert_int_equal(pile_keys_open(&keys, &piles, KEYS, true, &small.fault), 0);
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(pile_keys_next(&keys, &key), 0);
        assert_true(key == key_of(i));
    }
    pile_keys_close(&keys);
    pile_keys_close(&keys);
}

static void keys_come_back_in_their_order(void **state)
{
    static const uint64_t counts[] = {0, 1, PILE_KEYS_AHEAD, COUNT};

    (void)state;
    for (int i = 0; i < 4; i++) {
        fill(counts[i]);
        piles_seal(&piles);
        assert_reads(counts[i]);
        empty();
    }
    assert_int_equal(disk.files, 0);
}

static void keys_on_disk_can_be_read_again(void **state)
{
    (void)state;
    fill(COUNT);
    piles_seal(&piles);
    assert_int_equal(pile_flush(&piles, KEYS), 0);
    assert_reads(COUNT);
    assert_reads(COUNT);
    assert_int_equal(disk.punched_bytes, 0);
    empty();
}

static void keys_may_be_more_than_memory_holds(void **state)
{
    enum { MANY = 1500000 };

    (void)state;
    fill(MANY);
    piles_seal(&piles);
    assert_true(piles.pile[KEYS].spilled && piles.pile[KEYS].blocks > 0);
    assert_reads(MANY);
    empty();
}

static void that_there_are_no_more_keys_is_a_failure(void **state)
{
    static const uint64_t counts[] = {0, PILE_KEYS_AHEAD, COUNT};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct pile_keys keys;
        uint64_t key;

        small_forgive();
        fill(counts[i]);
        piles_seal(&piles);
        assert_int_equal(pile_keys_open(&keys, &piles, KEYS, true, &small.fault), 0);
        for (uint64_t k = 0; k < counts[i]; k++)
            assert_int_equal(pile_keys_next(&keys, &key), 0);
        scratch_listen();
        assert_int_equal(pile_keys_next(&keys, &key), -1);
        assert_string_equal(scratch_heard(), "bigshuf: a pile does not hold the keys that were put there\n");
        pile_keys_close(&keys);
        empty();
    }
}

static void a_disk_that_fails_or_changes_is_reported(void **state)
{
    struct pile_keys keys;
    uint64_t key = 0;
    int status = 0;

    (void)state;
    fill(COUNT);
    piles_seal(&piles);
    assert_int_equal(pile_flush(&piles, KEYS), 0);
    assert_int_equal(pile_keys_open(&keys, &piles, KEYS, true, &small.fault), 0);
    disk.flip_read = 2;
    scratch_listen();
    for (int i = 0; i < COUNT && status == 0; i++)
        status = pile_keys_next(&keys, &key);
    assert_non_null(strstr(scratch_heard(), "contents have changed since they were written\n"));
    assert_int_equal(status, -1);
    pile_keys_close(&keys);
    empty();
}

static void a_key_that_cannot_be_spilled_is_reported(void **state)
{
    uint64_t key = 0;

    (void)state;
    fill(0);
    disk.room[0] = 0;
    scratch_listen();
    while (pile_keys_append(&piles, KEYS, key) == 0)
        key++;
    assert_string_equal(scratch_heard(), "bigshuf: temporary file in disk0: No space left on device\n");
    assert_true(key * 8 > ENGINE_MEMORY_MIN / 10 * 9);
    disk.room[0] = UINT64_MAX;
    empty();
}

static void without_memory_nothing_is_opened(void **state)
{
    (void)state;
    fill(10);
    piles_seal(&piles);
    for (unsigned i = 1; i <= 2; i++) {
        struct pile_keys keys;

        small_forgive();
        disk.fail_allocation = i;
        scratch_listen();
        assert_int_equal(pile_keys_open(&keys, &piles, KEYS, true, &small.fault), -1);
        assert_string_equal(scratch_heard(), "bigshuf: memory: Cannot allocate memory\n");
        pile_keys_close(&keys);
    }
    empty();
}

static void zeroed_keys_can_be_closed(void **state)
{
    struct pile_keys keys = {.source = NULL};

    (void)state;
    pile_keys_close(&keys);
}

#define SMALL_RUN(test) cmocka_unit_test_setup_teardown(test, small_setup, small_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SMALL_RUN(keys_come_back_in_their_order),
        SMALL_RUN(keys_on_disk_can_be_read_again),
        SMALL_RUN(keys_may_be_more_than_memory_holds),
        SMALL_RUN(that_there_are_no_more_keys_is_a_failure),
        SMALL_RUN(a_disk_that_fails_or_changes_is_reported),
        SMALL_RUN(a_key_that_cannot_be_spilled_is_reported),
        SMALL_RUN(without_memory_nothing_is_opened),
        cmocka_unit_test(zeroed_keys_can_be_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
