#pragma once

/* How records come to the task, and in how much memory: all decided in advance. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tunable.h"
#include "command/options.h"
#include "input/source.h"
#include "job/task.h"
#include "shuffle/engine.h"

/* An input of fewer bytes is shuffled in one piece, if a leaf may have this many records: 512 piles would have a few
 * hundred bytes each. The least memory has room for it. */
TUNABLE(SUPPLY_SMALL_BYTES, 256 << 10, 1, ENGINE_UNITS < 128 ? ENGINE_UNITS << 11 : 256 << 10);

enum supply {
    SUPPLY_SMALL,  /* the input's beginning, perhaps all of it, is read into the least memory */
    SUPPLY_COPIED, /* read, and copied to piles */
    SUPPLY_HELD,   /* read into the pool; piles refer to its records */
};

/* What the main thread has found out so far. */
struct facts {
    enum task task;
    bool known;            /* is `bytes` the whole input? */
    uint64_t bytes;        /* least number of bytes of the input */
    size_t files;          /* 0: words or numbers */
    bool waits;            /* must all input be read before the first record is written? */
    bool larger;           /* has SUPPLY_SMALL shown that it is not small? */
    uint64_t memory_bytes; /* for the engine; 0: not looked up yet */
    uint64_t record_bytes; /* average length of the first records; 0: not read yet */
};

struct plan {
    enum supply supply;
    bool least;            /* are the least memory and one worker enough? */
    bool rereads;          /* do samples read the input again instead of storing it? */
    uint64_t memory_bytes; /* for the engine; 0: `facts` must tell it */
};

/* A pure function. It is called again when more facts are known: after SUPPLY_SMALL, after memory_bytes 0, and after
 * SUPPLY_HELD while record_bytes is 0. */
struct plan supply_plan(const struct options *options, const struct facts *facts);

/* Hold the input in the pool from now on, leaving room for references and the tables that sort them. Reads the first
 * records, which will be delivered again, and sets facts->record_bytes. */
void supply_hold(struct source *source, const struct record_format *format, struct pool *pool, struct facts *facts);

/* "input: held, 1.0 GiB; memory: 64 MiB; spill: at most 970 MiB; 2 threads" */
void supply_note(const struct plan *plan, const struct facts *facts, unsigned threads);
