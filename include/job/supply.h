#pragma once

/* How records come to the task, and in how much memory: decided before any of it is done. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tunable.h"
#include "command/options.h"
#include "input/source.h"
#include "job/task.h"
#include "shuffle/engine.h"

/* An input of fewer bytes is shuffled in one piece: each of 512 piles would be a few hundred bytes. The least memory
 * has room for it. Nor may it have more records than a leaf, as all have with the usual size of leaves. */
TUNABLE(SUPPLY_SMALL_BYTES, 256 << 10, 1, ENGINE_UNITS < 128 ? ENGINE_UNITS << 11 : 256 << 10);

enum supply {
    SUPPLY_SMALL,  /* the input's beginning is read into the least memory: it may be all */
    SUPPLY_COPIED, /* read, and copied to piles */
    SUPPLY_HELD,   /* read into the pool; piles refer to its records */
};

/* What is known, as far as the main thread has found it out. */
struct facts {
    enum task task;
    bool known;            /* is it known how many bytes the input has? */
    uint64_t bytes;        /* that it has at least */
    size_t files;          /* 0: it is words or numbers */
    bool waits;            /* must all have been read before the first record is written? */
    bool larger;           /* it was not small, as SUPPLY_SMALL has shown */
    uint64_t memory_bytes; /* for the engine; 0: not looked up yet */
    uint64_t record_bytes; /* the average length of the first records; 0: they have not been read */
};

struct plan {
    enum supply supply;
    bool least;            /* the least memory and one worker do */
    bool rereads;          /* samples read the input again instead of keeping it */
    uint64_t memory_bytes; /* for the engine; 0: `facts` must have it */
};

/* A pure function. It is asked again when facts have come that it asked for, or that speak against it: its answers to
 * SUPPLY_SMALL, to memory_bytes 0, and to SUPPLY_HELD until record_bytes is known. */
struct plan supply_plan(const struct options *options, const struct facts *facts);

/* Hold what comes from now on in the pool, as far as references and the tables that sort them leave room. Read the
 * first records, and put into `facts` how long they are; they come again. */
void supply_hold(struct source *source, const struct record_format *format, struct pool *pool, struct facts *facts);

/* "input: held, 1.0 GiB; memory: 64 MiB; spill: at most 970 MiB; 2 threads" */
void supply_note(const struct plan *plan, const struct facts *facts, unsigned threads);
