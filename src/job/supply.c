#include "job/supply.h"

#include "base/number.h"
#include "base/tunable.h"
#include "record/tar.h"
#include "shuffle/keyed.h"
#include "shuffle/order.h"
#include "system/fault.h"

/* Records that are as long as this on average are referred to. Shorter ones are copied to piles, which are small enough
 * for the processor's caches: fetching them from all over the input takes longer than the copy. (To /dev/null, referred
 * to and copied: seconds for 300 MB on two of an Intel Xeon, Sapphire Rapids, 32 bytes 0.24 and 0.24, 48 bytes 0.17 and
 * 0.19, 100 bytes 0.12 and 0.16, from pipes 0.33 and 0.30, 0.29 and 0.24, 0.26 and 0.23; seconds of the processor for
 * 200 MB on a busy AMD EPYC, 0.27 and 0.19, 0.21 and 0.16, 0.15 and 0.13, from pipes 0.36 and 0.22, 0.27 and 0.22, 0.20
 * and 0.18; 64 bytes there 0.22 and 0.14.) */
TUNABLE(REFER_FROM_BYTES, 64, 1, 96);

/* What a record takes beside its bytes, if it is referred to: a reference, with a key a keyed one, and a part of a
 * block that is partly used. */
enum { PLAIN_BYTES = sizeof(uint64_t) * 5 / 4, KEYED_BYTES = sizeof(struct keyed_reference) * 5 / 4 };

/* 1/TABLES_SHARE of the pool is left for references that are being sorted, since each pile has a 512th of them; and at
 * most 1/BUFFER_SHARE of memory is no pool (engine.c). */
enum { TABLES_SHARE = 32, BUFFER_SHARE = 16 };

/* How much of the input is read to learn how long records are. The least memory has room for it. */
TUNABLE(SAMPLE_BYTES, 1 << 20, 1, ENGINE_UNITS < 256 ? ENGINE_UNITS << 12 : 1 << 20);

/* Is there room for the input, as far as it is known, and for references to its records? */
static bool fits_held(const struct options *options, const struct facts *facts, uint64_t record_bytes)
{
    const uint64_t each = task_is_keyed(options) ? KEYED_BYTES : PLAIN_BYTES;
    const uint64_t memory = facts->memory_bytes;
    const uint64_t first = (uint64_t)engine_memory(memory, 1).block_bytes << ORDER_ROOT_BITS;
    const uint64_t beside = memory / TABLES_SHARE + memory / BUFFER_SHARE + first;

    return !facts->known ||
           (facts->bytes <= memory && facts->bytes + facts->bytes / record_bytes * each + beside <= memory);
}

/* Should the input be held, and piles refer to its records? Only if all of these are written, or read for their keys:
 * samples need few, so references would not pay. Before the first records have been read, they may be long. */
static bool is_held(const struct options *options, const struct facts *facts)
{
    const bool group = record_is(&options->format, RECORD_GROUP);
    const uint64_t record_bytes = group ? TAR_BLOCK_BYTES : facts->record_bytes;

    if (facts->files == 0 || facts->task != TASK_SHUFFLE || (options->count < UINT64_MAX && !task_is_keyed(options)))
        return false;
    return record_bytes == 0 ? fits_held(options, facts, UINT64_MAX)
                             : record_bytes >= REFER_FROM_BYTES && fits_held(options, facts, record_bytes);
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
    if (plan.least)
        plan.memory_bytes = ENGINE_MEMORY_MIN;
    else if (facts->memory_bytes > 0 && is_held(options, facts))
        plan.supply = SUPPLY_HELD;
    return plan;
}

void supply_hold(struct source *source, const struct record_format *format, struct pool *pool, struct facts *facts)
{
    struct record_scan scan = {0};
    const uint8_t *data;
    size_t bytes;
    bool whole;

    source_hold(source, pool, pool->blocks / TABLES_SHARE);
    bytes = source_next(source, NULL, SAMPLE_BYTES, &data, NULL);
    facts->record_bytes = bytes / (record_count(format, &scan, data, bytes, &whole) + 1) + 1;
    source_rewind(source);
}

/* The least bytes that memory keeps of a larger input: 3/4 of memory, as promised; less if memory is small and all
 * bytes may come to one of few piles, since the first block of each is a large part. */
static uint64_t kept(uint64_t memory)
{
    const uint64_t first = (uint64_t)engine_memory(memory, 1).block_bytes << ORDER_ROOT_BITS;

    return least(memory / 4 * 3, memory / 8 * 7 - first);
}

void supply_note(const struct plan *plan, const struct facts *facts, unsigned threads)
{
    static const char *const words[] = {"small", "copied", "held"};
    const bool known = plan->supply == SUPPLY_SMALL || (facts->known && facts->task == TASK_SHUFFLE);
    const uint64_t most = facts->bytes > plan->memory_bytes ? facts->bytes - kept(plan->memory_bytes) : 0;
    char input[32], memory[32], spill[32];

    fault_note("input:         %s%s%s; memory: %s; spill: %s%s; %u thread%s", words[plan->supply],
               facts->known ? ", " : "", facts->known ? number_format_size(facts->bytes, input) : "",
               number_format_size(plan->memory_bytes, memory), known ? "at most " : "not known",
               known ? number_format_size(most, spill) : "", threads, threads == 1 ? "" : "s");
}
