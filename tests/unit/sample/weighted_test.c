#include "support/small_run.h"

#include "base/decimal.h"
#include "sample/weight_law.h"
#include "sample/weighted.h"
#include "support/failure_sweep.h"
#include "support/unit.h"

/* ---- Records whose first field is their weight ---- */

static struct engine_text text;
static struct decimal *weight; /* of each */
static uint64_t limit;

static const struct weight_place first_field = {.field = {.number = 1, .separator = ' '}};

typedef void weight_function(size_t i, uint64_t random, char text[32]);

static void weight_small(size_t i, uint64_t random, char to[32])
{
    (void)i;
    snprintf(to, 32, "%u.%u", (unsigned)(random % 10), (unsigned)(random >> 32) % 1000);
}

static void weight_one(size_t i, uint64_t random, char to[32])
{
    (void)i;
    (void)random;
    snprintf(to, 32, "1");
}

/* Of a tenth of the records it is above zero. */
static void weight_mostly_zero(size_t i, uint64_t random, char to[32])
{
    snprintf(to, 32, "%s", random % 10 == 0 ? "2.5" : i % 2 == 0 ? "0" : "0.0e7");
}

static void weight_of_any_size(size_t i, uint64_t random, char to[32])
{
    (void)i;
    snprintf(to, 32, "%ue%d", (unsigned)(random % 1000), (int)(random >> 32) % 300);
}

/* Those that come last are drawn first. */
static void weight_growing(size_t i, uint64_t random, char to[32])
{
    (void)random;
    snprintf(to, 32, "1e%u", (unsigned)(i / 500));
}

static weight_function *const all_weights[] = {weight_small, weight_one, weight_mostly_zero, weight_of_any_size,
                                               weight_growing};

enum { KINDS = sizeof all_weights / sizeof all_weights[0] };

/* Each record is a weight, a space, and as many letters as length() says. */
static void make_text(size_t records, weight_function *function, size_t (*length)(size_t i, uint64_t random))
{
    uint64_t state = 5;
    size_t room = 0;

    text = (struct engine_text){.records = records, .start = malloc((records + 1) * sizeof *text.start)};
    text.data = malloc(1);
    weight = malloc((records + 1) * sizeof *weight);
    text.start[0] = 0;
    for (size_t i = 0; i < records; i++) {
        size_t letters = length(i, engine_random(&state));
        char number[32];
        size_t bytes;

        function(i, engine_random(&state), number);
        bytes = strlen(number);
        assert_int_equal(decimal_read(number, bytes, &weight[i]), DECIMAL_OK);
        if (room < text.bytes + bytes + letters + 2) {
            room = 2 * (text.bytes + bytes + letters + 2);
            text.data = realloc(text.data, room);
        }
        memcpy(text.data + text.bytes, number, bytes);
        text.data[text.bytes + bytes] = ' ';
        memset(text.data + text.bytes + bytes + 1, (int)('a' + i % 26), letters);
        text.bytes += bytes + letters + 2;
        text.data[text.bytes - 1] = '\n';
        text.start[i + 1] = text.bytes;
    }
}

static void drop_text(void)
{
    engine_text_free(&text);
    free(weight);
}

/* ---- The law, computed directly ---- */

/* Word i of the words labelled "weight". */
static uint64_t word_of(uint64_t i)
{
    static struct random_key key;
    uint32_t words[RANDOM_BLOCK_WORDS];
    size_t at = i % 8 * 2;

    if (i == 0)
        random_key_derive(&key, &small.run.order.key, "weight", NULL, 0);
    random_blocks(&key, 0, i / 8, words, 1);
    return words[at] | (uint64_t)words[at + 1] << 32;
}

struct weighed {
    uint64_t key;
    uint32_t record;
};

