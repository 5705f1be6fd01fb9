#include "job/lending.h"

#include "shuffle/engine.h"
#include "system/sys.h"

/* Smaller files, on average, are read: to map one takes as many calls, a fault or two, and memory in whole pages. */
static const uint64_t FILE_BYTES = (uint64_t)128 << 10;

/* The beginning of the input, which tells how long records are. */
static const uint64_t SAMPLE_BYTES = (uint64_t)1 << 20;

/* Records that are as long as this on average are referred to. Shorter ones are copied to piles, which are small enough
 * for the processor's caches: to look for them all over the input takes longer than the copy. (1 GB on one thread, in
 * processor seconds, referred to and copied: lines of 24 bytes 1.9 and 1.9, of 32 bytes 1.25 and 1.45.) */
static const uint64_t REFER_FROM_BYTES = 32;

/* A reference has 8 bytes; blocks that are partly used and the tables of the piles in work take some more. */
static const uint64_t REFERENCE_BYTES[] = {[LENDING_ONCE] = 10, [LENDING_REPEATEDLY] = 18};

/* The average length of the first records, at least 1. The source is at its beginning again. 0, or -1 after a report.
 */
static int measure(struct source *source, const struct record_format *format, uint64_t *record_bytes)
{
    struct record_scan scan = {0};
    uint64_t records = 0;
    uint64_t bytes = 0;
    ssize_t got = 1;

    while (bytes < SAMPLE_BYTES && got > 0) {
        const uint8_t *data;
        bool whole;

        got = source_lend(source, &data, (size_t)(SAMPLE_BYTES - bytes));
        if (got > 0) {
            records += record_count(format, &scan, data, (size_t)got, &whole);
            bytes += (uint64_t)got;
        }
    }
    *record_bytes = bytes / (records + 1) + 1;
    return got < 0 ? -1 : source_rewind(source);
}

/* Is there room in the address space? (ulimit -v) */
static bool is_room(uint64_t bytes)
{
    void *memory = bytes <= SIZE_MAX / 2 ? sys_map((size_t)bytes) : NULL;

    if (memory != NULL)
        sys_unmap(memory, (size_t)bytes);
    return memory != NULL;
}

enum lending lending_choose(struct source *source, size_t files, const struct record_format *format,
                            enum lending_use use, uint64_t memory_bytes, uint64_t *engine_bytes)
{
    const uint64_t known_bytes = source_known_bytes(source);
    uint64_t mapped_bytes, record_bytes, needed_bytes;

    *engine_bytes = memory_bytes;
    if (!source_is_known(source) || known_bytes > memory_bytes || known_bytes / FILE_BYTES < files ||
        !is_room(known_bytes + memory_bytes) || !source_map(source, &mapped_bytes))
        return LENDING_NONE;
    if (use == LENDING_SELDOM)
        return LENDING_COPIES;
    if (measure(source, format, &record_bytes) != 0)
        return LENDING_FAILED;
    needed_bytes = mapped_bytes + known_bytes / record_bytes * REFERENCE_BYTES[use] + ENGINE_MEMORY_MIN;
    if (record_bytes < REFER_FROM_BYTES || needed_bytes > memory_bytes || mapped_bytes > ENGINE_MEMORY_MAX)
        return LENDING_COPIES;
    *engine_bytes = memory_bytes - mapped_bytes;
    return LENDING_REFERS;
}

enum lending lending_hold(struct source *source, const struct record_format *format, struct pool *pool)
{
    uint64_t record_bytes;

    source_hold(source, pool);
    if (measure(source, format, &record_bytes) != 0)
        return LENDING_FAILED;
    if (record_bytes >= REFER_FROM_BYTES)
        return LENDING_REFERS;
    source_let_go(source);
    return LENDING_NONE;
}
