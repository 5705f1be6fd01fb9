/*
 * The first records of the order are those of the first piles, and some of the last pile that is needed. A record's
 * pile follows from its number alone, so the counts of the piles tell early which piles nobody needs (as in scatter.c).
 * Records of the others are stored, in one pile, in input order.
 *
 * When all have been counted, it is known which piles are wanted whole, and how many records of the last one. A last
 * pile that scatters in its turn is treated alike: some of its children are wanted whole, and so on down to a leaf,
 * whose order is the only one that must be drawn. Then the numbers of all records are gone through once more, to tell
 * for each whether it was stored, and whether it is written. Nothing has to be kept for each record: a few numbers say
 * from which record on which piles were no longer stored.
 *
 * Where records are referred to, they need not be stored in input order, as references are small and stay in memory:
 * the first piles are those of a shuffle, and the numbers tell from which pile the next record comes.
 */

#include "sample/in_order.h"

#include <string.h>

#include "sample/keep.h"
#include "shuffle/index.h"
#include "shuffle/pile.h"
#include "shuffle/pile_source.h"
#include "shuffle/shuffle.h"
#include "shuffle/transfer.h"

enum { PILES = 1 << ORDER_ROOT_BITS, CHUNK = 1024, LEVELS = 8 };

static const struct order_node root = {.root = true};

/* Records that are chosen, on their way to the output, or, if it must wait, to a pile. */
struct choosing {
    struct run *run;
    struct in_order_share share;
    struct output *output;
    struct piles *stored; /* NULL: none */
    bool begun;
};

static void put_chosen(struct choosing *c, struct transfer *transfer, const struct record_piece *piece)
{
    if (c->stored != NULL) {
        pile_append(c->stored, 0, piece->data, piece->bytes);
        return;
    }
    if (!c->begun)
        run_begin(c->run, c->output, UINT64_MAX);
    c->begun = true;
    output_buffer_put(&transfer->outlet, piece->data, piece->bytes);
}

static void choose_each(struct choosing *c, struct source *source)
{
    struct transfer transfer;
    struct random_words words;
    struct record_piece piece;
    counter *const records = &c->run->progress->records;
    uint64_t chosen = 0;
    bool stays = false;

    random_words_init(&words, &c->run->order.key, "bernoulli");
    transfer_init(&transfer, &c->run->engine, &c->run->format, source, c->output);
    while (record_reader_next(&transfer.reader, &piece)) {
        if (piece.first)
            stays = c->share.all || random_next(&words) < c->share.threshold;
        if (stays)
            put_chosen(c, &transfer, &piece);
        counter_add(records, piece.last);
        chosen += stays && piece.last;
    }
    run_take(c->run, chosen);
    run_scattered(c->run);
    transfer_end(&transfer);
}

void in_order_bernoulli(struct run *run, struct source *source, struct in_order_share share, struct output *output)
{
    struct choosing c = {.run = run, .share = share, .output = output};
    struct piles stored = {0};

    if (share.wait) {
        piles_init(&stored, 1, 1, &run->engine.pool, run->engine.place);
        c.stored = &stored;
    }
    choose_each(&c, source);
    if (!c.begun)
        run_begin(run, output, counter_get(&run->progress->written));
    if (share.wait) {
        piles_seal(&stored);
        pile_count(&stored, 0, (int64_t)counter_get(&run->progress->written));
        transfer_of_pile(&run->engine, &run->format, &stored, 0, output);
    }
    piles_release(&stored);
}

/* The children of a node's records, asked for in their order. */
struct routing {
    const struct order *order;
    struct order_node node;
    unsigned bits;
    uint64_t next;
    uint16_t child[CHUNK];
};

static struct routing route(const struct order *order, struct order_node node, unsigned bits)
{
    return (struct routing){.order = order, .node = node, .bits = bits};
}

static unsigned next_child(struct routing *routing)
{
    if (routing->next % CHUNK == 0)
        order_scatter(routing->order, routing->node, routing->bits, routing->next, CHUNK, routing->child);
    return routing->child[routing->next++ % CHUNK];
}

/* A node of which some records are chosen: all of the children before `last`, and some of that one. */
struct level {
    struct routing routing;
    unsigned last;
};

struct selecting {
    struct run *run;
    struct routing routing; /* of all records to the piles of the root */
    struct piles piles;     /* one, of the records that may still be chosen; or those of the root, of references */
    uint64_t count[PILES];
    unsigned kept; /* the first piles, which may hold records that are chosen */
    unsigned changes;
    struct {
        uint64_t record; /* from which on ... */
        unsigned kept;
    } change[PILES];
    uint64_t needed; /* of the records of pile kept - 1, when all have been counted; then of the last leaf's */
    struct level level[LEVELS]; /* from the root down to the last leaf's parent */
    unsigned levels;
    struct table chosen; /* of the last leaf's records: a bit for each */
    uint64_t next_in_leaf;
};

