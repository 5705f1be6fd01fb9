#pragma once

/* A complete batch of a store, open for reading. Its shared lock keeps the file, even if the batch leaves the store. */

#include "store/manifest.h"
#include "store/store.h"
#include "temporary/storage.h"

struct batch {
    const struct store *store;
    char *name;
    int fd;
    uint64_t manifest_at; /* offset in the file */
    uint64_t header_bytes;
    uint64_t header_checksum;
};

/* Open the batch `name` and verify its manifest, which the caller gives back with manifest_release. The run ends if the
 * file is no batch, does not fit the store, or cannot be locked; but if the file system has no locks, the batch is read
 * without one. False, with nothing open: the store has no such batch, or no longer. */
bool batch_open(struct batch *batch, const struct store *store, const char *name, struct manifest *manifest);
void batch_close(struct batch *batch); /* also when zeroed */

/* The name, malloc'd, of a batch of the same inputs, made after they were last changed, if it ends with the same digest
 * as `name`, which is one of store_name_make_batch. NULL: none, or the sizes of the inputs are unknown. */
char *batch_of_same_inputs(const struct store *store, const struct manifest *inputs, const char *name);

/* Add the bytes of all piles of an open batch to *bytes. The run ends if they are impossibly many, so that sums of
 * bytes or records could overflow. */
void batch_add_bytes(const struct batch *batch, const struct manifest *manifest, uint64_t *bytes);

/* End the run if the manifest has a header and the store's (NULL: none), of XXH64 `checksum`, is another one. */
void batch_check_header(const struct batch *batch, const uint8_t *header, size_t bytes, uint64_t checksum);

/* A pile in all batches together. */
struct batches_pile {
    uint64_t records;
    uint64_t bytes;
};

/*
 * The piles of a whole store: pile j is the piles j of all batches, one after another in bytewise order of the batches'
 * names. A descriptor is open for each batch. Callers may read the fields before `store`.
 */
struct batches {
    /* The piles, for reading: dropping or freeing them does not change the store. A batch's part of a pile is verified
     * against its checksum when the last byte of that part is read. */
    struct storage storage;
    size_t opened;          /* batches */
    const uint32_t *number; /* [count]: numbers of the wanted piles in the store */
    unsigned count;
    struct batches_pile *pile; /* [count] */
    uint64_t records, bytes;   /* of all wanted piles together */
    uint8_t *header;           /* of all inputs, verified; NULL and 0 bytes: none */
    size_t header_bytes;

    const struct store *store;
    struct batch *batch; /* in bytewise order of their names */
    uint64_t sum;        /* bytes of all piles, wanted or not */
};

/* Open all batches that the store has now. Only the piles number[0] ... number[count - 1] of the store will be read; in
 * `storage` and `pile` they have the numbers 0 ... count - 1. `number` and the store must stay. */
struct batches *batch_open_all(const struct store *store, const uint32_t *number, unsigned count);
void batch_close_all(struct batches *all);
