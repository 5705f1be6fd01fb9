#pragma once

/* The two passes of a shuffle as separate jobs on a store, and jobs that look after it. Each opens all it needs. */

#include "job/resources.h"

/* Scatter the records of the inputs to the piles of a new batch; with --keep-newest, then remove old batches. */
void passes_scatter(struct resources *resources);

/* --sweep: remove what others left unfinished in a store, and list it. */
void passes_sweep(struct resources *resources);

/* Write the records of the piles that --only-piles names, or of all, in random order. */
void passes_gather(struct resources *resources);

/* --list: print the store's batches with their piles, records and bytes, and how much memory its piles take, and close
 * standard output. A table; or with -z, for programs, a line for each batch, ended by NUL, with name, piles, records
 * and bytes separated by tabs. */
void passes_list(struct resources *resources);
