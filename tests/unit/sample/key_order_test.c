#include "support/small_run.h"

#include "sample/key_order.h"
#include "shuffle/transfer.h"
#include "support/failure_sweep.h"
#include "support/unit.h"

static struct engine_text text;
static uint64_t *key; /* of each record */
static uint64_t limit;

/* ---- Keys ---- */

typedef uint64_t key_function(size_t i, uint64_t random);

static uint64_t key_random(size_t i, uint64_t random)
{
    (void)i;
    return random % UINT64_MAX;
}

static uint64_t key_equal(size_t i, uint64_t random)
{
    (void)i;
    (void)random;
    return (uint64_t)1 << 60;
}

static uint64_t key_zero(size_t i, uint64_t random)
{
    (void)i;
    (void)random;
    return 0;
}

static uint64_t key_greatest(size_t i, uint64_t random)
{
    (void)i;
    return random % 3 == 0 ? UINT64_MAX - 1 : UINT64_MAX - 2;
}

static uint64_t key_of_two(size_t i, uint64_t random)
{
    (void)i;
    return random % 2 == 0 ? 7 : (uint64_t)1 << 62;
}

static uint64_t key_ascending(size_t i, uint64_t random)
{
    (void)random;
    return i;
}

static uint64_t key_descending(size_t i, uint64_t random)
{
    (void)random;
    return UINT64_MAX - 1 - i;
}

static uint64_t key_outlier(size_t i, uint64_t random)
{
    (void)random;
    return i == 77 ? 1 : UINT64_MAX / 2;
}

/* Few of the records that say where ranges begin have another key. */
static uint64_t key_late(size_t i, uint64_t random)
{
    return i < 5000 ? 1000 : random % 5000;
}

static key_function *const all_keys[] = {key_random,    key_equal,      key_zero,    key_greatest, key_of_two,
                                         key_ascending, key_descending, key_outlier, key_late};

enum { KINDS = sizeof all_keys / sizeof all_keys[0] };

static void make_keys(key_function *function)
{
    uint64_t state = 1;

    for (size_t i = 0; i < text.records; i++)
        key[i] = function(i, engine_random(&state));
}

/* ---- Sorting ---- */

/* Take the records of a source, and write them. */
static void write_by_key(struct source *source, struct output *to)
{
    struct key_order *keyed = key_order_open(&small.run);
    struct transfer passage;
    struct record_piece piece;
    size_t record = 0;

    small_limit(limit);
    transfer_init(&passage, &small.run.engine, &small.run.format, source, NULL);
    for (; record_reader_next(&passage.reader, &piece); record += piece.last)
        key_order_put(keyed, &piece, key[record]);
    key_order_write(keyed, to);
    key_order_free(keyed);
}

