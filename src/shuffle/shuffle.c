/*
 * Gathering comes to a pile that does not fit, that pile is started over, and gathering goes on after it.
 *
 * A leaf's order is drawn as a table of record numbers (Fisher-Yates over 0, 1, 2, ...) and inverted into ranks: rank i
 * is the place of record i in the output. Pile j then takes the records with ranks [j share, (j + 1) share), in the
 * order of the source, and their ranks in the same order. These are sorted by pile into another table, from place j
 * share on, so that a pile can be divided again.
 *
 * Moving records, and moving ranks, gives back each block as soon as it has been read, so the copies take little more
 * than the last block of each pile.
 */

#include "shuffle/shuffle.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "shuffle/pile_keys.h"
#include "shuffle/pile_source.h"
#include "shuffle/scatter.h"
#include "shuffle/units.h"

/* The least memory beside a drawn order: 1/WORK_SHARE of the order's own memory, and WORK_BLOCKS blocks. */
enum { WORK_SHARE = 8, WORK_BLOCKS = 16 };

/* The most piles into which one is scattered by rank; their last blocks may take 1/ENDS_SHARE of other memory. */
TUNABLE(PILES_MAX, 512, 2, 512);
TUNABLE(ENDS_SHARE, 16, 16, 1024);

/* At least 1/ROOM_SHARE of memory is free when a pile is started over. */
TUNABLE(ROOM_SHARE, 4, 2, 16);

/* More records with a drawn order are scattered by rank: several piles are faster than a large one. */
TUNABLE(WHOLE_RECORDS, ORDER_LEAF_RECORDS, 1, ORDER_LEAF_RECORDS);

struct rank_route {
    const struct table *ranks;
    uint64_t first; /* number of the first record, and first rank */
    uint64_t records;
    unsigned share_bits; /* logarithm of the number of ranks of a pile */
};

/* A damaged file may seem to have more records than were written. They may go anywhere: damage is found at its end. */
static void route_by_rank(const void *context, uint64_t first, size_t count, uint16_t *pile)
{
    const struct rank_route *route = context;

    for (size_t i = 0; i < count; i++) {
        uint64_t record = first + i;
        uint64_t rank = record < route->records ? table_get(route->ranks, route->first + record) - route->first : 0;

        pile[i] = (uint16_t)(rank >> route->share_bits);
    }
}

/* Scatter a pile, and empty it unless the plan leaves out records; or scatter the records of `again`, if the pile only
 * counts them. */
static void scatter_pile(struct run *run, struct piles *piles, unsigned p, struct source *again,
                         const struct scatter_plan *plan, struct piles *inner)
{
    const bool stays = plan->keys.around != NULL;
    struct source *source;

    piles_make_room(piles, plan->piles + 1);
    source = again != NULL ? again : pile_source(piles, p, stays);
    scatter(&run->engine, &run->format, plan, source, inner);
    inner->outer = piles;
    if (again == NULL) {
        source_free(source);
        pile_check(piles, p, inner->records);
    } else {
        fault_same_input(inner->records == piles->pile[p].records);
    }
    if (!stays)
        pile_clear(piles, p);
}

static void start_over_node(struct run *run, struct piles *piles, unsigned p, struct scatter_children children,
                            struct output *output)
{
    const struct scatter_plan plan = {
        .route = scatter_to_children, .context = &children, .piles = 1u << children.bits, .limit = run_left(run)};
    struct gather_order order = {.node = children.node};
    struct piles inner;

    scatter_pile(run, piles, p, NULL, &plan, &inner);
    shuffle_piles(run, &inner, order, output);
    piles_release(&inner);
}

/* Make room for `bytes` bytes, or for 1/ROOM_SHARE of memory if that is less. */
static void make_room_for(struct piles *piles, uint64_t bytes)
{
    const struct pool *pool = piles->pool;

    piles_make_room(piles, least(pool_blocks_for(pool, bytes), pool->blocks / ROOM_SHARE) + 2);
}