/* Count how many of the first piles hold all records that may be written. */
static void count_kept(struct selecting *s)
{
    uint64_t sum = 0;
    unsigned kept = 0;

    for (; kept < s->kept && sum < s->run->limit; kept++) {
        s->needed = s->run->limit - sum;
        sum += s->count[kept];
    }
    if (s->needed > s->count[kept - 1])
        s->needed = s->count[kept - 1];
    if (kept == s->kept)
        return;
    s->kept = kept;
    s->change[s->changes].record = counter_get(&s->run->progress->records);
    s->change[s->changes++].kept = kept;
}

/* May record number `record` still be among the first ones? */
static bool admit(void *context, uint64_t record)
{
    struct selecting *s = context;
    const unsigned pile = next_child(&s->routing);

    if (record % CHUNK == 0 && record > 0)
        count_kept(s);
    s->count[pile]++;
    return pile < s->kept;
}

static void store(struct selecting *s, struct source *source)
{
    const struct keep_rule first_piles = {.admit = admit, .context = s};

    s->routing = route(&s->run->order, root, ORDER_ROOT_BITS);
    keep_records(s->run, source, &first_piles, &s->piles, 0);
    count_kept(s);
}

static void push_level(struct selecting *s, struct order_node node, unsigned bits, unsigned last)
{
    s->level[s->levels++] = (struct level){.routing = route(&s->run->order, node, bits), .last = last};
}

/* Which child of a node with `records` records is the last one that is needed? *records receives the number of its. */
static unsigned find_last(struct selecting *s, struct order_node node, unsigned bits, uint64_t *records)
{
    struct routing routing = route(&s->run->order, node, bits);
    uint64_t count[PILES] = {0};
    unsigned last = 0;

    for (uint64_t i = 0; i < *records; i++)
        count[next_child(&routing)]++;
    for (; s->needed > count[last]; last++)
        s->needed -= count[last];
    *records = count[last];
    return last;
}

/* Choose those of a leaf's records that come first in its order. The pile makes room for that, if it is not of
 * references; false if these leave too little. */
static bool choose_in_leaf(struct selecting *s, struct order_node leaf, uint64_t records)
{
    struct pool *pool = &s->run->engine.pool;
    uint64_t bits_bytes = (records / 64 + 1) * sizeof(uint64_t);
    uint64_t numbers_bytes = records * sizeof(uint32_t);
    struct table numbers = {0};

    if (!s->run->refers)
        piles_make_room(&s->piles, pool_blocks_for(pool, bits_bytes) + pool_blocks_for(pool, numbers_bytes));
    if (table_take(&s->chosen, pool, records / 64 + 1, sizeof(uint64_t)) != 0 ||
        table_take(&numbers, pool, records, sizeof(uint32_t)) != 0) {
        if (!s->run->refers)
            engine_report_memory(&s->run->engine, bits_bytes + numbers_bytes, "the order of %llu records",
                                 (unsigned long long)records);
        table_release(&numbers);
        return false;
    }
    for (uint64_t i = 0; i <= records / 64; i++)
        *table_u64(&s->chosen, i) = 0;
    for (uint64_t i = 0; i < records; i++)
        *table_u32(&numbers, i) = (uint32_t)i;
    order_leaf_u32(&s->run->order, leaf, &numbers, 0, records);
    for (uint64_t i = 0; i < s->needed; i++) {
        uint32_t number = *table_u32(&numbers, i);

        *table_u64(&s->chosen, number / 64) |= (uint64_t)1 << number % 64;
    }
    table_release(&numbers);
    return true;
}

/* False if there is no room for that beside references. */
static bool choose(struct selecting *s)
{
    struct order_node node = order_child(root, s->kept - 1);
    uint64_t records = s->count[s->kept - 1];
    unsigned bits;

    push_level(s, root, ORDER_ROOT_BITS, s->kept - 1);
    while ((bits = order_scatter_bits(&s->run->order, node, records)) > 0) {
        unsigned last = find_last(s, node, bits, &records);

        push_level(s, node, bits, last);
        node = order_child(node, last);
    }
    return choose_in_leaf(s, node, records);
}

/* Is the next record chosen? It goes to child `child` of the root. */
static bool is_chosen(struct selecting *s, unsigned child)
{
    for (unsigned i = 0; i < s->levels; i++) {
        if (i > 0)
            child = next_child(&s->level[i].routing);
        if (child != s->level[i].last)
            return child < s->level[i].last;
    }
    s->next_in_leaf++;
    return *table_u64(&s->chosen, (s->next_in_leaf - 1) / 64) >> (s->next_in_leaf - 1) % 64 & 1;
}

