/*
 * A reference is where a record starts in the pool and its length, 44 and 20 bits. A length that does not fit is given
 * as LONG; the end of such a record is searched again when it is copied, which costs little beside copying it.
 *
 * Records cross from a block to its successor wherever they happen to, so copying has a fast case, a short record well
 * inside its block, and a general one that follows the chain.
 */

#include "shuffle/index.h"

#include <string.h>

enum {
    LENGTH_BITS = 20,
    LONG = (1 << LENGTH_BITS) - 1,
    STEP = 32,  /* bytes of one copy; it overshoots by less */
    AHEAD = 16, /* records between prefetch and copy; 16 to 64 measured alike */
};

static uint64_t make(uint64_t start, uint64_t length)
{
    return start << LENGTH_BITS | (length < LONG ? length : LONG);
}

int index_build(const struct piles *piles, unsigned p, const struct record_format *format, const struct table *ranks,
                uint64_t first_rank, struct table *table)
{
    enum { ENDS = 2048 };
    uint32_t ends[ENDS];
    const struct pool *pool = piles->pool;
    const struct pile *pile = &piles->pile[p];
    uint32_t block = pile->first;
    uint64_t start = UINT64_MAX; /* of the record that is open, if any */
    uint64_t before = 0;         /* its bytes in the blocks before */
    uint64_t records = 0;
    struct record_scan scan = {0};

    for (uint32_t b = 0; b < pile->blocks; b++, block = pool->next[block]) {
        const uint8_t *data = pool_block(pool, block);
        uint64_t base = (uint64_t)block << pool->block_shift;
        size_t bytes = b + 1 < pile->blocks ? pool->block_bytes : (size_t)(pile->at - data);
        size_t from = 0;
        size_t open = 0; /* where the open record starts in this block, or 0 */

        while (from < bytes) {
            size_t scanned;
            size_t count = record_ends(format, &scan, data + from, bytes - from, ends, ENDS, &scanned);

            if (count > pile->records - records)
                return pile_check(piles, p, format, UINT64_MAX);
            for (size_t i = 0; i < count; i++, records++) {
                size_t end = from + ends[i];
                uint64_t reference = start == UINT64_MAX ? make(base + open, end - open) : make(start, before + end);
                uint64_t place = ranks == NULL ? records : table_get(ranks, first_rank + records) - first_rank;

                *table_u64(table, place) = reference;
                start = UINT64_MAX;
                open = end;
            }
            from += scanned;
        }
        if (open == bytes)
            continue;
        if (start == UINT64_MAX) {
            start = base + open;
            before = bytes - open;
        } else {
            before += bytes;
        }
    }
    return pile_check(piles, p, format, start == UINT64_MAX ? records : UINT64_MAX);
}

/* Any record: over the ends of blocks and buffers, of any length. */
static int copy_any(const struct pool *pool, const struct record_format *format, uint64_t reference,
                    struct output_buffer *outlet)
{
    uint64_t start = reference >> LENGTH_BITS;
    size_t left = reference & LONG;
    bool is_long = left == LONG;
    uint32_t block = (uint32_t)(start >> pool->block_shift);
    size_t inside = (size_t)start & (pool->block_bytes - 1);
    struct record_scan scan = {0};

    for (;; block = pool->next[block], inside = 0) {
        const uint8_t *data = pool_block(pool, block) + inside;
        size_t bytes = pool->block_bytes - inside;
        bool ends_here = !is_long && left <= bytes;

        if (is_long) {
            uint32_t end;

            ends_here = record_ends(format, &scan, data, bytes, &end, 1, &left) == 1;
        }
        bytes = ends_here ? left : bytes;
        if (output_buffer_put(outlet, data, bytes) != 0)
            return -1;
        if (ends_here)
            return 0;
        left -= bytes;
    }
}

int index_copy(const struct pool *pool, const struct record_format *format, const struct table *table, uint64_t first,
               uint64_t records, struct output_buffer *outlet)
{
    uint64_t last = first + records;
    uint8_t *to = outlet->at; /* kept here, as the compiler must take any store of bytes for a change of *outlet */
    const uint8_t *end = outlet->end;

    for (uint64_t i = first; i < last; i++) {
        uint64_t reference = *table_u64(table, i);
        uint64_t start = reference >> LENGTH_BITS;
        size_t length = reference & LONG;
        const uint8_t *from = pool->memory + start;

        if (i + AHEAD < last)
            __builtin_prefetch(pool->memory + (*table_u64(table, i + AHEAD) >> LENGTH_BITS));
        if (length + STEP <= (size_t)(end - to) &&
            ((size_t)start & (pool->block_bytes - 1)) + length <= pool->block_bytes) {
            memcpy(to, from, STEP);
            if (length > 8 * (size_t)STEP)
                memcpy(to + STEP, from + STEP, length - STEP);
            else
                for (size_t done = STEP; done < length; done += STEP)
                    memcpy(to + done, from + done, STEP);
            to += length;
            continue;
        }
        outlet->at = to;
        if (copy_any(pool, format, reference, outlet) != 0)
            return -1;
        to = outlet->at;
    }
    outlet->at = to;
    return 0;
}
