/*
 * Gathering goes on until it comes to a pile that does not fit; that pile is started over, and gathering goes on after
 * it.
 *
 * A leaf's order is drawn as a table of record numbers (Fisher-Yates over 0, 1, 2, ...) and turned around into ranks:
 * rank i is where record i stands in the output. Pile j then takes the ranks [j share, (j + 1) share): the records'
 * sequence in a pile is that of the source, so the ranks of pile j are those of the whole, filtered. They are put
 * together in place j of the same table, where pile j finds them, and where it can be divided again.
 */

#include "shuffle/shuffle.h"

#include <errno.h>

#include "shuffle/scatter.h"
#include "shuffle/transfer.h"

/* Piles of a second scatter should leave half of the memory free, so that two can be in work. */
enum { HALVES = 2, PILES_MAX = 512 };

struct node_route {
    const struct order *order;
    struct order_node node;
    unsigned bits;
};

static void route_by_node(const void *context, uint64_t first, size_t count, uint16_t *pile)
{
    const struct node_route *route = context;

    order_scatter(route->order, route->node, route->bits, first, count, pile);
}

struct rank_route {
    const struct table *ranks;
    uint64_t first; /* of the records, and of their ranks */
    uint64_t records;
    uint64_t share;
};

/* A damaged file may seem to hold more records than were written. Those may go anywhere, as the damage is found when
 * its last byte is read. */
static void route_by_rank(const void *context, uint64_t first, size_t count, uint16_t *pile)
{
    const struct rank_route *route = context;

    for (size_t i = 0; i < count; i++) {
        uint64_t record = first + i;
        uint64_t rank = record < route->records ? table_get(route->ranks, route->first + record) - route->first : 0;

        pile[i] = (uint16_t)(rank / route->share);
    }
}

/* Scatter a flushed pile; it is empty then. */
static int scatter_pile(struct run *run, struct piles *piles, unsigned p, scatter_route *route, const void *context,
                        unsigned count, struct piles *inner)
{
    const struct scatter_plan plan = {.route = route, .context = context, .piles = count, .limit = run_left(run)};
    struct source *source = pile_source(piles, p, false);
    int status;

    if (source == NULL)
        return fault_report(run->engine.fault, "memory", errno);
    status = scatter(&run->engine, &run->format, &plan, source, inner);
    source_free(source);
    if (status == 0)
        status = pile_check(piles, p, &run->format, inner->records);
    pile_clear(piles, p);
    return status;
}

static int restart_node(struct run *run, struct piles *piles, unsigned p, struct gather_node node,
                        struct output *output)
{
    struct node_route route = {.order = &node.order, .node = node.node};
    struct gather_order order = {.kind = GATHER_CHILDREN, .order = &node.order, .node = node.node};
    struct piles inner = {0};
    int status;

    route.bits = order_scatter_bits(&node.order, node.node, piles->pile[p].records);
    status = scatter_pile(run, piles, p, route_by_node, &route, 1u << route.bits, &inner);
    if (status == 0)
        status = shuffle_piles(run, &inner, order, output);
    piles_release(&inner);
    return status;
}

