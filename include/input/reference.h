#pragma once

/* A reference is the place of a record, counted from a base that all references share (44 bits), and its length. */

#include <stdint.h>

#include "base/tunable.h"

enum {
    REFERENCE_LENGTH_BITS = 20,
    REFERENCE_LONG =
        (1 << REFERENCE_LENGTH_BITS) - 1, /* this long or longer, or unknown: search for the record's end */
};

/* Lengths from this on are stored as unknown. */
TUNABLE(REFERENCE_UNKNOWN, REFERENCE_LONG, 1, REFERENCE_LONG);

static inline uint64_t reference_make(uint64_t place, uint64_t length)
{
    return place << REFERENCE_LENGTH_BITS | (length < REFERENCE_UNKNOWN ? length : REFERENCE_LONG);
}

static inline uint64_t reference_place(uint64_t reference)
{
    return reference >> REFERENCE_LENGTH_BITS;
}

static inline uint32_t reference_length(uint64_t reference)
{
    return (uint32_t)reference & REFERENCE_LONG;
}
