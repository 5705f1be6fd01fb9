#ifndef BIGSHUF_BASE_SPREAD_H
#define BIGSHUF_BASE_SPREAD_H

/* Hashing of numbers to the places of a table with open addressing. The upper bits of a product with 2^64 / phi spread
 * numbers that are close together or evenly apart (D. E. Knuth, The Art of Computer Programming, volume 3,
 * section 6.4).
 */

#include <stdint.h>

#include "base/uint128.h"

/* A place from 0 to places - 1. */
static inline uint64_t spread(uint64_t number, uint64_t places)
{
    return uint128_multiply(number * UINT64_C(0x9e3779b97f4a7c15), places).high;
}

/* The place to be tried after it. */
static inline uint64_t spread_next(uint64_t place, uint64_t places)
{
    return place + 1 < places ? place + 1 : 0;
}

#endif
