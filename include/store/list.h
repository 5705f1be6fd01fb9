#ifndef BIGSHUF_STORE_LIST_H
#define BIGSHUF_STORE_LIST_H

/* What is in a store: its batches with their piles, records and bytes, and how much memory its piles take. */

#include <stdbool.h>

#include "store/store.h"

/* Print it to standard output, which is closed: as a table, or for programs, a line for each batch that ends with NUL,
 * in which name, piles, records and bytes are separated by tabs. */
void list_store(const struct store *store, bool for_programs);

#endif
