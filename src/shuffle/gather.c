/*
 * Workers claim piles in order, a few small neighbours at a time, and a turnstile lets them write in the same order. A
 * claim is made only when the pool can promise all the blocks that the piles need to be loaded and indexed; until then
 * the worker waits for others to finish theirs. So the number of piles in work follows the memory there is. When
 * nothing is in work and there still is not enough, piles are spilled, last ones first. A pile that would not fit into
 * an empty pool ends the gathering, and so does one for which others would be spilled though it needs no table.
 *
 * Where the storage can, all workers load several piles together before they go on like this: three quarters of the
 * pool at most, and first a few, so that output begins soon and little is read that nobody wants.
 */

#include "shuffle/gather.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/must.h"
#include "base/tunable.h"
#include "shuffle/index.h"
#include "shuffle/pile_keys.h"
#include "shuffle/sorted.h"
#include "system/sys.h"
#include "system/threads.h"

/* Blocks for nodes that got more than a leaf's records by chance: such a node has a few children, each with a block
 * that is not full. Usual leaves never have one; of 8 records, 16 one below the other have a probability of less than
 * 10^-20. */
enum { CHANCE_BLOCKS = 64 };

/* What a table has for a record, at most. */
enum { NUMBERS_MAX = 8 };

/* Tables to sort references by their keys: of both, twice. They are one, of which each has whole blocks. */
enum { SORT_TABLES = 4 };

/* Smaller piles are claimed several at a time: a write and a hand-over for each would cost more than they do. */
TUNABLE(CLAIM_BYTES, 128 << 10, 1, 128 << 10);

/* What a worker copies out before it is written, at most. */
TUNABLE(OUTLET_BYTES, 1 << 30, 64, 1 << 20);

/* Piles are loaded together that have this many bytes: 1,800 batches of 1 MB in 512 piles took 2.5 s of processor time
 * with 64 MiB, 2.1 s with 256 MiB and 2.9 s with all at once, and 4.4 s one by one. */
TUNABLE(LOAD_BYTES, 256 << 20, 1, 256 << 20);

/* If they are fewer for each worker, it is not worth it. */
TUNABLE(LOAD_PILES, 4, 1, 4);

/* Records that are found at a time when they are divided. */
TUNABLE(ENDS, 2048, 1, 2048);

struct worker {
    _Alignas(SYS_APART_BYTES) struct table table; /* of references, or keyed_sort's */
    struct output_buffer outlet;
    struct gathering *gathering;
    pthread_cond_t turn;  /* may have come for the first of these */
    struct worker *after; /* has claimed the next ones; NULL: nobody has */
    unsigned number;
    unsigned first; /* the piles claimed: [first, last) */
    unsigned last;
    uint32_t promised; /* blocks for them */
    uint64_t skipped;  /* records that come before the first one that is wanted */
    uint64_t wanted;   /* records, of those that are left of them */
};

struct gathering {
    struct run *run;
    struct piles *piles;
    struct gather_order order;
    struct output *output;
    struct worker *worker;
    pthread_mutex_t mutex;
    pthread_cond_t room; /* may have come for the next claim */
    struct worker *last; /* has made the last claim */
    unsigned count;      /* of the piles of records */
    unsigned end;        /* those before it are claimed now, when the last of them have been loaded; */
    unsigned share;      /* how many of these one worker loads at a time, */
    atomic_uint loading; /* from here on */
    unsigned next;       /* to be claimed */
    unsigned turn;       /* to be written */
    unsigned in_work;
};

struct order_node gather_node(const struct gather_order *order, unsigned pile)
{
    struct order_node node = order->node;

    if (order->orders == NULL)
        return order_child(node, pile);
    node.order = &order->orders[pile];
    return node;
}

uint64_t gather_memory(uint64_t bytes, uint64_t records, bool keyed)
{
    const uint64_t numbers = keyed                           ? keyed_table_length(records)
                             : records <= ORDER_LEAF_RECORDS ? records
                                                             : 2 * records;

    if (records > (UINT64_MAX - bytes) / NUMBERS_MAX / sizeof(uint64_t))
        return UINT64_MAX;
    return bytes + numbers * sizeof(uint64_t);
}

/* Blocks beside those that a pile's bytes take: for references to the records of one leaf, and for the last blocks of
 * the children of its node, and of theirs, as far as they are expected to scatter. A pile by keys is never divided. */
