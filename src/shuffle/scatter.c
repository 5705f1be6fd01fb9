/*
 * The input goes through the queue (queue.h) in blocks: read, scanned for record ends, routed, appended. A record that
 * goes over the end of a block is simply two pieces: both have its number, so both go to its pile, one after the other.
 * So records may have any length, even larger than memory.
 *
 * Routing turns a block into a list of pieces for each lane, so that a lane touches nothing but its own records. The
 * append loop is the hot one: one look at the list, one copy to the pile's stage, which may write beyond the piece
 * because the next one overwrites that, and two counters.
 *
 * In an order by keys, blocks end where records do, and keyed_reader.c routes them. Lane 0 sees slices in input order,
 * so the first record without a key that it meets is the input's first.
 *
 * With a limit to the records that will be written, a pile is dropped as soon as the piles before it hold that many.
 * That happens long before the input ends; so hardly more records are stored than will be written. When few piles are
 * left, the ends of most records are not needed: the records of a block are only counted, and after routing, the few
 * wanted ones are found by passing over the others.
 */

#include "shuffle/scatter.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/tunable.h"
#include "shuffle/index.h"
#include "shuffle/queue.h"
#include "shuffle/seen.h"
#include "shuffle/stage.h"
#include "system/fault.h"
#include "system/sys.h"
#include "system/threads.h"

enum { PILES_MAX = 1 << QUEUE_PILE_BITS };

/* More lanes make smaller tasks: 16 append 5 GB/s of the shortest lines, and more than any disk or pipe delivers. */
TUNABLE(LANES_MAX, 16, 1, 64);

/* If only one pile in FEW is wanted, looking for its records is faster than listing all ends: -n 6000000 of 111 million
 * lines of 9 bytes takes 1.3, 1.1, 1.5 and 1.8 s with 2, 4, 8 and 16 (Xeon, Sapphire Rapids, one thread). */
TUNABLE(FEW, 4, 1, 64);

/* All is set before the threads begin, except `scan`, of the thread that scans, one at a time if `in_order`; `bad`, of
 * the one that appends to lane 0; and `kept` and `counted`, which all that route change. */
struct scattering {
    const struct record_format *format;
    const struct scatter_plan *plan;
    struct source *source;
    struct piles *piles;
    struct stages stages;
    struct queue *queue;
    struct record_scan scan; /* position at the end of the last block scanned in order */
    bool in_order;           /* do ends in a block depend on bytes before it? */
    bool limited;
    bool numbered;                 /* do blocks have lists for keys? */
    struct keyed_reader *reader;   /* NULL: no keys in records */
    struct seen *seen;             /* NULL: no record is left out */
    const struct queue_block *bad; /* the block with the first record without a key */
    atomic_uint kept;              /* the first `kept` piles may still be wanted */
    _Atomic uint64_t *counted;     /* records routed to each pile; only with a limit */
    uint32_t *count;               /* pieces of a block routed to each pile; each thread has its own array */
};

/* Bytes that stayed in place are forgotten when their block is read again: all before have been appended by then. */
static void read_block(struct scattering *s, struct queue_block *block)
{
    /* For references, bytes are read only once, so blocks need not fit in the caches: fewer, larger blocks are better.
     * 540 MB of JSON lines take 0.11 s, with blocks of 256 KiB 0.13 s. */
    const size_t most = s->plan->refers ? QUEUE_BLOCK_BYTES_MAX : block->data_bytes;

    if (block->data != block->buffer)
        source_forget(s->source, block->data + block->bytes);
    MUST(source_stays(s->source) || most <= block->data_bytes);
    if (s->plan->sorted != NULL)
        sorted_fill(s->plan->sorted, block);
    else if (s->reader != NULL)
        keyed_reader_fill(s->reader, block, most);
    else
        block->bytes = source_next(s->source, block->buffer, most, &block->data, &block->absent);
    if (s->plan->refers && !source_stays(s->source))
        queue_stop(s->queue);
}

