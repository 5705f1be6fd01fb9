#include "job/lending.h"

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "shuffle/engine.h"
#include "shuffle/order.h"

/* The beginning of the input, which tells how long records are. The least memory has room for it. */
TUNABLE(SAMPLE_BYTES, 1 << 20, 1, ENGINE_UNITS < 256 ? ENGINE_UNITS << 12 : 1 << 20);

/* What is held is read in pieces of this size. */
TUNABLE(FILL_BYTES, 256 << 10, 64, 256 << 10);

/* The part of the pool that is left for those references that are put in order: each pile has a 512th of them. */
enum { TABLES_SHARE = 32 };

/* Records that are as long as this on average are referred to where they are held: bytes that are copied are still in
 * the caches. (200 MB from a
 * pipe: lines of 40 bytes 0.41 and 0.41, of 64 bytes 0.29 and 0.32; 1 GB of 350 bytes 0.92 and 1.16.) */
TUNABLE(HOLD_FROM_BYTES, 48, 1, 96);

/* The average length of the first records, at least 1. The source is at its beginning again. */
static uint64_t measure(struct source *source, const struct record_format *format)
{
    struct record_scan scan = {0};
    uint64_t records = 0;
    uint64_t bytes = 0;
    size_t got = 1;

    while (bytes < SAMPLE_BYTES && got > 0) {
        const uint8_t *data;
        bool whole;

        got = source_lend(source, &data, (size_t)(SAMPLE_BYTES - bytes));
        if (got > 0)
            records += record_count(format, &scan, data, got, &whole);
        bytes += got;
    }
    source_rewind(source);
    return bytes / (records + 1) + 1;
}

void lending_map(struct source *source, const struct record_format *format, struct facts *facts)
{
    const bool can = source_map(source, &facts->mapped_bytes);

    facts->mapped_bytes = can ? facts->mapped_bytes : 0;
    facts->record_bytes = can && !format->grouped ? measure(source, format) : 1;
}

/* Read on until the whole input is held, or until the pool has no room for more of it and for references to its
 * records, if they stay as long as before. Returns whether the whole input is held. */
static bool fill(struct source *source, uint64_t record_bytes, struct pool *pool)
{
    const uint64_t left = (1 << ORDER_ROOT_BITS) + pool->blocks / TABLES_SHARE;
    size_t got = FILL_BYTES;

    while (got == FILL_BYTES) {
        const uint64_t bytes = source_space(source) / record_bytes * SUPPLY_REFERENCE_BYTES + FILL_BYTES;

        if (pool_blocks_for(pool, bytes) + left > pool_free(pool))
            return false;
        got = source_fill(source, FILL_BYTES);
    }
    return true;
}

bool lending_hold(struct source *source, const struct record_format *format, struct pool *pool)
{
    uint64_t record_bytes;

    source_hold(source, pool);
    source_fill(source, SAMPLE_BYTES);
    record_bytes = measure(source, format);
    if (record_bytes >= HOLD_FROM_BYTES && fill(source, record_bytes, pool))
        return true;
    source_let_go(source);
    return false;
}
