#ifndef BIGSHUF_SHUFFLE_RUN_H
#define BIGSHUF_SHUFFLE_RUN_H

/* What every stage of a run shares: memory, threads, places for temporary files, and what is counted on the way. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/source.h"
#include "output/output.h"
#include "record/record.h"
#include "shuffle/order.h"
#include "system/fault.h"
#include "system/pool.h"
#include "temporary/spill.h"

/* How a memory limit is divided. */
struct run_memory {
    size_t bytes;        /* all of it */
    size_t block_bytes;  /* of the pool */
    size_t buffer_bytes; /* contiguous; for input blocks in pass 1, for output in pass 2 */
    unsigned workers;    /* threads that this memory can keep busy, at most those asked for */
};

/* A function of its arguments alone. `bytes` is at least RUN_MEMORY_MIN; more than RUN_MEMORY_MAX is not used, since
 * references to records (index.h) have 44 bits for their place. */
struct run_memory run_memory(uint64_t bytes, unsigned workers);

#define RUN_MEMORY_MIN ((uint64_t)8 << 20)
#define RUN_MEMORY_MAX ((uint64_t)1 << 44)

struct run {
    struct pool pool;
    uint8_t *buffer; /* memory.buffer_bytes and POOL_SLACK_BYTES more */
    struct run_memory memory;
    unsigned waiting; /* threads that may be started besides the workers, since some always wait for a disk or a pipe */
    struct order order;
    struct record_format format;
    const struct source *input; /* whose header stands at the beginning of each output file; NULL if there is none */
    bool rereads;               /* may the input be read again, also when output has begun? */
    const uint8_t *header;      /* that stands there if there is no input */
    size_t header_bytes;
    struct spill_place *place;
    struct fault *fault;
    uint64_t left;            /* how many records may still be written; UINT64_MAX without a limit */
    uint64_t records;         /* of the input, counted by whoever reads it first */
    uint64_t started_over;    /* piles, so far */
    double scattered_seconds; /* when the input had been read and dealt out, by run_seconds; 0: it was not */
};

/* Seconds of a clock that only goes forward. */
double run_seconds(void);

/* Take records out of what may still be written: all of `records`, or what is left. Returns how many. */
uint64_t run_take(struct run *run, uint64_t records);

/* From now on use no more threads than that, at least 1. */
void run_limit_threads(struct run *run, unsigned most);

/* Before the first record is written, when `records` records could be if there were no limit, UINT64_MAX if nobody
 * knows: begin the output, with the header of the input. 0, or -1 after a report. */
int run_begin(struct run *run, struct output *output, uint64_t records);

/* Report that something (as by printf) needs more memory, `bytes` in all besides what others need. Returns -1. */
int run_report_memory(struct run *run, uint64_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Map the memory. The fields that are not memory's are the caller's to set. 0, or -1 after a report. */
int run_open(struct run *run, struct run_memory memory, struct fault *fault);
void run_close(struct run *run); /* also when zeroed */

#endif
