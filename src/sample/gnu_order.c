/*
 * The draws depend on the number of records alone, so they need numbers, not records: those are stored in one pile, and
 * written in the order that was drawn (shuffle_drawn). Of a reservoir, only records are stored that get into it; there
 * are about k log(n / k) of them besides the first k.
 */

#include "sample/gnu_order.h"

#include <errno.h>

#include "sample/replacement.h"
#include "shuffle/pile.h"
#include "shuffle/shuffle.h"
#include "shuffle/transfer.h"

/* The reservoir's numbers may take this part of the memory. */
enum { RESERVOIR_SHARE = 4 };

struct replay {
    struct run *run;
    struct gnu_random *gnu;
    struct piles piles; /* one */
    struct table entry; /* of the reservoir: the number of a stored record, 8 bytes */
    uint64_t room;
    uint64_t entries; /* 0: there is no reservoir */
};

static int report_sample(struct run *run)
{
    uint64_t records = run->limit < UINT64_MAX / 64 ? run->limit : UINT64_MAX / 64;

    return engine_report_memory(&run->engine, RESERVOIR_SHARE * sizeof(uint64_t) * records, "a sample of %llu records",
                                (unsigned long long)run->limit);
}

/* Does record i get into the reservoir? If so, it is stored as number `stored`. 1, 0, or -1 after a report. */
static int admit(struct replay *r, uint64_t i, uint64_t stored)
{
    uint64_t j = i;

    if (i >= r->run->limit && gnu_random_draw(r->gnu, i, &j) != 0)
        return -1;
    if (j >= r->run->limit)
        return 0;
    if (j >= r->room)
        return report_sample(r->run);
    *table_u64(&r->entry, j) = stored;
    r->entries = r->entries > j ? r->entries : j + 1;
    return 1;
}

static int store(struct replay *r, struct source *source)
{
    struct transfer transfer;
    struct record_piece piece;
    struct pile *pile = &r->piles.pile[0];
    int stays = 1;
    int more;

    transfer_init(&transfer, &r->run->engine, &r->run->format, source, NULL);
    while ((more = record_reader_next(&transfer.reader, &piece)) > 0) {
        if (piece.first && r->room > 0)
            stays = admit(r, r->run->progress.records, pile->records);
        if (stays < 0 || (stays > 0 && pile_append(&r->piles, 0, piece.data, piece.bytes) != 0))
            return -1;
        pile->records += piece.last && stays > 0;
        r->run->progress.records += piece.last;
    }
    piles_seal(&r->piles);
    run_scattered(r->run);
    return more;
}

static int draw_order(void *context, struct table *numbers, uint64_t records, uint64_t *places)
{
    struct replay *r = context;

    if (r->run->limit < records)
        *places = r->run->limit;
    return gnu_random_permute(r->gnu, numbers, records, *places);
}

int gnu_order_all(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    struct replay r = {.run = run, .gnu = gnu};
    int status = -1;

    if (piles_init(&r.piles, 1, 1, &run->engine.pool, run->engine.place) == 0 && store(&r, source) == 0 &&
        run_begin(run, output, run->progress.records) == 0)
        status = shuffle_drawn(run, &r.piles, draw_order, &r, output);
    piles_release(&r.piles);
    return status;
}

static int draw_entries(void *context, struct table *numbers, uint64_t records, uint64_t *places)
{
    struct replay *r = context;
    uint64_t unused;

    (void)records;
    if (r->run->progress.records >= r->run->limit && gnu_random_draw(r->gnu, r->run->progress.records, &unused) != 0)
        return -1;
    for (uint64_t i = 0; i < r->entries; i++)
        table_set(numbers, i, *table_u64(&r->entry, i));
    *places = r->entries;
    return gnu_random_permute(r->gnu, numbers, r->entries, r->entries);
}

int gnu_order_reservoir(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    struct replay r = {.run = run, .gnu = gnu};
    uint64_t most = (engine_pool_bytes(&run->engine)) / RESERVOIR_SHARE / sizeof(uint64_t);
    int status = -1;

    r.room = run->limit < most ? run->limit : most;
    if (table_take(&r.entry, &run->engine.pool, r.room, sizeof(uint64_t)) != 0) {
        fault_report(run->engine.fault, "memory", errno);
        goto out;
    }
    table_pin(&r.entry);
    if (piles_init(&r.piles, 1, 1, &run->engine.pool, run->engine.place) == 0 && store(&r, source) == 0 &&
        run_begin(run, output, run->progress.records) == 0)
        status = shuffle_drawn(run, &r.piles, draw_entries, &r, output);

out:
    piles_release(&r.piles);
    table_release(&r.entry);
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

int gnu_order_repeat(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output)
{
    const struct replacement_draws lots = {.draw = draw_any, .context = gnu};

    return replacement_source(run, source, &lots, output);
}
