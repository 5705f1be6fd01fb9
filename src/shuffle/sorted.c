/*
 * Blocks are filled with records as they come, and need no scan: finding the keys has found the ends of records. Keys
 * are in the blocks' lists of hashes.
 */

#include "shuffle/sorted.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "shuffle/pile_keys.h"

TUNABLE(RANGES, SORTED_RANGES, 3, SORTED_RANGES);
TUNABLE(SAMPLE, SORTED_SAMPLE, 2, SORTED_SAMPLE); /* keys: 16 for a range */

void sorted_expect(struct sorted *sorted, uint64_t key)
{
    if (sorted->sampled < SAMPLE)
        sorted->sample[sorted->sampled++] = key;
}

bool sorted_expect_pile(struct sorted *sorted, struct piles *piles, unsigned p)
{
    const uint64_t records = piles->pile[p].records, step = records / SAMPLE + 1;
    struct pile_keys keys;
    uint64_t first = 0;
    bool differ = false;

    pile_keys_open(&keys, piles, p, true);
    for (uint64_t i = 0; i < records; i++) {
        const uint64_t key = pile_keys_next(&keys);

        first = i == 0 ? key : first;
        differ = differ || key != first;
        if (i % step == 0)
            sorted_expect(sorted, key);
    }
    pile_keys_close(&keys);
    return differ;
}

/* Ranges begin at keys evenly spread over the sorted sample; one that comes twice among these has its own range. */
static void set_ranges(struct sorted *sorted)
{
    uint64_t before = UINT64_MAX;

    qsort(sorted->sample, sorted->sampled, sizeof *sorted->sample, compare_numbers);
    sorted->ranges = 1; /* from 0 */
    for (size_t i = 0; i + 1 < RANGES && sorted->sampled > 0; i++) {
        const uint64_t key = sorted->sample[i * sorted->sampled / (RANGES - 1)];

        if (key + (key == before) > sorted->from[sorted->ranges - 1])
            sorted->from[sorted->ranges++] = key + (key == before);
        before = key;
    }
}

/* Is there a next piece, of this record or another one? */
static bool has_more(struct sorted *sorted)
{
    if (sorted->piece.bytes > 0 || sorted->next(sorted->context, &sorted->reader, &sorted->piece, &sorted->key))
        return true;
    sorted->piece.bytes = 0;
    return false;
}

void sorted_fill(struct sorted *sorted, struct queue_block *block)
{
    struct record_piece *piece = &sorted->piece;

    block->bytes = block->records = 0;
    while (block->bytes < block->data_bytes && block->records < block->room && has_more(sorted)) {
        const size_t bytes = least_size(piece->bytes, block->data_bytes - block->bytes);

        memcpy(block->buffer + block->bytes, piece->data, bytes);
        block->bytes += bytes;
        block->hash[block->records].word[0] = sorted->key;
        piece->data += bytes;
        piece->bytes -= bytes;
        if (piece->bytes == 0 && piece->last)
            block->ends[block->records++] = (uint32_t)block->bytes;
    }
    block->open = block->bytes > 0 && (block->records == 0 || block->ends[block->records - 1] < block->bytes);
    if (sorted->ranges == 0)
        set_ranges(sorted);
}

static unsigned range_of(const struct sorted *sorted, uint64_t key)
{
    unsigned low = 0, high = sorted->ranges;

    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;

        if (sorted->from[middle] <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void sorted_route(const struct sorted *sorted, struct queue_block *block)
{
    for (size_t i = 0; i < block->records + block->open; i++)
        block->pile[i] = (uint16_t)range_of(sorted, block->hash[i].word[0]);
}
