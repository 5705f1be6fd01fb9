#include "support/small_run.h"

#include "sample/in_order.h"
#include "support/failure_sweep.h"
#include "support/unit.h"

static const struct order_node root = {.root = true};

static struct engine_text text;
static uint64_t limit;

/* ---- The first of the order ---- */

static void write_first(struct source *source, struct output *to)
{
    small_limit(limit);
    in_order_first(&small.run, source, to);
}

/* The text as a file, without its last newline unless that is all of the record, to whose records the run refers. */
static struct source *refer_to_text(void)
{
    static const char *const names[] = {"lent"};
    const struct stream_layout layout = {.format = small.run.format};
    const size_t last = text.records > 0 ? text.start[text.records - 1] : 0;
    const size_t written = text.bytes - (text.bytes - last > 1);
    FILE *file = fopen("lent", "wb");
    struct source *source;
    uint64_t bytes;

    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, written, file), written);
    assert_int_equal(fclose(file), 0);
    source = source_open(names, 1, &layout);
    assert_non_null(source);
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

/* The first ones of an order, in the order of the input. */
static void assert_selects(uint64_t count, uint64_t leaf_records, const uint32_t *order)
{
    uint32_t *chosen = malloc((text.records + 1) * sizeof *chosen);
    size_t chosen_count = count < text.records ? (size_t)count : text.records;

    memcpy(chosen, order, text.records * sizeof *chosen);
    qsort(chosen, chosen_count, sizeof *chosen, compare_numbers);
    limit = count;
    for (unsigned workers = 0; workers < 3; workers++) { /* if any, by references */
        small_open(workers + (workers == 0), leaf_records);
        sweep_write(workers > 0 ? refer_to_text() : engine_text_source(&text), write_first);
        assert_int_equal(small.progress.records, count > 0 ? text.records : 0);
        assert_int_equal(small.progress.written, chosen_count);
        small_assert_file("out", &text, chosen, chosen_count);
        small_close();
    }
    free(chosen);
}

/* How many records the root's first `piles` children have. */
static uint64_t records_before(unsigned piles)
{
    uint64_t records = 0;

    for (size_t i = 0; i < text.records; i++)
        records += engine_child(&small.run.order, 0, ORDER_ROOT_BITS, i) < piles;
    return records;
}

/* With limits in all places of interest. */
static void assert_selects_all(struct engine_text of, uint64_t leaf_records)
{
    uint32_t *order;
    uint64_t boundary;

    text = of;
    small_open(1, leaf_records);
    order = engine_order(&small.run.order, root, text.records);
    boundary = records_before(3);
    small_close();
    for (uint64_t count = 0; count < 3; count++) {
        assert_selects(count, leaf_records, order);
        assert_selects(boundary + count - (boundary > 0), leaf_records, order);
        assert_selects(text.records + count - (text.records > 0), leaf_records, order);
    }
    assert_selects(text.records / 2, leaf_records, order);
    assert_selects(UINT64_MAX, leaf_records, order);
    free(order);
    engine_text_free(&text);
}

#define SMALL_RUN(name)   UNIT_TEST_IN(name, small_setup, small_teardown)
#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

SMALL_RUN(the_first_of_the_order_come_in_input_order)
{
    assert_selects_all(engine_text_make(0, small_length_0, '\n'), ORDER_LEAF_RECORDS);
    assert_selects_all(engine_text_make(1, small_length_0, '\n'), ORDER_LEAF_RECORDS);
    assert_selects_all(engine_text_make(100, small_length_to_20, '\n'), ORDER_LEAF_RECORDS);
    assert_selects_all(engine_text_make(20480, small_length_to_20, '\n'), ORDER_LEAF_RECORDS);
    assert_selects_all(engine_text_make(3000, small_length_uneven, '\n'), ORDER_LEAF_RECORDS);
    assert_int_equal(disk.writes, 0);
}

SMALL_RUN(the_last_pile_may_be_a_tree)
{
    assert_selects_all(engine_text_make(30000, small_length_to_20, '\n'), 8);
}

QUARTER_RUN(what_is_selected_need_not_fit_into_memory)
{
    assert_selects_all(engine_text_make(17500, small_length_to_300, '\n'), ORDER_LEAF_RECORDS);
    assert_true(disk.writes > 0);
}

static size_t length_few_large(size_t i, uint64_t random)
{
    return i % 4 == 0 ? small_mebibytes(9) : random % 10;
}

QUARTER_RUN(records_may_be_larger_than_memory)
{
    assert_selects_all(engine_text_make(12, length_few_large, '\n'), ORDER_LEAF_RECORDS);
}

/* Of four times the memory, no more than the first thousand records and what they are selected from. */
SMALL_RUN(hardly_more_is_stored_than_is_selected)
{
    const uint64_t most = 400000;

    text = engine_text_make(220000, small_length_to_300, '\n');
    for (limit = 1; limit <= 100; limit += 99) {
        small_open(1, ORDER_LEAF_RECORDS);
        sweep_write(engine_text_source(&text), write_first);
        assert_true((uint64_t)small.run.engine.pool.fresh << small.run.engine.pool.block_shift < most);
        small_close();
    }
    assert_int_equal(disk.writes, 0);
    engine_text_free(&text);
}

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

