#ifndef BIGSHUF_OUTPUT_HELD_BACK_H
#define BIGSHUF_OUTPUT_HELD_BACK_H

/* Bytes that are kept until it is known where they go: in memory while they are few, else in a temporary file. */

#include <stddef.h>
#include <stdint.h>

#include "temporary/spill.h"

enum { HELD_BACK_MEMORY_BYTES = 1 << 16 };

struct held_back {
    struct spill_place *place;
    uint8_t *memory;
    size_t memory_bytes;
    struct storage *spill; /* of one pile: what came before that which is in memory */
    uint64_t spill_bytes;
};

/* Made by the first one: all else is zero but for `place`. 0, or -1 after a report. */
int held_back_append(struct held_back *hold, const uint8_t *data, size_t bytes);

uint64_t held_back_bytes(const struct held_back *hold);

/* Hand over all that is held, in pieces that may be changed. 0, or -1 after a report or when `write` said so. */
int held_back_drain(struct held_back *hold, int (*write)(void *context, uint8_t *data, size_t bytes), void *context);

void held_back_release(struct held_back *hold); /* also when zeroed */

#endif
