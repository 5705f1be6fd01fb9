#pragma once

/* Bytes of a record whose key or weight was still to come: what has been read in search of it goes to a temporary file,
 * and is read again from there. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "temporary/spill.h"

struct reread {
    struct storage *storage; /* one pile; NULL: there is nothing */
    struct storage_reader reader;
};

/* Before the first call, all is zero. Nothing is appended any more after reread_begin. */
void reread_append(struct reread *reread, struct spill_place *place, const uint8_t *data, size_t bytes);
void reread_begin(struct reread *reread);

static inline bool reread_has(const struct reread *reread) /* is there more? */
{
    return reread->storage != NULL;
}

/* The next bytes, at most `bytes`: all of these before the last. Returns how many. What comes is known to be as it was
 * written when the last byte has come. */
size_t reread_next(struct reread *reread, uint8_t *data, size_t bytes);

void reread_release(struct reread *reread); /* also when zeroed, and twice */
