/*
 * All records are kept in one pile. If they can be read again and do not fit into memory, they are only counted.
 *
 * If they fit with their references, drawn records are copied out at once. Otherwise there are passes: each draws the
 * numbers of the records for which there is room, and sorts them; then it goes through all records and copies these to
 * a second pile, as if they had come from an input, and their places in the output are known (shuffle_drawn).
 */

#include "sample/replacement.h"

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "shuffle/index.h"
#include "shuffle/pile_source.h"
#include "shuffle/shuffle.h"

/* How many records are drawn at a time from memory with references: enough to hide the latency. If each draw goes
 * through all records, 1/PASS_SHARE of these more; then each drawn one takes TABLES numbers, in tables of their own. */
TUNABLE(BATCH, 4096, 1, 4096);
enum { PASS_SHARE = 8, TABLES = 7 };

/* A record drawn in a pass takes up to 100 bytes in tables, and twice its length. A length above LENGTH_MAX counts as
 * that: longer records may be spilled, since otherwise each pass would draw only a few. */
enum { DRAWN_BYTES = 128, BLOCKS_MIN = 32 };
TUNABLE(LENGTH_MAX, 1024, 1, 1024);

/* While all records are in memory, passes are quick. So they stay there if a batch can have 1/BATCH_SHARE of it. */
TUNABLE(BATCH_SHARE, 8, 1, 1024);

struct replacement {
    struct run *run;
    struct source *input; /* to be read again; NULL if the records are in the pile */
    struct piles piles;   /* one */
    uint64_t records;
    const struct replacement_rule *rule;
    struct output *output;
};

static void draw_records(struct replacement *r, struct table *numbers, uint64_t count)
{
    r->rule->draw(r->rule->context, r->records, numbers, count);
}

/* Write from memory, drawing `batch` records at a time. */
static void write_resident(struct replacement *r, const struct table *references, struct table *numbers, uint64_t batch)
{
    struct run *run = r->run;
    struct transfer transfer;

    run_transfer(&transfer, run, NULL, r->output);
    while (run_left(run) > 0) {
        uint64_t count = run_take(run, batch);

        if (r->rule->prepare != NULL)
            run_transfer_end(&transfer); /* drawing may use the buffer */
        draw_records(r, numbers, count);
        for (uint64_t i = 0; i < count; i++)
            *table_u64(numbers, i) = *table_u64(references, *table_u64(numbers, i));
        index_copy(&r->piles, &run->format, numbers, 0, count, true, &transfer.outlet);
    }
    run_transfer_end(&transfer);
}

/* The records drawn, on their way from the pile of all to a pile of their own. */
struct collection {
    struct table_pairs drawn; /* key: number of the record; value: place in the output */
    uint64_t count;
    uint64_t put_off; /* how many at the front of `drawn` are for another pass */
    struct table places;
    uint64_t collected;
    struct piles piles; /* one */
};

static bool is_drawn(const struct collection *c, uint64_t next, uint64_t record)
{
    return next < c->count && *table_u64(&c->drawn.key, next) == record;
}

/* One pass over all records. It collects a record that is longer than a piece only once. */
static void collect_pass(struct replacement *r, struct collection *c, struct source *source)
{
    struct transfer transfer;
    struct record_piece piece;
    uint64_t record = 0;
    uint64_t next = 0;
    bool wanted = false;

    c->put_off = 0;
    run_transfer(&transfer, r->run, source, NULL);
    for (; record_reader_next(&transfer.reader, &piece); record += piece.last) {
        if (piece.first)
            wanted = is_drawn(c, next, record);
        if (wanted)
            pile_append(&c->piles, 0, piece.data, piece.bytes);
        if (wanted && piece.first)
            *table_u64(&c->places, c->collected++) = *table_u64(&c->drawn.value, next++);
        for (; piece.first && is_drawn(c, next, record); next++) {
            if (piece.last) {
                pile_append(&c->piles, 0, piece.data, piece.bytes);
                *table_u64(&c->places, c->collected++) = *table_u64(&c->drawn.value, next);
            } else {
                *table_u64(&c->drawn.key, c->put_off) = record;
                *table_u64(&c->drawn.value, c->put_off++) = *table_u64(&c->drawn.value, next);
            }
        }
    }
    fault_same_input(record >= r->records);
    c->count = c->put_off;
    pile_check(&r->piles, 0, record);
}

static void collect_record(struct replacement *r, struct collection *c)
{
    while (c->count > 0) {
        struct source *source = r->input != NULL ? r->input : pile_source(&r->piles, 0, true);

        if (r->input != NULL)
            source_rewind(r->input);
        collect_pass(r, c, source);
        if (r->input == NULL)
            source_free(source);
    }
    piles_seal(&c->piles);
    pile_count(&c->piles, 0, (int64_t)c->collected);
}

static void draw_places(void *context, struct table *ranks, uint64_t records)
{
    const struct collection *c = context;

    for (uint64_t i = 0; i < records; i++)
        table_set(ranks, i, *table_u64(&c->places, i));
}

