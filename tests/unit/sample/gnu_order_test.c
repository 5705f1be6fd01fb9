#include "support/small_run.h"

#include "sample/gnu_order.h"
#include "support/failure_sweep.h"
#include "support/unit.h"

/* ---- The plain algorithm, as gnu_random.h has it ---- */

static struct engine_text text;
static uint64_t limit;

/* Bytes for the draws. */
static void put_random_bytes(size_t bytes)
{
    FILE *file = fopen("random", "wb");
    uint64_t state = 9;

    assert_non_null(file);
    for (size_t i = 0; i < bytes; i++)
        putc((int)(engine_random(&state) & 0xff), file);
    assert_int_equal(fclose(file), 0);
}

static void permute(struct gnu_random *gnu, uint32_t *number, size_t count, size_t wanted)
{
    for (size_t i = 0; i < wanted; i++) {
        size_t j = i + (size_t)gnu_random_draw(gnu, count - i - 1);
        uint32_t other = number[j];

        number[j] = number[i];
        number[i] = other;
    }
}

static size_t least(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

/* These return the numbers of the records of the output, malloc'd. */
typedef uint32_t *plain_function(struct gnu_random *gnu, size_t *count);

static uint32_t *plain_order(struct gnu_random *gnu, size_t *count)
{
    uint32_t *number = malloc((text.records + 1) * sizeof *number);

    for (size_t i = 0; i < text.records; i++)
        number[i] = (uint32_t)i;
    *count = least(limit, text.records);
    permute(gnu, number, text.records, *count);
    return number;
}

static uint32_t *plain_reservoir(struct gnu_random *gnu, size_t *count)
{
    uint32_t *entry = malloc((text.records + 1) * sizeof *entry);

    *count = least(limit, text.records);
    for (size_t i = 0; i < text.records; i++) {
        uint64_t j = i < limit ? i : gnu_random_draw(gnu, i);

        if (j < limit)
            entry[j] = (uint32_t)i;
    }
    if (text.records >= limit)
        gnu_random_draw(gnu, text.records);
    permute(gnu, entry, *count, *count);
    return entry;
}

static uint32_t *plain_repeat(struct gnu_random *gnu, size_t *count)
{
    uint32_t *number = malloc((size_t)(limit + 1) * sizeof *number);

    *count = (size_t)limit;
    for (size_t i = 0; i < limit; i++)
        number[i] = (uint32_t)gnu_random_draw(gnu, text.records - 1);
    return number;
}

/* ---- Replaying ---- */

typedef void replay_function(struct run *run, struct source *source, struct gnu_random *gnu, struct output *to);

static replay_function *replay;

static void write_replayed(struct source *source, struct output *to)
{
    struct gnu_random *gnu = gnu_random_open("random");

    small_limit(limit);
    replay(&small.run, source, gnu, to);
    gnu_random_free(gnu);
}

static void assert_replays(replay_function *function, plain_function *plain, uint64_t count, unsigned workers)
{
    struct gnu_random *gnu;
    uint32_t *number;
    size_t wanted;

    limit = count;
    replay = function;
    small_open(workers, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_replayed);
    assert_int_equal(small.progress.records, text.records);
    gnu = gnu_random_open("random");
    number = plain(gnu, &wanted);
    gnu_random_free(gnu);
    small_assert_file("out", &text, number, wanted);
    small_close();
    free(number);
}

/* In all ways, with limits in all places of interest. */
static void assert_replays_all(struct engine_text of)
{
    text = of;
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        for (uint64_t count = 0; count < 3; count++) {
            uint64_t about_all = text.records + count - (text.records > 0);

            assert_replays(gnu_order_all, plain_order, count, workers);
            assert_replays(gnu_order_reservoir, plain_reservoir, count, workers);
            assert_replays(gnu_order_all, plain_order, about_all, workers);
            assert_replays(gnu_order_reservoir, plain_reservoir, about_all, workers);
        }
        assert_replays(gnu_order_all, plain_order, UINT64_MAX, workers);
        assert_replays(gnu_order_all, plain_order, text.records / 2, workers);
        assert_replays(gnu_order_reservoir, plain_reservoir, text.records / 2, workers);
        if (text.records > 0)
            assert_replays(gnu_order_repeat, plain_repeat, text.records / 3, workers);
    }
    engine_text_free(&text);
}

#define SMALL_RUN(name)   UNIT_TEST_IN(name, small_setup, small_teardown)
#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

SMALL_RUN(what_fits_is_replayed)
{
    put_random_bytes(1000000);
    assert_replays_all(engine_text_make(0, small_length_0, '\n'));
    assert_replays_all(engine_text_make(1, small_length_0, '\n'));
    assert_replays_all(engine_text_make(30000, small_length_to_20, '\n'));
    assert_replays_all(engine_text_make(5000, small_length_uneven, '\n'));
    assert_int_equal(disk.writes, 0);
}

