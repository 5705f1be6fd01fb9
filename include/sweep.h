#ifndef BIGSHUF_SWEEP_H
#define BIGSHUF_SWEEP_H

/*
 * What is left behind in a store, and what leaves it. Only files whose names the store itself computes are unlinked, in
 * directories that are opened without following links; a directory in which there is anything else stays, with a
 * warning.
 */

#include <stdint.h>

#include "store.h"

/* Remove the drafts (.new-) of this user whose process is gone for sure, and the batches that left the store (.old-)
 * and that nobody reads. What cannot be removed is no failure, but worth a warning. */
void sweep_dead(struct store *store);

/* The newest `keep` batches by name stay, and the batch `added`; the others leave the store: each is renamed to
 * .old-NAME, and its files go if nobody reads them. 0, or -1 after a report. */
int sweep_keep(struct store *store, uint64_t keep, const char *added);

/* Remove all drafts, and all batches that left the store, but for those whose owner is alive or that are being read.
 * Each is told on standard output, a line each: what was done, its name, its owner, its size. 0, or -1 after a report.
 */
int sweep_all(struct store *store);

#endif
