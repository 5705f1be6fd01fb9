#include "shuffle/pile_source.h"
#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/index.h"
#include "shuffle/scatter.h"

/* Not evenly, and not in turn. */
static uint16_t route_of(unsigned piles, uint64_t record)
{
    return (uint16_t)(record * 0x9e3779b97f4a7c15 >> 40) % (uint16_t)piles;
}

static void route(const void *context, uint64_t first, size_t count, uint16_t *pile)
{
    unsigned piles = *(const unsigned *)context;

    for (size_t i = 0; i < count; i++)
        pile[i] = route_of(piles, first + i);
}

/* All of a pile, of which one byte more than wanted is asked for. Returns its bytes. */
static size_t read_pile(struct piles *piles, unsigned p, uint8_t *data, size_t bytes)
{
    const struct pile *pile = &piles->pile[p];
    size_t at = 0;

    if (pile->spilled) {
        struct source *source;
        size_t got;

        pile_flush(piles, p);
        source = pile_source(piles, p, true);
        got = source_read(source, data, bytes + 1);
        source_free(source);
        return got;
    }
    for (uint32_t block = pile->first; block != POOL_NONE; block = piles->pool->next[block]) {
        const uint8_t *from = pool_block(piles->pool, block);
        size_t length = block == pile->last ? (size_t)(pile->at - from) : piles->pool->block_bytes;

        assert_true(length <= bytes + 1 - at);
        memcpy(data + at, from, length);
        at += length;
    }
    return at;
}

/* If there is a limit, piles beyond it are empty. */
static void assert_scattered(struct piles *piles, const struct engine_text *text)
{
    uint8_t *data = malloc(text->bytes + 2);
    uint8_t *expected = malloc(text->bytes + 1); /* pile by pile */
    size_t records[512] = {0};
    size_t next[513] = {0}; /* where the next record of each pile goes: at last, where the next pile's begin */
    size_t first = 0;
    uint64_t before = 0;

    for (size_t i = 0; i < text->records; i++) {
        const unsigned p = route_of(piles->count, i);

        records[p]++;
        next[p + 1] += text->start[i + 1] - text->start[i];
    }
    for (unsigned p = 0; p < piles->count; p++)
        next[p + 1] += next[p];
    for (size_t i = 0; i < text->records; i++) {
        const unsigned p = route_of(piles->count, i);
        const size_t length = text->start[i + 1] - text->start[i];

        memcpy(expected + next[p], text->data + text->start[i], length);
        next[p] += length;
    }
    for (unsigned p = 0; p < piles->count; first = next[p++]) {
        const bool kept = before < small.run.limit;
        const size_t bytes = kept ? next[p] - first : 0;

        assert_int_equal(piles->pile[p].records, kept ? records[p] : 0);
        assert_int_equal(pile_bytes(piles, p), bytes);
        assert_int_equal(read_pile(piles, p, data, bytes), bytes);
        assert_memory_equal(data, expected + first, bytes);
        before += records[p];
    }
    free(data);
    free(expected);
}

static void scatter_text(struct engine_text *text, unsigned count, struct piles *piles)
{
    const struct scatter_plan plan = {.route = route,
                                      .context = &count,
                                      .piles = count,
                                      .limit = small.run.limit,
                                      .records = &small.progress.records};
    struct source *source = engine_text_source(text);

    assert_true(scatter(&small.run.engine, &small.run.format, &plan, source, piles));
    source_free(source);
}

static void assert_scatters(struct engine_text text, unsigned workers, unsigned count)
{
    struct piles piles = {0};

    small_open(workers, ORDER_LEAF_RECORDS);
    scatter_text(&text, count, &piles);
    assert_true(piles.sealed);
    assert_int_equal(small.run.engine.pool.promised, 0);
    assert_scattered(&piles, &text);
    piles_release(&piles);
    small_close();
}

#define SMALL_RUN(name)   UNIT_TEST_IN(name, small_setup, small_teardown)
#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

