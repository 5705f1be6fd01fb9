#pragma once

/*
 * Removes from a store the batches that have left it, and drafts that nobody will finish, by lock and age:
 *
 * - Who makes a file of the store, or reads a batch, has a shared lock on it. Locked files stay.
 * - A draft of this machine that was locked and is no longer is dead. Any other draft is dead if it is not locked and
 *   has not been written for an hour by the clock of its file system.
 *
 * Where files cannot be locked, only a sweep with `all` removes anything, and judges drafts by their age alone.
 */

#include "store/store.h"

/* Remove the dead drafts of this user, and the batches that have left the store. Files that cannot be removed are
 * warned of. With `all`, remove the drafts of other users, too; write a line for each file to standard output, with its
 * size if it was removed, or why it was kept; and fail at the end if one cannot be removed. */
void sweep_store(struct store *store, bool all);

/* Keep the batch `added` and the last `keep` batches by name; the others leave the store: each is renamed to
 * .old-BATCH~NUMBER, and removed if nobody reads it. */
void sweep_keep(struct store *store, uint64_t keep, const char *added);
