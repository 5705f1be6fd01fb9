#ifndef BIGSHUF_SWEEP_H
#define BIGSHUF_SWEEP_H

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

#include "owner.h"
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

/* ---- For drafts (draft.h) ---- */

#define SWEEP_DRAFT ".new-"

enum { SWEEP_NAME_BYTES = STORE_NAME_MAX + 16, SWEEP_ATTEMPTS = 100 };

/* The name of a batch's folder before it is complete, or after it has left the store, with the prefix for that. The
 * first attempt to find one that is free is NAME itself, the second NAME~1, the last NAME~99. Returns `name`. */
char *sweep_name(char name[SWEEP_NAME_BYTES], const char *prefix, const char *batch, int attempt);

/* Remove the draft `name` if it is this user's and its process is gone for sure. Returns whether there is no such draft
 * any more; if there is, `owner` says who is at work in it, as owner_ask does. */
bool sweep_dead_draft(struct store *store, const char *name, struct owner *owner);

/* Remove a draft of this process: `folder` is its folder, and `lock`, or -1, what owner_sign gave, which is closed.
 * What cannot be removed is worth a warning. */
void sweep_own_draft(struct store *store, const char *name, const struct folder *folder, int lock);

#endif