static uint64_t table_blocks(const struct gathering *g, unsigned p)
{
    const struct pool *pool = g->piles->pool;
    const uint64_t records = g->piles->pile[p].records;
    struct order_node node;
    uint64_t last = 0;

    if (g->order.sorted)
        return SORT_TABLES * pool_blocks_for(pool, records * sizeof(uint64_t));
    if (g->order.keyed != NULL || g->order.ranks != NULL)
        return pool_blocks_for(pool,
                               (g->order.keyed != NULL ? keyed_table_length(records) : records) * sizeof(uint64_t));
    node = gather_node(&g->order, p);
    for (uint64_t left = records, bits; (bits = order_scatter_bits(node, left)) > 0; left = 2 * (left >> bits))
        last += (uint64_t)1 << bits;
    return pool_blocks_for(pool, least(records, node.order->leaf_records) * sizeof(uint64_t)) +
           (last > 0 ? last + CHANCE_BLOCKS : 0);
}

/* Does a pile fit, bytes plus index, when all others have left memory? */
static bool fits(const struct gathering *g, unsigned p)
{
    const struct pool *pool = g->piles->pool;

    return pool_blocks_for(pool, pile_bytes(g->piles, p)) + table_blocks(g, p) <= pool->blocks - pool->pinned;
}

/* What will be written of a pile, about. */
static uint64_t output_bytes(const struct piles *piles, unsigned p)
{
    return !piles->refers ? pile_bytes(piles, p) : piles->pile[p].records * piles_average(piles);
}

/* Get blocks promised for the next pile, and for those after it as long as they write no more than `bytes` together. */
static bool claim_piles(struct gathering *g, struct worker *worker, uint64_t bytes)
{
    uint64_t total = 0, records = 0, load = 0, table = 0;
    unsigned p = g->next;

    do {
        uint64_t needed = table_blocks(g, p);

        total += output_bytes(g->piles, p);
        records += g->piles->pile[p].records;
        load += pile_load_blocks(g->piles, p);
        table = needed > table ? needed : table;
        p++;
    } while (p < g->end && total + output_bytes(g->piles, p) <= bytes && fits(g, p));
    if (load + table > g->piles->pool->blocks || !pool_promise(g->piles->pool, (uint32_t)(load + table)))
        return false;
    worker->first = g->next;
    worker->last = p;
    worker->promised = (uint32_t)(load + table);
    if (g->order.keyed == NULL)
        worker->wanted = run_pass(g->run, records, &worker->skipped);
    worker->after = NULL;
    if (g->last != NULL)
        g->last->after = worker;
    g->last = worker;
    g->next = p;
    g->in_work++;
    return true;
}

/* Is there anything left to be written? */
static bool is_done(const struct gathering *g)
{
    return g->next == g->end || run_left(g->run) == 0;
}

/* False when there is nothing more to claim: all is done, or the next pile does not fit. */
static bool claim(struct gathering *g, struct worker *worker)
{
    bool claimed = false;

    pthread_mutex_lock(&g->mutex);
    while (!is_done(g) && fits(g, g->next)) {
        claimed = claim_piles(g, worker, CLAIM_BYTES) || claim_piles(g, worker, 0);
        if (claimed)
            break;
        if (g->in_work > 0)
            pthread_cond_wait(&g->room, &g->mutex);
        else if (keyed_share(g->order.votes, g->piles, g->next, g->order.keyed) != KEYED_SOME)
            break; /* it is copied from where it is: no other is written to files for its table */
        else       /* spill only as much as the next pile lacks: since it fits, that much is in memory */
            piles_make_room(g->piles, pile_load_blocks(g->piles, g->next) + table_blocks(g, g->next));
    }
    pthread_mutex_unlock(&g->mutex);
    pthread_cond_signal(&g->room); /* another may claim what is left, or end, too */
    return claimed;
}

static void finish(struct gathering *g, struct worker *worker)
{
    struct worker *after;

    table_clear(&worker->table);
    pool_release_promise(g->piles->pool, worker->promised);
    pthread_mutex_lock(&g->mutex);
    g->turn = worker->last;
    g->in_work--;
    after = worker->after;
    if (after == NULL)
        g->last = NULL;
    pthread_mutex_unlock(&g->mutex);
    if (after != NULL)
        pthread_cond_signal(&after->turn);
}

/* Write what is in the outlet, when all piles before have been written. */
static void drain(void *context)
{
    struct worker *worker = context;
    struct gathering *g = worker->gathering;
    const struct units units = output_buffer_take(&worker->outlet);

    output_find(g->output, worker->number, &units);
    pthread_mutex_lock(&g->mutex);
    while (g->turn != worker->first)
        pthread_cond_wait(&worker->turn, &g->mutex);
    pthread_mutex_unlock(&g->mutex);
    if (units.bytes > 0)
        output_write(g->output, &units);
}

