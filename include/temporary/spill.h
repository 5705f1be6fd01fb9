#pragma once

/*
 * The temporary files of one scatter: a file for every pile, without a name, in the temporary directories in turn.
 *
 * A pile is written at its end and read from front to back. When its directory is full, it goes on in the next one;
 * only when none has room left does a write fail. Where descriptors do not suffice, or others take them meanwhile,
 * piles share a file.
 * Each pile has a checksum (XXH64) of its bytes, as they were written. Messages name the directory.
 */

#include "temporary/spill_place.h"
#include "temporary/storage.h"

/* Storage for `piles` piles. No file is made before something is written. */
struct storage *spill_open(struct spill_place *place, unsigned piles);
size_t spill_pile_bytes(unsigned directories); /* of memory for each pile */
