/*
 * The draws depend on the number of records alone, so they need numbers, not records: those are stored in one pile, and
 * written in the order that was drawn (shuffle_drawn). If they do not fit into memory and can be read again, they are
 * only counted. Of a reservoir, only records are stored that get into it; there are about k log(n / k) of them besides
 * the first k.
 */

#include "sample/gnu_order.h"

#include <errno.h>

#include "sample/keep.h"
#include "sample/replacement.h"
#include "shuffle/pile.h"
#include "shuffle/shuffle.h"

/* The reservoir's numbers may take this part of the memory; when it is full, what is stored gives a part of it up. In
 * the end there are 12 bytes for each entry, and what shuffle_drawn needs for all that was stored: more than this. */
enum { RESERVOIR_SHARE = 2, STEP_SHARE = 32, RESERVOIR_BYTES = 17 };

/* shuf takes a sample of a larger file by way of a reservoir. */
static const uint64_t RESERVOIR_FROM_BYTES = (uint64_t)8 << 20;

struct replay {
    struct run *run;
    struct gnu_random *gnu;
    struct source *again; /* the input, to be read again; NULL if records are stored */
    struct piles piles;   /* one */
    struct table entry;   /* of it: the number of a stored record, 8 bytes */
    struct table place;   /* and where that will be in the output */
    uint64_t entries;
};

static int report_sample(struct run *run)
{
    uint64_t records = run->limit < UINT64_MAX / 64 ? run->limit : UINT64_MAX / 64;

    return engine_report_memory(&run->engine, RESERVOIR_BYTES * records, "a sample of %llu records",
                                (unsigned long long)run->limit);
}

/* One more. */
static int add_entry(struct replay *r)
{
    struct pool *pool = &r->run->engine.pool;

    if (r->entries + 1 > (uint64_t)r->entry.blocks << table_number_shift(&r->entry)) {
        if (r->entry.blocks >= pool->blocks / RESERVOIR_SHARE)
            return report_sample(r->run);
        if (pool_free(pool) == 0 && piles_make_room(&r->piles, pool->blocks / STEP_SHARE) != 0)
            return -1;
        if (table_take_block(&r->entry, r->entry.blocks) != 0)
            return fault_report("memory", errno);
    }
    r->entries++;
    return 0;
}

/* Does record i get into the reservoir? 1, 0, or -1 after a report. */
static int admit(void *context, uint64_t i)
{
    struct replay *r = context;
    uint64_t j = i;

    if (i >= r->run->limit && r->run->limit > 0 && gnu_random_draw(r->gnu, i, &j) != 0)
        return -1;
    if (j >= r->run->limit)
        return 0;
    if (j == r->entries && add_entry(r) != 0)
        return -1;
    *table_u64(&r->entry, j) = r->piles.pile[0].records;
    return 1;
}

static int draw_order(void *context, struct table *ranks, uint64_t records)
{
    struct replay *r = context;

    if (r->again != NULL && source_rewind(r->again) != 0)
        return -1;
    return gnu_random_ranks(r->gnu, ranks, records, r->run->limit);
}

int gnu_order_all(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    const struct keep_rule all = {.counts_only = keep_may_count(run, source)};
    struct replay r = {.run = run, .gnu = gnu, .again = all.counts_only ? source : NULL};
    int status = -1;

    if (piles_init(&r.piles, 1, 1, &run->engine.pool, run->engine.place) == 0 &&
        keep_records(run, source, &all, &r.piles, 0) == 0 &&
        run_begin(run, output, counter_get(&run->progress->records)) == 0)
        status = shuffle_drawn(run, &r.piles, r.again, draw_order, &r, output);
    piles_release(&r.piles);
    return status;
}

/* Records that were driven out of the reservoir come after all others. */
static int draw_entries(void *context, struct table *ranks, uint64_t records)
{
    struct replay *r = context;
    const uint64_t all = counter_get(&r->run->progress->records);
    uint64_t next = r->entries;
    uint64_t unused;

    if (all >= r->run->limit && gnu_random_draw(r->gnu, all, &unused) != 0)
        return -1;
    if (gnu_random_ranks(r->gnu, &r->place, r->entries, r->entries) != 0)
        return -1;
    for (uint64_t i = 0; i < records; i++)
        table_set(ranks, i, records);
    for (uint64_t i = 0; i < r->entries; i++)
        table_set(ranks, *table_u64(&r->entry, i), table_get(&r->place, i));
    for (uint64_t i = 0; i < records; i++)
        if (table_get(ranks, i) == records)
            table_set(ranks, i, next++);
    table_clear(&r->entry);
    table_clear(&r->place);
    return 0;
}

/* Room for the places of the entries. It stays, as the entries do, until the order has been drawn. */
static int take_places(struct replay *r)
{
    size_t bytes = r->entries <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);

    if (piles_make_room(&r->piles, pool_blocks_for(&r->run->engine.pool, r->entries * bytes)) != 0)
        return -1;
    if (table_take(&r->place, &r->run->engine.pool, r->entries, bytes) != 0)
        return fault_report("memory", errno);
    table_pin(&r->entry);
    table_pin(&r->place);
    return 0;
}

int gnu_order_reservoir(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    struct replay r = {.run = run, .gnu = gnu};
    const struct keep_rule some = {.admit = admit, .context = &r};
    int status = -1;

    if (table_init(&r.entry, &run->engine.pool) != 0) {
        fault_report("memory", errno);
        goto out;
    }
    r.entry.wide = true;
    if (piles_init(&r.piles, 1, 1, &run->engine.pool, run->engine.place) == 0 &&
        keep_records(run, source, &some, &r.piles, 0) == 0 && take_places(&r) == 0 &&
        run_begin(run, output, counter_get(&run->progress->records)) == 0)
        status = shuffle_drawn(run, &r.piles, NULL, draw_entries, &r, output);

out:
    piles_release(&r.piles);
    table_release(&r.entry);
    table_release(&r.place);
    return status;
}

static int draw_any(void *context, struct replacement *repeat, uint64_t records, struct table *numbers, uint64_t count)
{
    (void)repeat;
    for (uint64_t i = 0; i < count; i++)
        if (gnu_random_draw(context, records - 1, table_u64(numbers, i)) != 0)
            return -1;
    return 0;
}

int gnu_order_sample(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    uint64_t unused;

    if (source_is_known(source) && source_known_bytes(source) <= RESERVOIR_FROM_BYTES)
        return gnu_order_all(run, source, gnu, output);
    if (gnu_random_draw(gnu, 0, &unused) != 0) /* opens it if it is a FIFO, as shuf does before it reads the input */
        return -1;
    return gnu_order_reservoir(run, source, gnu, output);
}

int gnu_order_repeat(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    const struct replacement_draws lots = {.draw = draw_any, .context = gnu};

    return replacement_source(run, source, &lots, output);
}
