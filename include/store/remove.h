#ifndef BIGSHUF_STORE_REMOVE_H
#define BIGSHUF_STORE_REMOVE_H

/*
 * Removing what stands in a store: a batch that has left it, a draft, a file. Only files whose names the store itself
 * computes are unlinked, in directories that are opened without following links; a directory in which there is anything
 * else stays.
 *
 * Where files cannot be locked, nothing shows whether a batch that left the store is being read: it stays, with one
 * warning from remove_end, unless all is to go.
 */

#include <stdbool.h>
#include <stdint.h>

#include "store/name.h"
#include "store/owner.h"
#include "store/store.h"

/* Any number of removals in one store. What fails in `root` is not reported, as it is no failure of the run, but found
 * in errno. */
struct removal {
    struct store *store;
    struct folder root; /* the store's folder, but its failures are reported to `silent` */
    struct fault silent;
    bool all;         /* the user says so: also what may be alive or being read */
    bool lacks_locks; /* it has been seen that files cannot be locked */
    uint64_t bytes;   /* in the files that the last call has removed */
};

enum remove_outcome {
    REMOVE_DONE,
    REMOVE_ABSENT, /* somebody else was faster, or it is no folder */
    REMOVE_ALIVE,  /* its owner is alive, or may be */
    REMOVE_READ,   /* it is being read, or may be */
    REMOVE_STUCK,  /* errno says why */
};

void remove_begin(struct removal *removal, struct store *store, bool all);
void remove_end(struct removal *removal);

/* A batch, or the rest of a draft, that has left the store under this name (STORE_NAME_LEFT), unless it is being read.
 */
enum remove_outcome remove_batch(struct removal *removal, const char *name);

/* A draft (STORE_NAME_DRAFT) and the file of its owner, if the owner is gone for sure or, when all is to go, if nothing
 * is known of it. `name` becomes that under which the draft stands, or has stood; `owner` receives what is known. */
enum remove_outcome remove_draft(struct removal *removal, char name[STORE_NAME_BYTES], struct owner *owner);

/* What is left of a draft that this process has signed (owner.h), and the signature, with its lock. What cannot be
 * removed is worth a warning. */
void remove_own_draft(struct store *store, const char *name, int lock);

/* A regular file that stands in the store itself; what is no regular file is not the store's, and stays. That it is
 * missing is well. 0, or -1 with errno. */
int remove_file(struct removal *removal, const char *name);

/* Why something is STUCK, in words; and a warning of it. Both go by errno as it was then. */
const char *remove_cause(int error);
void remove_warn(const struct removal *removal, const char *name);

#endif
