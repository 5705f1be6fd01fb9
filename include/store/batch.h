#pragma once

/* A complete batch of a store that is being read. As long as it is open its files stay, also when it leaves the store:
 * it has a shared lock on its manifest. */

#include "store/manifest.h"
#include "store/store.h"
#include "temporary/storage.h"

#define BATCH_MANIFEST "manifest"

struct batch {
    const struct store *store;
    struct folder folder;
    int manifest; /* descriptor */
    size_t piles_at;
    uint64_t header_bytes;
    uint64_t header_checksum;
};

/* Open the batch `name` and verify its manifest, which is the caller's, to be given back with manifest_release. A
 * manifest that does not go with the store is a failure. So is a lock that fails, unless the file system says that it
 * has none: then the batch is read without one. False, and closed: it has left the store. */
bool batch_open(struct batch *batch, const struct store *store, const char *name, struct manifest *manifest);
void batch_close(struct batch *batch); /* also when zeroed */

/* See that a folder, or every one, that has the name of a batch has a manifest, without reading it: else it is no
 * batch, which is a failure. For tasks that do not open the batches, so that they do not go on with a store that
 * readers refuse. False: it has left the store. */
bool batch_find(const struct store *store, const char *name);
void batch_find_all(const struct store *store);

/* Add the bytes of all piles of a batch, which was opened with this manifest, to those of other batches: *bytes. The
 * run ends if they are impossibly many, so that sums of bytes or records could overflow. */
void batch_add_bytes(const struct batch *batch, const struct manifest *manifest, uint64_t *bytes);

/* See that the file of a pile is there and has the length that `entry` says. */
void batch_check_pile(const struct batch *batch, unsigned pile, const struct manifest_pile *entry);

/* See that the store's header, or NULL, which has this XXH64, is what the manifest says. */
void batch_check_header(const struct batch *batch, const uint8_t *header, size_t bytes, uint64_t checksum);

/* What a pile has in all batches. */
struct batches_pile {
    uint64_t records;
    uint64_t bytes;
};

/*
 * The piles of a whole store: pile j is the piles j of all batches, one after another in bytewise order of the batches'
 * names. Two descriptors are open for each batch. Others may read what stands before `store`.
 */
struct batches {
    /* The piles, to be read only: nothing of the store is changed when they are dropped, and to free it does nothing.
     * Every file is verified against its checksum when its last byte is read. */
    struct storage storage;
    size_t opened;          /* batches */
    const uint32_t *number; /* of the piles that are wanted, in the store: number[0] ... number[count - 1] */
    unsigned count;
    struct batches_pile *pile; /* [count] */
    uint64_t records, bytes;   /* of all these together */
    uint8_t *header;           /* of all inputs, verified; NULL and 0 bytes if there is none */
    size_t header_bytes;

    const struct store *store;
    struct batch *batch; /* in bytewise order of their names */
    uint64_t sum;        /* of the bytes of all piles, also those that are not wanted */
};

/* Open all batches that the store has now. Only the piles number[0] ... number[count - 1] of the store will be read; as
 * storage they have the numbers 0 ... count - 1, and so in `pile`. It is checked that their files exist, with the right
 * sizes. `number` and the store must stay. */
struct batches *batch_open_all(const struct store *store, const uint32_t *number, unsigned count);
void batch_close_all(struct batches *all);
