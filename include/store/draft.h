#ifndef BIGSHUF_STORE_DRAFT_H
#define BIGSHUF_STORE_DRAFT_H

/*
 * A batch in work: a folder .new-NAME~NUMBER in which the piles are written, and which becomes the batch NAME in one
 * step when all of it is on disk. The number is a random one, so that any number of processes may make a batch of one
 * name at the same time: one of them comes first, and the others find it there.
 *
 *     draft_begin --> writes to draft_storage --> draft_commit
 *
 * A run that fails on the way removes it; a signal leaves it to a sweep.
 */

#include "store/manifest.h"
#include "store/store.h"
#include "temporary/storage.h"

struct draft;

/* Begin the batch `name`. Of `manifest` the key, the inputs and how they are read are set, which must stay, as must the
 * store. If there is a batch of this name already, it is a failure if its key or inputs are others; if all is the same
 * and the sizes are known, that is said on standard error, and NULL returned. Else only the contents can tell, so the
 * work is begun. A batch that is the same has *records, and a file of the right size for each pile: else that is a
 * failure. The piles are those of the store's format. */
struct draft *draft_begin(struct store *store, const char *name, const struct manifest *manifest, uint64_t *records);

/* The piles of the batch, to be written only. It is the draft's: freeing it does nothing. Records that start with a
 * string come as record.h has them and stand in the files as they stood in the inputs. The memory that is taken does
 * not grow with what is written; where there are too few descriptors, a file is opened for each write. */
struct storage *draft_storage(struct draft *draft);

/* All has been written, records[p] records to pile p: put the header into the store, everything on disk, by up to
 * `threads` threads, and the batch in its place; and give back what the draft takes. If a batch of this name has come
 * into being meanwhile: false, said on standard error, if it is the same in all its piles, and their files are there as
 * above; else that is a failure. */
bool draft_commit(struct draft *draft, const uint64_t *records, const uint8_t *header, size_t header_bytes,
                  unsigned threads);

#endif
