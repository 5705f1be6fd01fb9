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
    uint64_t *sum; /* of each piece, if it has been verified, */
    size_t next;   /* and which one comes next */
};

/* Before the first call, all is zero. Nothing is appended any more after reread_begin. */
void reread_append(struct reread *reread, struct spill_place *place, const uint8_t *data, size_t bytes);
void reread_begin(struct reread *reread);

/* The same, when all has been read once through a buffer: what is read then, in pieces as long as that, is as it was
 * written, from the first byte. */
void reread_verify(struct reread *reread, uint8_t *buffer, size_t bytes);

static inline bool reread_has(const struct reread *reread) /* is there more? */
{
    return reread->storage != NULL;
}

/* The next bytes, at most `bytes`: all of these before the last. Returns how many. */
size_t reread_next(struct reread *reread, uint8_t *data, size_t bytes);

void reread_release(struct reread *reread); /* also when zeroed, and twice */