/* Write a record of the pile, or skip it. */
static void pass(struct transfer *transfer, bool chosen)
{
    struct record_piece piece = {.last = false};

    while (!piece.last) {
        if (!record_reader_next(&transfer->reader, &piece))
            fault_say("a pile does not hold the records that were put there");
        if (chosen)
            output_buffer_put(&transfer->outlet, piece.data, piece.bytes);
    }
}

static void write_chosen(struct selecting *s, struct source *source, struct output *output)
{
    const uint64_t records = counter_get(&s->run->progress->records);
    counter *const counted = &s->run->progress->written;
    uint64_t written = 0;
    struct transfer transfer;
    unsigned kept = PILES;
    unsigned change = 0;

    run_begin(s->run, output, records);
    transfer_init(&transfer, &s->run->engine, &s->run->format, source, output);
    for (uint64_t record = 0; record < records; record++) {
        unsigned pile = next_child(&s->level[0].routing);
        bool chosen;

        for (; change < s->changes && s->change[change].record == record; change++)
            kept = s->change[change].kept;
        if (pile >= kept)
            continue;
        chosen = is_chosen(s, pile);
        pass(&transfer, chosen);
        written += chosen;
        counter_set(counted, written);
    }
    transfer_end(&transfer);
}

/* By way of one pile, in input order. */
static void select_stored(struct selecting *s, struct source *source, struct output *output)
{
    struct run *run = s->run;
    const struct engine_space whole = engine_buffer(&run->engine, ENGINE_WHOLE);
    struct source *stored;

    piles_init(&s->piles, 1, 1, &run->engine.pool, run->engine.place);
    store(s, source);
    choose(s);
    pile_source_verify(&s->piles, 0, &run->format, whole.data, whole.bytes);
    stored = pile_source(&s->piles, 0, false);
    write_chosen(s, stored, output);
    source_free(stored);
}

/* The references of a pile, one after another. */
struct cursor {
    const uint64_t *at;
    size_t left;   /* in the block */
    uint32_t next; /* the block after it */
};

static uint64_t next_reference(struct cursor *cursor, const struct pool *pool)
{
    if (cursor->left == 0) {
        cursor->at = (const uint64_t *)(const void *)pool_block(pool, cursor->next);
        cursor->left = pool->block_bytes / sizeof *cursor->at;
        cursor->next = pool->next[cursor->next];
    }
    cursor->left--;
    return *cursor->at++;
}

/* Write the records of so many references, and count them. */
static void write_batch(struct selecting *s, struct table *batch, uint64_t filled, struct output_buffer *outlet)
{
    counter_add(&s->run->progress->written, filled);
    index_copy(&s->piles, &s->run->format, batch, 0, filled, outlet);
}

/* The references to records that are chosen go to `batch`, which has room for so many, and from there to the output. */
static void write_referred(struct selecting *s, struct table *batch, uint64_t room, struct output *output)
{
    const struct run *run = s->run;
    const struct pool *pool = &run->engine.pool;
    const uint64_t records = counter_get(&run->progress->records);
    struct cursor cursor[PILES];
    struct transfer transfer;
    uint64_t filled = 0;

    for (unsigned p = 0; p < PILES; p++)
        cursor[p] = (struct cursor){.next = s->piles.pile[p].first};
    transfer_init(&transfer, &run->engine, &run->format, NULL, output);
    for (uint64_t record = 0; record < records; record++) {
        const unsigned pile = next_child(&s->level[0].routing);
        uint64_t reference;

        if (pile >= s->kept)
            continue;
        reference = next_reference(&cursor[pile], pool);
        if (!is_chosen(s, pile))
            continue;
        *table_u64(batch, filled++) = reference;
        if (filled == room) {
            write_batch(s, batch, filled, &transfer.outlet);
            filled = 0;
        }
    }
    write_batch(s, batch, filled, &transfer.outlet);
    transfer_end(&transfer);
}

/* By way of references to the records of the first piles. */
static void select_referred(struct selecting *s, struct source *source, struct output *output)
{
    struct run *run = s->run;
    const uint64_t room = run->engine.pool.block_bytes / sizeof(uint64_t);
    struct table batch = {0};

    if (!shuffle_scatter(run, source, &s->piles))
        return;
    for (unsigned p = 0; p < PILES; p++)
        s->count[p] = s->piles.pile[p].records;
    count_kept(s);
    if (!choose(s) || table_take(&batch, &run->engine.pool, room, sizeof(uint64_t)) != 0) {
        run->progress->must_copy = true;
    } else {
        run_begin(run, output, counter_get(&run->progress->records));
        write_referred(s, &batch, room, output);
    }
    table_release(&batch);
}

void in_order_first(struct run *run, struct source *source, struct output *output)
{
    struct selecting s = {.run = run, .kept = PILES};

    if (run->limit == 0)
        run_begin(run, output, 0);
    else if (run->refers)
        select_referred(&s, source, output);
    else
        select_stored(&s, source, output);
    table_release(&s.chosen);
    piles_release(&s.piles);
}
