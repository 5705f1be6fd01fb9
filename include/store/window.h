#ifndef BIGSHUF_STORE_WINDOW_H
#define BIGSHUF_STORE_WINDOW_H

/* --keep: a store that holds only the newest batches. */

#include <stdint.h>

#include "store/store.h"

/* The newest `keep` batches by name stay, and the batch `added`; the others leave the store: each is renamed to
 * .old-BATCH~NUMBER, and its files go if nobody reads them. */
void window_keep(struct store *store, uint64_t keep, const char *added);

#endif
