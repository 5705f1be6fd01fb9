#ifndef BIGSHUF_STORE_READER_H
#define BIGSHUF_STORE_READER_H

/*
 * The piles of a whole store: pile j is the piles j of all batches, one after another in bytewise order of the batches'
 * names. Two descriptors are open for each batch.
 */

#include "store/batch.h"
#include "store/store.h"
#include "temporary/storage.h"

/* What a pile has in all batches. */
struct store_reader_pile {
    uint64_t records;
    uint64_t bytes;
};

/* Others may read what stands before `store`. */
struct store_reader {
    /* The piles, to be read only: nothing of the store is changed when they are dropped, and to free it does nothing.
     * Records that start with a string come as record.h has them. Every file is verified against its checksum when its
     * last byte is read. */
    struct storage storage;
    size_t batches;         /* that were opened */
    const uint32_t *number; /* of the piles that are wanted, in the store: number[0] ... number[count - 1] */
    unsigned count;
    struct store_reader_pile *pile; /* [count] */
    uint8_t *header;                /* of all inputs, verified; NULL and 0 bytes if there is none */
    size_t header_bytes;

    const struct store *store;
    const uint8_t *start; /* what records start with, */
    size_t start_bytes;   /* 0 if it is nothing */
    struct batch *batch;  /* in bytewise order of their names */
    uint64_t sum;         /* of the bytes of all piles, also those that are not wanted */
};

/* Open all batches that the store has now. Only the piles number[0] ... number[count - 1] of the store will be read; as
 * storage they have the numbers 0 ... count - 1, and so in `pile`. It is checked that their files exist, with the right
 * sizes. `number` and the store must stay. */
struct store_reader *store_reader_open(const struct store *store, const uint32_t *number, unsigned count);
void store_reader_free(struct store_reader *reader);

#endif