/* References to all records would not fit beside them. */
QUARTER_RUN(what_fits_with_4_bytes_for_each_record_is_not_spilled)
{
    put_random_bytes(300000);
    text = engine_text_make(112500, small_length_to_20, '\n');
    for (unsigned workers = 1; workers <= 3; workers += 2)
        assert_replays(gnu_order_all, plain_order, UINT64_MAX, workers);
    assert_int_equal(disk.writes, 0);
    engine_text_free(&text);
}

/* As many as there can be, which take nearly all the memory before they are moved. */
QUARTER_RUN(a_reservoir_grows_while_records_are_spilled)
{
    put_random_bytes(300000);
    text = engine_text_make(100000, small_length_to_20, '\n');
    assert_replays(gnu_order_reservoir, plain_reservoir, 97500, 1);
    assert_true(disk.writes > 0);
    engine_text_free(&text);
}

QUARTER_RUN(what_does_not_fit_is_replayed)
{
    put_random_bytes(250000);
    assert_replays_all(engine_text_make(15000, small_length_to_300, '\n'));
    assert_true(disk.writes > 0);
}

static size_t length_few_large(size_t i, uint64_t random)
{
    return i % 4 == 0 ? small_mebibytes(9) : random % 10;
}

QUARTER_RUN(records_may_be_larger_than_memory)
{
    put_random_bytes(1000);
    assert_replays_all(engine_text_make(6, length_few_large, '\n'));
}

SMALL_RUN(a_reservoir_stores_hardly_more_than_is_drawn)
{
    const uint64_t most = 600000;

    put_random_bytes(1000000);
    text = engine_text_make(220000, small_length_to_300, '\n');
    assert_replays(gnu_order_reservoir, plain_reservoir, 1, 1);
    assert_true((uint64_t)small.run.engine.pool.fresh << small.run.engine.pool.block_shift < most);
    assert_replays(gnu_order_reservoir, plain_reservoir, 200, 1);
    assert_true((uint64_t)small.run.engine.pool.fresh << small.run.engine.pool.block_shift < most);
    assert_int_equal(disk.writes, 0);
    engine_text_free(&text);
}

/* 13.3 bits each. */
SMALL_RUN(the_first_of_an_order_take_only_the_bytes_of_their_draws)
{
    put_random_bytes(170);
    text = engine_text_make(10000, small_length_to_20, '\n');
    assert_replays(gnu_order_all, plain_order, 100, 1);
    engine_text_free(&text);
}

/* ---- Failures ---- */

static void replayed(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_replayed);
}

static void replayed_of_half(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(sweep_failing_source(&text), write_replayed);
}

static replay_function *const all_ways[] = {gnu_order_all, gnu_order_reservoir, gnu_order_repeat};

SMALL_RUN(random_bytes_that_end_are_an_error)
{
    text = engine_text_make(10000, small_length_uneven, '\n');
    limit = 8000;
    for (int i = 0; i < 3; i++)
        for (size_t bytes = 0; bytes < 9000; bytes += 2999) {
            put_random_bytes(bytes);
            replay = all_ways[i];
            sweep_assert_fails(replayed, "bigshuf: 'random': end of file\n");
        }
    engine_text_free(&text);
}

SMALL_RUN(nothing_cannot_be_repeated)
{
    put_random_bytes(10);
    text = engine_text_make(0, small_length_0, '\n');
    limit = 1;
    replay = gnu_order_repeat;
    sweep_assert_fails(replayed, "bigshuf: no lines to repeat\n");
    engine_text_free(&text);
}

/* 4 bytes for each record of an order, 8 for each of a reservoir, in half of the memory. */
SMALL_RUN(an_order_that_needs_more_memory_says_so)
{
    put_random_bytes(10);
    text = engine_text_make(1800000, small_length_0, '\n');
    limit = 1000000;
    replay = gnu_order_all;
    sweep_assert_fails(replayed, "bigshuf: the order of 1800000 records needs more memory: use -S 9M or more");
    replay = gnu_order_reservoir;
    sweep_assert_fails(replayed, "bigshuf: a sample of 1000000 records needs more memory: use -S 18M or more");
    engine_text_free(&text);
}

QUARTER_RUN(failures_of_any_kind_are_reported)
{
    put_random_bytes(250000);
    text = engine_text_make(15000, small_length_to_300, '\n');
    limit = 14500;
    for (int i = 0; i < 3; i++) {
        replay = all_ways[i];
        sweep_writes(replayed);
        sweep_reads(replayed);
        sweep_allocations(replayed);
        sweep_assert_fails(replayed_of_half, "input failed");
        sweep_full_output(replayed);
    }
    engine_text_free(&text);
}
