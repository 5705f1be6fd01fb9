#ifndef BIGSHUF_STORE_SWEEP_H
#define BIGSHUF_STORE_SWEEP_H

/*
 * What is left behind in a store, and what leaves it. Only files whose names the store itself computes are unlinked, in
 * directories that are opened without following links; a directory in which there is anything else stays, with a
 * warning.
 *
 * Where files cannot be locked, nothing shows whether a batch that left the store is being read: it stays until
 * sweep_all, with one warning for each call.
 */

#include <stdbool.h>
#include <stdint.h>

#include "store/owner.h"
#include "store/store.h"

/* Remove the drafts (.new-) of this user whose process is gone for sure, and the batches that left the store (.old-)
 * and that nobody reads. What cannot be removed is no failure, but worth a warning. */
void sweep_dead(struct store *store);

/* The newest `keep` batches by name stay, and the batch `added`; the others leave the store: each is renamed to
 * .old-NAME~NUMBER, and its files go if nobody reads them. 0, or -1 after a report. */
int sweep_keep(struct store *store, uint64_t keep, const char *added);

/* Remove all drafts, and all batches that left the store, but for those whose owner is alive or that are being read.
 * Each is told on standard output, a line each: what was done, its name, its owner, its size. 0, or -1 after a report.
 */
int sweep_all(struct store *store);

/* ---- For drafts (draft.h) ---- */

#define SWEEP_DRAFT ".new-"

enum { SWEEP_NAME_BYTES = STORE_NAME_MAX + 24 };

/* The name of a batch's folder before it is complete, or after it has left the store, with the prefix for that: one
 * that nobody has had, PREFIX NAME ~ and a random number. 0, or -1 with errno. */
int sweep_name(char name[SWEEP_NAME_BYTES], const char *prefix, const char *batch);

/* Remove what is left of a draft that this process has signed (owner.h), and the signature, with its lock. What cannot
 * be removed is worth a warning. */
void sweep_own_draft(struct store *store, const char *name, int lock);

#endif
