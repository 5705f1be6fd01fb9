#ifndef BIGSHUF_STORE_SNAPSHOT_H
#define BIGSHUF_STORE_SNAPSHOT_H

/* All batches that a store has at one moment, open and checked, and what some of the store's piles hold together. Two
 * descriptors are open for each batch. */

#include "store/batch.h"
#include "store/store.h"

struct snapshot {
    const struct store *store;
    const uint32_t *number; /* of the piles that are wanted, in the store: number[0] ... number[count - 1] */
    unsigned count;
    struct batch *batch; /* in bytewise order of their names */
    size_t batches;
    uint64_t *records; /* [count]: of a pile, in all batches */
    uint64_t *bytes;   /* [count] */
    uint64_t sum;      /* of the bytes of all piles, also those that are not wanted */
    uint8_t *header;   /* of all inputs, verified; NULL if there is none */
    size_t header_bytes;
};

/* Open all batches. Of the piles that are wanted, the files are looked at: that they are there, and their sizes. The
 * store and `number` must stay. 0, or -1 after a report; snapshot_release is for the caller in any case. */
int snapshot_take(struct snapshot *snapshot, const struct store *store, const uint32_t *number, unsigned count);
void snapshot_release(struct snapshot *snapshot); /* also when zeroed */

#endif
