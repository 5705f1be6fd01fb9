#ifndef BIGSHUF_JOB_GATHER_STORE_H
#define BIGSHUF_JOB_GATHER_STORE_H

/* Jobs with --gather, which read a store. Nothing has been opened. */

#include "job/resources.h"

/* Write the records of the piles that --pile names, or of all, in random order. */
void gather_store(struct resources *resources);

/* Only list what is in the store. */
void gather_store_list(struct resources *resources);

#endif