/* Put a table's records into the output, as far as they are wanted. */
static void emit(struct worker *worker, const struct piles *piles, const struct table *table, uint64_t records)
{
    const uint64_t skipped = least(records, worker->skipped), wanted = least(records - skipped, worker->wanted);

    worker->skipped -= skipped;
    worker->wanted -= wanted;
    index_copy(piles, &worker->gathering->run->format, table, skipped, wanted, true, &worker->outlet);
}

/* Take the blocks that a table needs out of the promise. */
static void grow(struct worker *worker, struct table *table, uint64_t numbers)
{
    const uint32_t before = table->blocks;

    table_grow(table, numbers, sizeof(uint64_t));
    worker->promised -= table->blocks - before;
}

/* Have the records of a resident pile in the worker's table, by rank if there are ranks. */
static void build(struct worker *worker, const struct piles *piles, unsigned p)
{
    const struct gathering *g = worker->gathering;

    grow(worker, &worker->table, piles->pile[p].records);
    index_build(piles, p, &g->run->format, g->order.ranks, p * g->order.share, &worker->table);
}

/* ---- By keys ---- */

/* How many units a pile has is known only now. If not all are written, those of the piles before must be known; they
 * are when these have been written. */
static uint64_t take_units(struct gathering *g, struct worker *worker, uint64_t units, uint64_t *skipped)
{
    uint64_t wanted;

    if (g->run->progress->cut)
        drain(worker);
    pthread_mutex_lock(&g->mutex);
    wanted = run_pass(g->run, units, skipped);
    pthread_mutex_unlock(&g->mutex);
    return wanted;
}

/* The place from `at` on where `units` more units have been passed. */
static uint64_t pass_units(const struct table *table, uint64_t records, uint64_t at, uint64_t count, uint64_t units)
{
    while (at < count && (!keyed_begins(table, records, at) || units-- > 0))
        at++;
    return at;
}

/* Put the wanted units of a resident pile into the output. */
static void gather_keyed(struct gathering *g, struct worker *worker, unsigned p)
{
    const struct keyed *keyed = g->order.keyed;
    const struct record_format *format = &g->run->format;
    const uint64_t records = g->piles->pile[p].records;
    struct table *table = &worker->table;
    uint64_t count, units, skipped, wanted, first, end;

    if (g->order.orders != NULL)
        hasher_turn(keyed->hasher, worker->number, &g->order.orders[p].key);
    grow(worker, table, keyed_table_length(records));
    count = keyed_sort(keyed, worker->number, g->piles, p, format, g->order.bits, table, &units);
    wanted = take_units(g, worker, units, &skipped);
    first = skipped == 0 ? 0 : pass_units(table, records, 0, count, skipped);
    end = skipped + wanted == units ? count : pass_units(table, records, first, count, wanted);
    counter_add_shared(&g->run->progress->written, end - first - wanted);
    counter_add_shared(&g->run->progress->units, wanted);
    counter_add_shared(&g->run->progress->left_out, records - count);
    if (keyed->unique || !worker->outlet.ends) {
        index_copy(g->piles, format, table, first, end - first, true, &worker->outlet);
        return;
    }
    for (uint64_t next; first < end; first = next) {
        for (next = first + 1; next < end && !keyed_begins(table, records, next);)
            next++;
        index_copy(g->piles, format, table, first, next - first, false, &worker->outlet);
        output_buffer_end_unit(&worker->outlet);
    }
}

/* One of the tables that a table has room for. */
static struct table part_of(const struct table *table, unsigned number)
{
    struct table part = *table;

    part.blocks /= SORT_TABLES;
    part.block += (size_t)number * part.blocks;
    return part;
}

/* Put the records of a resident pile into the output in the order of the keys in the pile beside it. */
static void gather_sorted(struct gathering *g, struct worker *worker, unsigned p)
{
    const uint64_t records = g->piles->pile[p].records;
    struct table *all = &worker->table;
    struct table_pairs pairs, spare; /* of keys and references */
    struct pile_keys keys;

    grow(worker, all, (table_blocks(g, p) << all->shift) / sizeof(uint64_t));
    pairs = (struct table_pairs){part_of(all, 0), part_of(all, 1)};
    spare = (struct table_pairs){part_of(all, 2), part_of(all, 3)};
    index_build(g->piles, p, &g->run->format, NULL, 0, &pairs.value);
    pile_keys_open(&keys, g->piles, p + SORTED_RANGES, false);
    for (uint64_t i = 0; i < records; i++)
        *table_u64(&pairs.key, i) = pile_keys_next(&keys);
    pile_keys_close(&keys);
    pile_clear(g->piles, p + SORTED_RANGES);
    table_sort_with(&pairs, &spare, records);
    emit(worker, g->piles, &pairs.value, records);
}

