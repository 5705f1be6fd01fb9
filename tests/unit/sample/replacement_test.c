#include "support/small_run.h"

#include "sample/replacement.h"
#include "support/failure_sweep.h"
#include "support/unit.h"

static struct engine_text text;
static uint64_t draws;

static void write_uniform(struct source *source, struct output *to)
{
    small_limit(draws);
    replacement_uniform(&small.run, source, to);
}

/* ---- The draws, by definition ---- */

/* The first `draws` numbers below the number of records, by the words labelled "repeat"; malloc'd. */
static uint32_t *draw_numbers(void)
{
    uint32_t *number = malloc((size_t)(draws + 1) * sizeof *number);
    struct random_words words;

    random_words_init(&words, &small.run.order.key, "repeat");
    for (uint64_t i = 0; i < draws; i++)
        number[i] = (uint32_t)random_draw(&words, text.records);
    return number;
}

/* Returns whether anything was spilled. */
static bool repeats(uint64_t count)
{
    uint32_t *number;
    unsigned writes = disk.writes;

    draws = count;
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_uniform);
    assert_int_equal(small.progress.records, text.records);
    number = draw_numbers();
    small_assert_file("out", &text, number, (size_t)draws);
    small_close();
    free(number);
    return disk.writes > writes;
}

#define SMALL_RUN(name)   UNIT_TEST_IN(name, small_setup, small_teardown)
#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

SMALL_RUN(records_are_drawn_from_memory)
{
    static const size_t records[] = {1, 2, 1000, 8000};

    for (int i = 0; i < 4; i++) {
        text = engine_text_make(records[i], small_length_uneven, '\n');
        assert_false(repeats(0));
        assert_false(repeats(1));
        assert_false(repeats(4096));
        assert_false(repeats(4097));
        assert_false(repeats(50000));
        engine_text_free(&text);
    }
}

/* A pass over the input collects some ten thousands. */
SMALL_RUN(records_are_drawn_from_disk_in_passes)
{
    text = engine_text_make(70000, small_length_to_300, '\n');
    assert_true(repeats(0));
    assert_true(repeats(1));
    assert_true(repeats(150000));
    engine_text_free(&text);
}

/* With an index of 8 bytes for each record of one byte. */
SMALL_RUN(records_whose_index_does_not_fit_are_drawn_from_memory_in_passes)
{
    text = engine_text_make(1000000, small_length_0, '\n');
    assert_false(repeats(1000));
    assert_false(repeats(100000));
    engine_text_free(&text);
}

SMALL_RUN(no_more_is_spilled_than_there_is_no_room_for)
{
    text = engine_text_make(70000, small_length_to_300, '\n');
    repeats(1000);
    assert_true(atomic_load(&small.place.bytes) > 0);
    assert_true(atomic_load(&small.place.bytes) < text.start[text.records] - ENGINE_MEMORY_MIN / 4 * 3);
    engine_text_free(&text);
}

static size_t length_some_large(size_t i, uint64_t random)
{
    return i % 3 == 0 ? (size_t)600000 + random % 1000000 : random % 10;
}

static size_t length_huge(size_t i, uint64_t random)
{
    return i == 1 ? (size_t)9 << 20 : random % 10;
}

SMALL_RUN(a_large_record_may_be_drawn_several_times)
{
    text = engine_text_make(24, length_some_large, '\n');
    assert_true(repeats(1));
    assert_true(repeats(40));
    engine_text_free(&text);
    text = engine_text_make(3, length_huge, '\n');
    assert_true(repeats(8));
    engine_text_free(&text);
    text = engine_text_make(1, small_length_to_300, '\n');
    assert_false(repeats(10000));
    engine_text_free(&text);
}

static void uniform(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_uniform);
}

SMALL_RUN(nothing_cannot_be_repeated)
{
    text = engine_text_make(0, small_length_0, '\n');
    draws = 10;
    sweep_assert_fails(uniform, "bigshuf: no lines to repeat\n");
    engine_text_free(&text);
}

/* ---- Lots of others ---- */

struct others {
    uint64_t noted;
    uint64_t prepared;
    bool at_random;
};

static struct others others;

static bool next(void *context, struct record_reader *reader, struct record_piece *piece)
{
    assert_ptr_equal(context, &others);
    if (!record_reader_next(reader, piece))
        return false;
    if (piece->first)
        assert_int_equal(piece->data[0], text.data[text.start[others.noted++]]);
    return true;
}

static bool prepare(void *context, struct replacement *repeat, uint64_t records)
{
    (void)repeat;
    assert_ptr_equal(context, &others);
    others.prepared = records;
    return others.at_random;
}

/* Always the last record. */
static void draw_last(void *context, struct replacement *repeat, uint64_t records, struct table *numbers,
                      uint64_t count)
{
    (void)repeat;
    assert_ptr_equal(context, &others);
    for (uint64_t i = 0; i < count; i++)
        *table_u64(numbers, i) = records - 1;
}

static void write_others(struct source *source, struct output *to)
{
    static const struct replacement_draws lots = {
        .next = next, .prepare = prepare, .draw = draw_last, .context = &others};

    small_limit(draws);
    others.noted = 0;
    replacement_source(&small.run, source, &lots, to);
}

static void repeat_others(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_others);
}

SMALL_RUN(whoever_draws_sees_each_record_once_and_says_how)
{
    uint32_t *number = malloc(10000 * sizeof *number);

    text = engine_text_make(2000, small_length_uneven, '\n');
    draws = 10000;
    for (size_t i = 0; i < draws; i++)
        number[i] = 1999;
    for (int i = 0; i < 2; i++) {
        others = (struct others){.at_random = i == 0};
        repeat_others();
        assert_int_equal(others.noted, text.records);
        assert_int_equal(others.prepared, text.records);
        assert_int_equal(disk.writes, 0);
        small_assert_file("out", &text, number, (size_t)draws);
        small_close();
    }
    free(number);
    engine_text_free(&text);
}

/* ---- Failures ---- */

static void uniform_of_half(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(sweep_failing_source(&text), write_uniform);
}

QUARTER_RUN(failures_of_any_kind_are_reported)
{
    draws = 22500;
    text = engine_text_make(2000, small_length_uneven, '\n');
    sweep_allocations(uniform);
    sweep_full_output(uniform);
    engine_text_free(&text);
    text = engine_text_make(15000, small_length_to_300, '\n');
    sweep_writes(uniform);
    sweep_reads(uniform);
    sweep_allocations(uniform);
    sweep_assert_fails(uniform_of_half, "input failed");
    sweep_full_output(uniform);
    engine_text_free(&text);
}
