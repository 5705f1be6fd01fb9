#include "sample/small.h"

#include <stdlib.h>

#include "sample/keep.h"
#include "shuffle/shuffle.h"
#include "shuffle/units.h"

/* Records of each child of the root stand side by side, and are shuffled as a leaf. */
static void draw(void *context, struct table *ranks, uint64_t records)
{
    const struct order_node root = {.order = context};
    uint32_t *number = fault_allocate((size_t)records, sizeof *number);
    uint16_t *child = fault_allocate((size_t)records, sizeof *child);
    uint8_t *block = (uint8_t *)number;
    const struct table table = {.block = &block, .blocks = 1, .shift = 31}; /* all of it is one block */
    size_t place[(1 << ORDER_ROOT_BITS) + 1] = {0};

    order_scatter(root, ORDER_ROOT_BITS, 0, (size_t)records, child);
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
    for (size_t i = 0; i < records; i++)
        table_set(ranks, number[i], i);
    free(child);
    free(number);
}

void small_shuffle(struct run *run, struct source *source, struct output *output)
{
    struct keep_rule all = {.admit = NULL};
    struct piles piles;

    keep_records(run, source, &all, &piles, 1);
    units_classify(run, &piles);
    run_begin(run, output, piles.pile[0].records);
    shuffle_drawn(run, &piles, NULL, draw, &run->order, output);
    piles_release(&piles);
}