SMALL_RUN(every_record_goes_to_its_pile_in_order_whatever_the_workers)
{
    struct engine_text text = engine_text_make(30000, small_length_to_20, '\n');

    for (unsigned workers = 1; workers <= 8; workers++)
        assert_scatters(text, workers, workers % 2 == 0 ? 13 : 512);
    engine_text_free(&text);
}

SMALL_RUN(records_may_reach_over_any_number_of_blocks)
{
    struct engine_text text = engine_text_make(3000, small_length_uneven, '\n');

    assert_scatters(text, 1, 7);
    assert_scatters(text, 8, 7);
    engine_text_free(&text);
}

static size_t huge_in_the_middle(size_t i, uint64_t random)
{
    return i == 50 ? small_mebibytes(20) : random % 10;
}

/* ---- A limit to what will be written ---- */

static void assert_scatters_for(struct engine_text text, unsigned workers, unsigned count, uint64_t limit)
{
    struct piles piles = {0};

    small_open(workers, ORDER_LEAF_RECORDS);
    small_limit(limit);
    scatter_text(&text, count, &piles);
    assert_int_equal(piles.records, text.records);
    assert_int_equal(small.progress.records, text.records);
    assert_int_equal(run_left(&small.run), limit);
    assert_int_equal(small.run.engine.pool.promised, 0);
    assert_scattered(&piles, &text);
    piles_release(&piles);
    small_close();
}

/* How many records go to the first piles of `count`. */
static uint64_t records_before(const struct engine_text *text, unsigned count, unsigned piles)
{
    uint64_t records = 0;

    for (size_t i = 0; i < text->records; i++)
        records += route_of(count, i) < piles;
    return records;
}

/* With limits in all places of interest. Where all is slow, not with one worker. */
static void assert_scatters_for_all(struct engine_text text, unsigned count)
{
    uint64_t boundary = records_before(&text, count, count / 2);

    for (unsigned workers = scratch_is_tiny() ? 3 : 1; workers <= 3; workers += 2)
        for (uint64_t limit = 0; limit < 3; limit++) {
            assert_scatters_for(text, workers, count, limit);
            assert_scatters_for(text, workers, count, boundary - 1 + limit);
            assert_scatters_for(text, workers, count, text.records - 1 + limit);
        }
    engine_text_free(&text);
}

SMALL_RUN(piles_that_cannot_be_written_are_dropped)
{
    assert_scatters_for_all(engine_text_make(20000, small_length_to_20, '\n'), 64);
    assert_scatters_for_all(engine_text_make(3000, small_length_uneven, '\n'), 5);
    assert_scatters_for_all(engine_text_make(1, small_length_0, '\n'), 512);
    assert_int_equal(disk.writes, 0);
}

QUARTER_RUN(spilled_piles_that_cannot_be_written_are_dropped)
{
    assert_scatters_for_all(engine_text_make(17500, small_length_to_300, '\n'), 16);
    assert_true(disk.writes > 0);
    assert_scatters_for_all(engine_text_make(100, huge_in_the_middle, '\n'), 3);
}

/* ---- When few piles are wanted ---- */

/* Scatter from records of some kind with all numbers of piles that may be left, of 64. */
static void assert_finds_few(struct engine_text text, struct record_format format)
{
    const unsigned count = 64;
    const uint64_t most = records_before(&text, count, count / 2);

    for (unsigned workers = 1; workers <= 4; workers += 3)
        for (uint64_t limit = 1; limit <= most; limit += most / 5) {
            struct piles piles = {0};

            small_open(workers, ORDER_LEAF_RECORDS);
            small.run.format = format;
            small_limit(limit);
            scatter_text(&text, count, &piles);
            assert_int_equal(piles.records, text.records);
            assert_int_equal(small.progress.records, text.records);
            assert_scattered(&piles, &text);
            piles_release(&piles);
            small_close();
        }
    engine_text_free(&text);
}

