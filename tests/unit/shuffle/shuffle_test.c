#include "support/small_run.h"
#include "support/unit.h"

#include "support/failure_sweep.h"

#include "shuffle/shuffle.h"

static const struct order_node root = {.root = true};

static void shuffle_text(struct engine_text *text, const char *output)
{
    struct source *source = engine_text_source(text);
    struct output *to = small_output(output);

    shuffle_source(&small.run, source, to);
    output_commit(to);
    output_free(to);
    source_free(source);
}

static void assert_shuffles_with(struct engine_text text, unsigned workers, uint64_t leaf_records)
{
    uint32_t *number;

    small_open(workers, leaf_records);
    number = engine_order(&small.run.order, root, text.records);
    shuffle_text(&text, "out");
    assert_int_equal(small.progress.records, text.records);
    small_assert_file("out", &text, number, text.records);
    small_close();
    free(number);
}

static void assert_shuffles(struct engine_text text, uint64_t leaf_records)
{
    for (unsigned workers = 1; workers <= 4; workers += 3)
        assert_shuffles_with(text, workers, leaf_records);
    engine_text_free(&text);
}

#define SMALL_RUN(name)   UNIT_TEST_IN(name, small_setup, small_teardown)
#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

SMALL_RUN(what_fits_is_shuffled_as_defined)
{
    assert_shuffles(engine_text_make(0, small_length_0, '\n'), ORDER_LEAF_RECORDS);
    assert_shuffles(engine_text_make(1, small_length_0, '\n'), ORDER_LEAF_RECORDS);
    assert_shuffles(engine_text_make(20000, small_length_to_20, '\n'), ORDER_LEAF_RECORDS);
    assert_shuffles(engine_text_make(3000, small_length_uneven, '\n'), ORDER_LEAF_RECORDS);
    assert_int_equal(disk.writes, 0);
}

SMALL_RUN(deep_trees_are_shuffled_as_defined)
{
    assert_shuffles(engine_text_make(20000, small_length_to_20, '\n'), 8);
    assert_shuffles(engine_text_make(20000, small_length_to_300, '\n'), 9);
}

SMALL_RUN(what_does_not_fit_is_shuffled_as_defined)
{
    assert_shuffles(engine_text_make(52000, small_length_to_300, '\n'), ORDER_LEAF_RECORDS);
    assert_true(disk.writes > 0);
    assert_int_equal(small.progress.started_over, 0);
}

/* ---- Starting over: one pile of all records ---- */

/* As if all of the text had been routed to one pile of node `node`. */
static void shuffle_one_pile_of(struct engine_text *text, uint64_t records, struct order_node node)
{
    struct gather_order order = {.kind = GATHER_NODE, .order = &small.run.order, .node = node};
    struct output *to = small_output("out");
    struct piles piles;

    piles_init(&piles, 1, 1, &small.run.engine.pool, &small.place);
    pile_append(&piles, 0, text->data, text->bytes);
    piles_seal(&piles);
    piles.pile[0].records = records;
    shuffle_piles(&small.run, &piles, order, to);
    output_commit(to);
    if (run_left(&small.run) > 0)
        assert_true(pile_bytes(&piles, 0) == 0 && piles.pile[0].records == 0);
    output_free(to);
    piles_release(&piles);
}

static void shuffle_one_pile(struct engine_text *text, struct order_node node)
{
    shuffle_one_pile_of(text, text->records, node);
}

static void assert_one_pile_shuffles(struct engine_text text, uint64_t leaf_records, uint64_t started_over_at_least)
{
    const struct order_node node = {.number = 3};

    for (unsigned workers = 1; workers <= 3; workers += 2) {
        uint32_t *number;

        small_open(workers, leaf_records);
        number = engine_order(&small.run.order, node, text.records);
        shuffle_one_pile(&text, node);
        assert_true(small.progress.started_over >= started_over_at_least);
        small_assert_file("out", &text, number, text.records);
        small_close();
        free(number);
    }
    engine_text_free(&text);
}