/* Find the ends of the block's records; or only count them, if few are wanted and the lists have room for all. */
static void scan_block(struct scattering *s, struct queue_block *block)
{
    const struct record_format *format = s->format;
    const uint8_t *data = block->data + block->from;
    const size_t bytes = block->bytes - block->from;
    struct record_scan anywhere = {0};
    struct record_scan *scan = s->in_order ? &s->scan : &anywhere;
    size_t scanned = bytes;
    bool whole;

    if (s->plan->sorted != NULL) {
        block->listed = true;
        block->to = block->bytes;
        return;
    }
    if (!s->in_order) /* else ends do not depend on them, and to wait would hold up the next block */
        source_fetch(s->source, &block->absent);
    if (s->reader != NULL && block->from == 0)
        anywhere = block->begins;
    block->begins = *scan;
    block->listed = s->reader != NULL || atomic_load(&s->kept) - s->plan->first > s->piles->count / FEW;
    if (!block->listed) {
        block->records = (size_t)record_count(format, scan, data, bytes, &whole);
        block->listed = block->records > block->room;
        block->open = !whole;
    }
    if (block->listed) {
        *scan = block->begins;
        block->records = record_ends(format, scan, data, bytes, block->ends, block->room, &scanned);
        block->open = block->records == 0 || block->ends[block->records - 1] != scanned;
    }
    block->to = block->from + scanned;
    if (s->plan->records != NULL)
        counter_add_shared(s->plan->records, block->records);
}

/* Add a routed block's records to `counted`, and lower `kept` accordingly. */
static void add_counts(struct scattering *s, const uint32_t *count)
{
    unsigned before = atomic_load(&s->kept);
    unsigned kept = 0;
    uint64_t sum = 0;

    for (unsigned p = 0; p < before; p++)
        if (count[p] > 0)
            atomic_fetch_add(&s->counted[p], count[p]);
    while (kept < before && sum < s->plan->limit)
        sum += atomic_load(&s->counted[kept++]);
    while (kept < before && !atomic_compare_exchange_weak(&s->kept, &before, kept))
        continue;
}

/* Drop the lane's piles that are no longer wanted, unless they have been dropped. */
static void drop_piles(struct scattering *s, unsigned lane)
{
    const unsigned lanes = s->piles->lanes, kept = atomic_load(&s->kept);

    for (unsigned p = kept + ((lane - kept) & (lanes - 1)); p < s->plan->piles && !s->piles->pile[p].dropped;
         p += lanes) {
        pile_drop(s->piles, p);
        if (s->plan->sorted != NULL)
            pile_drop(s->piles, p + SORTED_RANGES);
    }
}

/* Set next[l] to the start of lane l's pieces, for the piles in `pile`. An open record may follow the whole ones. */
static void start_lanes(struct scattering *s, uint32_t *count, const uint16_t *pile, size_t whole, bool open,
                        size_t *next)
{
    const unsigned lanes = s->piles->lanes;
    size_t total = 0;

    if (lanes == 1 && !s->limited)
        return;
    /* Counted by pile: with a counter for each lane, every count would wait for the one before. */
    memset(count, 0, (s->piles->count + 1) * sizeof *count);
    for (size_t i = 0; i < whole; i++)
        count[pile[i]]++;
    if (s->limited)
        add_counts(s, count);
    if (open)
        count[pile[whole]]++;
    for (unsigned l = 0; l < lanes; l++) {
        next[l] = total;
        for (unsigned p = l; p < s->piles->count; p += lanes)
            total += count[p];
    }
}

/* Put a piece into its lane's list. Returns its index. */
static size_t put_piece(const struct scattering *s, struct queue_block *block, size_t *next, size_t start, size_t end,
                        unsigned p)
{
    const size_t length = end - start, place = next[p & (s->piles->lanes - 1)]++;

    block->pieces[place] = (struct queue_piece){
        .start = (uint32_t)start, .length = length & ((1 << QUEUE_LENGTH_BITS) - 1), .pile = p & (PILES_MAX - 1)};
    return place;
}

