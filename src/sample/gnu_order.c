/*
 * The draws depend on the number of records alone, so they need numbers, not records: those are stored in one pile, and
 * written in the order that was drawn (shuffle_drawn). If they do not fit into memory and can be read again, they are
 * only counted. Of a reservoir, only records are stored that get into it; there are about k log(n / k) of them besides
 * the first k.
 */

#include "sample/gnu_order.h"

#include <errno.h>

#include "base/least.h"
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

/* One more. */
static void add_entry(struct replay *r)
{
    struct pool *pool = &r->run->engine.pool;

    if (r->entries + 1 > (uint64_t)r->entry.blocks << table_number_shift(&r->entry)) {
        if (r->entry.blocks >= pool->blocks / RESERVOIR_SHARE)
            engine_report_memory(&r->run->engine, RESERVOIR_BYTES * least(r->run->limit, UINT64_MAX / 64),
                                 "a sample of %llu records", (unsigned long long)r->run->limit);
        if (pool_free(pool) == 0)
            piles_make_room(&r->piles, pool->blocks / STEP_SHARE);
        if (table_take_block(&r->entry, r->entry.blocks) != 0)
            fault_report("memory", errno);
    }
    r->entries++;
}

/* Does record i get into the reservoir? */
static bool admit(void *context, uint64_t i)
{
    struct replay *r = context;
    uint64_t j = i;

    if (i >= r->run->limit && r->run->limit > 0)
        j = gnu_random_draw(r->gnu, i);
    if (j >= r->run->limit)
        return false;
    if (j == r->entries)
        add_entry(r);
    *table_u64(&r->entry, j) = r->piles.pile[0].records;
    return true;
}

static void draw_order(void *context, struct table *ranks, uint64_t records)
{
    struct replay *r = context;

    if (r->again != NULL)
        source_rewind(r->again);
    gnu_random_ranks(r->gnu, ranks, records, r->run->limit);
}

void gnu_order_all(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    const struct keep_rule all = {.counts_only = keep_may_count(run, source)};
    struct replay r = {.run = run, .gnu = gnu, .again = all.counts_only ? source : NULL};

    piles_init(&r.piles, 1, 1, &run->engine.pool, run->engine.place);
    keep_records(run, source, &all, &r.piles, 0);
    run_begin(run, output, counter_get(&run->progress->records));
    shuffle_drawn(run, &r.piles, r.again, draw_order, &r, output);
    piles_release(&r.piles);
}

/* Records that were driven out of the reservoir come after all others. */
static void draw_entries(void *context, struct table *ranks, uint64_t records)
{
    struct replay *r = context;
    const uint64_t all = counter_get(&r->run->progress->records);
    uint64_t next = r->entries;

    if (all >= r->run->limit)
        (void)gnu_random_draw(r->gnu, all);
    gnu_random_ranks(r->gnu, &r->place, r->entries, r->entries);
    for (uint64_t i = 0; i < records; i++)
        table_set(ranks, i, records);
    for (uint64_t i = 0; i < r->entries; i++)
        table_set(ranks, *table_u64(&r->entry, i), table_get(&r->place, i));
    for (uint64_t i = 0; i < records; i++)
        if (table_get(ranks, i) == records)
            table_set(ranks, i, next++);
    table_clear(&r->entry);
    table_clear(&r->place);
}

/* Room for the places of the entries. It stays, as the entries do, until the order has been drawn. */
static void take_places(struct replay *r)
{
    size_t bytes = r->entries <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);

    piles_make_room(&r->piles, pool_blocks_for(&r->run->engine.pool, r->entries * bytes));
    if (table_take(&r->place, &r->run->engine.pool, r->entries, bytes) != 0)
        fault_report("memory", errno);
    table_pin(&r->entry);
    table_pin(&r->place);
}

void gnu_order_reservoir(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    struct replay r = {.run = run, .gnu = gnu};
    const struct keep_rule some = {.admit = admit, .context = &r};

    if (table_init(&r.entry, &run->engine.pool) != 0)
        fault_report("memory", errno);
    r.entry.wide = true;
    piles_init(&r.piles, 1, 1, &run->engine.pool, run->engine.place);
    keep_records(run, source, &some, &r.piles, 0);
    take_places(&r);
    run_begin(run, output, counter_get(&run->progress->records));
    shuffle_drawn(run, &r.piles, NULL, draw_entries, &r, output);
    piles_release(&r.piles);
    table_release(&r.entry);
    table_release(&r.place);
}

static void draw_any(void *context, struct replacement *repeat, uint64_t records, struct table *numbers, uint64_t count)
{
    (void)repeat;
    for (uint64_t i = 0; i < count; i++)
        *table_u64(numbers, i) = gnu_random_draw(context, records - 1);
}

void gnu_order_sample(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    if (source_is_known(source) && source_known_bytes(source) <= RESERVOIR_FROM_BYTES) {
        gnu_order_all(run, source, gnu, output);
        return;
    }
    (void)gnu_random_draw(gnu, 0); /* opens it if it is a FIFO, as shuf does before it reads the input */
    gnu_order_reservoir(run, source, gnu, output);
}

void gnu_order_repeat(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    const struct replacement_draws lots = {.draw = draw_any, .context = gnu};

    replacement_source(run, source, &lots, output);
}
