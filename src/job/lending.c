#include "job/lending.h"

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "record/tar_headers.h"
#include "shuffle/engine.h"
#include "shuffle/order.h"
#include "system/hardware.h"
#include "system/sys.h"

/* Smaller files, on average, are read: to map one takes as many calls, a fault or two, and memory in whole pages. */
TUNABLE(FILE_BYTES, 128 << 10, 1, 128 << 10);

/* The beginning of the input, which tells how long records are. The least memory has room for it. */
TUNABLE(SAMPLE_BYTES, 1 << 20, 1, ENGINE_UNITS < 256 ? ENGINE_UNITS << 12 : 1 << 20);

/* What is held is read in pieces of this size. */
TUNABLE(FILL_BYTES, 256 << 10, 64, 256 << 10);

/* The part of the pool that is left for those references that are put in order: each pile has a 512th of them. */
enum { TABLES_SHARE = 32 };

/* Records that are as long as this on average are referred to. Shorter ones are copied to piles, which are small enough
 * for the processor's caches: fetching them from all over the input takes longer than the copy, though not always
 * longer than getting the memory for it. (1 GB to /dev/null on two of an AMD EPYC, referred to and copied: lines of 16
 * bytes 0.69 and 0.70 s, with 1.3 and 1.3 s of processor time, of 24 bytes 0.58 and 0.86 s, 1.1 and 1.3 s, of 30 bytes
 * 0.43 and 0.50 s, 0.8 and 0.9 s.) */
TUNABLE(REFER_FROM_BYTES, 24, 1, 96);

/* The same for an input that must be read first: bytes that are copied are then still in the caches. (200 MB from a
 * pipe: lines of 40 bytes 0.41 and 0.41, of 64 bytes 0.29 and 0.32; 1 GB of 350 bytes 0.92 and 1.16.) */
TUNABLE(HOLD_FROM_BYTES, 48, 1, 96);

/* A reference has 8 bytes; blocks that are partly used and the tables of the piles in work take some more. */
static const uint64_t REFERENCE_BYTES[] = {[LENDING_ONCE] = 10, [LENDING_REPEATEDLY] = 18};

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

        got = source_next(source, NULL, (size_t)(SAMPLE_BYTES - bytes), &data);
        if (got > 0)
            records += record_count(format, &scan, data, got, &whole);
        bytes += got;
    }
    source_rewind(source);
    return bytes / (records + 1) + 1;
}

/* What is copied is read: a page that is mapped costs as much as two that are read, and more where a host has to give
 * it. (100 MB to /dev/null on two of an AMD EPYC, a guest: lines of 9 bytes that are copied take 0.21 s read and 0.36 s
 * mapped; a sample of 1000 takes 0.06 to 0.09 s and 0.10 to 0.16 s.) */
bool lending_choose(struct source *source, size_t files, const struct record_format *format, enum lending_use use,
                    uint64_t memory_bytes, uint64_t *engine_bytes)
{
    const uint64_t known_bytes = source_known_bytes(source);
    uint64_t mapped_bytes, needed_bytes;
    const bool is_group = record_is(format, RECORD_GROUP);
    uint64_t record_bytes = TAR_BLOCK_BYTES; /* members of archives have no less */

    *engine_bytes = memory_bytes;
    if (use == LENDING_SELDOM || (is_group && use != LENDING_ONCE) || !source_is_known(source) ||
        known_bytes > memory_bytes || known_bytes / FILE_BYTES < files ||
        known_bytes + memory_bytes > hardware_addresses() || !source_map(source, &mapped_bytes))
        return false;
    if (!is_group)
        record_bytes = measure(source, format);
    needed_bytes = mapped_bytes + known_bytes / record_bytes * REFERENCE_BYTES[use] + ENGINE_MEMORY_MIN;
    if (record_bytes < REFER_FROM_BYTES || needed_bytes > memory_bytes || mapped_bytes > ENGINE_MEMORY_MAX) {
        source_unmap(source);
        return false;
    }
    *engine_bytes = memory_bytes - mapped_bytes;
    return true;
}

/* Read on until the whole input is held, or until the pool has no room for more of it and for references to its
 * records, if they stay as long as before. Returns whether the whole input is held. */
static bool fill(struct source *source, uint64_t record_bytes, struct pool *pool)
{
    const uint64_t left = (1 << ORDER_ROOT_BITS) + pool->blocks / TABLES_SHARE;
    size_t got = FILL_BYTES;

    while (got == FILL_BYTES) {
        const uint64_t bytes = source_space(source) / record_bytes * REFERENCE_BYTES[LENDING_ONCE] + FILL_BYTES;

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
