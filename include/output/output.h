#pragma once

/*
 * All that a run writes: one file or standard output, or several files among which records are divided (division.h) in
 * the order in which they come.
 *
 *     output_open --> output_begin --> output_write ... --> output_commit --> output_free
 *
 * Each file is a sink (sink.h), or is written by a command (filter.h). Sinks get their names in output_commit, in
 * order, when all are complete. A run that ends before that leaves every file as it was; if the machine crashes
 * meanwhile, some files are new, and the others are complete under temporary names. Every failure ends the run.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arithmetic.h"
#include "output/outlet.h"
#include "output/plan.h"

struct output;

/* About the memory that all files take: each its names, its sink, its place in the table of all. (22,000 files of names
 * of 20 and 170 bytes took 420 and 880 bytes each.) */
uint64_t output_memory(const struct output *output);

/* Check all that can be known now, and change no existing file: patterns, percentages, whether two files are the same,
 * whether each can be written or made, and whether those that are inputs may be (overlap.h). If the number of shards is
 * unknown, only the first one and those that exist are checked. A FIFO waits for its reader here. */
struct output *output_open(const struct output_plan *asked);

/* Check that `records` records (UINT64_MAX: unknown) can be divided as the plan says, and, as far as is known, that
 * there is room for `bytes` bytes in all, on the disks of the files known so far. This is the last check, and warns of
 * misleading names. */
void output_check_room(const struct output *output, uint64_t records, uint64_t bytes);

/* What the output needs, known from output_open on. */
struct output_needs {
    bool all;      /* is all input to be read, and its records counted, before output_begin? If not, that may be called
                      earlier, with UINT64_MAX records */
    bool total;    /* must output_begin know the number of records? */
    bool ends;     /* must the ends of units be marked? */
    bool replaces; /* will one of the inputs be replaced when all is complete? */
    struct strata *strata; /* in which classes are to be counted before output_begin (strata.h), or NULL */
};
const struct output_needs *output_needs(const struct output *output);

/* `records` records will be written; UINT64_MAX: unknown, or without end, which plan.shards and splits by percentage
 * of all records do not allow. All input has been read, if output_needs says so. `header` is written to the beginning
 * of each file, and must stay. */
void output_begin(struct output *output, uint64_t records, const void *header, size_t header_bytes);

/* At most `threads` threads will call output_find. Before output_begin. */
void output_set_threads(struct output *output, unsigned threads);

/* Prepare units, before earlier ones have been written. By the thread of this number; several at a time. */
void output_find(struct output *output, unsigned thread, const struct units *units);

/* Write the next units, which output_find has prepared; they may begin and end within a unit. By one thread at a
 * time. */
void output_write(struct output *output, const struct units *units);

/* The output is larger than the system's memory: from now on, send bytes written to regular files to disk MiB by MiB.
 * Otherwise the system sends them when memory is full, and writers have to wait. Not for files that programs write.
 * After output_begin, by one thread. */
void output_write_behind(struct output *output);

/* Bytes that output_write has been given so far. Any thread may ask. */
uint64_t output_written_bytes(const struct output *output);

/* If files were filled side by side, tell the user how many records each has got, and how many classes there are
 * (strata.h). After output_commit. */
void output_note_beside(const struct output *output);

/* The memory that each file takes that is filled side by side, the rest included. */
size_t output_beside_bytes(void);

/* With --each: all records of an input have been written; the files of the next one follow. */
void output_turn(struct output *output);

/* All records have been written: complete all files, then give them their names. A warning names older files that look
 * like further shards. */
void output_commit(struct output *output);

void output_free(struct output *output); /* NULL is fine */

/* Write the contents of a buffer of thread 0 to an output; then it is empty. */
static inline void output_buffer_drain(struct output_buffer *to, struct output *output)
{
    const struct units units = output_buffer_take(to);

    if (units.bytes == 0)
        return;
    output_find(output, 0, &units);
    output_write(output, &units);
}
