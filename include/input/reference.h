#pragma once

/* A reference says where a record stands: its place, counted from a base that all share, in 44 bits, and its length. */

#include <stdint.h>

#include "base/tunable.h"

enum {
    REFERENCE_LENGTH_BITS = 20,
    REFERENCE_LONG = (1 << REFERENCE_LENGTH_BITS) - 1, /* so long or longer, or not known: search the record's end */
};

/* Lengths from this on are not known. */
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