/* ---- By the order of a node ---- */

/* The caches hold the ends of all children, so there are no stages (stage.h): a line of 9 bytes takes 2.3, 4.5 and 6.7
 * ns with 4, 64 and 512 children (AMD EPYC, busy). */
static void append(struct piles *children, unsigned child, const uint8_t *data, size_t bytes)
{
    uint8_t *to = pile_extend(children, child, bytes, COPY_STEP);

    if (to != NULL)
        copy_over(to, data, bytes);
    else
        pile_append(children, child, data, bytes);
}

/* Move what is in a resident pile, records or references to them, to its node's 2^bits children, which are empty. A
 * record that goes on in the next block goes on in the same child, as it has the same number there. All blocks come out
 * of what is promised to the caller: those that the pile leaves, each of which stays promised, and at most 2^bits more.
 */
static void divide(struct piles *piles, unsigned p, const struct record_format *format, struct order_node node,
                   unsigned bits, struct piles *children)
{
    uint32_t ends[ENDS + 1];
    uint16_t child[ENDS + 1];
    struct pile_walk walk = pile_walk(piles, p);
    struct record_scan scan = {0};
    uint64_t records = 0; /* so far: the number of the record that is open, or comes next */
    const uint8_t *data;
    bool open = false;
    size_t bytes;

    while ((data = pile_next(piles, p, &walk, SIZE_MAX, &bytes)) != NULL) {
        for (size_t from = 0, scanned; from < bytes; from += scanned) {
            const size_t count = record_ends(format, &scan, data + from, bytes - from, ends, ENDS, &scanned);
            size_t start = 0;

            order_scatter(node, bits, records, count + 1, child);
            ends[count] = (uint32_t)scanned;
            for (size_t i = 0; i <= count; i++) {
                append(children, child[i], data + from + start, ends[i] - start);
                pile_count(children, child[i], i < count);
                start = ends[i];
            }
            records += count;
            open = count == 0 || ends[count - 1] != scanned;
        }
        pile_give_block(piles, p, true);
    }
    pile_check(piles, p, open ? UINT64_MAX : records);
}

/* Put the records of a resident pile into the output, in the order of a node. If that scatters, the pile is divided
 * into a pile for each child: this copies the records once more, but each child's records and index are in the
 * processor's cache when they are shuffled and copied to the output. (1.9 GB of lines of 9 bytes in memory, 4 children:
 * 5.1 s of user time, and 5.7 s if only references are dealt to the children; AMD EPYC, busy.) */
static void gather_below(struct worker *worker, struct piles *piles, unsigned p, struct order_node node)
{
    const uint64_t records = piles->pile[p].records;
    const unsigned bits = order_scatter_bits(node, records);
    struct piles children;

    if (bits == 0) {
        build(worker, piles, p);
        order_leaf(node, &worker->table, 0, records);
        emit(worker, piles, &worker->table, records);
        return;
    }
    piles_init_children(&children, 1u << bits, piles);
    divide(piles, p, piles->refers ? &pile_keys_format : &worker->gathering->run->format, node, bits, &children);
    for (unsigned j = 0; j < children.count; j++) {
        gather_below(worker, &children, j, order_child(node, j));
        pile_clear(&children, j);
    }
    piles_release(&children);
}

static void gather_pile(struct gathering *g, struct worker *worker, unsigned p)
{
    const uint32_t load = pile_load_blocks(g->piles, p);

    pile_load(g->piles, p);
    worker->promised -= load;
    if (g->order.sorted) {
        gather_sorted(g, worker, p);
    } else if (g->order.keyed != NULL) {
        gather_keyed(g, worker, p);
    } else if (g->order.ranks != NULL) {
        build(worker, g->piles, p);
        emit(worker, g->piles, &worker->table, g->piles->pile[p].records);
    } else {
        const uint32_t blocks = g->piles->pile[p].blocks;

        gather_below(worker, g->piles, p, gather_node(&g->order, p));
        worker->promised += blocks - g->piles->pile[p].blocks; /* if it was divided */
    }
    pile_clear(g->piles, p);
}

/* ---- Several piles at a time ---- */

static void load(void *context, unsigned number)
{
    struct gathering *g = context;
    struct storage *storage = g->piles->storage;
    unsigned first;

    (void)number;
    while ((first = atomic_fetch_add(&g->loading, g->share)) < g->end)
        storage->kind->load(storage, first, (unsigned)least(g->end, (uint64_t)first + g->share), pile_place, g->piles);
}

