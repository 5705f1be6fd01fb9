#pragma once

/* Bytes of a long record that were read before its key or weight was found: they go to a temporary file, and are read
 * again from there. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "temporary/spill.h"

struct reread {
    struct storage *storage; /* one pile; NULL: no bytes */
    struct storage_reader reader;
};

/* *reread is zeroed before the first call. After reread_begin, nothing may be appended. */
void reread_append(struct reread *reread, struct spill_place *place, const uint8_t *data, size_t bytes);
void reread_begin(struct reread *reread);

static inline bool reread_has(const struct reread *reread) /* is there more? */
{
    return reread->storage != NULL;
}

/* The next `bytes` bytes, or fewer at the end. Returns their number. Only when the last byte has been read are they
 * known to be as they were written. */
size_t reread_next(struct reread *reread, uint8_t *data, size_t bytes);

void reread_release(struct reread *reread); /* also when zeroed, and twice */
