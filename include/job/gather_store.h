#ifndef BIGSHUF_JOB_GATHER_STORE_H
#define BIGSHUF_JOB_GATHER_STORE_H

/* Jobs with --gather, which read a store. Nothing has been opened. */

#include "job/resources.h"

/* Write the records of the piles that --piles names, or of all, in random order. */
void gather_store(struct resources *resources);

/* Only list what is in the store: its batches with their piles, records and bytes, and how much memory its piles take.
 * To standard output, which is closed: as a table, or with -z for programs, a line for each batch that ends with NUL,
 * in which name, piles, records and bytes are separated by tabs. */
void gather_store_list(struct resources *resources);

#endif