/* Draw `count` records, and collect them. */
static void draw_batch(struct replacement *r, struct collection *c, uint64_t count)
{
    struct pool *pool = &r->run->engine.pool;

    table_take(&c->places, pool, count, sizeof(uint64_t));
    table_pairs_take(&c->drawn, pool, count);
    table_pin(&c->places);
    draw_records(r, &c->drawn.key, count);
    for (uint64_t i = 0; i < count; i++)
        *table_u64(&c->drawn.value, i) = i;
    table_sort(&c->drawn, count);
    c->count = count;
    piles_init(&c->piles, 1, 1, pool, spill_open(r->run->engine.place, 1));
    collect_record(r, c);
    table_pairs_release(&c->drawn);
}

/* How many records the next pass draws; makes room for them. */
static uint64_t prepare_batch(struct replacement *r)
{
    const struct pool *pool = &r->run->engine.pool;
    uint64_t length = counter_get(&r->run->progress->bytes) / r->records;
    uint64_t each = DRAWN_BYTES + 2 * least(length, LENGTH_MAX);
    uint64_t most = pool->blocks - pool->pinned;
    uint64_t count;

    if (r->input == NULL && !r->piles.pile[0].spilled) {
        most /= BATCH_SHARE;
        most = most > pool_free(&r->run->engine.pool) ? most : pool_free(&r->run->engine.pool);
    }
    count = least(run_left(r->run), (most > BLOCKS_MIN ? (most - BLOCKS_MIN) << pool->block_shift : 0) / each + 1);
    piles_make_room(&r->piles, least(pool_blocks_for(pool, count * each) + BLOCKS_MIN, most));
    return count;
}

/* Write in passes. The blocks that all records still hold are pinned, since they cannot be spilled while drawn records
 * are shuffled. */
static void write_passes(struct replacement *r)
{
    struct run *run = r->run;

    while (run_left(run) > 0) {
        struct collection c = {.count = 0};
        uint64_t count = prepare_batch(r);
        uint32_t held = r->piles.pile[0].blocks;

        draw_batch(r, &c, count);
        pool_pin(&run->engine.pool, held);
        shuffle_drawn(run, &c.piles, NULL, draw_places, &c, r->output);
        pool_unpin(&run->engine.pool, held);
        table_release(&c.places);
        piles_release(&c.piles);
    }
}

/* Also draws the records before the first one that is written. */
static void begin_writing(struct replacement *r)
{
    run_begin(r->run, r->output, UINT64_MAX);
    draw_records(r, NULL, r->run->progress->range.first);
    run_skips(r->run, r->run->progress->range.first);
}

static void write_drawn(struct replacement *r)
{
    struct pool *pool = &r->run->engine.pool;
    const bool passes = r->rule->prepare != NULL;
    const uint64_t batch = BATCH + (passes ? least(r->records / PASS_SHARE, run_left(r->run)) : 0);
    const uint64_t blocks = pool_blocks_for(pool, r->records * sizeof(uint64_t)) +
                            pool_blocks_for(pool, batch * sizeof(uint64_t)) * (passes ? TABLES : 1);
    const bool resident = r->input == NULL && !r->piles.pile[0].spilled && blocks <= pool_free(pool);
    struct table references, numbers;

    if (passes)
        r->rule->prepare(r->rule->context, r->records, resident);
    if (resident) {
        table_take(&references, pool, r->records, sizeof(uint64_t));
        table_take(&numbers, pool, batch, sizeof(uint64_t));
        begin_writing(r);
        index_build(&r->piles, 0, &r->run->format, NULL, 0, &references);
        write_resident(r, &references, &numbers, batch);
        table_release(&references);
        table_release(&numbers);
    } else {
        begin_writing(r);
        write_passes(r);
    }
}

void replacement_source(struct run *run, struct source *source, struct replacement_rule *rule, struct output *output)
{
    struct replacement r = {
        .run = run, .input = keep_may_count(run, source) ? source : NULL, .rule = rule, .output = output};

    rule->keep.counts_only = r.input != NULL;
    keep_records(run, source, &rule->keep, &r.piles, 1);
    r.records = counter_get(&run->progress->records);
    if (r.records == 0)
        die("no lines to repeat");
    write_drawn(&r);
    piles_release(&r.piles);
}

/* ---- All equally likely ---- */

uint64_t replacement_draw(struct gnu *gnu, struct random_words *words, uint64_t bound)
{
    return gnu != NULL ? gnu_draw(gnu, bound - 1) : random_draw(words, bound);
}

struct lots {
    struct gnu *gnu;
    struct random_words words;
};

static void draw_uniform(void *context, uint64_t records, struct table *numbers, uint64_t count)
{
    struct lots *lots = context;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t number = replacement_draw(lots->gnu, &lots->words, records);

        if (numbers != NULL)
            *table_u64(numbers, i) = number;
    }
}

void replacement_uniform(struct run *run, struct source *source, struct gnu *gnu, struct output *output)
{
    struct lots lots = {.gnu = gnu};
    struct replacement_rule rule = {.draw = draw_uniform, .context = &lots};

    random_words_init(&lots.words, &run->order.key, REPLACEMENT_LABEL);
    replacement_source(run, source, &rule, output);
}
