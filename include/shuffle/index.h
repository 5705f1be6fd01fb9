#pragma once

/*
 * The records of a resident pile, as a table of 8-byte references that can be permuted, and their way from the pile's
 * blocks to an output buffer in the permuted order.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "input/reference.h"
#include "output/output.h"
#include "record/record.h"
#include "shuffle/pile.h"
#include "system/table.h"

enum { COPY_STEP = 32 }; /* at most POOL_SLACK_BYTES */

/* Copy half a step through a register: one load and one store, so the places may overlap. */
__attribute__((no_sanitize("thread"))) static inline void copy_half_step(uint8_t *to, const uint8_t *from)
{
    uint8_t bytes[COPY_STEP / 2];
    memcpy(bytes, from, sizeof bytes);
    memcpy(to, bytes, sizeof bytes);
}

/* Copy a short record, without a call and mostly without a branch; up to COPY_STEP bytes after it may be read and
 * overwritten, too. A record of half a step seldom touches a second cache line. The bytes read after the record may be
 * in another thread's block, so the thread sanitizer must ignore this; or in the block to which it is copied. */
__attribute__((no_sanitize("thread"))) static inline void copy_over(uint8_t *to, const uint8_t *from, size_t bytes)
{
    copy_half_step(to, from);
    if (bytes <= COPY_STEP / 2)
        return;
    copy_half_step(to + COPY_STEP / 2, from + COPY_STEP / 2);
    if (bytes > 8 * (size_t)COPY_STEP)
        memcpy(to + COPY_STEP, from + COPY_STEP, bytes - COPY_STEP);
    else
        for (size_t done = COPY_STEP; done < bytes; done += COPY_STEP / 2)
            copy_half_step(to + done, from + done);
}

/* Write references to the pile's records, or the references that it holds, to `table`, which has room for pile.records:
 * that of record i to place i, or, with `ranks`, to place ranks[first_rank + i] - first_rank. The run ends if the pile
 * does not hold exactly pile.records records. */
void index_build(const struct piles *piles, unsigned pile, const struct record_format *format,
                 const struct table *ranks, uint64_t first_rank, struct table *table);

/* The record of a reference, and its length, if it is in one piece and its length is known; else NULL. */
const uint8_t *index_in_one(const struct piles *piles, uint64_t reference, size_t *bytes);

/* Hand any record to `take`, piece by piece, as long as that returns true. */
typedef bool index_take(void *context, const uint8_t *data, size_t bytes, bool last);
void index_walk(const struct piles *piles, const struct record_format *format, uint64_t reference, index_take *take,
                void *context);

/* Copy the records of table[first, first + records) to the outlet. `units`: each of them is a unit. */
void index_copy(const struct piles *piles, const struct record_format *format, const struct table *table,
                uint64_t first, uint64_t records, bool units, struct output_buffer *outlet);
