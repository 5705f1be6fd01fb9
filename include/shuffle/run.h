#pragma once

/* A run takes records from their source to the output. It has resources (engine.h), a fixed request, and progress. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arithmetic.h"
#include "input/record_reader.h"
#include "input/stream.h"
#include "output/output.h"
#include "record/record.h"
#include "shuffle/engine.h"
#include "shuffle/keyed.h"
#include "shuffle/order.h"
#include "shuffle/pile.h"

/* The records of the order from place `first` on and before place `end`; UINT64_MAX: up to its end. */
struct run_range {
    uint64_t first, end;
};

/* What has been done so far. All is zero in the beginning. In a gather, several threads add to `written`, `units` and
 * `left_out`, and `passed` is read and written under its mutex; all else is the thread's that runs the passes. */
struct run_progress {
    counter records;        /* of the input, counted by whoever reads it first */
    counter bytes;          /* of the input, when it has been read */
    counter written;        /* records that were written, or that somebody has claimed to write (run_take) */
    counter units;          /* of those: groups, or first records with their keys (keyed.h) */
    counter left_out;       /* records, since they are there already */
    counter scattered;      /* when the input had been read and dealt out, by sys_milliseconds; 0: it was not */
    uint64_t started_over;  /* piles */
    bool begun;             /* has run_begin been called? */
    bool cut;               /* is part of the order not written? It and what is written, from run_begin on: */
    struct run_range range; /* what of the order that is */
    uint64_t passed;        /* the order up to this place has been written, claimed, or left out */
};

struct run {
    struct engine engine;
    struct order order;
    struct record_format format;
    uint64_t part, parts;       /* only this part of the order is written, from 1, of `parts`; 0: all of it */
    uint64_t skip;              /* how many records at its beginning are left out, */
    uint64_t limit;             /* and how many are written after them at most; UINT64_MAX: all */
    const struct source *input; /* whose header stands at the beginning of each output file; NULL: there is none */
    bool refers;                /* does the input lend, and is there room for references to all its records? */
    const struct keyed *keyed;  /* the order is that of the records' keys, and units are what is counted; else NULL */
    struct strata *strata;      /* counts the classes of records before the output begins; NULL: there are none */
    bool rereads;               /* may the input be read again, also when output has begun? */
    uint64_t expected;          /* how many records the input must have; UINT64_MAX: any number */
    const char *input_name;     /* for a report that it has not; NULL if `expected` is any number */
    const char *like;           /* the input that has as many; NULL: --expect-records says it */
    struct run_progress *progress;
};

/* What is asked for of an order of `records` records. UINT64_MAX: nobody knows how many, so it may be less. */
struct run_range run_range(const struct run *run, uint64_t records);

/* How many records may still be needed, from where the order stands to the last one written; UINT64_MAX: all. */
uint64_t run_left(const struct run *run);

/* The next `records` records of the order come. Returns how many are to be written, after the first *skipped ones. */
uint64_t run_pass(struct run *run, uint64_t records, uint64_t *skipped);

/* As run_pass, without the number skipped. */
uint64_t run_take(struct run *run, uint64_t records);

/* Does the first record that is written come after the next `records` records of the order? Then these have come. */
bool run_skips(struct run *run, uint64_t records);

/* Before the first record is written, when the order has `records` records, UINT64_MAX if nobody knows or it has no
 * end: settle which are written. Returns how many, UINT64_MAX if nobody knows. The run ends if there are fewer than
 * `skip`. */
uint64_t run_settle(struct run *run, uint64_t records);

/* The same, and begin the output, with the header of the input. */
void run_begin(struct run *run, struct output *output, uint64_t records);

/* The input has been read and dealt out, and nothing written that depends on all of it. The run ends as run_expects
 * says. */
void run_scattered(struct run *run);

/* The run ends if this is not the expected number of records. */
void run_expects(const struct run *run, uint64_t records);

/* From a source to an output, record by record, on one thread and in the engine's buffer. */
struct transfer {
    struct record_reader reader;
    struct output_buffer outlet;
    struct output *output;
};

/* Uses ENGINE_READING and ENGINE_WRITING until all has come and run_transfer_end, which writes what is still in the
 * outlet; if nothing is put there, `output` may be NULL, and ENGINE_WRITING is not used. The run must stay. */
void run_transfer(struct transfer *transfer, const struct run *run, struct source *source, struct output *output);
void run_transfer_end(struct transfer *transfer);

/* Put a record, which is a unit, or a piece of it into the outlet. */
void run_transfer_piece(struct transfer *transfer, const struct record_piece *piece);

/* Write those records of a pile that are wanted (run_pass), in the pile's order, after piles_seal, and leave it empty;
 * its file is verified before. Uses ENGINE_WHOLE. */
void run_transfer_pile(struct run *run, struct piles *piles, unsigned pile, struct output *output);
