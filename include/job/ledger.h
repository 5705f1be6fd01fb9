#pragma once

/* The memory that a run takes beside its engine, a row for each pocket, and what that leaves of the limit. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/options.h"
#include "shuffle/engine.h"

/* What is known of the run. Written by job/resources.c, except limit_bytes and doubted; of the main thread alone. */
struct ledger {
    const struct options *options;
    uint64_t limit_bytes; /* of ledger_limit; 0: not known yet */
    bool doubted;         /* has a warning said that the machine has less? */
    size_t inputs;        /* number of input files */
    uint64_t name_bytes;  /* bytes of their names */
    bool ahead;           /* may several of them be decompressed ahead? */
    unsigned workers;     /* wanted workers, */
    unsigned waiting;     /* and further threads */
    unsigned piles;       /* of the store; 0: no store */
    unsigned directories; /* for temporary files */
};

/* What a limit leaves for the engine: the more, the higher the limit. `ledger` is a struct ledger. */
uint64_t ledger_left(const void *ledger, uint64_t limit_bytes);

/* The part of a limit for bytes that are decompressed ahead, and for the classes of --stratify-field. */
uint64_t ledger_ahead(uint64_t limit_bytes);
uint64_t ledger_classes(uint64_t limit_bytes);

/* The limit: -S, or the memory that the machine has to spare, which is looked up once. */
uint64_t ledger_limit(struct ledger *ledger);

/* What the limit leaves for the engine, but at most what helps for an input of `bytes` bytes. */
uint64_t ledger_memory(struct ledger *ledger, uint64_t bytes);

/* Open an engine with `bytes` bytes of memory for the threads in the ledger. The run ends if -S does not leave enough
 * for the least engine; without -S, `bytes` is halved until the machine gives that much. */
void ledger_open_engine(struct ledger *ledger, struct engine *engine, uint64_t bytes, struct spill_place *place);

/* For -v: print all large rows, and the `outputs` bytes that outputs take, which do not count for the limit. */
void ledger_note(const struct ledger *ledger, uint64_t outputs);
