#pragma once

/*
 * Removes from a store the batches that have left it, and drafts that nobody will finish. There is a lock, and there is
 * an age:
 *
 * - Who makes a file of the store, or reads a batch, has a shared lock on it. What is locked stays.
 * - A draft of this machine that was locked and is not any more is dead, at once. Any other draft is when it has not
 *   been written for an hour, as the clock of its file system has it, and it is not locked.
 *
 * Where files cannot be locked, only a sweep of all removes anything, drafts by their age alone.
 */

#include "store/store.h"

/* Remove the dead drafts of this user, and the batches that have left the store. What cannot be removed is no failure,
 * but worth a warning. With `all` also the drafts of others; each name is told on standard output, in a line: whether
 * it was removed, and its size, or why it was kept; and what cannot be removed is a failure. */
void sweep_store(struct store *store, bool all);

/* The newest `keep` batches by name stay, and the batch `added`; the others leave the store: each is renamed to
 * .old-BATCH~NUMBER, and removed if nobody reads it. */
void sweep_keep(struct store *store, uint64_t keep, const char *added);
