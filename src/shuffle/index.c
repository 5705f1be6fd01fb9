/*
 * The places in references are counted from the pool's memory. A length that does not fit is stored as REFERENCE_LONG;
 * the end of such a record is searched again when it is copied, which costs little beside copying it.
 *
 * Records in piles cross from a block to its successor wherever they happen to, so copying has a fast case, a short
 * record well inside its block, and a general one that follows the chain.
 */

#include "shuffle/index.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/must.h"
#include "system/sys.h"

/* Records between prefetch and copy. Records in piles are in the second or third cache, and 16 to 64 measured alike;
 * held ones may be anywhere: 1 GB of lines of 100 bytes to /dev/null on two of an AMD EPYC takes 0.20, 0.19, 0.19 and
 * 0.19 s with 16, 24, 32 and 48, lines of 40 bytes 0.42 and 0.38 s with 16 and 32. */
TUNABLE(AHEAD, 32, 0, 1024);

/* At most this many cache lines of a held record are fetched ahead: in long ones, the processor foresees the rest. */
enum { LINES_MAX = 8 };

/* How many records are found at a time, and in how many bytes at a time the end of a long record is sought. */
TUNABLE(ENDS, 2048, 1, 2048);
TUNABLE(SCAN_BYTES, 1 << 16, 1, 1 << 16);

/* For a pile that holds references. (There are never ranks for those.) */
static void take_references(const struct piles *piles, unsigned p, struct table *table)
{
    const uint64_t records = piles->pile[p].records;
    struct pile_walk walk = pile_walk(piles, p);

    pile_check(piles, p, pile_resident_bytes(piles, p) / sizeof(uint64_t));
    for (uint64_t record = 0; record < records;) {
        const uint64_t most = least(records - record, table_run(table, record));
        size_t bytes;
        const uint8_t *data = pile_next(piles, p, &walk, (size_t)most * sizeof(uint64_t), &bytes);

        memcpy(table_u64(table, record), data, bytes);
        record += bytes / sizeof(uint64_t);
    }
}

/* Block by block: each end that is found completes the reference of a record. The place of an open record is kept. */
void index_build(const struct piles *piles, unsigned p, const struct record_format *format, const struct table *ranks,
                 uint64_t first_rank, struct table *table)
{
    uint32_t ends[ENDS];
    const struct pile *pile = &piles->pile[p];
    struct pile_walk walk = pile_walk(piles, p);
    uint64_t start = 0, before = 0, records = 0;
    struct record_scan scan = {0};
    const uint8_t *data;
    size_t bytes;

    if (piles->refers) {
        MUST(ranks == NULL);
        take_references(piles, p, table);
        return;
    }
    while ((data = pile_next(piles, p, &walk, SIZE_MAX, &bytes)) != NULL) {
        const uint64_t base = (uint64_t)(data - piles->pool->memory);
        size_t open = 0; /* place in this block where the open record goes on */

        if (before == 0)
            start = base;
        for (size_t from = 0, scanned; from < bytes; from += scanned) {
            const size_t count = record_ends(format, &scan, data + from, bytes - from, ends, ENDS, &scanned);

            if (count > pile->records - records)
                pile_check(piles, p, UINT64_MAX);
            for (size_t i = 0; i < count; i++, records++) {
                const size_t end = from + ends[i];
                const uint64_t place = ranks == NULL ? records : table_get(ranks, first_rank + records) - first_rank;

                *table_u64(table, place) = reference_make(start, before + (end - open));
                before = 0;
                open = end;
                start = base + open;
            }
        }
        before += bytes - open;
    }
    pile_check(piles, p, before == 0 ? records : UINT64_MAX);
}

const uint8_t *index_in_one(const struct piles *piles, uint64_t reference, size_t *bytes)
{
    const struct pool *pool = piles->pool;
    const uint64_t place = reference_place(reference);

    *bytes = reference_length(reference);
    if (*bytes == REFERENCE_LONG)
        return NULL;
    if (piles->refers)
        return pool->memory + place;
    return ((size_t)place & (pool->block_bytes - 1)) + *bytes <= pool->block_bytes ? pool->memory + place : NULL;
}

