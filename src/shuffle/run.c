#include "shuffle/run.h"

#include <time.h>

uint64_t run_left(const struct run *run)
{
    return run->limit < UINT64_MAX ? run->limit - run->progress.written : UINT64_MAX;
}

uint64_t run_take(struct run *run, uint64_t records)
{
    const uint64_t left = run_left(run);

    if (records > left)
        records = left;
    run->progress.written += records;
    return records;
}

int run_begin(struct run *run, struct output *output, uint64_t records)
{
    const uint8_t *header = NULL;
    size_t header_bytes = 0;

    if (run->input != NULL)
        header = source_header(run->input, &header_bytes);
    return output_begin(output, records < run->limit ? records : run->limit, header, header_bytes);
}

double run_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void run_scattered(struct run *run)
{
    run->progress.scattered_seconds = run_seconds();
}
