#ifndef BIGSHUF_OUTPUT_HELD_BACK_H
#define BIGSHUF_OUTPUT_HELD_BACK_H

/* Bytes that are kept until it is known where they go: in memory while they are few, else in a temporary file. */

#include <stddef.h>
#include <stdint.h>

#include "temporary/spill.h"

enum { HOLD_MEMORY_BYTES = 1 << 16 };

struct hold {
    struct spill_place *place;
    uint8_t *memory;
    size_t memory_bytes;
    struct storage *spill; /* of one pile: what came before that which is in memory */
    uint64_t spill_bytes;
};

/* Made by the first one: all else is zero but for `place`. 0, or -1 after a report. */
int hold_append(struct hold *hold, const uint8_t *data, size_t bytes);

uint64_t hold_bytes(const struct hold *hold);

/* Hand over all that is held, in pieces that may be changed. 0, or -1 after a report or when `write` said so. */
int hold_drain(struct hold *hold, int (*write)(void *context, uint8_t *data, size_t bytes), void *context);

void hold_release(struct hold *hold); /* also when zeroed */

#endif
