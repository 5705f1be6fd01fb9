/* Keys of any kind: those of weights are seldom equal, in order or extreme. */

#include "support/small_run.h"

#include "sample/key_order.h"
#include "support/unit.h"

static struct engine_text text;
static uint64_t *key; /* of each record */

enum kind { RANDOM, EQUAL, ZERO, GREATEST, OF_TWO, ASCENDING, DESCENDING, OUTLIER, LATE, KINDS };

static uint64_t key_of(enum kind kind, size_t i, uint64_t random)
{
    switch (kind) {
    case RANDOM:
        return random % UINT64_MAX;
    case EQUAL:
        return (uint64_t)1 << 60;
    case ZERO:
        return 0;
    case GREATEST:
        return UINT64_MAX - 1 - (random % 3 > 0);
    case OF_TWO:
        return random % 2 == 0 ? 7 : (uint64_t)1 << 62;
    case ASCENDING:
        return i;
    case DESCENDING:
        return UINT64_MAX - 1 - i;
    case OUTLIER:
        return i == 77 ? 1 : UINT64_MAX / 2;
    default: /* LATE: few of the records that say where ranges begin have another key */
        return i < 5000 ? 1000 : random % 5000;
    }
}

/* Take the records of the text, and write them to file `out`. */
static void write_by_key(void)
{
    struct source *source = engine_text_source(&text);
    struct output *to = small_output("out");
    struct key_order *keyed = key_order_open(&small.run);
    struct transfer passage;
    struct record_piece piece;
    size_t record = 0;

    run_transfer(&passage, &small.run, source, NULL);
    for (; record_reader_next(&passage.reader, &piece); record += piece.last)
        key_order_put(keyed, &piece, key[record]);
    key_order_write(keyed, to);
    key_order_free(keyed);
    output_commit(to);
    output_free(to);
    source_free(source);
}

static int compare_records(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    if (key[x] != key[y])
        return key[x] < key[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The first ones, as many as each of these limits says, of records with keys of this kind; for every other limit, from
 * the second quarter on. */
static void assert_sorts(enum kind kind, const uint64_t *limits, size_t count)
{
    uint32_t *sorted = malloc((text.records + 1) * sizeof *sorted);
    uint64_t state = 1;

    key = malloc((text.records + 1) * sizeof *key);
    for (size_t i = 0; i < text.records; i++) {
        key[i] = key_of(kind, i, engine_random(&state));
        sorted[i] = (uint32_t)i;
    }
    qsort(sorted, text.records, sizeof *sorted, compare_records);
    for (size_t i = 0; i < count; i++) {
        const size_t skip = i % 2 * text.records / 4, left = text.records - skip;

        small_open(1, ORDER_LEAF_RECORDS);
        small_limit(limits[i]);
        small.run.skip = skip;
        write_by_key();
        small_assert_file("out", &text, sorted + skip, limits[i] < left ? (size_t)limits[i] : left);
        small_close();
    }
    free(sorted);
    free(key);
}

/* A third and all of such records, with keys of all kinds; the first kind with limits in all places of interest. */
static void assert_sorts_all(size_t records, size_t (*length)(size_t i, uint64_t random))
{
    const uint64_t limits[] = {records / 3, UINT64_MAX, 1, 2, records - (records > 0), records, records + 1};

    text = engine_text_make(records, length, '\n');
    for (enum kind kind = 0; kind < KINDS; kind++)
        assert_sorts(kind, limits, kind == 0 ? sizeof limits / sizeof *limits : 2);
    engine_text_free(&text);
}

#define SMALL_RUN(name)   UNIT_TEST_IN(name, small_setup, small_teardown)
#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

/* The first 4096 say where ranges begin. */
SMALL_RUN(records_of_any_keys_are_sorted_in_memory)
{
    static const size_t records[] = {0, 1, 300, 4096, 4097, 8000};

    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        assert_sorts_all(records[i], small_length_uneven);
    assert_int_equal(disk.writes, 0);
}

QUARTER_RUN(records_of_any_keys_are_sorted_on_disk)
{
    assert_sorts_all(15000, small_length_to_300);
    assert_true(disk.writes > 0);
}

static size_t length_0_to_200000(size_t i, uint64_t random)
{
    (void)i;
    return (size_t)(random % (200000 / small.divisor + 1));
}

static size_t length_few_large(size_t i, uint64_t random)
{
    return i % 4 == 0 ? small_mebibytes(9) : (size_t)(random % 10);
}

QUARTER_RUN(large_records_are_sorted_by_starting_over)
{
    assert_sorts_all(120, length_0_to_200000);
    assert_sorts_all(4, length_few_large);
}

/* Else keys and references of that one would not fit. */
QUARTER_RUN(ranges_are_divided_again_when_later_keys_fall_into_one)
{
    const uint64_t all = UINT64_MAX;

    text = engine_text_make(75000, small_length_0, '\n');
    assert_sorts(LATE, &all, 1);
    assert_int_equal(small.progress.started_over, 0);
    assert_int_equal(disk.writes, 0);
    engine_text_free(&text);
}

/* Were ranges to begin where the first keys say, ascending ones would be started over 4096 by 4096. */
QUARTER_RUN(keys_that_come_in_order_are_started_over_only_a_few_times)
{
    const uint64_t all = UINT64_MAX;

    text = engine_text_make(30000, small_length_to_300, '\n');
    for (enum kind kind = ASCENDING; kind <= DESCENDING; kind++) {
        assert_sorts(kind, &all, 1);
        assert_in_range(small.progress.started_over, 1, 2);
    }
    engine_text_free(&text);
}