/* Put all pieces into the lists of lanes, since all ends are listed. */
static void put_all_pieces(struct scattering *s, struct queue_block *block, uint32_t *count, size_t *next)
{
    size_t start = block->from;

    start_lanes(s, count, block->pile, block->records, block->open, next);
    if (block->open)
        block->ends[block->records] = (uint32_t)(block->to - block->from);
    for (size_t i = 0; i < block->records + block->open; i++) {
        const size_t end = block->from + block->ends[i];

        if (!s->numbered)
            put_piece(s, block, next, start, end, block->pile[i]);
        else if (block->pile[i] < s->plan->piles)
            block->number[put_piece(s, block, next, start, end, block->pile[i])] = (uint32_t)i;
        start = end;
    }
}

/* List the pieces for the piles [first, last), without a branch, which could be mispredicted. */
static size_t list_wanted(const uint16_t *pile, size_t pieces, unsigned first, unsigned last, uint32_t *wanted)
{
    size_t found = 0;

    for (size_t i = 0; i < pieces; i++) {
        wanted[found] = (uint32_t)i;
        found += pile[i] - first < last - first;
    }
    return found;
}

/* Put only the wanted pieces into the lists, passing over the others. Their piles overwrite those of all. */
static void put_few_pieces(struct scattering *s, struct queue_block *block, uint32_t *count, size_t *next)
{
    uint16_t *pile = block->pile;
    struct record_scan scan = block->begins;
    uint32_t *wanted = block->ends;
    const size_t found = list_wanted(pile, block->records + block->open, s->plan->first, atomic_load(&s->kept), wanted);
    const bool open = found > 0 && wanted[found - 1] == block->records;
    size_t passed = 0, at = block->from;

    for (size_t i = 0; i < found; i++)
        pile[i] = pile[wanted[i]];
    start_lanes(s, count, pile, found - open, open, next);
    for (size_t i = 0; i < found; i++) {
        size_t start;

        at += record_skip(s->format, &scan, block->data + at, block->bytes - at, wanted[i] - passed);
        start = at;
        at += record_skip(s->format, &scan, block->data + at, block->bytes - at, 1);
        put_piece(s, block, next, start, at, pile[i]);
        passed = wanted[i] + 1;
    }
}

static void route_block(struct scattering *s, struct queue_block *block, unsigned worker)
{
    uint32_t *count = s->count + (size_t)worker * (s->piles->count + 1);
    const unsigned lanes = s->piles->lanes;
    size_t *next = block->lane_start; /* lane l's next index while lists are filled, then the start of lane l + 1 */

    source_fetch(s->source, &block->absent);
    if (s->reader != NULL)
        keyed_reader_route(s->reader, block, worker);
    else if (s->plan->sorted != NULL)
        sorted_route(s->plan->sorted, block);
    else
        s->plan->route(s->plan->context, block->first_record, block->records + block->open, block->pile);
    memset(next, 0, (lanes + 1) * sizeof *next);
    if (block->listed)
        put_all_pieces(s, block, count, next);
    else
        put_few_pieces(s, block, count, next);
    memmove(next + 1, next, lanes * sizeof *next);
    next[0] = 0;
}

/* ---- Appending ---- */

/* Append references to records that begin in the block; the length of one that goes on is unknown. False: no room. */
static bool refer_block(struct scattering *s, struct queue_block *block, unsigned lane, const struct queue_piece *end)
{
    const struct queue_piece *piece = block->pieces + block->lane_start[lane];
    const uint64_t base = (uint64_t)(block->data - s->piles->pool->memory);

    for (; piece < end; piece++) {
        const size_t start = piece->start, length = piece->length;
        struct keyed_reference refers;
        uint8_t *to;

        if (start == block->from && block->continues)
            continue;
        refers.reference =
            reference_make(base + start, block->open && start + length == block->to ? REFERENCE_LONG : length);
        to = stage_reserve(&s->stages, piece->pile, s->reader != NULL ? sizeof refers : sizeof refers.reference);
        if (to == NULL)
            return false;
        if (s->reader != NULL) {
            refers.hash = block->hash[block->number[piece - block->pieces]];
            memcpy(to, &refers, sizeof refers);
        } else {
            memcpy(to, &refers.reference, sizeof refers.reference);
        }
        pile_count(s->piles, piece->pile, 1);
    }
    return true;
}

