#ifndef BIGSHUF_BASE_UINT128_H
#define BIGSHUF_BASE_UINT128_H

/* Numbers of 128 bits, also where the compiler has none. */

#include <stdint.h>

/* high * 2^64 + low */
struct wide {
    uint64_t high;
    uint64_t low;
};

/* a + b, which is less than 2^128. */
static inline struct wide wide_add(struct wide a, struct wide b)
{
    uint64_t low = a.low + b.low;

    return (struct wide){.high = a.high + b.high + (low < b.low), .low = low};
}

/* a - b, where a is not less than b. */
static inline struct wide wide_subtract(struct wide a, struct wide b)
{
    return (struct wide){.high = a.high - b.high - (a.low < b.low), .low = a.low - b.low};
}

/* Less than, equal to or greater than 0 as a is to b. */
static inline int wide_compare(struct wide a, struct wide b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    if (a.low != b.low)
        return a.low < b.low ? -1 : 1;
    return 0;
}

/* a b, by four products of 32-bit halves. */
static inline struct wide wide_multiply_portable(uint64_t a, uint64_t b)
{
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t one = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t two = (a & UINT32_MAX) * (b >> 32) + (one & UINT32_MAX);

    return (struct wide){.high = (a >> 32) * (b >> 32) + (one >> 32) + (two >> 32),
                         .low = two << 32 | (low & UINT32_MAX)};
}

/* a b */
static inline struct wide wide_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 number;
    number product = (number)a * b;

    return (struct wide){.high = (uint64_t)(product >> 64), .low = (uint64_t)product};
#else
    return wide_multiply_portable(a, b);
#endif
}

#endif
