/*
 * A limit of S is two mappings, S together: the buffer and the pool. Other memory of the program (stacks, lists with an
 * entry for each pile, libc) is a few MiB at most and does not grow with the input.
 */

#include "shuffle/engine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "shuffle/queue.h"
#include "system/hardware.h"
#include "system/sys.h"

/* Blocks are S/BLOCKS bytes: half a block unused in each of 512 piles is 1.6 % of S. Above 64 KiB is no faster. */
TUNABLE(BLOCKS, 16384, 1024, 16384);
TUNABLE(BLOCK_BYTES_MAX, 64 << 10, 256, 64 << 10);
#define BLOCK_BYTES_MIN ((size_t)1 << ENGINE_BLOCK_BITS)

/* More threads have never helped, and numbers of blocks for all of them stay small. */
TUNABLE(WORKERS_MAX, 1024, 1, 1024);

/* The buffer is at most 1/BUFFER_SHARE of S. */
TUNABLE(BUFFER_SHARE, 16, 8, 16);

/* Handing over input blocks smaller than this costs more than a further thread gains: with 32 threads and -S 64M,
 * blocks of 20 KiB take 1.13 to 1.17 times the processor time of two threads and 6.6 times the futex calls, blocks of
 * 96 KiB 0.93 to 0.96 and 2.5 to 2.9. For a few threads, smaller ones are worth while. */
TUNABLE(QUEUE_BLOCK_MIN, 16 << 10, 64, 16 << 10);
TUNABLE(QUEUE_BLOCK_MANY, 96 << 10, 64, 96 << 10);
enum { FEW_WORKERS = 4 };
enum { QUEUE_BLOCK_WANTED = 256 << 10 };

/* A worker's output should hold a pile of an input that just fits: S/512, and some more since piles are uneven. */
TUNABLE(OUTPUT_SHARE, 448, 16, 4096);

/* A message that says how much memory is needed adds these blocks for those that are partly used or unused. */
enum { SPARE_BLOCKS = 4 };

/* Descriptors left for other files; and 1/PROGRAMS_SHARE of all, for programs that decompress inputs. */
TUNABLE(SPARE_DESCRIPTORS, 4, 4, 1 << 20);
static const unsigned PROGRAMS_SHARE = 8;

/* More does not help in work record by record. */
TUNABLE(AREA_BYTES_MAX, 512 << 10, 4096, 512 << 10);

static size_t least_block(unsigned workers)
{
    return workers > FEW_WORKERS ? QUEUE_BLOCK_MANY : QUEUE_BLOCK_MIN;
}

struct engine_memory engine_memory(uint64_t bytes, unsigned workers)
{
    struct engine_memory memory = {.bytes = (size_t)bytes, .workers = workers, .block_bytes = BLOCK_BYTES_MIN};
    uint64_t wanted, output;

    if (workers > WORKERS_MAX)
        memory.workers = WORKERS_MAX;
    if (bytes > (uint64_t)ENGINE_UNITS << 16)
        memory.bytes = (size_t)((uint64_t)ENGINE_UNITS << 16);
    if (bytes > SIZE_MAX / 2 && SIZE_MAX / 2 < ENGINE_MEMORY_MAX)
        memory.bytes = SIZE_MAX / 2 + 1;
    bytes = memory.bytes;
    while (memory.block_bytes < BLOCK_BYTES_MAX && memory.block_bytes * 2 <= bytes / BLOCKS)
        memory.block_bytes *= 2;
    while (memory.workers > 1 && queue_bytes(memory.workers, least_block(memory.workers)) > bytes / BUFFER_SHARE)
        memory.workers--;
    wanted = queue_bytes(memory.workers, QUEUE_BLOCK_WANTED);
    output = memory.workers * (bytes / OUTPUT_SHARE);
    wanted = wanted > output ? wanted : output;
    memory.buffer_bytes = (size_t)least(wanted, bytes / BUFFER_SHARE);
    memory.buffer_bytes -= memory.buffer_bytes % memory.block_bytes;
    return memory;
}