static int compare_weighed(const void *a, const void *b)
{
    const struct weighed *x = a;
    const struct weighed *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

/* The records of weights above zero in their order, malloc'd. */
static uint32_t *weighted_records(size_t *count)
{
    struct weighed *weighed = malloc((text.records + 1) * sizeof *weighed);
    uint32_t *number = malloc((text.records + 1) * sizeof *number);

    *count = 0;
    for (size_t i = 0; i < text.records; i++)
        if (weight[i].mantissa > 0)
            weighed[(*count)++] = (struct weighed){.key = weight_law_key(word_of(i), weight[i]), .record = (uint32_t)i};
    qsort(weighed, *count, sizeof *weighed, compare_weighed);
    for (size_t i = 0; i < *count; i++)
        number[i] = weighed[i].record;
    free(weighed);
    return number;
}

static uint64_t next_word(void *context)
{
    return word_of((*(uint64_t *)context)++);
}

/* The numbers of the records that `draws` draws name, malloc'd. */
static uint32_t *repeated_records(size_t draws)
{
    struct uint128 *end = calloc(text.records + 1, sizeof *end);
    uint32_t *number = malloc((draws + 1) * sizeof *number);
    struct uint128 total = {0};
    uint64_t words = 0;
    int top = INT_MIN;

    for (size_t i = 0; i < text.records; i++)
        if (weight[i].mantissa > 0 && weight[i].exponent > top)
            top = weight[i].exponent;
    for (size_t i = 0; i < text.records; i++) {
        total = uint128_add(total, weight_law_scale(weight[i], top));
        end[i] = total;
    }
    for (size_t i = 0; i < draws; i++) {
        struct uint128 drawn = weight_law_draw(total, next_word, &words);
        size_t from = 0;

        for (size_t step = text.records; step > 0; step /= 2)
            while (from + step <= text.records && uint128_compare(end[from + step - 1], drawn) <= 0)
                from += step;
        number[i] = (uint32_t)from;
    }
    free(end);
    return number;
}

/* ---- Without replacement ---- */

static void write_order(struct source *source, struct output *to)
{
    small_limit(limit);
    weighted_order(&small.run, source, first_field, false, to);
}

static void write_select(struct source *source, struct output *to)
{
    small_limit(limit);
    weighted_order(&small.run, source, first_field, true, to);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* The first ones, in their order and in that of the input. */
static void assert_draws(const uint32_t *order, size_t records, uint64_t count)
{
    size_t wanted = count < records ? (size_t)count : records;
    uint32_t *chosen = malloc((records + 1) * sizeof *chosen);

    limit = count;
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_order);
    assert_int_equal(small.progress.records, text.records);
    small_assert_file("out", &text, order, wanted);
    small_close();
    memcpy(chosen, order, wanted * sizeof *chosen);
    qsort(chosen, wanted, sizeof *chosen, compare_numbers);
    if (count < UINT64_MAX) {
        small_open(1, ORDER_LEAF_RECORDS);
        sweep_write(engine_text_source(&text), write_select);
        assert_int_equal(small.progress.records, text.records);
        small_assert_file("out", &text, chosen, wanted);
        small_close();
    }
    free(chosen);
}

static void assert_draws_all(size_t text_records, weight_function *function, size_t (*length)(size_t, uint64_t))
{
    uint32_t *order;
    size_t records;

    make_text(text_records, function, length);
    small_open(1, ORDER_LEAF_RECORDS);
    order = weighted_records(&records);
    small_close();
    for (uint64_t count = 0; count < 3; count++) {
        assert_draws(order, records, count);
        assert_draws(order, records, records + count - (records > 0));
    }
    assert_draws(order, records, records / 2);
    assert_draws(order, records, UINT64_MAX);
    free(order);
    drop_text();
}

#define SMALL_RUN(name)   UNIT_TEST_IN(name, small_setup, small_teardown)
#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

SMALL_RUN(records_are_drawn_by_weight)
{
    for (int kind = 0; kind < KINDS; kind++) {
        assert_draws_all(0, all_weights[kind], small_length_0);
        assert_draws_all(1, all_weights[kind], small_length_0);
        assert_draws_all(3000, all_weights[kind], small_length_uneven);
    }
    assert_int_equal(disk.writes, 0);
}

QUARTER_RUN(what_does_not_fit_is_drawn_by_weight)
{
    assert_draws_all(17500, weight_small, small_length_to_300);
    assert_true(disk.writes > 0);
    assert_draws_all(17500, weight_growing, small_length_to_300);
}

static size_t length_few_large(size_t i, uint64_t random)
{
    return i % 4 == 0 ? small_mebibytes(9) : random % 10;
}

QUARTER_RUN(records_may_be_larger_than_memory)
{
    assert_draws_all(7, weight_small, length_few_large);
}

QUARTER_RUN(hardly_more_is_stored_than_is_drawn)
{
    const uint64_t most = 3500000 / small.divisor;

    make_text(55000, weight_small, small_length_to_300);
    for (limit = 1; limit <= 250; limit += 249) {
        small_open(1, ORDER_LEAF_RECORDS);
        sweep_write(engine_text_source(&text), write_order);
        assert_true((uint64_t)small.run.engine.pool.fresh << small.run.engine.pool.block_shift < most);
        small_close();
        small_open(1, ORDER_LEAF_RECORDS);
        sweep_write(engine_text_source(&text), write_select);
        assert_true((uint64_t)small.run.engine.pool.fresh << small.run.engine.pool.block_shift < most);
        small_close();
    }
    assert_int_equal(disk.writes, 0);
    drop_text();
}

/* ---- With replacement ---- */

static void write_repeat(struct source *source, struct output *to)
{
    small_limit(limit);
    weighted_repeat(&small.run, source, first_field, to);
}

/* Returns whether anything was spilled. */
static bool repeats(size_t draws)
{
    unsigned writes = disk.writes;
    uint32_t *number;

    limit = draws;
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_repeat);
    assert_int_equal(small.progress.records, text.records);
    number = repeated_records(draws);
    small_assert_file("out", &text, number, draws);
    small_close();
    free(number);
    return disk.writes > writes;
}

