#pragma once

/* Bytes that are kept until it is known where they go: in memory while they are few, else in a temporary file. */

#include <stddef.h>
#include <stdint.h>

#include "base/tunable.h"
#include "temporary/reread.h"

TUNABLE(HELD_BACK_MEMORY_BYTES, 1 << 16, 16, 1 << 16);

struct held_back {
    struct spill_place *place; /* for the temporary file */
    uint8_t *memory;           /* room for HELD_BACK_MEMORY_BYTES and a checksum; NULL as long as nothing was kept */
    size_t memory_bytes;
    struct reread before; /* those in memory; nothing as long as memory suffices */
};

/* Keep more bytes, after those that are kept already. Before the first call, all is zero but for `place`. */
void held_back_append(struct held_back *held, const uint8_t *data, size_t bytes);

/* Hand over all that is kept, of which there is some, in pieces which `write` may change; then nothing is kept. */
void held_back_drain(struct held_back *held, void (*write)(void *context, uint8_t *data, size_t bytes), void *context);

void held_back_release(struct held_back *held); /* also when zeroed */