/* Before a pile's records are moved to others: write other piles to files. The pile's own blocks are given back as they
 * are read; some are written if they take nearly all memory. */
static void flush_others(struct piles *piles, unsigned p)
{
    piles_flush(piles, p + 1);
    make_room_for(piles, UINT64_MAX / 2);
}

/* Make a table for the numbers of `records` records, of 4 bytes if these suffice, pinned until it is released, writing
 * piles to files for it. The run ends if there is no room for `tables` such tables and some work. */
static void take_numbers(struct run *run, struct piles *piles, struct table *table, uint64_t records, unsigned tables)
{
    struct pool *pool = &run->engine.pool;
    const size_t number_bytes = records <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);
    const uint64_t blocks = pool_blocks_for(pool, records * number_bytes);
    const uint64_t needed = pool->pinned + tables * blocks + blocks / WORK_SHARE + WORK_BLOCKS;

    if (needed > pool->blocks)
        engine_report_memory(&run->engine, needed << pool->block_shift, "the order of %llu records",
                             (unsigned long long)records);
    piles_make_room(piles, blocks);
    table_take(table, pool, records, number_bytes);
    table_pin(table);
}

/* Sort the ranks of the records [first, first + records) by pile into a new table, less `first` each. Blocks are handed
 * from one table to the other: at most two for each pile are half empty, a shared one and its last. */
static void sort_ranks(struct table *ranks, uint64_t first, uint64_t records, unsigned share_bits, struct table *sorted)
{
    unsigned shift = table_number_shift(ranks);
    uint64_t next[PILES_MAX];

    table_init(sorted, ranks->pool);
    sorted->wide = ranks->wide;
    for (uint64_t j = 0; j < PILES_MAX; j++)
        next[j] = j << share_bits;
    for (uint64_t i = first; i < first + records; i++) {
        uint64_t rank = table_get(ranks, i) - first;
        uint64_t place = next[rank >> share_bits]++;

        if (sorted->block[place >> shift] == NULL)
            table_take_block(sorted, place >> shift);
        table_set(sorted, place, rank);
        if ((i + 1) >> shift > i >> shift)
            table_put_block(ranks, i >> shift);
    }
    table_pin(sorted);
}

/* Shuffle a pile by scattering it by rank; or the records of `again`, if the pile only counts them. Ranks stay until
 * the scatter is done. */
static void scatter_ranked(struct run *run, struct piles *piles, unsigned p, struct source *again, struct table *ranks,
                           uint64_t first, struct output *output)
{
    const struct pool *pool = &run->engine.pool;
    const uint64_t records = piles->pile[p].records;
    const uint64_t most = least((pool->blocks - pool->pinned) / ENDS_SHARE, PILES_MAX);
    struct rank_route route = {.ranks = ranks, .first = first, .records = records};
    struct scatter_plan plan = {.route = route_by_rank, .context = &route, .limit = run_left(run)};
    struct table sorted = {0};
    struct gather_order order = {.ranks = &sorted};
    struct piles inner;

    while ((records - 1) >> route.share_bits >= (most > 2 ? most : 2))
        route.share_bits++;
    order.share = (uint64_t)1 << route.share_bits;
    plan.piles = (unsigned)((records - 1) >> route.share_bits) + 1;
    scatter_pile(run, piles, p, again, &plan, &inner);
    piles_make_room(&inner, least(2 * plan.piles, ((records - 1) >> table_number_shift(ranks)) + 1));
    sort_ranks(ranks, first, records, route.share_bits, &sorted);
    shuffle_piles(run, &inner, order, output);
    table_release(&sorted);
    piles_release(&inner);
}

/* Draw the order of a leaf, and invert it: rank i is the place of record i. */
static void start_over_leaf(struct run *run, struct piles *piles, unsigned p, struct order_node leaf,
                            struct output *output)
{
    const uint64_t records = piles->pile[p].records;
    struct table drawn, ranks;

