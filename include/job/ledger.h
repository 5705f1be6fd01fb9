#pragma once

/* What a run takes of memory beside its pool: a row for each pocket, from which follows how large the pool may be. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/options.h"
#include "shuffle/engine.h"

/* What is known of the run. */
struct ledger {
    const struct options *options;
    uint64_t limit_bytes; /* -S; 0: it is not known */
    bool doubted;         /* a warning has said that there is less */
    size_t inputs;        /* files */
    uint64_t name_bytes;  /* of their names */
    bool ahead;           /* may several be decompressed? */
    unsigned workers;     /* that are asked for, */
    unsigned waiting;     /* and threads besides */
    unsigned piles;       /* of the store; 0: there is none */
    unsigned directories; /* of temporary files */
};

/* What a limit leaves for the engine, which is more if the limit is more. `ledger` is one. */
uint64_t ledger_left(const void *ledger, uint64_t limit_bytes);

/* The part of a limit for what is decompressed ahead, and for the classes of --stratify-field. */
uint64_t ledger_ahead(uint64_t limit_bytes);
uint64_t ledger_classes(uint64_t limit_bytes);

/* The limit: -S, or what the machine has to spare, which is looked up once. */
uint64_t ledger_limit(struct ledger *ledger);

/* What it leaves, but no more than is of use for an input of `bytes` bytes. */
uint64_t ledger_memory(struct ledger *ledger, uint64_t bytes);

/* Open an engine with `bytes` bytes of memory for the threads that are known. A limit that was given must leave the
 * least engine beside all pockets; without one, memory that the machine should have, but does not give, is halved. */
void ledger_open_engine(struct ledger *ledger, struct engine *engine, uint64_t bytes, struct spill_place *place);

/* For -v: all rows that are not small, and the `outputs` bytes that outputs take, which are not of the limit. */
void ledger_note(const struct ledger *ledger, uint64_t outputs);
