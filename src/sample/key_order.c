/*
 * Range j has two piles: 2j holds its records, 2j + 1 their keys.
 *
 * Keys have no known distribution. The first records are therefore kept in one range, until there are enough of them to
 * say where ranges should begin; then they are divided among those. When there are twice as many, and what came later
 * has made a range much longer than others, all are divided again, as long as they are in memory: so that no range is
 * too large for it in the end, as one is started over that is, which is written once more. Since the order is that of
 * the keys, it does not matter where ranges begin; only time and space do.
 */

#include "sample/key_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shuffle/index.h"
#include "shuffle/pile.h"
#include "shuffle/pile_keys.h"
#include "shuffle/pile_source.h"
#include "shuffle/transfer.h"
#include "system/sort.h"
#include "system/sys.h"

enum {
    RANGES = 256,
    SAMPLE = 4096,   /* keys: 16 for a range */
    COUNTING = 1024, /* records after which it is seen how many ranges are wanted */
    UNEVEN = 32,     /* a range should not have this part of all records, about four times its share */
};

struct range {
    uint64_t from; /* the least key that may be in it */
    uint64_t records;
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
    struct ranges ranges[2]; /* in use, and empty but while one is divided into the other */
    unsigned used;
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

/* See how many ranges hold as many records as may be written, and drop the others. */
static void count_kept(const struct run *run, struct ranges *ranges)
{
    uint64_t sum = 0;
    unsigned kept = 0;

    while (kept < ranges->kept && sum < run_left(run))
        sum += ranges->range[kept++].records;
    for (unsigned p = 2 * kept; p < 2 * ranges->kept; p++)
        pile_drop(&ranges->piles, p);
    ranges->kept = kept;
}

static uint64_t count_records(const struct ranges *ranges, unsigned first, unsigned end)
{
    uint64_t records = 0;

    for (unsigned j = first; j < end && j < ranges->kept; j++)
        records += ranges->range[j].records;
    return records;
}

static int put(const struct run *run, struct ranges *ranges, const struct record_piece *piece, uint64_t key)
{
    unsigned j = range_of(ranges, key);
    struct range *range = &ranges->range[j];

    if (j < ranges->kept && pile_append(&ranges->piles, 2 * j, piece->data, piece->bytes) != 0)
        return -1;
    if (!piece->last)
        return 0;
    if (j < ranges->kept) {
        if (pile_keys_append(&ranges->piles, 2 * j + 1, key) != 0)
            return -1;
        range->least = key < range->least ? key : range->least;
        range->greatest = key > range->greatest ? key : range->greatest;
        range->records++;
    }
    if (++ranges->records % COUNTING == 0)
        count_kept(run, ranges);
    return 0;
}

static int ranges_init(struct run *run, struct ranges *ranges, unsigned count)
{
    *ranges = (struct ranges){.count = count, .kept = count};
    for (unsigned j = 0; j < count; j++)
        ranges->range[j].least = UINT64_MAX;
    return piles_init(&ranges->piles, 2 * count, 1, &run->engine.pool, run->engine.place);
}

static void seal(const struct run *run, struct ranges *ranges)
{
    count_kept(run, ranges);
    piles_seal(&ranges->piles);
    for (unsigned j = 0; j < ranges->count; j++)
        ranges->piles.pile[2 * j].records = j < ranges->kept ? ranges->range[j].records : 0;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Some keys of the ranges first ... end - 1, evenly from among all of them. Returns how many, or -1 after a report. */
static int sample_keys(struct run *run, struct ranges *ranges, unsigned first, unsigned end, uint64_t sample[SAMPLE])
{
    uint64_t records = count_records(ranges, first, end);
    uint64_t step = records / SAMPLE + 1;
    uint64_t next = 0; /* to be sampled */
    uint64_t before = 0;
    int count = 0;

    for (unsigned j = first; j < end; before += ranges->range[j++].records) {
        uint64_t after = before + ranges->range[j].records;
        struct pile_keys keys;
        int status = pile_keys_open(&keys, &ranges->piles, 2 * j + 1, true);

        for (uint64_t i = before; i < after && status == 0; i++) {
            status = pile_keys_next(&keys, &sample[count]);
            if (i == next && count < SAMPLE - 1) {
                count++;
                next += step;
            }
        }
        pile_keys_close(&keys);
        if (status != 0)
            return -1;
    }
    return count;
}

/* Where ranges begin, by a sample of the keys of the ranges first ... end - 1 of `from`. A key that is there more often
 * than a range should be long has a range of its own. */
static int set_ranges(struct run *run, struct ranges *from, unsigned first, unsigned end, struct ranges *to)
{
    uint64_t keys[SAMPLE];
    int sampled = sample_keys(run, from, first, end, keys);
    size_t count = (size_t)sampled;
    unsigned ranges = 0;

    if (sampled < 0)
        return -1;
    qsort(keys, count, sizeof *keys, compare_keys);
    if (ranges_init(run, to, RANGES) != 0)
        return -1;
    to->range[ranges++].from = 0;
    for (size_t i = 0; i < RANGES / 2 && count > 0; i++) {
        uint64_t key = keys[i * count / (RANGES / 2)];

        if (key > to->range[ranges - 1].from)
            to->range[ranges++].from = key;
        if (ranges < RANGES && i > 0 && keys[(i - 1) * count / (RANGES / 2)] == key &&
            to->range[ranges - 1].from == key && key < UINT64_MAX)
            to->range[ranges++].from = key + 1;
    }
    to->count = ranges;
    return 0;
}

/* Scatter range j of `from` into ranges of its own; it is empty then. */
static int scatter_range(struct run *run, struct ranges *from, unsigned j, struct ranges *to)
{
    struct source *records = pile_source(&from->piles, 2 * j, false);
    const struct engine_space space = engine_buffer(&run->engine, ENGINE_KEYS);
    struct pile_keys keys = {.source = NULL};
    struct record_reader reader;
    struct record_piece piece;
    uint64_t key = 0;
    uint64_t found = 0;
    int more = -1;

    if (records == NULL || pile_keys_open(&keys, &from->piles, 2 * j + 1, false) != 0)
        goto out;
    record_reader_init(&reader, &run->format, records, space.data, space.bytes);
    while ((more = record_reader_next(&reader, &piece)) > 0) {
        if ((piece.first && pile_keys_next(&keys, &key) != 0) || put(run, to, &piece, key) != 0) {
            more = -1;
            break;
        }
        found += piece.last;
    }
    if (more == 0)
        more = pile_check(&from->piles, 2 * j, found);

out:
    pile_keys_close(&keys);
    source_free(records);
    pile_clear(&from->piles, 2 * j);
    pile_clear(&from->piles, 2 * j + 1);
    return more;
}

/* Scatter the ranges first ... end - 1 of `from` into ranges of their own. */
static int divide(struct run *run, struct ranges *from, unsigned first, unsigned end, struct ranges *to)
{
    if (set_ranges(run, from, first, end, to) != 0)
        return -1;
    for (unsigned j = first; j < end; j++)
        if (from->range[j].records > 0 && scatter_range(run, from, j, to) != 0)
            return -1;
    return 0;
}

struct key_order *key_order_open(struct run *run)
{
    struct key_order *keyed = sys_allocate(1, sizeof *keyed);

    if (keyed == NULL) {
        fault_report("memory", errno);
        return NULL;
    }
    keyed->run = run;
    keyed->divide_at = SAMPLE;
    if (ranges_init(run, &keyed->ranges[0], 1) != 0) {
        free(keyed);
        return NULL;
    }
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
        uneven = uneven || (range->records > records / UNEVEN && range->least < range->greatest);
    }
    return uneven;
}

/* Divide all there is again. */
static int divide_again(struct key_order *keyed)
{
    struct ranges *from = &keyed->ranges[keyed->used];
    struct ranges *to = &keyed->ranges[1 - keyed->used];

    seal(keyed->run, from);
    if (piles_make_room(&from->piles, 2 * RANGES) != 0 || divide(keyed->run, from, 0, from->kept, to) != 0)
        return -1;
    piles_release(&from->piles);
    keyed->used = 1 - keyed->used;
    keyed->divide_at = 2 * to->records;
    return 0;
}

int key_order_put(struct key_order *keyed, const struct record_piece *piece, uint64_t key)
{
    struct ranges *ranges = &keyed->ranges[keyed->used];

    if (keyed->run->limit == 0)
        return 0;
    if (piece->first && ranges->records >= keyed->divide_at && ranges->records % COUNTING == 0) {
        if ((ranges->count == 1 || is_uneven(ranges)) && divide_again(keyed) != 0)
            return -1;
        ranges = &keyed->ranges[keyed->used];
    }
    return put(keyed->run, ranges, piece, key);
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

    return blocks + table_blocks(run, ranges->range[j].records) <= pool->blocks - pool->pinned;
}

/* Have as many blocks free as it takes to load and sort range j, which fits; last piles make room for it. The blocks
 * for loading are promised. */
static int make_room(struct run *run, struct ranges *ranges, unsigned j)
{
    for (;;) {
        uint32_t load = pile_load_blocks(&ranges->piles, 2 * j) + pile_load_blocks(&ranges->piles, 2 * j + 1);
        uint64_t blocks = load + table_blocks(run, ranges->range[j].records);
        uint32_t before = pool_free(&run->engine.pool);

        if (blocks <= before && pool_promise(&run->engine.pool, load))
            return 0;
        if (piles_make_room(&ranges->piles, blocks) != 0)
            return -1;
        if (pool_free(&run->engine.pool) == before)
            return fault_say("not enough memory: use a larger -S");
    }
}

/* Into the blocks that were promised. */
static int load(struct run *run, struct ranges *ranges, unsigned j)
{
    if (pile_load(&ranges->piles, 2 * j) != 0) {
        pool_release_promise(&run->engine.pool, pile_load_blocks(&ranges->piles, 2 * j + 1));
        return -1;
    }
    return pile_load(&ranges->piles, 2 * j + 1);
}

static int read_keys(struct run *run, struct ranges *ranges, unsigned j, struct table *table)
{
    struct pile_keys keys;
    int status = pile_keys_open(&keys, &ranges->piles, 2 * j + 1, true);

    for (uint64_t i = 0; i < ranges->range[j].records && status == 0; i++)
        status = pile_keys_next(&keys, table_u64(table, i));
    pile_keys_close(&keys);
    return status;
}

static int write_sorted(struct run *run, struct ranges *ranges, unsigned j, struct transfer *transfer)
{
    uint64_t records = ranges->range[j].records;
    struct sort_pairs pairs = {.key = {0}};
    struct sort_pairs spare = {.key = {0}};
    int status = -1;

    if (make_room(run, ranges, j) != 0 || load(run, ranges, j) != 0)
        goto out;
    if (sort_pairs_take(&pairs, &run->engine.pool, records) != 0 ||
        sort_pairs_take(&spare, &run->engine.pool, records) != 0) {
        fault_report("memory", errno);
        goto out;
    }
    if (read_keys(run, ranges, j, &pairs.key) != 0)
        goto out;
    if (index_build(&ranges->piles, 2 * j, &run->format, NULL, 0, &pairs.value) == 0)
        status = index_copy(&ranges->piles, &run->format, &sort_by_key(&pairs, &spare, records)->value, 0,
                            run_take(run, records), &transfer->outlet);

out:
    sort_pairs_release(&pairs);
    sort_pairs_release(&spare);
    pile_clear(&ranges->piles, 2 * j);
    pile_clear(&ranges->piles, 2 * j + 1);
    return status;
}

/* All keys are the same, so that the order is there already. */
static int write_through(struct run *run, struct ranges *ranges, unsigned j, struct output *output)
{
    struct transfer through;
    struct record_piece piece = {.last = true};
    const struct engine_space whole = engine_buffer(&run->engine, ENGINE_WHOLE);
    struct source *source = NULL;
    int more = 0;
    int status = 0;

    if (pile_source_verify(&ranges->piles, 2 * j, &run->format, whole.data, whole.bytes) != 0)
        return -1;
    source = pile_source(&ranges->piles, 2 * j, false);
    if (source == NULL)
        return -1;
    transfer_init(&through, &run->engine, &run->format, source, output);
    while (status == 0 && (!piece.last || run_left(run) > 0) &&
           (more = record_reader_next(&through.reader, &piece)) > 0) {
        status = output_buffer_put(&through.outlet, piece.data, piece.bytes);
        if (status == 0)
            run_take(run, piece.last);
    }
    source_free(source);
    if (status != 0 || more < 0)
        return -1;
    pile_clear(&ranges->piles, 2 * j);
    pile_clear(&ranges->piles, 2 * j + 1);
    return transfer_end(&through);
}

static int write_ranges(struct run *run, struct ranges *ranges, struct output *output);

static int restart(struct run *run, struct ranges *ranges, unsigned j, struct output *output)
{
    struct ranges inner = {.count = 0};
    int status = -1;

    run->progress->started_over++;
    if (divide(run, ranges, j, j + 1, &inner) == 0) {
        seal(run, &inner);
        status = write_ranges(run, &inner, output);
    }
    piles_release(&inner.piles);
    return status;
}

static int write_ranges(struct run *run, struct ranges *ranges, struct output *output)
{
    struct transfer transfer;

    transfer_init(&transfer, &run->engine, &run->format, NULL, output);
    for (unsigned j = 0; j < ranges->kept && run_left(run) > 0; j++) {
        const struct range *range = &ranges->range[j];
        int status;

        if (range->records == 0)
            continue;
        if (fits(run, ranges, j)) {
            status = write_sorted(run, ranges, j, &transfer);
        } else {
            if (transfer_end(&transfer) != 0 || piles_flush(&ranges->piles) != 0)
                return -1;
            status = range->least == range->greatest ? write_through(run, ranges, j, output)
                                                     : restart(run, ranges, j, output);
        }
        if (status != 0)
            return -1;
    }
    return transfer_end(&transfer);
}

int key_order_write(struct key_order *keyed, struct output *output)
{
    struct ranges *ranges = &keyed->ranges[keyed->used];

    seal(keyed->run, ranges);
    if (run_scattered(keyed->run) != 0 || run_begin(keyed->run, output, ranges->records) != 0)
        return -1;
    return write_ranges(keyed->run, ranges, output);
}

void key_order_free(struct key_order *keyed)
{
    if (keyed == NULL)
        return;
    piles_release(&keyed->ranges[0].piles);
    piles_release(&keyed->ranges[1].piles);
    free(keyed);
}
