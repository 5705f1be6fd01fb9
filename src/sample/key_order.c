/*
 * Range j has two piles: 2j holds its records, 2j + 1 their keys.
 *
 * Keys have no known distribution. The first records are therefore kept in a range of their own, the sample, until
 * there are enough of them to say where ranges should begin; then they are scattered as those after them are. A range
 * that is started over is its own sample. Since the order is that of the keys, it does not matter where ranges begin;
 * only the time does.
 */

#include "sample/key_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shuffle/index.h"
#include "shuffle/pile.h"
#include "shuffle/pile_keys.h"
#include "shuffle/transfer.h"
#include "system/sort.h"
#include "system/sys.h"

enum {
    RANGES = 256,
    SAMPLE = 4096,   /* keys: 16 for a range */
    COUNTING = 1024, /* records after which it is seen how many ranges are wanted */
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
    struct ranges sample; /* one range, until it is full */
    struct ranges ranges;
    bool sampling;
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

    while (kept < ranges->kept && sum < run->left)
        sum += ranges->range[kept++].records;
    for (unsigned p = 2 * kept; p < 2 * ranges->kept; p++)
        pile_drop(&ranges->piles, p);
    ranges->kept = kept;
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
    return piles_init(&ranges->piles, 2 * count, 1, &run->pool, run->place);
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

/* Some keys of range j, evenly from among all of them. Returns how many, or -1 after a report. */
static int sample_keys(struct run *run, struct ranges *ranges, unsigned j, uint64_t sample[SAMPLE])
{
    uint64_t records = ranges->range[j].records;
    uint64_t step = records / SAMPLE + 1;
    struct pile_keys keys;
    int count = 0;
    int status = pile_keys_open(&keys, &ranges->piles, 2 * j + 1, run->fault);

    for (uint64_t i = 0; i < records && status == 0; i++) {
        status = pile_keys_next(&keys, &sample[count]);
        count += i % step == 0 && count < SAMPLE - 1;
    }
    pile_keys_close(&keys);
    return status == 0 ? count : -1;
}

/* Where ranges begin, by a sample of the keys of range j of `from`. A key that is there more often than a range should
 * be long has a range of its own. */
static int set_ranges(struct run *run, struct ranges *from, unsigned j, struct ranges *to)
{
    uint64_t keys[SAMPLE];
    int sampled = sample_keys(run, from, j, keys);
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
    size_t quarter = run->memory.buffer_bytes / 4;
    struct pile_keys keys = {.source = NULL};
    struct record_reader reader;
    struct record_piece piece;
    uint64_t key = 0;
    uint64_t found = 0;
    int more = -1;

    if (records == NULL) {
        fault_report(run->fault, "memory", errno);
        goto out;
    }
    if (pile_keys_open(&keys, &from->piles, 2 * j + 1, run->fault) != 0)
        goto out;
    record_reader_init(&reader, &run->format, records, run->buffer + 3 * quarter, quarter);
    while ((more = record_reader_next(&reader, &piece)) > 0) {
        if ((piece.first && pile_keys_next(&keys, &key) != 0) || put(run, to, &piece, key) != 0) {
            more = -1;
            break;
        }
        found += piece.last;
    }
    if (more == 0)
        more = pile_check(&from->piles, 2 * j, &run->format, found);

out:
    pile_keys_close(&keys);
    source_free(records);
    pile_clear(&from->piles, 2 * j);
    pile_clear(&from->piles, 2 * j + 1);
    return more;
}

struct key_order *key_order_open(struct run *run)
{
    struct key_order *keyed = sys_allocate(1, sizeof *keyed);