    take_numbers(run, piles, &drawn, records, 2);
    take_numbers(run, piles, &ranks, records, 1);
    for (uint64_t i = 0; i < records; i++)
        table_set(&drawn, i, i);
    order_leaf(leaf, &drawn, 0, records);
    for (uint64_t i = 0; i < records; i++)
        table_set(&ranks, table_get(&drawn, i), i);
    table_release(&drawn);
    scatter_ranked(run, piles, p, NULL, &ranks, 0, output);
    table_release(&ranks);
}

/* ---- By keys ---- */

static bool has_this_key(struct hasher *hasher, const struct record_piece *piece, struct siphash_pair key)
{
    struct siphash_pair hash = {{0, 0}};

    fault_same_input(hasher_piece(hasher, 0, piece->data, piece->bytes, piece->first, piece->last, &hash) == KEY_FOUND);
    return keyed_is_same(hash, key);
}

/* A verified pile has `records` records of one key: copy them, or only the first if keys are unique. Records of other
 * keys are left out; if there are any, no record is longer than a block. */
static void copy_unit(struct run *run, struct piles *piles, unsigned p, struct siphash_pair key, uint64_t records,
                      struct output *output)
{
    const uint64_t kept = run->keyed->unique ? 1 : records;
    const bool others = records < piles->pile[p].records;
    struct source *source;
    struct transfer transfer;
    struct record_piece piece;
    uint64_t skipped, done = 0;

    counter_add(&run->progress->left_out, records - kept);
    if (run_pass(run, 1, &skipped) == 0)
        return;
    counter_add(&run->progress->written, kept - 1);
    counter_add(&run->progress->units, 1);
    source = pile_source(piles, p, false);
    run_transfer(&transfer, run, source, output);
    while (done < kept && record_reader_next(&transfer.reader, &piece)) {
        if (others && !has_this_key(run->keyed->hasher, &piece, key))
            continue;
        done += piece.last;
        output_buffer_put(&transfer.outlet, piece.data, piece.bytes);
    }
    fault_same_input(done == kept);
    output_buffer_end_unit(&transfer.outlet);
    run_transfer_end(&transfer);
    source_free(source);
}

/* How many records were not put into the piles. */
static uint64_t left_out(const struct piles *piles)
{
    uint64_t records = piles->records;

    for (unsigned p = 0; p < piles->count; p++)
        records -= piles->pile[p].records;
    return records;
}

/* If nearly all records have one key, `around`, scattering all would leave a pile as large. Then only the others are
 * scattered, to one pile before that key and one after it, and its records are copied from where they are. */
static void start_over_by_hash(struct run *run, struct piles *piles, unsigned p, const struct gather_order *order,
                               const struct siphash_pair *around, struct output *output)
{
    struct keyed_vote *votes = fault_allocate(KEYED_PILES, sizeof *votes);
    struct scatter_plan plan = {.keys = {.keyed = run->keyed, .bits = order->bits, .around = around, .votes = votes},
                                .piles = KEYED_PILES,
                                .limit = UINT64_MAX};
    struct gather_order inner_order = {.keyed = run->keyed, .bits = order->bits, .votes = votes};
    struct piles inner, before;
    uint64_t records;

    if (around == NULL) {
        flush_others(piles, p);
        inner_order.bits += KEYED_BITS;
    } else {
        make_room_for(piles, pile_bytes(piles, p) - order->votes[p].lead);
        pile_source_twice(piles, p);
        plan.piles = 2;
    }
    scatter_pile(run, piles, p, NULL, &plan, &inner);
    records = left_out(&inner);
    if (around == NULL) {
        counter_add(&run->progress->left_out, records);
    } else {
        before = inner;
        before.count = 1;
        before.outer = &inner;
        shuffle_piles(run, &before, inner_order, output);
        copy_unit(run, piles, p, *around, records, output);
    }
    shuffle_piles(run, &inner, inner_order, output);
    piles_release(&inner);
    free(votes);
}

static void start_over_keyed(struct run *run, struct piles *piles, unsigned p, const struct gather_order *order,
                             struct output *output)
{
    const enum keyed_share share = keyed_share(order->votes, piles, p, run->keyed);

