#include "job/supply.h"

#include "base/arithmetic.h"
#include "base/number.h"
#include "base/tunable.h"
#include "record/tar.h"
#include "shuffle/order.h"
#include "system/fault.h"

/* Smaller files, on average, are read: to map one takes as many calls, a fault or two, and memory in whole pages. */
TUNABLE(FILE_BYTES, 128 << 10, 1, 128 << 10);

/* Records that are as long as this on average are referred to. Shorter ones are copied to piles, which are small enough
 * for the processor's caches: fetching them from all over the input takes longer than the copy, though not always
 * longer than getting the memory for it. (1 GB to /dev/null on two of an AMD EPYC, referred to and copied: lines of 16
 * bytes 0.69 and 0.70 s, with 1.3 and 1.3 s of processor time, of 24 bytes 0.58 and 0.86 s, 1.1 and 1.3 s, of 30 bytes
 * 0.43 and 0.50 s, 0.8 and 0.9 s.) */
TUNABLE(REFER_FROM_BYTES, 24, 1, 96);

/* A reference has 8 bytes; blocks that are partly used and the tables of the piles in work take some more. Who needs
 * any record at any time has a table of all references besides the pile. */
enum { ONCE_BYTES = 10, REPEATEDLY_BYTES = 18 };

/* The beginning of the input, which tells how long records are. The least memory has room for it. */
TUNABLE(SAMPLE_BYTES, 1 << 20, 1, ENGINE_UNITS < 256 ? ENGINE_UNITS << 12 : 1 << 20);

/* What is held is read in pieces of this size. */
TUNABLE(FILL_BYTES, 256 << 10, 64, 256 << 10);

/* The part of the pool that is left for those references that are put in order: each pile has a 512th of them. */
enum { TABLES_SHARE = 32 };

/* Records that are as long as this on average are referred to where they are held: bytes that are copied are still in
 * the caches. (200 MB from a pipe: lines of 40 bytes 0.41 and 0.41, of 64 bytes 0.29 and 0.32; 1 GB of 350 bytes 0.92
 * and 1.16.) */
TUNABLE(HOLD_FROM_BYTES, 48, 1, 96);

/* Are all records written, or read for their keys, pile by pile? */
static bool is_once(const struct options *options, const struct facts *facts)
{
    return facts->task == TASK_SHUFFLE && (options->count == UINT64_MAX || task_is_keyed(options));
}

/* Should the files be mapped, and piles refer to their records? Most samples need few of them, so that references would
 * not pay. What is copied is read: a page that is mapped costs as much as two that are read, and more where a host has
 * to give it. (100 MB to /dev/null on two of an AMD EPYC, a guest: lines of 9 bytes that are copied take 0.21 s read
 * and 0.36 s mapped; a sample of 1000 takes 0.06 to 0.09 s and 0.10 to 0.16 s.) */
static bool is_mapped(const struct options *options, const struct facts *facts)
{
    const bool groups = record_is(&options->format, RECORD_GROUP);
    const bool once = is_once(options, facts), repeatedly = facts->task == TASK_REPEAT && !groups;
    const uint64_t record_bytes = groups ? TAR_BLOCK_BYTES : facts->record_bytes;
    const uint64_t reference_bytes = once ? ONCE_BYTES : REPEATEDLY_BYTES;

    if ((!once && !repeatedly) || !facts->known || !facts->fixed || facts->files == 0 ||
        facts->bytes > facts->memory_bytes || facts->bytes / FILE_BYTES < facts->files ||
        facts->bytes + facts->memory_bytes > facts->addresses)
        return false;
    if (facts->record_bytes == 0)
        return true;
    return record_bytes >= REFER_FROM_BYTES && facts->mapped_bytes > 0 && facts->mapped_bytes <= ENGINE_MEMORY_MAX &&
           facts->mapped_bytes + facts->bytes / record_bytes * reference_bytes + ENGINE_MEMORY_MIN <=
               facts->memory_bytes;
}

struct plan supply_plan(const struct options *options, const struct facts *facts)
{
    const bool few = facts->bytes <= SUPPLY_SMALL_BYTES;
    const bool plain = facts->task == TASK_SHUFFLE && !task_is_keyed(options); /* else a small run does not do */
    const bool is_leaf = options->leaf_records >= SUPPLY_SMALL_BYTES;
    struct plan plan = {.supply = SUPPLY_COPIED,
                        .rereads = facts->known && facts->files > 0 && !facts->waits,
                        .memory_bytes = facts->memory_bytes};

    if (plain && few && is_leaf && !facts->larger)
        plan.supply = SUPPLY_SMALL;
    plan.least = plan.supply == SUPPLY_SMALL || (!plain && facts->known && few);
    if (plan.least) {
        plan.memory_bytes = ENGINE_MEMORY_MIN;
    } else if (facts->memory_bytes > 0 && is_mapped(options, facts)) {
        plan.supply = SUPPLY_MAPPED;
        plan.memory_bytes -= facts->mapped_bytes;
    } else if (facts->files > 0 && is_once(options, facts) &&
               (!facts->known || (record_is(&options->format, RECORD_GROUP) && facts->bytes <= facts->memory_bytes))) {
        plan.supply = SUPPLY_HELD;
    }
    return plan;
}

/* The average length of the first records, at least 1. The source is at its beginning again. */
static uint64_t measure(struct source *source, const struct record_format *format)
{
    struct record_scan scan = {0};
    uint64_t records = 0, bytes = 0;
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

void supply_map(struct source *source, const struct record_format *format, struct facts *facts)
{
    const bool can = source_map(source, &facts->mapped_bytes);

    facts->mapped_bytes = can ? facts->mapped_bytes : 0;
    facts->record_bytes = can && !record_is(format, RECORD_GROUP) ? measure(source, format) : 1;
}

/* Read on until the whole input is held, or until the pool has no room for more of it and for references to its
 * records, if they stay as long as before. Returns whether the whole input is held. */
static bool fill(struct source *source, uint64_t record_bytes, struct pool *pool)
{
    const uint64_t left = (1 << ORDER_ROOT_BITS) + pool->blocks / TABLES_SHARE;
    size_t got = FILL_BYTES;

    while (got == FILL_BYTES) {
        const uint64_t bytes = source_space(source) / record_bytes * ONCE_BYTES + FILL_BYTES;

        if (pool_blocks_for(pool, bytes) + left > pool_free(pool))
            return false;
        got = source_fill(source, FILL_BYTES);
    }
    return true;
}

bool supply_hold(struct source *source, const struct record_format *format, struct pool *pool)
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

void supply_note(const struct plan *plan, const struct facts *facts, unsigned threads)
{
    static const char *const words[] = {"small", "copied", "mapped", "held"};
    const uint64_t memory_bytes = plan->memory_bytes + (plan->supply == SUPPLY_MAPPED ? facts->mapped_bytes : 0);
    const bool known = plan->supply == SUPPLY_SMALL || (facts->known && facts->task == TASK_SHUFFLE);
    const uint64_t most = facts->bytes > memory_bytes ? facts->bytes - memory_bytes / 4 * 3 : 0; /* as promised */
    char input[32], memory[32], spill[32];

    fault_note("input:         %s%s%s; memory: %s; spill: %s%s; %u thread%s", words[plan->supply],
               facts->known ? ", " : "", facts->known ? number_format_size(facts->bytes, input) : "",
               number_format_size(memory_bytes, memory), known ? "at most " : "not known",
               known ? number_format_size(most, spill) : "", threads, threads == 1 ? "" : "s");
}
