#pragma once

/* For tests of what works on a run: one of one thread in the least memory there can be, and an output. */

#include "support/scratch.h"

#include "output/output.h"
#include "shuffle/run.h"

static struct {
    struct spill_place place;
    struct run run;
    struct run_progress progress; /* of the run */
} small;

static inline void small_end(void)
{
    engine_close(&small.run.engine);
    if (small.place.shared != NULL)
        spill_place_release(&small.place);
    small.place.shared = NULL;
}

static inline int small_teardown(void **state)
{
    small_end();
    return scratch_teardown(state);
}

static inline void small_open(void)
{
    static const char *const here[] = {"."};

    memset(&small, 0, sizeof small);
    spill_place_init(&small.place, here, 1, SPILL_NEVER);
    small.run.limit = UINT64_MAX;
    small.run.expected = UINT64_MAX;
    small.run.progress = &small.progress;
    small.run.format.delimiter = '\n';
    small.run.order.leaf_records = ORDER_LEAF_RECORDS;
    random_key_init(&small.run.order.key, "42", 2);
    engine_open(&small.run.engine, engine_memory(ENGINE_MEMORY_MIN, 1), &small.place);
}

/* Write at most so many records from now on. */
static inline void small_limit(uint64_t records)
{
    small.run.limit = records;
    memset(&small.progress, 0, sizeof small.progress);
}

/* An output to one file. */
static inline struct output *small_output(const char *path)
{
    const struct output_plan plan = {.path = path, .filters = 1, .format = small.run.format, .place = &small.place};

    return output_open(&plan);
}

/* Before the run is closed: it has everything back. */
static inline void small_close(void)
{
    assert_int_equal(small.run.engine.pool.free, small.run.engine.pool.blocks);
    assert_int_equal(small.run.engine.pool.promised, 0);
    assert_int_equal(small.run.engine.pool.pinned, 0);
    small_end();
}
