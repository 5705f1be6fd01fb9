#ifndef BIGSHUF_STORE_SWEEP_H
#define BIGSHUF_STORE_SWEEP_H

/* Looking through a store for what is to be removed (remove.h): what a sudden death has left behind, and batches that
 * have left the store. */

#include "store/store.h"

/* Remove the drafts of this user whose process is gone for sure, and the batches that have left the store and that
 * nobody reads. What cannot be removed is no failure, but worth a warning. */
void sweep_dead(struct store *store);

/* Remove all drafts, and all batches that have left the store, but for those whose owner is alive or that are being
 * read. Each is told on standard output, a line each: what was done, its name, its owner, its size. 0, or -1 after a
 * report. */
int sweep_all(struct store *store);

#endif
