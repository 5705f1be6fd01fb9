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

/* The places [first, end) of the order; `end` UINT64_MAX: all from `first` on. */
struct run_range {
    uint64_t first, end;
};

/* What has been done so far; zeroed at first. In a scatter, the threads that scan add to `records`. In a gather,
 * several threads add to `written`, `units` and `left_out`, and `passed` is read and written under its mutex. The other
 * fields are of the thread that runs the passes. */
struct run_progress {
    counter records;        /* of the input, counted when it is first read */
    counter bytes;          /* of the input, set when it has been read */
    counter written;        /* records that were written, or that a thread will write (run_take) */
    counter units;          /* written units: groups, or first records with their keys (keyed.h) */
    counter left_out;       /* records whose keys came before */
    counter scattered;      /* when the input had been dealt out, by sys_milliseconds; 0: not yet */
    uint64_t started_over;  /* piles */
    bool begun;             /* has run_settle been called? */
    bool cut;               /* from run_settle on: is a part of the order not written? */
    struct run_range range; /* from run_settle on: the part that is written */
    uint64_t passed;        /* up to this place, the order was written, taken, or left out */
};

/* Set before the passes, and then only read, except for `engine`. */
struct run {
    struct engine engine;
    struct order order;
    struct record_format format;
    uint64_t part, parts;       /* write only part `part`, from 1, of `parts` of the order; 0: all */
    uint64_t skip;              /* leave out this many records at the beginning, */
    uint64_t limit;             /* and write at most this many after them; UINT64_MAX: all */
    const struct source *input; /* its header begins each output file; NULL: none */
    bool refers;                /* does the source hold the input, with room for references to all records? */
    const struct keyed *keyed;  /* not NULL: order records by their keys, and count units */
    struct strata *strata;      /* counts classes of records before the output begins; or NULL */
    bool rereads;               /* may the input be read again, even after output has begun? */
    uint64_t expected;          /* number of records that the input must have; UINT64_MAX: any */
    const char *input_name;     /* for the message that it has another number */
    const char *like;           /* the input that `expected` is from; NULL: --expect-records */
    struct run_progress *progress;
};

/* The wanted range of an order of `records` records; with UINT64_MAX, unknown, it may turn out to be less. */
struct run_range run_range(const struct run *run, uint64_t records);

/* How many records of the order may still be needed, up to the last one written; UINT64_MAX: all. */
uint64_t run_left(const struct run *run);

/* Pass the next `records` records of the order. Returns how many of them must be written, after the first *skipped. */
uint64_t run_pass(struct run *run, uint64_t records, uint64_t *skipped);

/* run_pass without *skipped. */
uint64_t run_take(struct run *run, uint64_t records);

/* If the next `records` records of the order all come before the first one written, pass them. Do they? */
bool run_skips(struct run *run, uint64_t records);

/* Before the first record is written: fix the range to write of `records` records (UINT64_MAX: unknown, or without
 * end). Returns how many are written, UINT64_MAX if unknown. The run ends if there are fewer than `skip`, unless
 * `limit` is 0. */
uint64_t run_settle(struct run *run, uint64_t records);

/* The same, and begin the output, with the header of the input. */
void run_begin(struct run *run, struct output *output, uint64_t records);

/* The input has been dealt out, and nothing that depends on all of it has been written. Calls run_expects. */
void run_scattered(struct run *run);

/* End the run if this is not the expected number of records. */
void run_expects(const struct run *run, uint64_t records);

/* Moves records from a source to an output, one by one, on one thread and in the engine's buffer. */
struct transfer {
    struct record_reader reader;
    struct output_buffer outlet;
    struct output *output;
};

/* Uses ENGINE_READING and ENGINE_WRITING until run_transfer_end, which writes the rest of the outlet. If nothing is put
 * there, `output` may be NULL, and ENGINE_WRITING is not used. The run must stay. */
void run_transfer(struct transfer *transfer, const struct run *run, struct source *source, struct output *output);
void run_transfer_end(struct transfer *transfer);

/* Put a record, or a piece of one, into the outlet; each record is a unit. */
void run_transfer_piece(struct transfer *transfer, const struct record_piece *piece);

/* After piles_seal: verify a pile's file, write the wanted records (run_pass) in the pile's order, and leave it empty.
 * Uses ENGINE_WHOLE. */
void run_transfer_pile(struct run *run, struct piles *piles, unsigned pile, struct output *output);
