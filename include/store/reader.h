#ifndef BIGSHUF_STORE_READER_H
#define BIGSHUF_STORE_READER_H

/*
 * The piles of a whole store: pile j is the piles j of all batches, one after another in bytewise order of the batches'
 * names. Two descriptors are open for each batch.
 */

#include "store/batch.h"
#include "store/store.h"
#include "temporary/storage.h"

struct store_reader;

/* Open all batches that the store has now. Only the piles number[0] ... number[count - 1] of the store will be read; as
 * storage they have the numbers 0 ... count - 1, and so in the functions below. It is checked that their files exist,
 * with the right sizes. `number` and the store must stay. */
struct store_reader *store_reader_open(const struct store *store, const uint32_t *number, unsigned count);
void store_reader_free(struct store_reader *reader);

/* The piles, to be read only: nothing of the store is changed when they are dropped. It belongs to the reader: freeing
 * it does nothing. Records that start with a string come as record.h has them. Every file is verified against its
 * checksum when its last byte is read. */
struct storage *store_reader_storage(struct store_reader *reader);

/* What a pile has in all batches. */
struct store_reader_pile {
    uint64_t records;
    uint64_t bytes;
};

/* How many batches were opened, and what their piles have. */
size_t store_reader_batches(const struct store_reader *reader);
const struct store_reader_pile *store_reader_piles(const struct store_reader *reader);

/* The header of all inputs, verified; NULL and 0 bytes if there is none. It stays as long as the reader. */
const uint8_t *store_reader_header(const struct store_reader *reader, size_t *bytes);

#endif
