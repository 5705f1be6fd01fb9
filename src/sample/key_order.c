/*
 * Range j has two piles: 2j holds its records, 2j + 1 their keys.
 *
 * Nobody knows how keys are distributed. So the first records are kept in one range, until there are enough of them to
 * say where ranges should begin; then they are divided among those. Later keys may be distributed in another way. So
 * whenever there are twice as many records, and one range has become much longer than others, all are divided again,
 * as long as they are in memory. If a range is too large for the memory in the end, it is started over: it is divided
 * once more, on disk. Where ranges begin costs only time and space, since the order is that of the keys.
 */

#include "sample/key_order.h"

#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "shuffle/index.h"
#include "shuffle/pile_keys.h"
#include "system/fault.h"

enum { RANGES = 256 };
/* Places in the sample, each of which may begin a range; if it has the same key as the place before, it begins the one
 * after that key. With one place alone, a range might be divided into itself. */
TUNABLE(DIVISIONS, RANGES / 2, 2, RANGES / 2);

TUNABLE(SAMPLE, 4096, 2, 4096);   /* keys: 16 for a range */
TUNABLE(COUNTING, 1024, 1, 1024); /* records after which it is seen how many ranges are wanted */
TUNABLE(UNEVEN, 32, 2,
        1024); /* a range with more than this part of all records is too long: about four times its share */

struct range {
    uint64_t from;  /* the least key that may be in it */
    uint64_t least; /* keys that are in it */
    uint64_t greatest;
};

/* Some ranges of keys, one after another. */
struct ranges {
    struct piles piles;
    unsigned count;
    unsigned kept; /* the first ones, in which there may be records that are wanted */
    uint64_t records;
    struct range range[RANGES];
};

struct key_order {
    struct run *run;
    struct ranges ranges;
    uint64_t divide_at; /* records */
};