/* Choose the next piles, at most `most` and up to one that is empty or given up, and load them, with room for their
 * tables. If those are too few, the rest will be loaded one by one. */
static void load_some(struct gathering *g, unsigned workers, unsigned most)
{
    const struct piles *piles = g->piles;
    const uint64_t room = pool_free(piles->pool) / 4;
    uint64_t blocks = 0;

    g->end = g->next;
    most = piles->storage != NULL && piles->storage->loads ? most : 0;
    while (g->end < least(g->count, g->next + most) && piles->pile[g->end].spilled &&
           workers * table_blocks(g, g->end) <= room &&
           blocks + pile_load_blocks(piles, g->end) <= least(LOAD_BYTES >> piles->pool->block_shift, 3 * room))
        blocks += pile_load_blocks(piles, g->end++);
    if (g->end - g->next < LOAD_PILES * workers) {
        g->end = g->count;
        return;
    }
    MUST_ALWAYS(pool_promise(piles->pool, (uint32_t)blocks));
    g->share = (g->end - g->next + workers - 1) / workers;
    atomic_store(&g->loading, g->next);
    threads_run(workers, load, g);
}

static void work(void *context, unsigned number)
{
    struct gathering *g = context;
    struct worker *worker = &g->worker[number];

    while (claim(g, worker)) {
        for (unsigned p = worker->first; p < worker->last; p++)
            gather_pile(g, worker, p);
        drain(worker);
        finish(g, worker);
    }
}

/* Each worker's table and its part of the buffer. */
static void set_up(struct gathering *g, unsigned workers)
{
    struct run *run = g->run;
    const struct engine_space space = engine_buffer(&run->engine, ENGINE_WHOLE);
    const size_t share = space.bytes / workers, bytes = least_size(share, OUTLET_BYTES);

    for (unsigned w = 0; w < workers; w++) {
        struct worker *worker = &g->worker[w];

        worker->gathering = g;
        pthread_cond_init(&worker->turn, NULL);
        worker->number = w;
        output_buffer_init(&worker->outlet, space.data + w * share, bytes, output_needs(g->output)->ends, drain,
                           worker);
        table_init(&worker->table, &run->engine.pool);
    }
}

/* Clear pile p of the first `count` piles, which hold records, and the pile of its keys, if there is one. */
static void clear(struct piles *piles, unsigned count, unsigned p)
{
    pile_clear(piles, p);
    if (p + count < piles->count)
        pile_clear(piles, p + count);
}

/* Give up the piles without any record that is written: those up to *next, which moves on, and some of the last. */
static void give_up_others(struct run *run, struct piles *piles, unsigned count, unsigned *next)
{
    uint64_t left;

    for (; *next < count && run_skips(run, piles->pile[*next].records); (*next)++)
        clear(piles, count, *next);
    left = run_left(run);
    for (unsigned p = *next; p < count; p++) {
        const uint64_t records = piles->pile[p].records;

        if (left == 0)
            clear(piles, count, p);
        left -= least(left, records);
    }
}

void gather(struct run *run, struct piles *piles, struct gather_order order, unsigned *next, struct output *output)
{
    struct gathering g = {.run = run,
                          .piles = piles,
                          .order = order,
                          .output = output,
                          .count = order.sorted ? SORTED_RANGES : piles->count,
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .room = PTHREAD_COND_INITIALIZER};
    unsigned workers = run->engine.memory.workers, first;
    bool spilled = false;
    uint64_t bytes = 0;

    if (order.keyed == NULL)
        give_up_others(run, piles, g.count, next);
    g.next = g.turn = first = *next;
    for (unsigned p = *next; p < g.count; p++) {
        spilled = spilled || piles->pile[p].spilled;
        bytes += pile_bytes(piles, p);
    }
    if (spilled) {
        workers += run->engine.waiting; /* since most of them wait */
        if (bytes > engine_free_memory(&run->engine))
            output_write_behind(output);
    }
    if (workers > g.count)
        workers = g.count;
    g.worker = sys_allocate_apart(workers, sizeof *g.worker);
    if (g.worker == NULL)
        die_errno("memory", errno);
    set_up(&g, workers);
    do {
        load_some(&g, workers, g.next - first + LOAD_PILES * workers);
        threads_run(workers, work, &g);
    } while (g.next == g.end && g.end < g.count && run_left(run) > 0);
    *next = is_done(&g) ? piles->count : g.next;
    for (unsigned w = 0; w < workers; w++) {
        pthread_cond_destroy(&g.worker[w].turn);
        table_release(&g.worker[w].table);
    }
    free(g.worker);
}
