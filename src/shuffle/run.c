/*
 * A limit of S is one mapping of S: the buffer first, then the pool. What the program takes besides (stacks, lists that
 * have an entry for each pile, libc) is a few MiB at most and does not grow with the input.
 */

#include "shuffle/run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "shuffle/queue.h"
#include "system/sys.h"

/* Blocks of S/16384: 512 piles with half a block unused each are 1.6 % of S. From 64 KiB on larger ones are no faster.
 */
static const uint64_t BLOCKS = 16384;
static const size_t BLOCK_BYTES_MIN = 4096;
static const size_t BLOCK_BYTES_MAX = (size_t)64 << 10;

/* More threads than this have never been of use, and numbers that count blocks for each stay small. */
static const unsigned WORKERS_MAX = 1024;

/* The buffer's share of S, at most. */
static const uint64_t BUFFER_SHARE = 16;

/* Input blocks smaller than this cost more in hand-over than a further thread gains. */
static const size_t QUEUE_BLOCK_MIN = (size_t)16 << 10;
static const size_t QUEUE_BLOCK_WANTED = (size_t)256 << 10;

/* A worker's output should hold a pile of an input that just fits: S/512, and some more as piles are uneven. */
static const uint64_t OUTPUT_SHARE = 448;

struct run_memory run_memory(uint64_t bytes, unsigned workers)
{
    struct run_memory memory = {.bytes = (size_t)bytes, .workers = workers, .block_bytes = BLOCK_BYTES_MIN};
    uint64_t wanted;
    uint64_t output;

    if (workers > WORKERS_MAX)
        memory.workers = WORKERS_MAX;
    if (bytes > RUN_MEMORY_MAX)
        memory.bytes = (size_t)RUN_MEMORY_MAX;
    if (bytes > SIZE_MAX / 2 && SIZE_MAX / 2 < RUN_MEMORY_MAX)
        memory.bytes = SIZE_MAX / 2 + 1;
    bytes = memory.bytes;
    while (memory.block_bytes < BLOCK_BYTES_MAX && memory.block_bytes * 2 <= bytes / BLOCKS)
        memory.block_bytes *= 2;
    while (memory.workers > 1 && queue_bytes(memory.workers, QUEUE_BLOCK_MIN) > bytes / BUFFER_SHARE)
        memory.workers--;
    wanted = queue_bytes(memory.workers, QUEUE_BLOCK_WANTED);
    output = memory.workers * (bytes / OUTPUT_SHARE);
    wanted = wanted > output ? wanted : output;
    memory.buffer_bytes = (size_t)(wanted < bytes / BUFFER_SHARE ? wanted : bytes / BUFFER_SHARE);
    memory.buffer_bytes -= memory.buffer_bytes % memory.block_bytes;
    return memory;
}

double run_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

uint64_t run_take(struct run *run, uint64_t records)
{
    if (run->left == UINT64_MAX)
        return records;
    if (records > run->left)
        records = run->left;
    run->left -= records;
    return records;
}

void run_limit_threads(struct run *run, unsigned most)
{
    if (run->memory.workers > most)
        run->memory.workers = most;
    if (run->waiting > most - run->memory.workers)
        run->waiting = most - run->memory.workers;
}

int run_begin(struct run *run, struct output *output, uint64_t records)
{
    const uint8_t *header = run->header;
    size_t header_bytes = run->header_bytes;

    if (run->input != NULL)
        header = source_header(run->input, &header_bytes);
    return output_begin(output, records < run->left ? records : run->left, header, header_bytes);
}

/* A sixteenth is for buffers, and some MiB for parts of blocks. */
int run_report_memory(struct run *run, uint64_t bytes, const char *format, ...)
{
    const uint64_t mebibyte = (uint64_t)1 << 20;
    char what[128];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fault_say(run->fault, "%s needs more memory: use -S %lluM or more", what,
                     (unsigned long long)((bytes + bytes / 15) / mebibyte) + 4);
}

int run_open(struct run *run, struct run_memory memory, struct fault *fault)
{
    run->memory = memory;
    run->fault = fault;
    run->left = UINT64_MAX;
    run->buffer = sys_map(memory.buffer_bytes + POOL_SLACK_BYTES);
    if (run->buffer == NULL || pool_open(&run->pool, memory.bytes - memory.buffer_bytes, memory.block_bytes) != 0)
        return fault_say(fault, "cannot get %llu MiB of memory: %s", (unsigned long long)memory.bytes >> 20,
                         strerror(errno));
    return 0;
}

void run_close(struct run *run)
{
    pool_close(&run->pool);
    if (run->buffer != NULL)
        sys_unmap(run->buffer, run->memory.buffer_bytes + POOL_SLACK_BYTES);
    run->buffer = NULL;
}
