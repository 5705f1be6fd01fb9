/*
 * The first records of the order are those of the first piles, and some of the last pile that is needed. A record's
 * number alone tells its pile, so the counts of the piles tell early which piles are not needed (as in scatter.c).
 * Records of the others are stored, in one pile, in input order.
 *
 * When all records have been counted, it is known which piles are needed whole, and how many records of the last one. A
 * last pile that scatters is treated in the same way: some of its children are needed whole, and so on down to a leaf,
 * whose order is the only one that must be drawn. Then the loop goes through the numbers of all records once more, and
 * computes for each whether it was stored, and whether it is written. Nothing is kept for each record: a few numbers
 * say from which record on each pile was no longer stored.
 *
 * If many records of a file that fits into memory are chosen, none are stored: the file is read once more, from the
 * system's cache.
 */

#include "sample/in_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/tunable.h"
#include "sample/keep.h"
#include "shuffle/pile_source.h"
#include "system/fault.h"

enum {
    PILES = 1 << ORDER_ROOT_BITS,
    CHUNK = 1024,
    LEVELS = 8
};                              /* nodes on this many levels have numbers of their own (order.h) */
TUNABLE(STEP, CHUNK, 1, CHUNK); /* how many records' piles are computed at a time */

/* A file is read once more if it has more than one chosen record per DENSE_BYTES. (Of 556 MB of JSON: 700,000 of
 * 1,500,000 records 0.20 s of processor time instead of 0.43 s, 1,000 of them 0.18 instead of 0.11 s.) */
TUNABLE(DENSE_BYTES, 4096, 1, 1 << 20);

/* For in_order_bernoulli. */
struct by_itself {
    struct run *run;
    struct in_order_share share;
    struct random_words words;
};

static bool choose_by_itself(void *context, uint64_t record)
{
    struct by_itself *b = context;

    counter_set(&b->run->progress->records, record + 1);
    return b->share.all || random_next(&b->words) < b->share.threshold;
}

void in_order_bernoulli(struct run *run, struct source *source, struct in_order_share share, struct output *output)
{
    struct by_itself b = {.run = run, .share = share};
    struct keep_rule rule = {.admit = choose_by_itself, .context = &b};
    struct piles stored;

    random_words_init(&b.words, &run->order.key, "bernoulli");
    if (!share.wait) {
        keep_write(run, source, UINT64_MAX, choose_by_itself, &b, output);
        run_scattered(run);
        return;
    }
    keep_records(run, source, &rule, &stored, 1);
    run_begin(run, output, stored.pile[0].records);
    run_transfer_pile(run, &stored, 0, output);
    piles_release(&stored);
}

/* A node of which some records are chosen: all those of the children before `last`, and some of `last`. */
struct level {
    struct order_node node;
    unsigned bits;
    uint64_t next; /* number of the next record */
    uint16_t child[CHUNK];
    unsigned last;
};

/* The child of the next record. */
static unsigned next_child(struct level *level)
{
    if (level->next % STEP == 0)
        order_scatter(level->node, level->bits, level->next, STEP, level->child);
    return level->child[level->next++ % STEP];
}

struct selecting {
    struct run *run;
    struct piles piles;         /* one, of the records that may still be chosen */
    struct keep_first first;    /* by pile */
    uint64_t until[PILES];      /* of a pile, the records before this one were stored; UINT64_MAX: it is kept */
    uint64_t needed;            /* of the records of the node that was found last */
    struct level level[LEVELS]; /* from the root to the last leaf's parent; while records are stored, only the root */
    unsigned levels;
    struct table chosen; /* a bit for each record of the last leaf */
    uint64_t next_in_leaf;
    uint64_t next; /* number of the next record of the input, in the second pass */
};

/* May record number `record` still be one of the first? */
static bool admit_first(void *context, uint64_t record)
{
    struct selecting *s = context;
    uint64_t kept = s->first.kept;
    const bool may = keep_first_admit(&s->first, next_child(&s->level[0]));

    while (kept > s->first.kept)
        s->until[--kept] = record;
    return may;
}

static void enter_node(struct selecting *s, struct order_node node, unsigned bits)
{
    MUST_ALWAYS(s->levels < LEVELS);
    s->level[s->levels++] = (struct level){.node = node, .bits = bits};
}

