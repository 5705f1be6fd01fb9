#pragma once

/*
 * A batch in work: a file in which the piles are written, and which becomes the batch NAME in one step when all of it
 * is on disk. Any number of processes may make a batch of one name at the same time: one of them comes first, and the
 * others find it there.
 *
 *     draft_begin --> writes to draft_storage --> draft_commit
 *
 * A run that fails on the way, or that a signal ends, removes it; what SIGKILL leaves, a sweep.
 */

#include "store/manifest.h"
#include "store/store.h"
#include "temporary/storage.h"

struct draft;

/* Begin the batch `name`. `manifest` has the key, the inputs and how they are read; it must stay, as must the store. If
 * the store has a batch of this name with another key or other inputs, the run ends. If all is the same and the sizes
 * are known, standard error says so, and this returns NULL. Otherwise only the contents can tell, so the work begins. A
 * batch that is the same has *records. The piles are those of the store's format. */
struct draft *draft_begin(struct store *store, const char *name, const struct manifest *manifest, uint64_t *records);

/* The piles of the batch, to be written only. It is the draft's: freeing it does nothing. Memory grows with the
 * logarithm of the bytes written. */
struct storage *draft_storage(struct draft *draft);

/* What a batch in work takes for each pile; ten times as many bytes take less than half of it more. */
size_t draft_pile_bytes(void);

/* All has been written, records[p] records to pile p: put the header into the store, everything on disk, and the batch
 * in its place; and free the draft. If a batch of this name has appeared meanwhile, and is the same in all its piles,
 * standard error says so, and this returns false; if it differs, the run ends. */
bool draft_commit(struct draft *draft, const uint64_t *records, const uint8_t *header, size_t header_bytes);
