#pragma once

/* A complete batch of a store that is being read. As long as it is open its file stays, also when it leaves the store:
 * it has a shared lock on it. */

#include "store/manifest.h"
#include "store/store.h"
#include "temporary/storage.h"

struct batch {
    const struct store *store;
    char *name;
    int fd;
    uint64_t manifest_at; /* in the file */
    uint64_t header_bytes;
    uint64_t header_checksum;
};

/* Open the batch `name` and verify its manifest, which is the caller's, to be given back with manifest_release. What is
 * no batch, or does not go with the store, is a failure. So is a lock that fails, unless the file system says that it
 * has none: then the batch is read without one. False, and closed: it has left the store, or never was in it. */
bool batch_open(struct batch *batch, const struct store *store, const char *name, struct manifest *manifest);
void batch_close(struct batch *batch); /* also when zeroed */

/* The name, malloc'd, of a batch with these inputs, which was made after the last of them was changed, and got a name
 * like this one (store_name_make_batch). NULL: there is none, or the sizes of the inputs are not known. */
char *batch_of_same_inputs(const struct store *store, const struct manifest *inputs, const char *name);

/* Add the bytes of all piles of a batch, which was opened with this manifest, to those of other batches: *bytes. The
 * run ends if they are impossibly many, so that sums of bytes or records could overflow. */
void batch_add_bytes(const struct batch *batch, const struct manifest *manifest, uint64_t *bytes);

/* See that the store's header, or NULL, which has this XXH64, is what the manifest says. */
void batch_check_header(const struct batch *batch, const uint8_t *header, size_t bytes, uint64_t checksum);

/* What a pile has in all batches. */
struct batches_pile {
    uint64_t records;
    uint64_t bytes;
};

/*
 * The piles of a whole store: pile j is the piles j of all batches, one after another in bytewise order of the batches'
 * names. A descriptor is open for each batch. Others may read what stands before `store`.
 */
struct batches {
    /* The piles, to be read only: nothing of the store is changed when they are dropped, and to free it does nothing.
     * What a batch has of a pile is verified against its checksum when the last byte of that is read. */
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
 * storage they have the numbers 0 ... count - 1, and so in `pile`. `number` and the store must stay. */
struct batches *batch_open_all(const struct store *store, const uint32_t *number, unsigned count);
void batch_close_all(struct batches *all);
