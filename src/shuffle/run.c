#include "shuffle/run.h"

#include "base/arithmetic.h"
#include "system/fault.h"
#include "system/sys.h"

uint64_t run_left(const struct run *run)
{
    const uint64_t wanted = run->progress->begun ? run->progress->wanted : run->limit;

    return wanted < UINT64_MAX ? wanted - counter_get(&run->progress->written) : UINT64_MAX;
}

uint64_t run_reach(const struct run *run)
{
    const uint64_t left = run_left(run);

    return left < UINT64_MAX - run->progress->skip ? run->progress->skip + left : UINT64_MAX;
}

void run_drop(struct run *run, uint64_t records)
{
    run->progress->dropped = records;
}

uint64_t run_skip(struct run *run, uint64_t records)
{
    const uint64_t skipped = least(records, run->progress->skip);

    run->progress->skip -= skipped;
    return skipped;
}

uint64_t run_take(struct run *run, uint64_t records)
{
    const uint64_t left = run_left(run);

    if (records > left)
        records = left;
    counter_add(&run->progress->written, records);
    return records;
}

void run_begin(struct run *run, struct output *output, uint64_t records)
{
    struct run_progress *progress = run->progress;
    const uint8_t *header = NULL;
    size_t header_bytes = 0;

    records = least(records, run->limit);
    progress->begun = true;
    progress->wanted = run->limit;
    if (run->parts > 0) {
        const uint64_t first = part_end(records, run->part - 1, run->parts);

        records = progress->wanted = part_end(records, run->part, run->parts) - first;
        progress->skip = first - progress->dropped;
    }
    if (run->input != NULL)
        header = source_header(run->input, &header_bytes);
    output_begin(output, records, header, header_bytes);
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
