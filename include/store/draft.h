#pragma once

/*
 * A batch that is being made: a file in which the piles are written, and which becomes the batch NAME in one step when
 * all of it is on disk. Any number of processes may make a batch of one name at the same time: the first one to finish
 * publishes its own, and the others find it there.
 *
 *     draft_begin --> writes to draft_storage --> draft_commit
 *
 * A run that fails, or that a signal ends, removes it; a sweep removes one left by SIGKILL.
 */

#include "store/manifest.h"
#include "store/store.h"
#include "temporary/storage.h"

struct draft;

/* Begin the batch `name`. `manifest` has the key, the inputs and how they are read; it must stay, as must the store. If
 * the store has a batch of this name with another key or other inputs, the run ends. If all is the same, and the
 * sizes of the inputs are known, standard error says so, *records receives its records, and this returns NULL.
 * Otherwise only the contents can tell, so the work begins. */
struct draft *draft_begin(struct store *store, const char *name, const struct manifest *manifest, uint64_t *records);

/* The piles of the batch, for writing, numbered as in the store's format. Freeing it does nothing: it belongs to the
 * draft. Its memory grows with the logarithm of the bytes written. */
struct storage *draft_storage(struct draft *draft);

/* The memory of a draft for each pile; ten times the bytes take less than half of it more. */
size_t draft_pile_bytes(void);

/* All piles have been written, with records[p] records in pile p: put the header into the store, sync everything,
 * publish the batch, and free the draft. If a batch of this name has appeared meanwhile, and has the same piles,
 * standard error says so, and this returns false; if it differs, the run ends. */
bool draft_commit(struct draft *draft, const uint64_t *records, const uint8_t *header, size_t header_bytes);
