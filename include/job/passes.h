#pragma once

/* The two passes of a shuffle as jobs of their own: --scatter writes to a store, --gather reads one. Nothing has been
 * opened. */

#include "job/resources.h"

/* Scatter the records of the inputs to the piles of a new batch; with --keep-newest, then remove old batches. */
void passes_scatter(struct resources *resources);

/* Only remove what others left unfinished, and list it. */
void passes_sweep(struct resources *resources);

/* Write the records of the piles that --piles names, or of all, in random order. */
void passes_gather(struct resources *resources);

/* Only list what is in the store: its batches with their piles, records and bytes, and how much memory its piles take.
 * To standard output, which is closed: as a table, or with -z for programs, a line for each batch that ends with NUL,
 * in which name, piles, records and bytes are separated by tabs. */
void passes_list(struct resources *resources);