/* ---- Each by itself ---- */

static struct in_order_share share;

static void write_each(struct source *source, struct output *to)
{
    in_order_bernoulli(&small.run, source, share, to);
}

/* The records whose word is below the threshold. Returns how many. */
static size_t choose_each(uint32_t *chosen)
{
    struct random_key key;
    size_t count = 0;

    random_key_derive(&key, &small.run.order.key, "bernoulli", NULL, 0);
    for (size_t i = 0; i < text.records; i++) {
        uint32_t words[RANDOM_BLOCK_WORDS];
        size_t at = i % 8 * 2;

        random_blocks(&key, 0, i / 8, words, 1);
        if (share.all || (words[at] | (uint64_t)words[at + 1] << 32) < share.threshold)
            chosen[count++] = (uint32_t)i;
    }
    return count;
}

static void assert_chooses_each(struct engine_text of)
{
    static const struct in_order_share shares[] = {
        {.threshold = 0}, {.threshold = (uint64_t)1 << 57}, {.threshold = UINT64_MAX / 2}, {.all = true}};
    uint32_t *chosen = malloc((of.records + 1) * sizeof *chosen);

    text = of;
    for (int i = 0; i < 4; i++) {
        size_t count;

        share = shares[i];
        small_open(1, ORDER_LEAF_RECORDS);
        count = choose_each(chosen);
        sweep_write(engine_text_source(&text), write_each);
        assert_int_equal(small.progress.records, text.records);
        assert_int_equal(small.run.engine.pool.fresh, 0);
        small_assert_file("out", &text, chosen, count);
        small_close();
    }
    free(chosen);
    engine_text_free(&text);
}

SMALL_RUN(each_record_stays_by_its_own_word_and_nothing_is_stored)
{
    assert_chooses_each(engine_text_make(0, small_length_0, '\n'));
    assert_chooses_each(engine_text_make(5000, small_length_uneven, '\n'));
    assert_chooses_each(engine_text_make(70000, small_length_to_300, '\n'));
    assert_chooses_each(engine_text_make(12, length_few_large, '\n'));
    assert_int_equal(disk.writes, 0);
}

/* The text is a file with two names, to which the output goes. */
static void each_in_place(void)
{
    static const char *const names[] = {"out"};
    static const struct stream_layout layout = {.format = {.delimiter = '\n'}};

    share.wait = true;
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(source_open(names, 1, &layout), write_each);
}

static void put_text(const char *name)
{
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.bytes, file), text.bytes);
    assert_int_equal(fclose(file), 0);
}

QUARTER_RUN(an_output_in_place_may_be_the_input)
{
    uint32_t *chosen;
    int fd;

    text = engine_text_make(25000, small_length_to_300, '\n');
    chosen = malloc(text.records * sizeof *chosen);
    put_text("out");
    fd = scratch_in_place("out", "other name");
    assert_true(fd >= 0);
    for (int i = 1; i <= 8; i *= 8) {
        size_t count;

        put_text("out");
        share.all = false;
        share.threshold = UINT64_MAX / 9 * (unsigned)i;
        each_in_place();
        count = choose_each(chosen);
        small_assert_file("other name", &text, chosen, count);
        assert_int_equal(disk.writes > 0, i == 8);
        small_close();
    }
    close(fd);
    free(chosen);
    engine_text_free(&text);
}

static void assert_in_place_fails(const char *message)
{
    if (scratch_begin_end()) {
        sweep_run(each_in_place);
        _exit(99);
    }
    assert_non_null(strstr(scratch_ended(), message));
    assert_true(sweep_same_files("out", "as it was"));
}

QUARTER_RUN(an_output_in_place_is_not_touched_before_all_is_verified)
{
    int fd;

    text = engine_text_make(25000, small_length_to_300, '\n');
    put_text("out");
    put_text("as it was");
    fd = scratch_in_place("out", "other name");
    assert_true(fd >= 0);
    share.all = true;
    for (unsigned i = 2; i < 16; i += 4) { /* the first read looks whether the input is compressed */
        disk.flip_read = i;
        assert_in_place_fails("contents have changed");
    }
    disk.flip_read = 0;
    disk.fail_write = 5;
    assert_in_place_fails("Input/output error");
    close(fd);
    engine_text_free(&text);
}

/* ---- Failures ---- */

static void first(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_first);
}

static void first_of_half(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(sweep_failing_source(&text), write_first);
}

static void each(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_each);
}

static void each_of_half(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(sweep_failing_source(&text), write_each);
}

QUARTER_RUN(failures_of_any_kind_are_reported)
{
    text = engine_text_make(17500, small_length_to_300, '\n');
    limit = text.records - 10;
    share.all = true;
    sweep_writes(first);
    sweep_reads(first);
    sweep_allocations(first);
    sweep_assert_fails(first_of_half, "input failed");
    sweep_full_output(first);
    sweep_allocations(each);
    sweep_assert_fails(each_of_half, "input failed");
    sweep_full_output(each);
    engine_text_free(&text);
}