    if (order->orders != NULL)
        hasher_begin(run->keyed->hasher, &order->orders[p].key);
    if (share == KEYED_ONE) {
        pile_source_verify(&run->engine, piles, p, &run->format);
        copy_unit(run, piles, p, order->votes[p].hash, piles->pile[p].records, output);
        return;
    }
    run->progress->started_over++;
    start_over_by_hash(run, piles, p, order, share == KEYED_MOST ? &order->votes[p].hash : NULL, output);
}

/* ---- By keys that come with records ---- */

static bool next_again(void *context, struct record_reader *reader, struct record_piece *piece, uint64_t *key)
{
    if (!record_reader_next(reader, piece))
        return false;
    if (piece->first)
        *key = pile_keys_next(context);
    return true;
}

/* A pile of records with one key is in order already. Others are scattered to ranges of their keys. */
static void start_over_sorted(struct run *run, struct piles *piles, unsigned p, struct output *output)
{
    struct pile_keys keys;
    struct sorted *sorted = fault_allocate(1, sizeof *sorted);
    const struct scatter_plan plan = {.sorted = sorted, .piles = SORTED_RANGES, .limit = run_left(run)};
    struct piles inner;

    sorted->next = next_again;
    sorted->context = &keys;
    if (!sorted_expect_pile(sorted, piles, p + SORTED_RANGES)) {
        run_transfer_pile(run, piles, p, output);
    } else {
        run->progress->started_over++;
        piles_make_room(piles, 2 * SORTED_RANGES + 1);
        pile_keys_open(&keys, piles, p + SORTED_RANGES, false);
        scatter_pile(run, piles, p, NULL, &plan, &inner);
        pile_keys_close(&keys);
        shuffle_piles(run, &inner, (struct gather_order){.sorted = true}, output);
        piles_release(&inner);
    }
    pile_clear(piles, p + SORTED_RANGES);
    free(sorted);
}

/* Start pile `p` over. */
static void start_over(struct run *run, struct piles *piles, unsigned p, const struct gather_order *order,
                       struct output *output)
{
    const uint64_t records = piles->pile[p].records;

    if (order->keyed != NULL) {
        start_over_keyed(run, piles, p, order, output);
        return;
    }
    if (order->sorted) {
        start_over_sorted(run, piles, p, output);
        return;
    }
    if (records == 1) {
        run_transfer_pile(run, piles, p, output);
        return;
    }
    run->progress->started_over++;
    flush_others(piles, p);
    if (order->ranks != NULL) {
        scatter_ranked(run, piles, p, NULL, order->ranks, p * order->share, output);
    } else {
        const struct order_node node = gather_node(order, p);
        const unsigned bits = order_scatter_bits(node, records);

        if (bits > 0)
            start_over_node(run, piles, p, (struct scatter_children){node, bits}, output);
        else
            start_over_leaf(run, piles, p, node, output);
    }
}

void shuffle_piles(struct run *run, struct piles *piles, struct gather_order order, struct output *output)
{
    for (unsigned next = 0;; next++) {
        gather(run, piles, order, &next, output);
        if (next == piles->count)
            return;
        start_over(run, piles, next, &order, output);
        pile_clear(piles, next);
    }
}

void shuffle_drawn(struct run *run, struct piles *piles, struct source *again, shuffle_draw *draw, void *context,
                   struct output *output)
{
    uint64_t records = piles->pile[0].records;
    struct table ranks = {0};
    struct gather_order order = {.ranks = &ranks, .share = records};
    unsigned next = 0;

    if (records == 0)
        return;
    take_numbers(run, piles, &ranks, records, 1);
    draw(context, &ranks, records);
    if (again == NULL && records <= WHOLE_RECORDS)
        gather(run, piles, order, &next, output);
    if (next == 0 && again == NULL && records == 1)
        run_transfer_pile(run, piles, 0, output);
    else if (next == 0)
        scatter_ranked(run, piles, 0, again, &ranks, 0, output);
    table_release(&ranks);
}