static int compare_records(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    if (key[x] != key[y])
        return key[x] < key[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The numbers of the records in their order, malloc'd. */
static uint32_t *sorted_records(void)
{
    uint32_t *number = malloc((text.records + 1) * sizeof *number);

    for (size_t i = 0; i < text.records; i++)
        number[i] = (uint32_t)i;
    qsort(number, text.records, sizeof *number, compare_records);
    return number;
}

static void assert_first(const uint32_t *sorted, uint64_t count)
{
    small_open(1, ORDER_LEAF_RECORDS);
    limit = count;
    sweep_write(engine_text_source(&text), write_by_key);
    small_assert_file("out", &text, sorted, count < text.records ? (size_t)count : text.records);
    small_close();
}

static void take_text(struct engine_text of)
{
    text = of;
    key = malloc((text.records + 1) * sizeof *key);
}

static void drop_text(void)
{
    engine_text_free(&text);
    free(key);
}

/* Records with keys of all kinds are sorted, all of them and the first ones; with the first `limited` kinds, limits are
 * in all places of interest. */
static void assert_sorts(struct engine_text of, int limited)
{
    take_text(of);
    for (int kind = 0; kind < KINDS; kind++) {
        uint32_t *sorted;

        make_keys(all_keys[kind]);
        sorted = sorted_records();
        for (uint64_t count = 0; kind < limited && count < 3; count++) {
            assert_first(sorted, count);
            assert_first(sorted, text.records + count - (text.records > 0));
        }
        assert_first(sorted, text.records / 3);
        assert_first(sorted, UINT64_MAX);
        free(sorted);
    }
    drop_text();
}

#define SMALL_RUN(name)   UNIT_TEST_IN(name, small_setup, small_teardown)
#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

SMALL_RUN(a_few_records_are_sorted)
{
    assert_sorts(engine_text_make(0, small_length_0, '\n'), KINDS);
    assert_sorts(engine_text_make(1, small_length_to_20, '\n'), KINDS);
    assert_sorts(engine_text_make(300, small_length_uneven, '\n'), KINDS);
}

/* The first 4096 say where ranges begin. */
SMALL_RUN(records_of_any_keys_are_sorted_in_memory)
{
    assert_sorts(engine_text_make(4096, small_length_to_20, '\n'), KINDS);
    assert_sorts(engine_text_make(4097, small_length_to_20, '\n'), KINDS);
    assert_sorts(engine_text_make(8000, small_length_uneven, '\n'), KINDS);
    assert_int_equal(disk.writes, 0);
}

QUARTER_RUN(records_of_any_keys_are_sorted_on_disk)
{
    assert_sorts(engine_text_make(15000, small_length_to_300, '\n'), 1);
    assert_true(disk.writes > 0);
}

static size_t length_0_to_200000(size_t i, uint64_t random)
{
    (void)i;
    return random % (200000 / small.divisor + 1);
}

static size_t length_few_large(size_t i, uint64_t random)
{
    return i % 4 == 0 ? small_mebibytes(9) : random % 10;
}

QUARTER_RUN(large_records_are_sorted_by_starting_over)
{
    assert_sorts(engine_text_make(120, length_0_to_200000, '\n'), 1);
    assert_sorts(engine_text_make(4, length_few_large, '\n'), 1);
}

/* Else keys and references of that one would not fit. */
QUARTER_RUN(ranges_are_divided_again_when_later_keys_fall_into_one)
{
    uint32_t *sorted;

    take_text(engine_text_make(75000, small_length_0, '\n'));
    make_keys(key_late);
    sorted = sorted_records();
    assert_first(sorted, UINT64_MAX);
    assert_int_equal(small.progress.started_over, 0);
    assert_int_equal(disk.writes, 0);
    assert_first(sorted, 1);
    free(sorted);
    drop_text();
}

/* Were ranges to begin where the first keys say, ascending ones would be started over 4096 by 4096. */
QUARTER_RUN(keys_that_come_in_order_are_started_over_only_a_few_times)
{
    static key_function *const functions[] = {key_ascending, key_descending};

    take_text(engine_text_make(30000, small_length_to_300, '\n'));
    for (int i = 0; i < 2; i++) {
        uint32_t *sorted;

        make_keys(functions[i]);
        sorted = sorted_records();
        assert_first(sorted, UINT64_MAX);
        assert_true(small.progress.started_over > 0 && small.progress.started_over < 3);
        free(sorted);
    }
    drop_text();
}

/* Nor do they stay if they were: of all that come by among the first 5000, only half would fit. */
QUARTER_RUN(records_that_cannot_be_among_the_first_are_not_stored)
{
    const uint64_t most = 3500000 / small.divisor;
    uint32_t *sorted;

    take_text(engine_text_make(55000, small_length_to_300, '\n'));
    make_keys(key_random);
    sorted = sorted_records();
    for (uint64_t count = 1; count <= 1000; count += 999) {
        assert_first(sorted, count);
        assert_true((uint64_t)small.run.engine.pool.fresh << small.run.engine.pool.block_shift < most);
    }
    assert_first(sorted, 5000);
    assert_int_equal(disk.writes, 0);
    free(sorted);
    drop_text();
}
