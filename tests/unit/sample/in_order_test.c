/* What end_to_end/sampling.sh cannot come to: a memory that others have taken but for a few blocks. */

#include "support/small_run.h"

#include "sample/in_order.h"
#include "support/failure_sweep.h"
#include "support/unit.h"

static const struct order_node root = {.root = true};

static struct engine_text text;
static uint64_t limit;

static void write_first(struct source *source, struct output *to)
{
    small_limit(limit);
    in_order_first(&small.run, source, to);
}

/* The text as a file, to whose records the run refers. */
static struct source *refer_to_text(void)
{
    static const char *const names[] = {"lent"};
    const struct source_layout layout = {.format = small.run.format};
    FILE *file = fopen("lent", "wb");
    struct source *source;
    uint64_t bytes;

    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.bytes, file), text.bytes);
    assert_int_equal(fclose(file), 0);
    source = source_open(names, 1, &layout);
    assert_true(source_map(source, &bytes));
    small.run.refers = true;
    return source;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

#define SMALL_RUN(name) UNIT_TEST_IN(name, small_setup, small_teardown)

/* What others hold in memory leaves the selection a few blocks. */
static void first_with_blocks(uint32_t blocks)
{
    uint32_t others;

    small_open(1, ORDER_LEAF_RECORDS);
    others = small.run.engine.pool.blocks - blocks;
    assert_true(pool_promise(&small.run.engine.pool, others));
    sweep_write(engine_text_source(&text), write_first);
    pool_release_promise(&small.run.engine.pool, others);
}

static void first_with_1_block(void)
{
    first_with_blocks(1);
}

SMALL_RUN(room_for_the_order_is_made_by_spilling)
{
    uint32_t *order;

    text = engine_text_make(20000, small_length_to_20, '\n');
    small_open(1, ORDER_LEAF_RECORDS);
    order = engine_order(&small.run.order, root, text.records);
    small_close();
    limit = 50;
    qsort(order, (size_t)limit, sizeof *order, compare_numbers);
    first_with_blocks(2);
    small_assert_file("out", &text, order, (size_t)limit);
    small_close();
    sweep_assert_fails(first_with_1_block, "needs more memory: use ");
    free(order);
    engine_text_free(&text);
}

/* Others hold all blocks but those promised to the piles, and some. */
SMALL_RUN(references_that_leave_no_room_for_the_order_are_no_failure)
{
    unsigned times = 0;

    text = engine_text_make(20000, small_length_to_20, '\n');
    limit = text.records;
    for (uint32_t more = 0; more < 4; more++) {
        struct output *to;
        struct source *source;
        uint32_t others;

        small_open(1, ORDER_LEAF_RECORDS);
        others = small.run.engine.pool.blocks - (1 << ORDER_ROOT_BITS) - more;
        assert_true(pool_promise(&small.run.engine.pool, others));
        source = refer_to_text();
        to = small_output("out");
        write_first(source, to);
        assert_int_equal(output_written_bytes(to) == 0, small.progress.must_copy);
        times += small.progress.must_copy;
        output_free(to);
        source_free(source);
        pool_release_promise(&small.run.engine.pool, others);
        small_close();
    }
    assert_int_equal(times, 2);
    engine_text_free(&text);
}