uint64_t engine_free_memory(struct engine *engine)
{
    if (engine->free_memory == 0)
        engine->free_memory = hardware_free_memory();
    return engine->free_memory;
}

unsigned engine_threads(const struct engine *engine)
{
    return engine->memory.workers + engine->waiting;
}

void engine_limit_files(struct engine *engine)
{
    const unsigned left = sys_free_descriptors(2 * engine_threads(engine) + SPARE_DESCRIPTORS);
    const unsigned spare = left / PROGRAMS_SHARE + SPARE_DESCRIPTORS;
    const unsigned most = left > spare ? left - spare : 1;

    if (engine->memory.workers > most)
        engine->memory.workers = most;
    if (engine->waiting > most - engine->memory.workers)
        engine->waiting = most - engine->memory.workers;
}

uint64_t engine_needed(uint64_t pool_bytes)
{
    const uint64_t lists = pool_bytes / (BLOCK_BYTES_MIN / sizeof(uint32_t)), spare = SPARE_BLOCKS * BLOCK_BYTES_MAX;
    const uint64_t bytes = pool_bytes + lists + spare;
    const uint64_t needed = ((bytes + bytes / (BUFFER_SHARE - 1)) >> 20) + 1;

    return needed > ENGINE_MEMORY_MIN >> 20 ? needed : ENGINE_MEMORY_MIN >> 20;
}

uint64_t engine_needed_limit(struct engine_budget budget, uint64_t mebibytes)
{
    uint64_t limit = mebibytes, left;

    for (; budget.left != NULL; limit += mebibytes - left) {
        left = budget.left(budget.context, limit << 20) >> 20;
        if (left >= mebibytes)
            break;
    }
    return limit;
}

void engine_report_memory(const struct engine *engine, uint64_t bytes, const char *format, ...)
{
    char what[128];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    die("%s needs more memory: use -S %lluM or more", what,
        (unsigned long long)engine_needed_limit(engine->budget, engine_needed(bytes)));
}

struct engine_space engine_buffer(const struct engine *engine, enum engine_area area)
{
    const size_t half = engine->memory.buffer_bytes / 2;
    const size_t quarter = engine->memory.buffer_bytes / 4;

    switch (area) {
    case ENGINE_WHOLE:
        break;
    case ENGINE_READING:
        return (struct engine_space){engine->buffer, least_size(quarter, AREA_BYTES_MAX) - POOL_SLACK_BYTES};
    case ENGINE_WEIGHTS:
        return (struct engine_space){engine->buffer + quarter, quarter - POOL_SLACK_BYTES};
    case ENGINE_WRITING:
        return (struct engine_space){engine->buffer + half, least_size(half, AREA_BYTES_MAX)};
    case ENGINE_LATTER:
        return (struct engine_space){engine->buffer + half, half};
    }
    return (struct engine_space){engine->buffer, engine->memory.buffer_bytes};
}

uint64_t engine_pool_bytes(const struct engine *engine)
{
    return (uint64_t)engine->pool.blocks << engine->pool.block_shift;
}

bool engine_open(struct engine *engine, struct engine_memory memory, struct spill_place *place)
{
    engine->memory = memory;
    engine->place = place;
    engine->buffer = sys_map_large(memory.buffer_bytes + POOL_SLACK_BYTES);
    if (engine->buffer != NULL && pool_open(&engine->pool, memory.bytes - memory.buffer_bytes, memory.block_bytes) == 0)
        return true;
    engine_close(engine);
    return false;
}

void engine_close(struct engine *engine)
{
    pool_close(&engine->pool);
    if (engine->buffer != NULL)
        sys_unmap(engine->buffer, engine->memory.buffer_bytes + POOL_SLACK_BYTES);
    engine->buffer = NULL;
}
