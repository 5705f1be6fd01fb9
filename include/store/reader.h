#ifndef BIGSHUF_STORE_READER_H
#define BIGSHUF_STORE_READER_H

/*
 * All batches of a store, one above the other: pile j of the stack is the batches' piles j one after another, in
 * bytewise order of the batches' names. Two descriptors are open for each batch.
 */

#include "store/batch.h"
#include "store/store.h"
#include "temporary/storage.h"

struct store_reader;

/* Open all batches that the store has now. Of all piles only those that number[0] ... number[count - 1] name will be
 * read; as storage, pile p is the store's pile number[p]. Their files are looked at: that they are there, and their
 * sizes. `number` and the store must stay. NULL after a report. */
struct store_reader *store_reader_open(const struct store *store, const uint32_t *number, unsigned count);
void store_reader_free(struct store_reader *stack); /* NULL is fine */

/* The piles, to be read only: nothing of the store is changed when they are dropped or their space is given back. It is
 * the stack's: freeing it does nothing. Records that start with a string come as record.h has them. Every file is
 * verified against its checksum when its last byte is read. */
struct storage *store_reader_storage(struct store_reader *stack);

size_t store_reader_batches(const struct store_reader *stack);
uint64_t store_reader_records(const struct store_reader *stack, unsigned pile);
uint64_t store_reader_bytes(const struct store_reader *stack, unsigned pile);

/* The header of all inputs, verified; NULL and 0 bytes if there is none. It stays as long as the stack. */
const uint8_t *store_reader_header(const struct store_reader *stack, size_t *bytes);

#endif
