#pragma once

/* Bytes that are kept until their file is known: in memory while they are few, else in a temporary file. */

#include <stddef.h>
#include <stdint.h>

#include "base/tunable.h"
#include "temporary/reread.h"

TUNABLE(HELD_BACK_MEMORY_BYTES, 1 << 16, 16, 1 << 16);

struct held_back {
    struct spill_place *place; /* for the temporary file */
    uint8_t *memory;           /* room for HELD_BACK_MEMORY_BYTES and a checksum; NULL before the first use */
    size_t memory_bytes;
    struct reread before; /* bytes before those in memory; empty while memory suffices */
};

/* Append bytes to those kept. Before the first call, *held is zeroed except for `place`. */
void held_back_append(struct held_back *held, const uint8_t *data, size_t bytes);

/* Hand all bytes kept (at least one) to `write`, in pieces that it may change; then none are kept. */
void held_back_drain(struct held_back *held, void (*write)(void *context, uint8_t *data, size_t bytes), void *context);

void held_back_release(struct held_back *held); /* also when zeroed */