SMALL_RUN(records_are_drawn_again_by_weight)
{
    for (int kind = 0; kind < KINDS; kind++) {
        make_text(9000, all_weights[kind], small_length_to_300);
        assert_false(repeats(0));
        assert_false(repeats(1));
        assert_false(repeats(10000));
        drop_text();
    }
    make_text(1, weight_one, small_length_0);
    assert_false(repeats(5000));
    drop_text();
}

/* The records are on disk, and draws are searched for or, as there are too many weights, matched with them. */
QUARTER_RUN(it_does_not_show_how_draws_are_found)
{
    make_text(17500, weight_small, small_length_to_300);
    assert_true(repeats(1));
    assert_true(repeats(25000));
    drop_text();
    for (int kind = 0; kind < 3; kind += 2) {
        make_text(60000, all_weights[kind], small_length_0);
        assert_false(repeats(1));
        assert_false(repeats(25000));
        drop_text();
    }
}

static void repeat(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_repeat);
}

SMALL_RUN(without_weight_nothing_is_repeated)
{
    limit = 5;
    make_text(0, weight_one, small_length_0);
    sweep_assert_fails(repeat, "bigshuf: no lines to repeat\n");
    drop_text();
    make_text(1, weight_mostly_zero, small_length_0);
    if (weight[0].mantissa == 0)
        sweep_assert_fails(repeat, "bigshuf: no lines of a weight above zero to repeat\n");
    drop_text();
}

/* ---- Failures ---- */

static void order(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_order);
}

static void select_some(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    sweep_write(engine_text_source(&text), write_select);
}

QUARTER_RUN(failures_of_any_kind_are_reported)
{
    static sweep_task *const tasks[] = {order, select_some, repeat};

    limit = 12000;
    make_text(12000, weight_small, small_length_to_300);
    for (int i = 0; i < 3; i++) {
        sweep_writes(tasks[i]);
        sweep_reads(tasks[i]);
        sweep_allocations(tasks[i]);
    }
    drop_text();
}

/* Weights that are read again from a file with every draw. */
QUARTER_RUN(failures_of_matching_are_reported)
{
    limit = 1000;
    make_text(130000, weight_small, small_length_to_20);
    sweep_writes(repeat);
    sweep_said_of_bits = "weight";
    sweep_reads(repeat);
    sweep_said_of_bits = NULL;
    drop_text();
}