static unsigned range_of(const struct ranges *ranges, uint64_t key)
{
    unsigned low = 0;
    unsigned high = ranges->count;

    while (high - low > 1) {
        unsigned middle = (low + high) / 2;

        if (ranges->range[middle].from <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint64_t records_of(const struct ranges *ranges, unsigned j)
{
    return ranges->piles.pile[2 * j + 1].records;
}

/* Find how many ranges suffice for the records that may be written, and drop the others. */
static void count_kept(const struct run *run, struct ranges *ranges)
{
    uint64_t sum = 0;
    unsigned kept = 0;

    while (kept < ranges->kept && sum < run_left(run))
        sum += records_of(ranges, kept++);
    for (unsigned p = 2 * kept; p < 2 * ranges->kept; p++)
        pile_drop(&ranges->piles, p);
    ranges->kept = kept;
}

static uint64_t count_records(const struct ranges *ranges, unsigned first, unsigned end)
{
    uint64_t records = 0;

    for (unsigned j = first; j < end && j < ranges->kept; j++)
        records += records_of(ranges, j);
    return records;
}

static void put_piece(const struct run *run, struct ranges *ranges, const struct record_piece *piece, uint64_t key)
{
    unsigned j = range_of(ranges, key);
    struct range *range = &ranges->range[j];

    if (j < ranges->kept)
        pile_append(&ranges->piles, 2 * j, piece->data, piece->bytes);
    if (!piece->last)
        return;
    if (j < ranges->kept) {
        pile_keys_append(&ranges->piles, 2 * j + 1, key);
        range->least = key < range->least ? key : range->least;
        range->greatest = key > range->greatest ? key : range->greatest;
        pile_count(&ranges->piles, 2 * j, 1);
    }
    if (++ranges->records % COUNTING == 0)
        count_kept(run, ranges);
}

static void clear(struct ranges *ranges, unsigned j)
{
    pile_clear(&ranges->piles, 2 * j);
    pile_clear(&ranges->piles, 2 * j + 1);
}

static void ranges_init(struct run *run, struct ranges *ranges, unsigned count)
{
    *ranges = (struct ranges){.count = count, .kept = count};
    for (unsigned j = 0; j < count; j++)
        ranges->range[j].least = UINT64_MAX;
    piles_init(&ranges->piles, 2 * count, 1, &run->engine.pool, run->engine.place);
}

static void seal(const struct run *run, struct ranges *ranges)
{
    count_kept(run, ranges);
    piles_seal(&ranges->piles);
}

/* Some keys of the ranges first ... end - 1, evenly from among all of them. Returns how many. */
static size_t sample_keys(struct ranges *ranges, unsigned first, unsigned end, uint64_t sample[SAMPLE])
{
    uint64_t records = count_records(ranges, first, end);
    uint64_t step = records / SAMPLE + 1;
    uint64_t next = 0; /* to be sampled */
    uint64_t before = 0;
    size_t count = 0;

    for (unsigned j = first; j < end; before += records_of(ranges, j++)) {
        uint64_t after = before + records_of(ranges, j);
        struct pile_keys keys;

        pile_keys_open(&keys, &ranges->piles, 2 * j + 1, true);
        for (uint64_t i = before; i < after; i++) {
            sample[count] = pile_keys_next(&keys);
            if (i == next && count < SAMPLE - 1) {
                count++;
                next += step;
            }
        }
        pile_keys_close(&keys);
    }
    return count;
}

/* Where ranges begin, by a sample of the keys of the ranges first ... end - 1 of `from`. A key that is there more often
 * than a range should be long has a range of its own. */
static void set_ranges(struct run *run, struct ranges *from, unsigned first, unsigned end, struct ranges *to)
{
    uint64_t *keys = fault_allocate(SAMPLE, sizeof *keys);
    size_t count = sample_keys(from, first, end, keys);
    unsigned ranges = 0;

    qsort(keys, count, sizeof *keys, compare_numbers);
    ranges_init(run, to, RANGES);
    to->range[ranges++].from = 0;
    for (size_t i = 0; i < DIVISIONS && count > 0; i++) {
        uint64_t key = keys[i * count / DIVISIONS];

        if (key > to->range[ranges - 1].from)
            to->range[ranges++].from = key;
        if (ranges < RANGES && i > 0 && keys[(i - 1) * count / DIVISIONS] == key && to->range[ranges - 1].from == key &&
            key < UINT64_MAX)
            to->range[ranges++].from = key + 1;
    }
    to->count = ranges;
    free(keys);
}

/* Scatter range j of `from` into ranges of its own; it is empty then. */
static void scatter_range(struct run *run, struct ranges *from, unsigned j, struct ranges *to)
{
    struct source *records = pile_source(&from->piles, 2 * j, false);
    const struct engine_space space = engine_buffer(&run->engine, ENGINE_KEYS);
    struct pile_keys keys;
    struct record_reader reader;
    struct record_piece piece;
    uint64_t key = 0;
    uint64_t found = 0;

    pile_keys_open(&keys, &from->piles, 2 * j + 1, false);
    record_reader_init(&reader, &run->format, records, space.data, space.bytes);
    for (; record_reader_next(&reader, &piece); found += piece.last) {
        if (piece.first)
            key = pile_keys_next(&keys);
        put_piece(run, to, &piece, key);
    }
    pile_check(&from->piles, 2 * j, found);
    pile_keys_close(&keys);
    source_free(records);
    clear(from, j);
}

/* Scatter the ranges first ... end - 1 of `from` into ranges of their own. */
static void divide(struct run *run, struct ranges *from, unsigned first, unsigned end, struct ranges *to)
{
    set_ranges(run, from, first, end, to);
    for (unsigned j = first; j < end; j++)
        if (records_of(from, j) > 0)
            scatter_range(run, from, j, to);
}

struct key_order *key_order_open(struct run *run)
{
    struct key_order *keyed = fault_allocate(1, sizeof *keyed);

    keyed->run = run;
    keyed->divide_at = SAMPLE;
    ranges_init(run, &keyed->ranges, 1);
    return keyed;
}

/* Is a range much longer than others, and could be shorter? Not if anything has been spilled. */
static bool is_uneven(const struct ranges *ranges)
{
    uint64_t records = count_records(ranges, 0, ranges->kept);
    bool uneven = false;

    for (unsigned j = 0; j < ranges->kept; j++) {
        const struct range *range = &ranges->range[j];

        if (ranges->piles.pile[2 * j].spilled || ranges->piles.pile[2 * j + 1].spilled)
            return false;
        uneven = uneven || (records_of(ranges, j) > records / UNEVEN && range->least < range->greatest);
    }
    return uneven;
}

/* Divide all there is again. */
static void divide_again(struct key_order *keyed)
{
    struct ranges from = keyed->ranges;

    seal(keyed->run, &from);
    piles_make_room(&from.piles, 2 * RANGES);
    divide(keyed->run, &from, 0, from.kept, &keyed->ranges);
    piles_release(&from.piles);
    keyed->divide_at = 2 * keyed->ranges.records;
}

void key_order_put(struct key_order *keyed, const struct record_piece *piece, uint64_t key)
{
    struct ranges *ranges = &keyed->ranges;

    if (piece->first && ranges->records >= keyed->divide_at && ranges->records % COUNTING == 0 &&
        (ranges->count == 1 || is_uneven(ranges)))
        divide_again(keyed);
    put_piece(keyed->run, ranges, piece, key);
}

/* ---- Writing ---- */

/* Blocks for the keys and references of a range's records, twice, as merging needs. */
static uint64_t table_blocks(const struct run *run, uint64_t records)
{
    return 4 * pool_blocks_for(&run->engine.pool, records * sizeof(uint64_t));
}

static bool fits(const struct run *run, const struct ranges *ranges, unsigned j)
{
    const struct pool *pool = &run->engine.pool;
    uint64_t blocks = pool_blocks_for(pool, pile_bytes(&ranges->piles, 2 * j)) +
                      pool_blocks_for(pool, pile_bytes(&ranges->piles, 2 * j + 1));

    return blocks + table_blocks(run, records_of(ranges, j)) <= pool->blocks - pool->pinned;
}

/* Have as many blocks free as it takes to load and sort range j, which fits; last piles make room for it. The blocks
 * for loading are promised. */
static void make_room(struct run *run, struct ranges *ranges, unsigned j)
{
    for (;;) {
        uint32_t load = pile_load_blocks(&ranges->piles, 2 * j) + pile_load_blocks(&ranges->piles, 2 * j + 1);
        uint64_t blocks = load + table_blocks(run, records_of(ranges, j));
        uint32_t before = pool_free(&run->engine.pool);

        if (blocks <= before && pool_promise(&run->engine.pool, load))
            return;
        piles_make_room(&ranges->piles, blocks);
        if (pool_free(&run->engine.pool) == before)
            die("not enough memory: use a larger -S");
    }
}

static void write_sorted(struct run *run, struct ranges *ranges, unsigned j, struct transfer *transfer)
{
    uint64_t records = records_of(ranges, j), skipped, taken;
    struct table_pairs pairs;
    struct pile_keys keys;

    make_room(run, ranges, j);
    pile_load(&ranges->piles, 2 * j);
    pile_load(&ranges->piles, 2 * j + 1);
    table_pairs_take(&pairs, &run->engine.pool, records);
    pile_keys_open(&keys, &ranges->piles, 2 * j + 1, true);
    for (uint64_t i = 0; i < records; i++)
        *table_u64(&pairs.key, i) = pile_keys_next(&keys);
    pile_keys_close(&keys);
    index_build(&ranges->piles, 2 * j, &run->format, NULL, 0, &pairs.value);
    table_sort(&pairs, records);
    taken = run_pass(run, records, &skipped);
    index_copy(&ranges->piles, &run->format, &pairs.value, skipped, taken, true, &transfer->outlet);
    table_pairs_release(&pairs);
    clear(ranges, j);
}

static void write_ranges(struct run *run, struct ranges *ranges, struct output *output);

static void restart(struct run *run, struct ranges *ranges, unsigned j, struct output *output)
{
    struct ranges inner;

    run->progress->started_over++;
    piles_flush(&ranges->piles, 0);
    divide(run, ranges, j, j + 1, &inner);
    seal(run, &inner);
    write_ranges(run, &inner, output);
    piles_release(&inner.piles);
}

static void write_ranges(struct run *run, struct ranges *ranges, struct output *output)
{
    struct transfer transfer;

    run_transfer(&transfer, run, NULL, output);
    for (unsigned j = 0; j < ranges->kept && run_left(run) > 0; j++) {
        const struct range *range = &ranges->range[j];

        if (records_of(ranges, j) == 0)
            continue;
        if (run_skips(run, records_of(ranges, j))) {
            clear(ranges, j);
            continue;
        }
        if (fits(run, ranges, j)) {
            write_sorted(run, ranges, j, &transfer);
            continue;
        }
        run_transfer_end(&transfer);
        if (range->least == range->greatest) { /* the order is there already */
            run_transfer_pile(run, &ranges->piles, 2 * j, output);
            clear(ranges, j);
        } else {
            restart(run, ranges, j, output);
        }
    }
    run_transfer_end(&transfer);
}

void key_order_write(struct key_order *keyed, struct output *output)
{
    struct ranges *ranges = &keyed->ranges;

    seal(keyed->run, ranges);
    run_scattered(keyed->run);
    run_begin(keyed->run, output, ranges->records);
    write_ranges(keyed->run, ranges, output);
}

void key_order_free(struct key_order *keyed)
{
    piles_release(&keyed->ranges.piles);
    free(keyed);
}
