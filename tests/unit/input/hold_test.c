/* What was read once stays in one piece, and leaves block by block. */

#include "support/reports.h"
#include "support/unit.h"

#include "input/hold.h"
#include "input/source.h"

enum { BLOCK = 1024, BLOCKS = 64, BYTES = BLOCKS * (BLOCK + 4) + POOL_SLACK_BYTES };

static struct pool pool;
static struct source *source;

static int open_pool(void **state)
{
    source = NULL;
    return reports_setup(state) != 0 ? -1 : pool_open(&pool, BYTES, BLOCK);
}

static int close_pool(void **state)
{
    source_free(source);
    pool_close(&pool);
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, open_pool, close_pool)

/* Fill a hold with bytes that count. */
static void fill(struct hold *hold, size_t bytes)
{
    assert_true(hold_grow(hold, bytes));
    for (size_t i = 0; i < bytes; i++, hold->filled++)
        *hold->filled = (uint8_t)(hold->filled - hold->base);
}

TEST(what_is_held_grows_in_one_piece)
{
    struct hold hold;

    hold_open(&hold, &pool);
    for (size_t bytes = 1; bytes < 10000; bytes += 999)
        fill(&hold, bytes);
    assert_true(hold.filled - hold.base > 40000);
    for (size_t i = 0; hold.base + i < hold.filled; i++)
        assert_int_equal(hold.base[i], (uint8_t)i);
    assert_int_equal(pool.pinned, BLOCKS - pool_free(&pool));
    assert_true((size_t)(hold.end - hold.filled) < BLOCK);
}

TEST(a_hold_does_not_outgrow_its_pool)
{
    struct hold hold;

    hold_open(&hold, &pool);
    assert_false(hold_grow(&hold, (BLOCKS + 1) * BLOCK));
    fill(&hold, 10);
    assert_false(hold_grow(&hold, BLOCKS * BLOCK));
    assert_true(hold_grow(&hold, BLOCKS * BLOCK - 10));
    assert_int_equal(pool_free(&pool), 0);
}

TEST(blocks_leave_when_all_of_them_is_forgotten)
{
    struct hold hold;

    hold_open(&hold, &pool);
    fill(&hold, 10 * BLOCK + 100);
    hold_forget(&hold, hold.base + BLOCK - 1);
    assert_int_equal(pool_free(&pool), BLOCKS - 11);
    hold_forget(&hold, hold.base + BLOCK);
    assert_int_equal(pool_free(&pool), BLOCKS - 10);
    hold_forget(&hold, hold.base + 4 * BLOCK + 5);
    assert_int_equal(pool_free(&pool), BLOCKS - 7);
    assert_int_equal(pool.pinned, 7);
    hold_forget(&hold, hold.filled);
    hold_forget(&hold, hold.filled);
    assert_int_equal(pool_free(&pool), BLOCKS);
    assert_int_equal(pool.pinned, 0);
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_not_equal(pool_get(&pool), POOL_NONE);
    assert_int_equal(pool_get(&pool), POOL_NONE);
}

/* ---- In a source ---- */

static const struct stream_layout lines = {.format = {.delimiter = '\n'}};
static const char *const names[] = {"a", "b"};

static void open_files(void)
{
    assert_true(scratch_put("a", "one\ntwo\nthree", 0644));
    assert_true(scratch_put("b", "four\nfive", 0644));
    source = source_open(names, 2, &lines);
    source_hold(source, &pool);
}

/* Does the source lend just this, in pieces of at most `bytes`, one behind the other? */
static void assert_lends(size_t bytes, const char *expected)
{
    const uint8_t *data;
    size_t done = 0;
    size_t got;

    while (done < strlen(expected)) {
        got = source_lend(source, &data, bytes);
        assert_in_range(got, 1, bytes);
        assert_memory_equal(data, expected + done, got);
        assert_ptr_equal(data, source_base(source) != NULL ? source_base(source) + done : data);
        done += got;
    }
}

TEST(all_that_is_held_is_lent_as_often_as_it_is_wanted)
{
    const uint8_t *data;

    open_files();
    assert_int_equal(source_fill(source, 10), 10);
    assert_int_equal(source_fill(source, 100), 14); /* with what was missing at the ends of both files */
    assert_int_equal(source_fill(source, 100), 0);
    assert_int_equal(source_delivered_bytes(source), 0);
    assert_int_equal(source_space(source), 24);
    for (size_t bytes = 1; bytes < 30; bytes++) {
        assert_true(source_holds(source));
        assert_lends(bytes, "one\ntwo\nthree\nfour\nfive\n");
        assert_int_equal(source_lend(source, &data, bytes), 0);
        assert_int_equal(source_delivered_bytes(source), 24);
        assert_int_equal(source_arrived_bytes(source), 24);
        source_rewind(source);
    }
}

TEST(what_was_let_go_is_lent_and_then_the_rest_is_read)
{
    uint8_t data[64];

    open_files();
    assert_int_equal(source_fill(source, 6), 6);
    assert_lends(4, "one\n");
    source_let_go(source);
    assert_int_equal(source_arrived_bytes(source), 6);
    assert_false(source_holds(source));
    assert_lends(4, "one\ntw");
    assert_null(source_base(source));
    assert_int_equal(source_read(source, data, sizeof data), 18);
    assert_memory_equal(data, "o\nthree\nfour\nfive\n", 18);
    assert_int_equal(source_delivered_bytes(source), 24);
    assert_int_equal(source_arrived_bytes(source), 24);
    source_forget(source, pool.memory + 6);
    assert_int_equal(pool_free(&pool), BLOCKS);
}

TEST(bytes_put_back_are_held_too)
{
    uint8_t data[8];

    open_files();
    assert_int_equal(source_read(source, data, 8), 8);
    source_unread(source, data, 8);
    assert_int_equal(source_fill(source, 24), 24);
    assert_lends(24, "one\ntwo\nthree\nfour\nfive\n");
}
