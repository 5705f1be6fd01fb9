#pragma once

/* What every part of a run works with: memory within a limit, threads, and places for temporary files. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tunable.h"
#include "system/fault.h"
#include "system/pool.h"
#include "temporary/spill.h"

/* How a memory limit is divided: a function of its arguments alone. `bytes` is at least ENGINE_MEMORY_MIN; at most
 * ENGINE_MEMORY_MAX are used, since references to records (input/reference.h) have 44 bits for the place. */
struct engine_memory {
    size_t bytes;        /* all of it */
    size_t block_bytes;  /* of the pool */
    size_t buffer_bytes; /* contiguous; for input blocks in pass 1, for output in pass 2 */
    unsigned workers;    /* threads that this memory can keep busy, at most those wanted */
};

struct engine_memory engine_memory(uint64_t bytes, unsigned workers);

#define ENGINE_MEMORY_MIN ((uint64_t)8 << 20)
#define ENGINE_MEMORY_MAX ((uint64_t)1 << 44)

/* Blocks have at least 2^ENGINE_BLOCK_BITS bytes; at most ENGINE_UNITS times 64 KiB of a limit are used: 1024 blocks or
 * more, since 512 piles need one each. */
TUNABLE(ENGINE_BLOCK_BITS, 12, 8, 12);
TUNABLE(ENGINE_UNITS, ENGINE_MEMORY_MAX >> 16, 1 << (ENGINE_BLOCK_BITS - 6), ENGINE_MEMORY_MAX >> 16);

/* left(): what a limit leaves for the engine, which never falls as the limit grows; NULL: all of it. */
struct engine_budget {
    uint64_t (*left)(const void *context, uint64_t limit_bytes);
    const void *context;
};

struct engine {
    struct pool pool;
    uint8_t *buffer; /* used area by area, through engine_buffer */
    struct engine_memory memory;
    struct engine_budget budget; /* for messages; set before engine_open, as is `waiting` */
    unsigned waiting;            /* further threads, since some always wait for a disk or a pipe */
    uint64_t free_memory;        /* of engine_free_memory; 0: not called yet */
    struct spill_place *place;
};

/* The areas of the buffer. Reading and writing record by record uses READING, WEIGHTS and WRITING; the last is in
 * LATTER, the second half. */
enum engine_area { ENGINE_WHOLE, ENGINE_READING, ENGINE_WEIGHTS, ENGINE_WRITING, ENGINE_LATTER };

struct engine_space {
    uint8_t *data; /* POOL_SLACK_BYTES bytes after it may be read and overwritten, too */
    size_t bytes;
};

/* An area of the buffer. Meanwhile, nobody else may use it, or an area that it overlaps. */
struct engine_space engine_buffer(const struct engine *engine, enum engine_area area);

/* Map the memory. *engine must be zeroed except for `waiting` and `budget`. False with errno: there is less. */
bool engine_open(struct engine *engine, struct engine_memory memory, struct spill_place *place);
void engine_close(struct engine *engine); /* also when zeroed, and twice */

/* Bytes of memory that the system had free for files when this was first called. */
uint64_t engine_free_memory(struct engine *engine);

unsigned engine_threads(const struct engine *engine);    /* the most that it uses */
uint64_t engine_pool_bytes(const struct engine *engine); /* of all blocks */

/* From now on, use only threads for which there are descriptors, if each has a pile's file open; threads that mostly
 * wait are given up first. Call it when all files that stay open have been opened. */
void engine_limit_files(struct engine *engine);

/* How many MiB an engine needs for a pool of `pool_bytes` bytes; and the limit, in MiB, that leaves `mebibytes` MiB. */
uint64_t engine_needed(uint64_t pool_bytes);
uint64_t engine_needed_limit(struct engine_budget budget, uint64_t mebibytes);

/* End the run: something (in printf's manner) needs more memory, `bytes` bytes of the pool. */
_Noreturn void engine_report_memory(const struct engine *engine, uint64_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
