#pragma once

/*
 * All that a run writes: one file or standard output, or several among which the records are divided (division.h) in
 * the order in which they come.
 *
 *     output_open --> output_begin --> output_write ... --> output_commit --> output_free
 *
 * Each file is a sink (sink.h), or is written by a command (filter.h). Sinks get their names in output_commit, in
 * order, when all are complete. A run that ends before leaves every file as it was; if the machine crashes meanwhile,
 * some files are new, and the others are complete under temporary names. Whatever fails ends the run.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arithmetic.h"
#include "output/outlet.h"
#include "output/plan.h"

struct output;

/* What all files take of memory, about: each its names, its sink, its place in the table of all. (22,000 files of
 * names of 20 and 170 bytes took 420 and 880 bytes each.) */
uint64_t output_memory(const struct output *output);

/* Check all that can be known now, and change no existing file: patterns, percentages, whether two files would be the
 * same, whether each can be written or made, and whether those that are inputs may be so (overlap.h). If nobody knows
 * how many shards there will be, only the first one and those that exist are checked. A FIFO waits for its reader here.
 */
struct output *output_open(const struct output_plan *asked);

/* Check that `records` records (UINT64_MAX: nobody knows how many will be written) can be divided as the plan says, and
 * that there is room for `bytes` bytes in all, as far as is known. Shards that will be found late are expected on the
 * disks where the others are. This is the last check, and warns of misleading names. */
void output_check_room(const struct output *output, uint64_t records, uint64_t bytes);

/* What it needs, known from output_open on. */
struct output_needs {
    bool all;              /* all input has been read, and its records counted, before output_begin; if not, that may be
                            * called earlier, with UINT64_MAX for the number of records */
    bool total;            /* that number is known */
    bool ends;             /* it is told where units end */
    bool replaces;         /* one of the inputs will be replaced, when all is complete */
    struct strata *strata; /* the classes of records are counted before output_begin (strata.h); NULL: there are none */
};
const struct output_needs *output_needs(const struct output *output);

/* `records` records will be written. UINT64_MAX: nobody knows, or there is no end; only splits by count, shard_records
 * and shard_bytes can do with that. All input has been read, if it needs that.
 * `header` stands at the beginning of each file, and must stay. */
void output_begin(struct output *output, uint64_t records, const void *header, size_t header_bytes);

/* This many threads, at most, will write: before output_begin. */
void output_set_threads(struct output *output, unsigned threads);

/* Find what can be found of units before those that come before have been written. By the thread of this number, and
 * by several at a time. */
void output_find(struct output *output, unsigned thread, const struct units *units);

/* Write what comes next, of which output_find has found what there is; it may begin and end in the midst of a unit. By
 * one thread at a time. */
void output_write(struct output *output, const struct units *units);

/* The output is larger than the system's memory: from now on, send bytes written to regular files to disk MiB by MiB.
 * Otherwise the system sends them when memory is full, and writers have to wait. Files that programs write are left to
 * them. After output_begin, by one thread. */
void output_write_behind(struct output *output);

/* Bytes that output_write has been given so far. Any thread may ask. */
uint64_t output_written_bytes(const struct output *output);

/* If files were filled side by side, say how many records each has got, and how many classes there are (strata.h).
 * After output_commit. */
void output_note_beside(const struct output *output);

/* What each file that is filled side by side takes of memory, and the rest. */
size_t output_beside_bytes(void);

/* All records of an input have been written, and another one is divided by itself: its files come next. */
void output_turn(struct output *output);

/* All records have been written: complete all files, then give them their names. A warning names files that look
 * like further shards, but are older. */
void output_commit(struct output *output);

void output_free(struct output *output); /* NULL is fine */

/* Write what is in a buffer of thread 0 to an output; then it is empty. */
static inline void output_buffer_drain(struct output_buffer *to, struct output *output)
{
    const struct units units = output_buffer_take(to);

    if (units.bytes == 0)
        return;
    output_find(output, 0, &units);
    output_write(output, &units);
}
