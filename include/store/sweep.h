#pragma once

/*
 * Removes from a store the batches that have left it, and drafts that nobody will finish. There is a lock, and there is
 * an age:
 *
 * - Who makes a batch or reads one has a shared lock on its manifest (draft.h, batch.h). What is locked stays.
 * - A draft of this machine that is not locked any more is dead, at once. Any other draft is when nothing in it has
 * been written for an hour, as the clock of its file system has it, and it is not locked. So is a file that did not get
 * its name.
 *
 * Where files cannot be locked, only sweep_all removes folders, drafts by their age alone.
 *
 * Only files whose names the store itself computes are unlinked, in folders that are opened without following links; a
 * folder in which there is anything else stays.
 */

#include "store/store.h"

/* Remove the dead drafts of this user, and the batches that have left the store. What cannot be removed is no failure,
 * but worth a warning. */
void sweep_dead(struct store *store);

/* Also the drafts of others. Each name is told on standard output, in a line: whether it was removed, and its size, or
 * why it was kept. */
void sweep_all(struct store *store);

/* The newest `keep` batches by name stay, and the batch `added`; the others leave the store: each is renamed to
 * .old-BATCH~NUMBER, and its files go if nobody reads them. */
void sweep_keep(struct store *store, uint64_t keep, const char *added);

/* What a task that was killed may have left, as the last sweep found it, and what to do with that; or "". It is put
 * after the message that the store's disk is full. Returns `text`. */
enum { SWEEP_ADVICE_BYTES = STORE_NAME_BYTES + 80 };
const char *sweep_advice(const struct store *store, char text[SWEEP_ADVICE_BYTES]);