static void append_key(struct scattering *s, unsigned p, uint64_t key)
{
    uint8_t *to = stage_reserve(&s->stages, p, sizeof key);

    memcpy(to, &key, sizeof key);
    pile_count(s->piles, p, 1);
}

static void append_block(struct scattering *s, struct queue_block *block, unsigned lane, const struct queue_piece *end)
{
    const struct queue_piece *piece = block->pieces + block->lane_start[lane];

    for (; piece < end; piece++) {
        pile_count(s->piles, piece->pile, 1);
        stage_put(&s->stages, piece->pile, block->data + piece->start, piece->length);
        if (s->plan->sorted != NULL && (piece->start > block->from || !block->continues))
            append_key(s, piece->pile + SORTED_RANGES, block->hash[block->number[piece - block->pieces]].word[0]);
    }
    /* A record that is still open is counted by the block in which it ends. */
    if (block->open) {
        unsigned p = block->pile[block->records];

        MUST(p < s->piles->count); /* a record in pieces is never left out */
        if ((p & (s->piles->lanes - 1)) == lane)
            pile_count(s->piles, p, -1);
    }
}

/* Count the block's records by their classes. */
static void count_block(struct scattering *s, struct queue_block *block, unsigned lane)
{
    const struct queue_piece *piece = block->pieces + block->lane_start[lane],
                             *end = block->pieces + block->lane_start[lane + 1];

    for (; piece < end; piece++)
        strata_count(s->plan->strata, lane, block->data + piece->start, piece->length,
                     !block->continues || piece->start != block->from,
                     !block->open || piece->start + piece->length != block->to);
}

/* False: there is no room for all references. */
static bool append_slices(struct scattering *s, const struct queue_task *task)
{
    bool room = true;

    if (s->limited)
        drop_piles(s, task->lane);
    for (uint64_t i = task->first; i < task->last && room; i++) {
        struct queue_block *block = queue_slice(s->queue, i);
        size_t end = block->lane_start[task->lane + 1];

        if (s->reader != NULL && block->bad > 0) {
            if (task->lane == 0)
                s->bad = block;
            return task->lane > 0;
        }
        if (s->plan->strata != NULL)
            count_block(s, block, task->lane);
        if (s->seen != NULL)
            end = seen_drop(s->seen, block, task->lane);
        if (s->reader != NULL)
            keyed_reader_vote(s->reader, block, block->lane_start[task->lane], end);
        if (s->plan->refers)
            room = refer_block(s, block, task->lane, block->pieces + end);
        else
            append_block(s, block, task->lane, block->pieces + end);
    }
    stages_settle();
    return room;
}

static void work_on_tasks(void *context, unsigned worker)
{
    struct scattering *s = context;
    struct queue_task task = {.kind = QUEUE_END};

    do {
        queue_next(s->queue, worker, &task);
        switch (task.kind) {
        case QUEUE_READ:
            read_block(s, task.block);
            break;
        case QUEUE_SCAN:
            scan_block(s, task.block);
            break;
        case QUEUE_ROUTE:
            route_block(s, task.block, worker);
            break;
        case QUEUE_APPEND:
            if (!append_slices(s, &task))
                queue_stop(s->queue);
            break;
        case QUEUE_END:
            break;
        }
    } while (task.kind != QUEUE_END);
}