/* Let so many records be one. */
static struct engine_text join(struct engine_text text, size_t group)
{
    for (size_t i = 0; i <= text.records / group; i++)
        text.start[i] = text.start[i * group];
    text.records /= group;
    text.bytes = text.start[text.records];
    return text;
}

static size_t length_15(size_t i, uint64_t random)
{
    (void)i;
    (void)random;
    return 15;
}

static size_t length_1_to_20(size_t i, uint64_t random)
{
    (void)i;
    return 1 + random % 20;
}

/* At times more records than a block's lists have room for. */
static size_t length_often_0(size_t i, uint64_t random)
{
    return i / 15000 % 2 == 0 ? 0 : random % 41;
}

QUARTER_RUN(few_lines_are_found_among_many)
{
    const struct record_format lines = {.delimiter = '\n'};

    assert_finds_few(engine_text_make(15000, small_length_to_20, '\n'), lines);
    assert_finds_few(engine_text_make(15000, length_15, '\n'), lines); /* blocks end with a line */
    assert_finds_few(engine_text_make(60000, length_often_0, '\n'), lines);
    assert_finds_few(engine_text_make(1500, small_length_uneven, '\n'), lines);
}

QUARTER_RUN(few_records_of_other_kinds_are_found_among_many)
{
    const struct record_format three_lines = {.kind = &lines_kind, .delimiter = '\n', .count = 3};
    const struct record_format four_lines = {.kind = &lines_kind, .delimiter = '\n', .count = 4};
    const struct record_format bytes = {.kind = &sizes_kind, .count = 16};
    const struct record_format more_bytes = {.kind = &sizes_kind, .count = 48};

    assert_finds_few(join(engine_text_make(90000, length_often_0, '\n'), 3), three_lines);
    assert_finds_few(join(engine_text_make(60000, small_length_to_20, '\n'), 4), four_lines);
    assert_finds_few(engine_text_make(15000, length_15, '\n'), bytes);
    assert_finds_few(join(engine_text_make(45000, length_15, '\n'), 3), more_bytes);
}

QUARTER_RUN(few_records_that_end_with_a_string_are_found_among_many)
{
    const struct record_format format = {.kind = &string_end_kind, .string = (const uint8_t *)"<\n", .string_bytes = 2};
    struct engine_text text = engine_text_make(15000, length_1_to_20, '\n');

    for (size_t i = 1; i <= text.records; i++)
        text.data[text.start[i] - 2] = '<';
    assert_finds_few(text, format);
}

/* Of two lines each, between which the quotes are open. */
QUARTER_RUN(few_quoted_records_are_found_among_many)
{
    const struct record_format format = {.kind = &csv_kind};
    struct engine_text text = engine_text_make(30000, length_1_to_20, '\n');

    for (size_t i = 0; i < text.bytes; i++)
        if (text.data[i] == '"')
            text.data[i] = 'x';
    for (size_t i = 0; i < text.records; i++)
        text.data[text.start[i]] = '"';
    assert_finds_few(join(text, 2), format);
}

/* Their first byte is the number of the others. */
QUARTER_RUN(few_records_with_a_length_are_found_among_many)
{
    const struct record_format format = {.kind = &length_kinds_varint};
    struct engine_text text = engine_text_make(60000, length_1_to_20, '\n');

    for (size_t i = 0; i < text.records; i++)
        text.data[text.start[i]] = (uint8_t)(text.start[i + 1] - text.start[i] - 1);
    assert_finds_few(text, format);
}

/* ---- From a source that lends ---- */

