#ifndef BIGSHUF_JOB_LENDING_H
#define BIGSHUF_JOB_LENDING_H

/* Where records are long, inputs that fit into memory are not copied before they are written: they are mapped instead
 * of read, or held, and piles hold references to the records. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/source.h"
#include "record/record.h"

/* How a task uses records. */
enum lending_use {
    LENDING_SELDOM,     /* few of them: references would not pay */
    LENDING_ONCE,       /* all of them, pile by pile */
    LENDING_REPEATEDLY, /* any of them at any time: it takes a table of all references besides the pile */
};

/* Make a source over `files` files lend, if piles should refer to its records: it can, and there is memory for all of
 * it and for the references. Returns whether it lends. `memory_bytes` is all the memory there is; *engine_bytes
 * receives how much of it is left for the rest, which is all of it unless piles refer to records. */
bool lending_choose(struct source *source, size_t files, const struct record_format *format, enum lending_use use,
                    uint64_t memory_bytes, uint64_t *engine_bytes);

/* The same for an input that can be read only once, and whose records are used once: it is read into the pool as far as
 * that has room for it and for references to its records, if these are long. */
bool lending_hold(struct source *source, const struct record_format *format, struct pool *pool);

#endif