QUARTER_RUN(a_node_that_does_not_fit_goes_on_to_its_children)
{
    assert_one_pile_shuffles(engine_text_make(13000, small_length_to_300, '\n'), 64, 1);
    assert_one_pile_shuffles(engine_text_make(13000, small_length_to_300, '\n'), 12500, 1);
}

QUARTER_RUN(a_leaf_that_does_not_fit_is_shuffled_by_ranks)
{
    assert_one_pile_shuffles(engine_text_make(13000, small_length_to_300, '\n'), ORDER_LEAF_RECORDS, 1);
}

static size_t length_0_to_200000(size_t i, uint64_t random)
{
    (void)i;
    return random % (200000 / small.divisor + 1);
}

static size_t length_few_large(size_t i, uint64_t random)
{
    return i % 4 == 0 ? small_mebibytes(6) : random % 10;
}

QUARTER_RUN(piles_of_ranks_may_be_started_over_in_their_turn)
{
    assert_one_pile_shuffles(engine_text_make(200, length_0_to_200000, '\n'), ORDER_LEAF_RECORDS, 1);
    assert_one_pile_shuffles(engine_text_make(20, length_few_large, '\n'), ORDER_LEAF_RECORDS, 2);
}

/* Wherever the pile was, and in whatever way it is shuffled; nothing is written of it. */
QUARTER_RUN(a_pile_of_other_records_than_were_counted_is_a_failure)
{
    static const uint64_t leaf_records[] = {64, 12500, ORDER_LEAF_RECORDS};
    struct engine_text text = engine_text_make(13000, small_length_to_300, '\n');
    const uint64_t counts[] = {1, text.records / 2, text.records - 1, text.records + 1, 2 * text.records};

    for (int i = 0; i < 15; i++) {
        small_open(i % 2 == 0 ? 1 : 3, leaf_records[i % 3]);
        assert_ends(shuffle_one_pile_of(&text, counts[i / 3], (struct order_node){.number = 3}),
                    "bigshuf: temporary file in disk0: does not hold the records that were put there\n");
        small_close();
    }
    engine_text_free(&text);
}

/* Short records whose index is what does not fit: 8 bytes for each of one byte. */
QUARTER_RUN(an_index_that_does_not_fit_makes_a_pile_start_over)
{
    assert_one_pile_shuffles(engine_text_make(225000, small_length_0, '\n'), 250000, 1);
    assert_one_pile_shuffles(engine_text_make(120000, small_length_0, '\n'), 25000, 1);
}

static size_t length_one_huge(size_t i, uint64_t random)
{
    return i == 7 ? small_mebibytes(9) : random % 100;
}

static size_t length_two_huge(size_t i, uint64_t random)
{
    return i < 2 ? small_mebibytes(8) : random % 100;
}

SMALL_RUN(a_record_larger_than_memory_comes_through)
{
    assert_one_pile_shuffles(engine_text_make(1, length_few_large, '\n'), ORDER_LEAF_RECORDS, 0);
    assert_one_pile_shuffles(engine_text_make(1, length_two_huge, '\n'), ORDER_LEAF_RECORDS, 0);
    assert_one_pile_shuffles(engine_text_make(2, length_two_huge, '\n'), ORDER_LEAF_RECORDS, 1);
    assert_shuffles(engine_text_make(300, length_one_huge, '\n'), 8);
}

QUARTER_RUN(threads_need_not_be_given)
{
    struct engine_text text = engine_text_make(13000, small_length_to_300, '\n');

    for (unsigned threads = 0; threads < 6; threads += 3) {
        disk.threads = threads;
        assert_shuffles_with(text, 6, ORDER_LEAF_RECORDS);
    }
    engine_text_free(&text);
}

/* ---- The first records of the order ---- */

/* With limits in all places of interest. `one_pile`: as assert_one_pile_shuffles does it. Where all is slow, with every
 * other limit, and not with one worker. */