/* A source over a file with the text, without its last newline unless that is all of the record, that lends. */
static struct source *lend_text(const struct engine_text *text)
{
    static const char *const names[] = {"lent"};
    const struct source_layout layout = {.format = small.run.format};
    const size_t last = text->start[text->records - 1];
    const size_t written = text->bytes - (text->bytes - last > 1);
    FILE *file = fopen("lent", "wb");
    struct source *source;
    uint64_t bytes;

    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, written, file), written);
    assert_int_equal(fclose(file), 0);
    source = source_open(names, 1, &layout);
    assert_non_null(source);
    assert_true(source_map(source, &bytes));
    return source;
}

/* If there is a limit, piles beyond it are empty. */
static void assert_referred(const struct piles *piles, const struct engine_text *text)
{
    uint64_t *next = calloc(piles->count, sizeof *next);
    unsigned kept = 0;

    while (kept < piles->count && records_before(text, piles->count, kept) < small.run.limit)
        kept++;
    for (size_t i = 0; i < text->records; i++) {
        const unsigned p = route_of(piles->count, i);
        const struct pile *pile = &piles->pile[p];
        const uint64_t each = piles->pool->block_bytes / sizeof(uint64_t);
        uint32_t block = pile->first;
        uint64_t reference, length = text->start[i + 1] - text->start[i];

        if (p >= kept)
            continue;
        assert_true(next[p] < pile->records);
        for (uint64_t b = next[p] / each; b > 0; b--)
            block = piles->pool->next[block];
        memcpy(&reference, pool_block(piles->pool, block) + next[p]++ % each * sizeof reference, sizeof reference);
        assert_memory_equal(piles->base + reference_place(reference), text->data + text->start[i], length);
        assert_true(reference_length(reference) == length || reference_length(reference) == REFERENCE_LONG);
    }
    for (unsigned p = 0; p < piles->count; p++)
        assert_int_equal(piles->pile[p].records, next[p]);
    free(next);
}

static void scatter_lent(struct engine_text text, unsigned workers, uint64_t limit, bool refers)
{
    const unsigned count = 13;
    struct scatter_plan plan = {.route = route, .context = &count, .piles = count, .limit = limit, .refers = refers};
    struct piles piles = {0};
    struct source *source;

    small_open(workers, ORDER_LEAF_RECORDS);
    small_limit(limit);
    source = lend_text(&text);
    assert_true(scatter(&small.run.engine, &small.run.format, &plan, source, &piles));
    assert_int_equal(piles.records, text.records);
    if (refers)
        assert_referred(&piles, &text);
    else
        assert_scattered(&piles, &text);
    source_check(source);
    piles_release(&piles);
    source_free(source);
    small_close();
}

SMALL_RUN(what_is_lent_is_copied_or_referred_to)
{
    for (unsigned workers = 1; workers <= 3; workers += 2)
        for (int refers = 0; refers < 2; refers++) {
            struct engine_text text = engine_text_make(30000, small_length_to_20, '\n');
            struct engine_text uneven = engine_text_make(3000, small_length_uneven, '\n');
            struct engine_text empty = engine_text_make(200000, small_length_0, '\n');

            for (uint64_t limit = UINT64_MAX; limit > 1; limit = limit == UINT64_MAX ? 2000 : limit / 2000) {
                scatter_lent(text, workers, limit, refers);
                scatter_lent(uneven, workers, limit, refers);
                scatter_lent(empty, workers, limit, refers);
            }
            engine_text_free(&text);
            engine_text_free(&uneven);
            engine_text_free(&empty);
        }
}

SMALL_RUN(references_that_run_out_of_memory_are_no_failure)
{
    const unsigned count = 13;
    const struct scatter_plan plan = {
        .route = route, .context = &count, .piles = count, .limit = UINT64_MAX, .refers = true};
    struct engine_text text = engine_text_make(2000000, small_length_0, '\n');
    struct piles piles = {0};
    struct source *source;

    small_open(2, ORDER_LEAF_RECORDS);
    source = lend_text(&text);
    assert_false(scatter(&small.run.engine, &small.run.format, &plan, source, &piles));
    piles_release(&piles);
    source_free(source);
    small_close();
    engine_text_free(&text);
}
