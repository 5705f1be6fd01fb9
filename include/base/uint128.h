#pragma once

/* Numbers of 128 bits, also where the compiler has none. */

#include <stdint.h>

/* high * 2^64 + low */
struct uint128 {
    uint64_t high, low;
};

/* a + b, which is less than 2^128. */
static inline struct uint128 uint128_add(struct uint128 a, struct uint128 b)
{
    uint64_t low = a.low + b.low;

    return (struct uint128){.high = a.high + b.high + (low < b.low), .low = low};
}

/* a - b, where a is not less than b. */
static inline struct uint128 uint128_subtract(struct uint128 a, struct uint128 b)
{
    return (struct uint128){.high = a.high - b.high - (a.low < b.low), .low = a.low - b.low};
}

/* Less than, equal to or greater than 0 as a is to b. */
static inline int uint128_compare(struct uint128 a, struct uint128 b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    if (a.low != b.low)
        return a.low < b.low ? -1 : 1;
    return 0;
}

/* a b, by four products of 32-bit halves. */
static inline struct uint128 uint128_multiply_portable(uint64_t a, uint64_t b)
{
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t one = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t two = (a & UINT32_MAX) * (b >> 32) + (one & UINT32_MAX);

    return (struct uint128){.high = (a >> 32) * (b >> 32) + (one >> 32) + (two >> 32),
                            .low = two << 32 | (low & UINT32_MAX)};
}

/* a b */
static inline struct uint128 uint128_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 number;
    number product = (number)a * b;

    return (struct uint128){.high = (uint64_t)(product >> 64), .low = (uint64_t)product};
#else
    return uint128_multiply_portable(a, b);
#endif
}

/* a / b, rounded down, which is less than 2^64; bit by bit. */
static inline uint64_t uint128_divide_portable(struct uint128 a, uint64_t b)
{
    for (int i = 0; i < 64; i++) {
        const uint64_t carry = a.high >> 63;

        a.high = a.high << 1 | a.low >> 63;
        a.low <<= 1;
        if (carry != 0 || a.high >= b) {
            a.high -= b;
            a.low |= 1;
        }
    }
    return a.low;
}

/* a / b, rounded down, which is less than 2^64 */
static inline uint64_t uint128_divide(struct uint128 a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 number;

    return (uint64_t)(((number)a.high << 64 | a.low) / b);
#else
    return uint128_divide_portable(a, b);
#endif
}