    if (keyed == NULL) {
        fault_report(run->fault, "memory", errno);
        return NULL;
    }
    keyed->run = run;
    keyed->sampling = true;
    if (ranges_init(run, &keyed->sample, 1) != 0) {
        free(keyed);
        return NULL;
    }
    return keyed;
}

static int end_sampling(struct key_order *keyed)
{
    keyed->sampling = false;
    seal(keyed->run, &keyed->sample);
    if (pool_free(&keyed->run->pool) < 2 * RANGES && piles_flush(&keyed->sample.piles) != 0)
        return -1;
    if (set_ranges(keyed->run, &keyed->sample, 0, &keyed->ranges) != 0)
        return -1;
    return scatter_range(keyed->run, &keyed->sample, 0, &keyed->ranges);
}

int key_order_put(struct key_order *keyed, const struct record_piece *piece, uint64_t key)
{
    if (keyed->run->left == 0)
        return 0;
    if (keyed->sampling && piece->first && keyed->sample.records == SAMPLE && end_sampling(keyed) != 0)
        return -1;
    return put(keyed->run, keyed->sampling ? &keyed->sample : &keyed->ranges, piece, key);
}

/* ---- Writing ---- */

/* Blocks for the keys and references of a range's records, twice, as merging needs. */
static uint64_t table_blocks(const struct run *run, uint64_t records)
{
    return 4 * pool_blocks_for(&run->pool, records * sizeof(uint64_t));
}

static bool fits(const struct run *run, const struct ranges *ranges, unsigned j)
{
    const struct pool *pool = &run->pool;
    uint64_t blocks = pool_blocks_for(pool, pile_bytes(&ranges->piles, 2 * j)) +
                      pool_blocks_for(pool, pile_bytes(&ranges->piles, 2 * j + 1));

    return blocks + table_blocks(run, ranges->range[j].records) <= pool->blocks - pool->pinned;
}

/* Have as many blocks free as it takes to load and sort range j, which fits; last piles make room for it. The blocks
 * for loading are promised. */
static int make_room(struct run *run, struct ranges *ranges, unsigned j)
{
    unsigned last = ranges->piles.count;

    for (;;) {
        uint32_t load = pile_load_blocks(&ranges->piles, 2 * j) + pile_load_blocks(&ranges->piles, 2 * j + 1);

        if (load + table_blocks(run, ranges->range[j].records) <= pool_free(&run->pool) &&
            pool_promise(&run->pool, load))
            return 0;
        while (last > 0 && ranges->piles.pile[last - 1].blocks == 0)
            last--;
        if (last == 0)
            return fault_say(run->fault, "not enough memory: use a larger -S");
        if (pile_flush(&ranges->piles, --last) != 0)
            return -1;
    }
}

/* Into the blocks that were promised. */
static int load(struct run *run, struct ranges *ranges, unsigned j)
{
    if (pile_load(&ranges->piles, 2 * j) != 0) {
        pool_release_promise(&run->pool, pile_load_blocks(&ranges->piles, 2 * j + 1));
        return -1;
    }
    return pile_load(&ranges->piles, 2 * j + 1);
}

static int read_keys(struct run *run, struct ranges *ranges, unsigned j, struct table *table)
{
    struct pile_keys keys;
    int status = pile_keys_open(&keys, &ranges->piles, 2 * j + 1, run->fault);

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
    if (sort_pairs_take(&pairs, &run->pool, records) != 0 || sort_pairs_take(&spare, &run->pool, records) != 0) {
        fault_report(run->fault, "memory", errno);
        goto out;
    }
    if (read_keys(run, ranges, j, &pairs.key) != 0)
        goto out;
    if (index_build(&ranges->piles, 2 * j, &run->format, NULL, 0, &pairs.value) == 0)
        status = index_copy(&run->pool, &run->format, &sort_by_key(&pairs, &spare, records)->value, 0,
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
    struct source *source = NULL;
    int more = -1;

    if (pile_verify(&ranges->piles, 2 * j, &run->format, run->buffer, run->memory.buffer_bytes) != 0)
        return -1;
    source = pile_source(&ranges->piles, 2 * j, false);
    if (source == NULL)
        return fault_report(run->fault, "memory", errno);
    transfer_init(&through, run, source, output);
    while ((!piece.last || run->left > 0) && (more = record_reader_next(&through.reader, &piece)) > 0) {
        if (output_buffer_put(&through.outlet, piece.data, piece.bytes) != 0)
            break;
        run_take(run, piece.last);
    }
    source_free(source);
    if (more < 0 || (more > 0 && run->left > 0))
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

    run->started_over++;
    if (set_ranges(run, ranges, j, &inner) == 0 && scatter_range(run, ranges, j, &inner) == 0) {
        seal(run, &inner);
        status = write_ranges(run, &inner, output);
    }
    piles_release(&inner.piles);
    return status;
}

static int write_ranges(struct run *run, struct ranges *ranges, struct output *output)
{
    struct transfer transfer;

    transfer_init(&transfer, run, NULL, output);
    for (unsigned j = 0; j < ranges->kept && run->left > 0; j++) {
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
    struct ranges *ranges = keyed->sampling ? &keyed->sample : &keyed->ranges;

    seal(keyed->run, ranges);
    keyed->run->scattered_seconds = run_seconds();
    if (run_begin(keyed->run, output, ranges->records) != 0)
        return -1;
    return write_ranges(keyed->run, ranges, output);
}

void key_order_free(struct key_order *keyed)
{
    if (keyed == NULL)
        return;
    piles_release(&keyed->sample.piles);
    piles_release(&keyed->ranges.piles);
    free(keyed);
}
