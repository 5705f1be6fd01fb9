#ifndef BIGSHUF_BASE_LEAST_H
#define BIGSHUF_BASE_LEAST_H

/* The lesser of two numbers. */

#include <stddef.h>
#include <stdint.h>

static inline uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline size_t least_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* (number + more) modulo modulus, where the sum may be too large for its type; number is less than the modulus. */
static inline uint64_t modulo_add(uint64_t number, uint64_t more, uint64_t modulus)
{
    more %= modulus;
    return more < modulus - number ? number + more : more - (modulus - number);
}

#endif