static void assert_shuffles_first(struct engine_text text, bool one_pile, uint64_t leaf_records, uint64_t boundary)
{
    const struct order_node node = {.number = 3};
    const size_t records = text.records;
    uint64_t limits[] = {0, 1, 5, boundary - 1, boundary, boundary + 1, records - 1, records, records + 1};
    uint32_t *number;

    small_open(1, leaf_records);
    number = engine_order(&small.run.order, one_pile ? node : root, records);
    small_close();
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i += scratch_is_tiny() ? 2 : 1)
        for (unsigned workers = scratch_is_tiny() ? 3 : 1; workers <= 3; workers += 2) {
            size_t wanted = limits[i] < records ? (size_t)limits[i] : records;

            small_open(workers, leaf_records);
            small_limit(limits[i]);
            if (one_pile)
                shuffle_one_pile(&text, node);
            else
                shuffle_text(&text, "out");
            assert_int_equal(run_left(&small.run), limits[i] - wanted);
            small_assert_file("out", &text, number, wanted);
            small_close();
        }
    free(number);
    engine_text_free(&text);
}

/* How many records the first three piles of the root have. */
static uint64_t records_of_three_piles(size_t records)
{
    uint64_t count = 0;

    small_open(1, ORDER_LEAF_RECORDS);
    for (size_t i = 0; i < records; i++)
        count += engine_child(&small.run.order, 0, ORDER_ROOT_BITS, i) < 3;
    small_close();
    return count;
}

SMALL_RUN(the_first_of_what_fits_are_the_first)
{
    assert_shuffles_first(engine_text_make(20000, small_length_to_20, '\n'), false, ORDER_LEAF_RECORDS,
                          records_of_three_piles(20000));
    assert_shuffles_first(engine_text_make(20000, small_length_to_20, '\n'), false, 8, records_of_three_piles(20000));
    assert_shuffles_first(engine_text_make(3000, small_length_uneven, '\n'), true, 8, 500);
    assert_int_equal(disk.writes, 0);
}

QUARTER_RUN(the_first_of_what_does_not_fit_are_the_first)
{
    assert_shuffles_first(engine_text_make(15000, small_length_to_300, '\n'), false, ORDER_LEAF_RECORDS,
                          records_of_three_piles(15000));
    assert_true(disk.writes > 0);
}

QUARTER_RUN(the_first_of_a_pile_started_over_are_the_first)
{
    assert_shuffles_first(engine_text_make(15000, small_length_to_300, '\n'), true, ORDER_LEAF_RECORDS, 5000);
    assert_shuffles_first(engine_text_make(15000, small_length_to_300, '\n'), true, 1250, 5000);
    assert_shuffles_first(engine_text_make(200, length_0_to_200000, '\n'), true, ORDER_LEAF_RECORDS, 50);
    assert_shuffles_first(engine_text_make(9, length_few_large, '\n'), true, ORDER_LEAF_RECORDS, 4);
    assert_shuffles_first(engine_text_make(9, length_two_huge, '\n'), false, ORDER_LEAF_RECORDS, 4);
}

/* Of four times the memory, what 250 records are drawn from while it is not yet known which they are. */
QUARTER_RUN(for_a_few_records_little_is_stored)
{
    struct engine_text text = engine_text_make(55000, small_length_to_300, '\n');

    for (unsigned workers = 1; workers <= 3; workers += 2) {
        small_open(workers, ORDER_LEAF_RECORDS);
        small_limit(250);
        shuffle_text(&text, "out");
        assert_true(small.run.engine.pool.fresh < small.run.engine.pool.blocks / 2);
        assert_int_equal(atomic_load(&small.place.piles), 0);
        small_close();
    }
    assert_int_equal(disk.writes, 0);
    engine_text_free(&text);
}

/* ---- An order that is drawn by itself ---- */

/* From the last record to the first. */
static void draw_reversed(void *context, struct table *ranks, uint64_t records)
{
    (void)context;
    for (uint64_t i = 0; i < records; i++)
        table_set(ranks, i, records - 1 - i);
}

static void shuffle_reversed(struct engine_text *text)
{
    struct output *to = small_output("out");
    struct piles piles;

    piles_init(&piles, 1, 1, &small.run.engine.pool, &small.place);
    pile_append(&piles, 0, text->data, text->bytes);
    piles_seal(&piles);
    piles.pile[0].records = text->records;
    shuffle_drawn(&small.run, &piles, NULL, draw_reversed, NULL, to);
    output_commit(to);
    output_free(to);
    piles_release(&piles);
}

