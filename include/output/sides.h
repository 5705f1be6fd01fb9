#pragma once

/*
 * --split-field: records go to the files of splits by a field of each, its key, in whatever order they come. All
 * records with the same key go to the same file, and only the key and the seed decide which: with h the first word of
 * the siphash_pair of the field, under the key labelled "split", it is the file that has the h * 10^6 / 2^64-th
 * millionth. Records that belong to no split are the rest. With --stratify-field, strata.h decides instead.
 *
 * The files of splits are filled side by side, so they all stay open.
 */

#include <stddef.h>
#include <stdint.h>

#include "output/files.h"
#include "output/outlet.h"
#include "output/plan.h"

struct sides;

/* Begin the files of splits. `write` takes what is left, and may change it. What is pointed to must stay. */
struct sides *sides_open(const struct output_plan *plan, struct files *files,
                         void (*write)(void *context, const struct units *units), void *context);

/* Find where units go that come whole. By this thread, several at a time. */
void sides_find(struct sides *sides, unsigned thread, const struct units *units);

/* Write what comes next, in which this has been found. A unit without the field ends the run. */
void sides_write(struct sides *sides, const struct units *units);

/* All records have come: write what is still kept. */
void sides_finish(struct sides *sides);

/* Say how many records each output has got, and how many bytes these are. */
void sides_note(const struct sides *sides);

size_t sides_each_bytes(void);        /* what each of the splits takes, and what is left */
void sides_free(struct sides *sides); /* NULL is fine */
