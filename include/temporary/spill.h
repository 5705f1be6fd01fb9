#pragma once

/*
 * The temporary files of one scatter: a file without a name for every pile, in the temporary directories in turn.
 *
 * A pile is written at its end and read from front to back. When its directory is full, it goes on in the next one; a
 * write fails only when all are full. If descriptors run short, piles share a file. Each pile has a checksum (XXH64) of
 * the bytes written. Messages name the directory.
 */

#include "temporary/spill_place.h"
#include "temporary/storage.h"

/* Storage for `piles` piles. No file is made before the first write. */
struct storage *spill_open(struct spill_place *place, unsigned piles);
size_t spill_pile_bytes(unsigned directories); /* of memory for each pile */
