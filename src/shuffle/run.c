#include "shuffle/run.h"

#include "system/fault.h"
#include "system/sys.h"

struct run_range run_range(const struct run *run, uint64_t records)
{
    const uint64_t all = least(records, run->limit);

    if (run->parts == 0 || all == UINT64_MAX)
        return (struct run_range){.end = run->limit};
    return (struct run_range){part_end(all, run->part - 1, run->parts), part_end(all, run->part, run->parts)};
}

uint64_t run_left(const struct run *run)
{
    const struct run_progress *progress = run->progress;
    const uint64_t end = progress->begun ? progress->range.end : run->limit;

    return end < UINT64_MAX ? end - least(end, progress->passed) : UINT64_MAX;
}

uint64_t run_pass(struct run *run, uint64_t records, uint64_t *skipped)
{
    struct run_progress *progress = run->progress;
    uint64_t taken;

    records = least(records, run_left(run));
    *skipped = progress->range.first > progress->passed ? least(records, progress->range.first - progress->passed) : 0;
    taken = records - *skipped;
    progress->passed += records;
    counter_add(&progress->written, taken);
    return taken;
}

uint64_t run_take(struct run *run, uint64_t records)
{
    uint64_t skipped;

    return run_pass(run, records, &skipped);
}

void run_begin(struct run *run, struct output *output, uint64_t records)
{
    struct run_progress *progress = run->progress;
    const uint8_t *header = NULL;
    size_t header_bytes = 0;

    progress->begun = true;
    progress->range = run_range(run, records);
    if (run->input != NULL)
        header = source_header(run->input, &header_bytes);
    output_begin(output, least(records, progress->range.end) - progress->range.first, header, header_bytes);
}

void run_scattered(struct run *run)
{
    struct run_progress *progress = run->progress;
    const uint64_t records = counter_get(&progress->records);

    if (run->input != NULL)
        counter_set(&progress->bytes, source_delivered_bytes(run->input));
    counter_set(&progress->scattered, sys_milliseconds());
    run_expects(run, records);
}

void run_expects(const struct run *run, uint64_t records)
{
    if (run->expected != UINT64_MAX && run->expected != records)
        fault_say("%s: the number of records is %llu, not %llu as --expect-records says", run->input_name,
                  (unsigned long long)records, (unsigned long long)run->expected);
}
