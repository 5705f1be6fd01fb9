#ifndef BIGSHUF_JOB_ADD_BATCH_H
#define BIGSHUF_JOB_ADD_BATCH_H

/* Jobs with --scatter, which write to a store. Nothing has been opened. */

#include "job/resources.h"

/* Scatter the records of the inputs to the piles of a new batch; with --newest, then remove old batches. */
void add_batch(struct resources *resources);

/* Only remove what others left unfinished, and list it. */
void add_batch_sweep(struct resources *resources);

#endif
