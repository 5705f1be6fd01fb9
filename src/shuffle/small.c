#include "shuffle/small.h"

#include <errno.h>

#include "output/strata.h"
#include "system/table.h"

/* Room for `count` numbers of `number_bytes`, one after another, that stay until the pool is closed. */
static void *take_room(struct pool *pool, size_t count, size_t number_bytes)
{
    const uint32_t first = pool_get_neighbours(pool, (uint32_t)pool_blocks_for(pool, count * number_bytes));

    if (first == POOL_NONE)
        die_errno("memory", ENOMEM);
    return pool_block(pool, first);
}

/* Put the numbers of a small input's records into their order: of each child of the root side by side, as a leaf. */
static void arrange(const struct order *order, struct pool *pool, uint32_t *number, size_t records)
{
    const struct order_node root = {.order = order};
    uint16_t *child = take_room(pool, records + 1, sizeof *child);
    uint8_t *block = (uint8_t *)number;
    const struct table table = {.block = &block, .blocks = 1, .shift = 31}; /* all of it is one block */
    size_t place[(1 << ORDER_ROOT_BITS) + 1] = {0};

    order_scatter(root, ORDER_ROOT_BITS, 0, records, child);
    for (size_t i = 0; i < records; i++)
        place[child[i] + 1]++;
    for (unsigned j = 0; j < 1 << ORDER_ROOT_BITS; j++)
        place[j + 1] += place[j];
    for (size_t i = 0; i < records; i++)
        number[place[child[i]]++] = (uint32_t)i;
    for (unsigned j = 0; j < 1 << ORDER_ROOT_BITS; j++) {
        const size_t first = j > 0 ? place[j - 1] : 0;

        order_leaf(order_child(root, j), &table, first, place[j] - first);
    }
}

void small_shuffle(struct run *run, struct source *source, size_t most, struct output *output)
{
    struct pool *pool = &run->engine.pool;
    const uint8_t *data;
    const size_t bytes = source_next(source, NULL, most, &data, NULL);
    uint32_t *end = take_room(pool, bytes + 1, sizeof *end), *number;
    struct record_scan scan = {0};
    struct transfer transfer;
    size_t records, scanned;
    uint64_t skipped, wanted;

    end[0] = 0;
    records = record_ends(&run->format, &scan, data, bytes, end + 1, bytes, &scanned);
    number = take_room(pool, records + 1, sizeof *number);
    arrange(&run->order, pool, number, records);
    if (run->strata != NULL)
        strata_begin(run->strata, 1);
    for (size_t i = 0; i < records && run->strata != NULL; i++)
        strata_count(run->strata, 0, data + end[i], end[i + 1] - end[i], true, true);
    counter_set(&run->progress->records, records);
    run_scattered(run);
    run_begin(run, output, records);
    wanted = run_pass(run, records, &skipped);
    run_transfer(&transfer, run, NULL, output);
    for (const uint32_t *next = number + skipped; next < number + skipped + wanted; next++) {
        output_buffer_put(&transfer.outlet, data + end[*next], end[*next + 1] - end[*next]);
        output_buffer_end_unit(&transfer.outlet);
    }
    run_transfer_end(&transfer);
}