/* How many records' piles are found at a time. */
TUNABLE(STEP, 1024, 1, 1024);

/* If the root has `records` records, fill only piles with the wanted part: a record's number decides its pile. */
static void choose_piles(struct run *run, uint64_t records, struct scatter_plan *plan)
{
    const struct run_range range = run_range(run, records);
    uint64_t count[1 << ORDER_ROOT_BITS] = {0};
    uint64_t before = 0; /* records in earlier piles: first in those not wanted, then in all */
    uint16_t pile[STEP];

    for (uint64_t i = 0; i < records; i += STEP) {
        const size_t some = (size_t)least(records - i, STEP);

        plan->route(plan->context, i, some, pile);
        for (size_t k = 0; k < some; k++)
            count[pile[k]]++;
    }
    for (; plan->first < plan->piles - 1 && before + count[plan->first] <= range.first; plan->first++)
        before += count[plan->first];
    run->progress->passed = before;
    plan->last = plan->first;
    do {
        before += count[plan->last++];
    } while (before < range.end);
    plan->limit = UINT64_MAX;
}

/* ---- From the root ---- */

/* Can the references of each pile be sorted while the other piles are in memory? */
static bool can_sort_all(const struct pool *pool, const struct piles *piles)
{
    uint64_t held = pool->pinned, most = 0;

    for (unsigned p = 0; p < piles->count; p++) {
        const uint64_t blocks = pool_blocks_for(pool, keyed_table_length(piles->pile[p].records) * sizeof(uint64_t));

        held += piles->pile[p].blocks;
        most = blocks > most ? blocks : most;
    }
    return held + most <= pool->blocks;
}

/* Scatter the root's records to its children, and count them in run->progress. False: they must be copied. */
static bool scatter_root(struct run *run, struct source *source, struct keyed_vote *votes, struct piles *piles)
{
    const struct scatter_children children = {{.order = &run->order}, ORDER_ROOT_BITS};
    struct scatter_plan plan = {.route = scatter_to_children,
                                .context = &children,
                                .piles = 1u << ORDER_ROOT_BITS,
                                .limit = run_range(run, UINT64_MAX).end,
                                .refers = run->refers,
                                .strata = run->strata,
                                .records = &run->progress->records};

    run->progress->passed = 0;
    if (run->keyed != NULL) {
        hasher_begin(run->keyed->hasher, &run->order.key); /* when references do not fit, all records come again */
        plan.keys = (struct keyed_plan){.keyed = run->keyed, .votes = votes, .first_seen = true};
        plan.limit = UINT64_MAX;
    } else if ((run->parts > 1 || run->skip > 0) && run->expected > 0 && source->known &&
               run->expected <= source->known_bytes) {
        choose_piles(run, run->expected, &plan);
    }
    if (!scatter(&run->engine, &run->format, &plan, source, piles) ||
        (run->keyed != NULL && run->refers && !can_sort_all(&run->engine.pool, piles)))
        return false;
    counter_set(&run->progress->records, piles->records);
    if (run->keyed != NULL) {
        counter_add(&run->progress->left_out, left_out(piles));
        hasher_warn(run->keyed->hasher);
    }
    run_scattered(run);
    return true;
}

bool shuffle_source(struct run *run, struct source *source, struct output *output)
{
    const bool votes = run->keyed != NULL && !run->refers;
    struct keyed_vote *vote = votes ? fault_allocate(KEYED_PILES, sizeof *vote) : NULL;
    const struct gather_order order = {
        .node = {.order = &run->order}, .keyed = run->keyed, .bits = KEYED_BITS, .votes = vote};
    struct piles piles;
    const bool fits = scatter_root(run, source, vote, &piles);

    if (fits) {
        run_begin(run, output, units_count(run, &piles, KEYED_BITS, output));
        shuffle_piles(run, &piles, order, output);
    }
    piles_release(&piles);
    free(vote);
    return fits;
}