/* A record of any length may go over the ends of blocks. A held one is in one piece, within the pool. */
void index_walk(const struct piles *piles, const struct record_format *format, uint64_t reference, index_take *take,
                void *context)
{
    const struct pool *pool = piles->pool;
    const bool held = piles->refers;
    const uint8_t *from = pool->memory + reference_place(reference), *pool_end = pool_block(pool, pool->blocks);
    uint32_t block = (uint32_t)(reference_place(reference) >> pool->block_shift); /* unless the record is held */
    size_t room = pool->block_bytes - ((size_t)reference_place(reference) & (pool->block_bytes - 1));
    size_t left = reference_length(reference);
    const bool is_long = left == REFERENCE_LONG;
    const size_t most = is_long ? SCAN_BYTES : SIZE_MAX; /* at a time, of a held record */
    struct record_scan scan = {0};

    for (;;) {
        size_t bytes = held ? least_size((size_t)(pool_end - from), most) : room;
        bool ended = left <= bytes;
        uint32_t end;

        if (bytes == 0)
            return;
        if (is_long)
            ended = record_ends(format, &scan, from, bytes, &end, 1, &left) == 1;
        bytes = ended ? left : bytes;
        if (!take(context, from, bytes, ended) || ended)
            return;
        left -= bytes;
        block = held ? block : pool->next[block];
        from = held ? from + bytes : pool_block(pool, block);
        room = pool->block_bytes;
    }
}

static bool copy_piece(void *context, const uint8_t *data, size_t bytes, bool last)
{
    (void)last;
    output_buffer_put(context, data, bytes);
    return true;
}

/* How many bytes are fetched ahead. A held record is in no cache, and begins anywhere in a line: the average number of
 * lines of a record, and one more. (With one line, those of 100 bytes took 0.23 s, of 40 bytes 0.53 s.) */
static size_t bytes_ahead(const struct piles *piles)
{
    if (!piles->refers)
        return 1;
    return (size_t)least(piles_average(piles) / SYS_LINE_BYTES + 2, LINES_MAX) * SYS_LINE_BYTES;
}

/* Copies short records inside their block; others go to index_walk. Fetches the record that is AHEAD. The compiler
 * makes two versions of it, for `ends` true and false. */
static inline void copy(const struct piles *piles, const struct record_format *format, const struct table *table,
                        uint64_t first, uint64_t records, const bool ends, struct output_buffer *outlet)
{
    const struct pool *pool = piles->pool;
    const uint8_t *base = pool->memory;
    const size_t block_mask = piles->refers ? 0 : pool->block_bytes - 1; /* a held record is in one piece */
    const size_t block_bytes = pool->block_bytes;
    const size_t ahead = bytes_ahead(piles);
    uint8_t *to = outlet->at; /* a copy, since the compiler must assume that any store of bytes changes *outlet */
    uint8_t *end = outlet->end;

    while (records > 0) {
        const uint64_t *reference = table_u64(table, first);
        const uint64_t *last = reference + least(records, table_run(table, first));

        records -= (uint64_t)(last - reference);
        first += (uint64_t)(last - reference);
        for (; reference < last; reference++) {
            const uint64_t start = reference_place(*reference);
            const size_t length = reference_length(*reference);

            for (size_t line = 0; line < ahead && last - reference > AHEAD; line += SYS_LINE_BYTES)
                __builtin_prefetch(base + reference_place(reference[AHEAD]) + line);
            if (length + COPY_STEP <= (size_t)(end - to) && ((size_t)start & block_mask) + length <= block_bytes) {
                copy_over(to, base + start, length);
                to += length;
                if (ends)
                    end = output_buffer_mark(outlet, to, end);
                continue;
            }
            outlet->at = to;
            outlet->end = end;
            index_walk(piles, format, *reference, copy_piece, outlet);
            if (ends)
                output_buffer_end_unit(outlet);
            to = outlet->at;
            end = outlet->end;
        }
    }
    outlet->at = to;
    outlet->end = end;
}

void index_copy(const struct piles *piles, const struct record_format *format, const struct table *table,
                uint64_t first, uint64_t records, bool units, struct output_buffer *outlet)
{
    if (units && outlet->ends)
        copy(piles, format, table, first, records, true, outlet);
    else
        copy(piles, format, table, first, records, false, outlet);
}