/* The last child that is needed of the node entered last, which has *records records; *records receives the child's. */
static unsigned find_last(struct selecting *s, uint64_t *records)
{
    struct level *level = &s->level[s->levels - 1];
    uint64_t count[PILES] = {0};

    for (uint64_t i = 0; i < *records; i++)
        count[next_child(level)]++;
    for (; s->needed > count[level->last]; level->last++)
        s->needed -= count[level->last];
    *records = count[level->last];
    level->next = 0;
    return level->last;
}

/* Choose those records of a leaf that come first in its order. The stored pile may be spilled to make room. */
static void choose_in_leaf(struct selecting *s, struct order_node leaf, uint64_t records)
{
    struct pool *pool = &s->run->engine.pool;
    const uint64_t words = records / 64 + 1;
    struct table numbers = {0};

    piles_make_room(&s->piles, pool_blocks_for(pool, words * sizeof(uint64_t)) +
                                   pool_blocks_for(pool, records * sizeof(uint32_t)));
    table_take(&s->chosen, pool, words, sizeof(uint64_t));
    table_take(&numbers, pool, records, sizeof(uint32_t));
    for (uint64_t i = 0; i < words; i++)
        *table_u64(&s->chosen, i) = 0;
    for (uint64_t i = 0; i < records; i++)
        *table_u32(&numbers, i) = (uint32_t)i;
    order_leaf(leaf, &numbers, 0, records);
    for (uint64_t i = 0; i < s->needed; i++) {
        uint32_t number = *table_u32(&numbers, i);

        *table_u64(&s->chosen, number / 64) |= (uint64_t)1 << number % 64;
    }
    table_release(&numbers);
}

static void choose(struct selecting *s)
{
    struct order_node node = s->level[0].node;
    uint64_t records = counter_get(&s->run->progress->records);

    s->needed = least(s->run->limit, records);
    s->levels = 0;
    for (unsigned bits = ORDER_ROOT_BITS; bits > 0; bits = order_scatter_bits(node, records)) {
        enter_node(s, node, bits);
        node = order_child(node, find_last(s, &records));
    }
    choose_in_leaf(s, node, records);
}

/* Is the next record chosen? It is in child `child` of the root. */
static bool is_chosen(struct selecting *s, unsigned child)
{
    for (unsigned i = 0; i < s->levels; i++) {
        if (i > 0)
            child = next_child(&s->level[i]);
        if (child != s->level[i].last)
            return child < s->level[i].last;
    }
    s->next_in_leaf++;
    return *table_u64(&s->chosen, (s->next_in_leaf - 1) / 64) >> (s->next_in_leaf - 1) % 64 & 1;
}

/* Is the next stored record chosen? Passes over the numbers of records that were not stored. */
static bool choose_next(void *context, uint64_t record)
{
    struct selecting *s = context;
    unsigned pile;

    (void)record;
    do {
        fault_same_input(s->next < counter_get(&s->run->progress->records));
        pile = next_child(&s->level[0]);
    } while (s->next++ >= s->until[pile]);
    return is_chosen(s, pile);
}

void in_order_first(struct run *run, struct source *source, struct output *output)
{
    const uint64_t bytes = source->known_bytes;
    const bool again = run->rereads && bytes <= run->engine.memory.bytes && run->limit > bytes / DENSE_BYTES;
    struct selecting *s = fault_allocate(1, sizeof *s);
    struct keep_rule rule = {.admit = admit_first, .context = s, .counts_only = again};
    struct source *stored = source;
    uint64_t count[PILES] = {0};

    *s = (struct selecting){.run = run, .first = {.limit = run->limit, .kept = PILES, .count = count}};
    memset(s->until, 0xff, sizeof s->until);
    enter_node(s, (struct order_node){.order = &run->order}, ORDER_ROOT_BITS);
    keep_records(run, source, &rule, &s->piles, 1);
    choose(s);
    if (again) {
        source_rewind(source);
    } else {
        pile_source_verify(&run->engine, &s->piles, 0, &run->format);
        stored = pile_source(&s->piles, 0, false);
    }
    keep_write(run, stored, counter_get(&run->progress->records), choose_next, s, output);
    fault_same_input(!again || s->next >= counter_get(&run->progress->records));
    if (!again)
        source_free(stored);
    table_release(&s->chosen);
    piles_release(&s->piles);
    free(s);
}