/* Numbers of records take 4 bytes each as long as they can. */
static size_t number_bytes(uint64_t records)
{
    return records <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* A table for the numbers of `records` records, in memory that is kept until it is released. */
static int take_numbers(struct run *run, struct table *table, uint64_t records)
{
    if (table_take(table, &run->engine.pool, records, number_bytes(records)) != 0)
        return engine_report_memory(&run->engine, 2 * records * number_bytes(records), "the order of %llu records",
                                    (unsigned long long)records); /* two tables at a time */
    table_pin(table);
    return 0;
}

/* Sort the ranks of the records [first, first + records) by pile; `sorted` is a table as long as that. */
static void sort_ranks(const struct table *ranks, uint64_t first, uint64_t records, uint64_t share,
                       struct table *sorted)
{
    uint64_t next[PILES_MAX];

    for (unsigned j = 0; j < PILES_MAX; j++)
        next[j] = j * share;
    for (uint64_t i = 0; i < records; i++) {
        uint64_t rank = table_get(ranks, first + i);

        table_set(sorted, next[(rank - first) / share]++, rank);
    }
}

/* Scatter by rank. The ranks stay in the order of the source until the scatter is done. */
static int restart_ranked(struct run *run, struct piles *piles, unsigned p, struct table *ranks, uint64_t first,
                          struct output *output)
{
    uint64_t records = piles->pile[p].records;
    uint64_t memory = (uint64_t)(run->engine.pool.blocks - run->engine.pool.pinned) << run->engine.pool.block_shift;
    uint64_t bytes = pile_bytes(piles, p) + records * sizeof(uint64_t);
    uint64_t wanted = HALVES * bytes / memory + 2;
    unsigned count;
    struct rank_route route = {.ranks = ranks, .first = first, .records = records};
    struct gather_order order = {.kind = GATHER_RANKS, .ranks = ranks, .first = first};
    struct table sorted = {0};
    struct piles inner = {0};
    int status = -1;

    route.share = records / (wanted < PILES_MAX ? wanted : PILES_MAX) + 1;
    order.share = route.share;
    count = (unsigned)((records - 1) / route.share + 1);
    if (take_numbers(run, &sorted, records) != 0)
        goto out;
    sort_ranks(ranks, first, records, route.share, &sorted);
    if (scatter_pile(run, piles, p, route_by_rank, &route, count, &inner) != 0)
        goto out;
    for (uint64_t i = 0; i < records; i++)
        table_set(ranks, first + i, table_get(&sorted, i));
    table_release(&sorted);
    status = shuffle_piles(run, &inner, order, output);

out:
    table_release(&sorted);
    piles_release(&inner);
    return status;
}

/* Let `draw` name the records of the first places, and turn that around: ranks[i] receives the place of record i. Those
 * that were not named come after the others. *ranks must be released by the caller, also after a failure. */
static int draw_ranks(struct run *run, uint64_t records, shuffle_draw *draw, void *context, struct table *ranks)
{
    struct table drawn = {0};
    uint64_t places = records;
    int status = -1;

    if (take_numbers(run, &drawn, records) != 0 || take_numbers(run, ranks, records) != 0)
        goto out;
    for (uint64_t i = 0; i < records; i++) {
        table_set(&drawn, i, i);
        table_set(ranks, i, records);
    }
    status = draw(context, &drawn, records, &places);
    if (status != 0)
        goto out;
    for (uint64_t i = 0; i < places; i++)
        table_set(ranks, table_get(&drawn, i), i);
    for (uint64_t i = 0; places < records; i++)
        if (table_get(ranks, i) == records)
            table_set(ranks, i, places++);

out:
    table_release(&drawn);
    return status;
}

static int draw_leaf(void *context, struct table *numbers, uint64_t records, uint64_t *places)
{
    const struct gather_node *leaf = context;

    (void)places;
    order_leaf_u32(&leaf->order, leaf->node, numbers, 0, records);
    return 0;
}

static int restart_leaf(struct run *run, struct piles *piles, unsigned p, struct gather_node leaf,
                        struct output *output)
{
    struct table ranks = {0};
    int status = draw_ranks(run, piles->pile[p].records, draw_leaf, &leaf, &ranks);

    if (status == 0)
        status = restart_ranked(run, piles, p, &ranks, 0, output);
    table_release(&ranks);
    return status;
}

/* One record: verified before, since nothing may be written of a damaged pile, and then copied. */
static int restart_single(struct run *run, struct piles *piles, unsigned p, struct output *output)
{
    if (transfer_of_pile(&run->engine, &run->format, piles, p, output) != 0)
        return -1;
    run_take(run, 1);
    pile_clear(piles, p);
    return 0;
}

/* Start pile `p` over. All that the piles have in memory is written to their files first, so that all memory is free.
 */
static int restart(struct run *run, struct piles *piles, unsigned p, const struct gather_order *order,
                   struct output *output)
{
    struct gather_node node;
    uint64_t records = piles->pile[p].records;

    if (piles_flush(piles) != 0)
        return -1;
    if (records == 1)
        return restart_single(run, piles, p, output);
    run->progress.started_over++;
    if (order->kind == GATHER_RANKS)
        return restart_ranked(run, piles, p, order->ranks, order->first + p * order->share, output);
    node = gather_node(order, p);
    if (order_scatter_bits(&node.order, node.node, records) > 0)
        return restart_node(run, piles, p, node, output);
    return restart_leaf(run, piles, p, node, output);
}

int shuffle_piles(struct run *run, struct piles *piles, struct gather_order order, struct output *output)
{
    unsigned next = 0;

    for (;;) {
        if (gather(run, piles, order, &next, output) != 0)
            return -1;
        if (next == piles->count)
            return 0;
        if (restart(run, piles, next, &order, output) != 0)
            return -1;
        next++;
    }
}

int shuffle_drawn(struct run *run, struct piles *piles, shuffle_draw *draw, void *context, struct output *output)
{
    uint64_t records = piles->pile[0].records;
    uint64_t table_blocks = pool_blocks_for(&run->engine.pool, records * number_bytes(records));
    struct gather_order order = {.kind = GATHER_RANKS, .share = records};
    struct table ranks = {0};
    int status = -1;

    if (records == 0)
        return 0;
    if (piles_make_room(piles, 2 * table_blocks) != 0)
        return -1;
    if (draw_ranks(run, records, draw, context, &ranks) == 0) {
        order.ranks = &ranks;
        status = shuffle_piles(run, piles, order, output);
    }
    table_release(&ranks);
    return status;
}

int shuffle_source(struct run *run, struct source *source, struct output *output)
{
    const struct order_node root = {.root = true};
    const struct node_route route = {.order = &run->order, .node = root, .bits = ORDER_ROOT_BITS};
    const struct scatter_plan plan = {.route = route_by_node,
                                      .context = &route,
                                      .piles = 1u << ORDER_ROOT_BITS,
                                      .limit = run->limit,
                                      .refers = run->refers};
    struct gather_order order = {.kind = GATHER_CHILDREN, .order = &run->order, .node = root};
    struct piles piles = {0};
    int status = scatter(&run->engine, &run->format, &plan, source, &piles);

    run->progress.records = piles.records;
    run->progress.run_out = atomic_load(&piles.run_out);
    run_scattered(run);
    if (status == 0)
        status = run_begin(run, output, run->progress.records);
    if (status == 0)
        status = shuffle_piles(run, &piles, order, output);
    piles_release(&piles);
    return status;
}