void scatter_to_children(const void *context, uint64_t first, size_t count, uint16_t *pile)
{
    const struct scatter_children *children = context;

    order_scatter(children->node, children->bits, first, count, pile);
}

/* A power of two: one for each worker, or some more; at most LANES_MAX. */
unsigned scatter_lanes(unsigned workers)
{
    unsigned lanes = 1;

    while (lanes < workers && lanes < LANES_MAX)
        lanes *= 2;
    return lanes;
}

uint64_t scatter_bytes(unsigned workers, unsigned piles)
{
    const size_t counts = (workers + 1) * sizeof(uint32_t) + sizeof(uint64_t);

    return queue_lists_bytes(workers, scatter_lanes(workers)) + piles * (uint64_t)(sizeof(struct stage) + counts);
}

bool scatter(struct engine *engine, const struct record_format *format, const struct scatter_plan *plan,
             struct source *source, struct piles *piles)
{
    const bool sorts = plan->sorted != NULL, numbered = plan->keys.keyed != NULL || sorts;
    const struct engine_space reading = engine_buffer(engine, ENGINE_READING);
    const struct engine_space space = engine_buffer(engine, sorts ? ENGINE_LATTER : ENGINE_WHOLE);
    const unsigned workers = engine->memory.workers;
    const unsigned threads = workers + (engine->waiting > 0); /* one at a time may wait for the input */
    const unsigned last = plan->last > 0 ? plan->last : plan->piles;
    struct scattering s = {.format = format,
                           .plan = plan,
                           .source = source,
                           .piles = piles,
                           .numbered = numbered,
                           .in_order = !numbered && format->kind != NULL,
                           .limited = plan->limit < UINT64_MAX};
    const unsigned lanes = scatter_lanes(workers), count = sorts ? 2 * SORTED_RANGES : plan->piles;
    uint64_t records;
    bool whole;

    MUST(plan->last == 0 || plan->limit == UINT64_MAX);
    piles_init(piles, count, lanes, &engine->pool,
               plan->storage != NULL ? plan->storage : spill_open(engine->place, count));
    if (plan->refers)
        piles_refer(piles);
    if (plan->strata != NULL)
        strata_begin(plan->strata, lanes);
    if (plan->keys.keyed != NULL)
        s.reader = keyed_reader_open(&plan->keys, plan->piles, plan->refers, format, source, engine->place);
    if (plan->keys.keyed != NULL && plan->keys.keyed->unique && !plan->keys.keeps_all)
        s.seen = seen_open(lanes, seen_memory(engine->memory.bytes));
    if (sorts)
        record_reader_init(&plan->sorted->reader, format, source, reading.data, reading.bytes);
    s.queue = queue_open(space.data, space.bytes, workers, lanes, s.in_order, numbered);
    atomic_init(&s.kept, last);
    for (unsigned p = 0; p < plan->piles; p++)
        if (p < plan->first || p >= last)
            pile_drop(piles, p);
    if (s.limited)
        s.counted = fault_allocate(piles->count, sizeof *s.counted);
    s.count = fault_allocate((size_t)threads * (piles->count + 1), sizeof *s.count);
    stages_open(&s.stages, piles);
    threads_run(threads, work_on_tasks, &s);                      /* writes to temporary files seldom wait */
    for (unsigned i = 0; queue_block_at(s.queue, i) != NULL; i++) /* left absent if it was stopped */
        source_fetch(source, &queue_block_at(s.queue, i)->absent);
    if (s.bad != NULL)
        keyed_reader_refuse(s.reader, s.bad);
    if (s.reader != NULL)
        keyed_reader_close(s.reader);
    records = queue_close(s.queue);
    whole = stages_close(&s.stages, records < UINT64_MAX);
    if (!plan->refers) /* all that has come has been appended */
        source_forget(source, source->span.at);
    piles_seal(piles);
    piles_dealt_out(piles, records);
    seen_close(s.seen);
    free(s.counted);
    free(s.count);
    return whole;
}
