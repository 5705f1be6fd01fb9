#include "job/supply.h"

#include "base/arithmetic.h"
#include "base/number.h"
#include "base/tunable.h"
#include "job/room.h"
#include "record/tar_headers.h"
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
enum { ONCE_BYTES = SUPPLY_REFERENCE_BYTES, REPEATEDLY_BYTES = 18 };

/* Are all records written, pile by pile? */
static bool is_once(const struct options *options, const struct facts *facts)
{
    return facts->task == TASK_SHUFFLE && options->count == UINT64_MAX;
}

/* Should the files be mapped, and piles refer to their records? Most samples need few of them, so that references would
 * not pay. What is copied is read: a page that is mapped costs as much as two that are read, and more where a host has
 * to give it. (100 MB to /dev/null on two of an AMD EPYC, a guest: lines of 9 bytes that are copied take 0.21 s read
 * and 0.36 s mapped; a sample of 1000 takes 0.06 to 0.09 s and 0.10 to 0.16 s.) */
static bool is_mapped(const struct options *options, const struct facts *facts)
{
    const bool once = is_once(options, facts), repeatedly = facts->task == TASK_REPEAT && !options->format.grouped;
    const uint64_t record_bytes = options->format.grouped ? TAR_BLOCK_BYTES : facts->record_bytes;
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

struct plan plan_of(const struct options *options, const struct facts *facts)
{
    const bool few = facts->bytes <= SUPPLY_SMALL_BYTES;
    struct plan plan = {.supply = SUPPLY_COPIED,
                        .rereads = facts->known && facts->files > 0 && !facts->waits,
                        .memory_bytes = facts->memory_bytes};

    if (facts->task == TASK_SHUFFLE && few && !facts->larger)
        plan.supply = SUPPLY_SMALL;
    plan.least = plan.supply == SUPPLY_SMALL || (facts->task != TASK_SHUFFLE && facts->known && few);
    if (plan.least) {
        plan.memory_bytes = ENGINE_MEMORY_MIN;
    } else if (facts->memory_bytes > 0 && is_mapped(options, facts)) {
        plan.supply = SUPPLY_MAPPED;
        plan.memory_bytes -= facts->mapped_bytes;
    } else if (facts->files > 0 && is_once(options, facts) &&
               (!facts->known || (options->format.grouped && facts->bytes <= facts->memory_bytes))) {
        plan.supply = SUPPLY_HELD;
    }
    return plan;
}

void plan_note(const struct options *options, const struct plan *plan, const struct facts *facts, unsigned threads)
{
    static const char *const words[] = {"small", "copied", "mapped", "held"};
    const uint64_t memory_bytes = plan->memory_bytes + (plan->supply == SUPPLY_MAPPED ? facts->mapped_bytes : 0);
    const bool known = facts->known && facts->task == TASK_SHUFFLE;
    char input[32], memory[32], spill[32];

    fault_note("input:         %s%s%s; memory: %s; spill: %s%s; %u thread%s", words[plan->supply],
               facts->known ? ", " : "", facts->known ? number_format_size(facts->bytes, input) : "",
               number_format_size(memory_bytes, memory), known ? "at most " : "not known",
               known ? number_format_size(room_temporary_bytes(options, facts->bytes, memory_bytes, false), spill) : "",
               threads, threads == 1 ? "" : "s");
}