static void assert_reverses(struct engine_text text)
{
    uint32_t *number = malloc((text.records + 1) * sizeof *number);
    uint64_t limits[] = {0, 1, text.records / 2, text.records, UINT64_MAX};

    for (size_t i = 0; i < text.records; i++)
        number[i] = (uint32_t)(text.records - 1 - i);
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++)
        for (unsigned workers = 1; workers <= 3; workers += 2) {
            size_t wanted = limits[i] < text.records ? (size_t)limits[i] : text.records;

            small_open(workers, ORDER_LEAF_RECORDS);
            small_limit(limits[i]);
            shuffle_reversed(&text);
            small_assert_file("out", &text, number, wanted);
            small_close();
        }
    free(number);
    engine_text_free(&text);
}

QUARTER_RUN(an_order_may_be_drawn_by_others)
{
    assert_reverses(engine_text_make(0, small_length_0, '\n'));
    assert_reverses(engine_text_make(1, small_length_to_20, '\n'));
    assert_reverses(engine_text_make(5000, small_length_uneven, '\n'));
    assert_int_equal(disk.writes, 0);
    assert_reverses(engine_text_make(15000, small_length_to_300, '\n'));
    assert_reverses(engine_text_make(9, length_few_large, '\n'));
    assert_true(disk.writes > 0);
}

/* ---- Failures: one message, no hang, an old output as it was ---- */

/* What the sweeps do: shuffle the text, or one pile of it. */
static struct {
    struct engine_text text;
    bool one_pile;
    uint64_t leaf_records;
    unsigned workers;
} task;

static void do_task(void)
{
    small_open(task.workers, task.leaf_records);
    if (task.one_pile)
        shuffle_one_pile(&task.text, (struct order_node){.number = 3});
    else
        shuffle_text(&task.text, sweep_output);
}

static void assert_fails(bool one_pile, uint64_t leaf_records, unsigned workers, const char *message)
{
    task.one_pile = one_pile;
    task.leaf_records = leaf_records;
    task.workers = workers;
    sweep_assert_fails(do_task, message);
}

QUARTER_RUN(damage_on_disk_is_found_whatever_it_does_to_the_records)
{
    static const char damage[] = "bigshuf: temporary file in disk0: contents have changed since they were written\n";

    task.text = engine_text_make(13000, small_length_to_300, '\n');
    for (unsigned i = 1; i < 40; i = 5 * i + 1) {
        disk.flip_read = i;
        assert_fails(false, ORDER_LEAF_RECORDS, i % 3 + 1, damage);
    }
    disk.flip_read = 0;
    for (int i = 0; i < 2; i++) {
        disk.turn_to = i == 0 ? 'x' : '\n'; /* fewer records, more records */
        assert_fails(false, ORDER_LEAF_RECORDS, 3, damage);
        assert_fails(true, ORDER_LEAF_RECORDS, 3, damage);
        assert_fails(true, 64, 3, damage);
    }
    engine_text_free(&task.text);
}

/* ---- The balance of piles ---- */

UNIT_TEST(piles_stay_within_six_standard_deviations)
{
    enum { RECORDS = 500000, PILES = 512 };
    static const char *const seeds[] = {"42", "", "another"};
    uint16_t *pile = malloc(RECORDS * sizeof *pile);

    for (int i = 0; i < 3; i++) {
        struct order order = {.leaf_records = ORDER_LEAF_RECORDS};
        double expected = (double)RECORDS / PILES;
        double count[PILES] = {0};

        random_key_init(&order.key, seeds[i], strlen(seeds[i]));
        order_scatter(&order, root, ORDER_ROOT_BITS, 0, RECORDS, pile);
        for (int k = 0; k < RECORDS; k++)
            count[pile[k]]++;
        for (int p = 0; p < PILES; p++)
            assert_true((count[p] - expected) * (count[p] - expected) < 36 * expected);
    }
    free(pile);
}
