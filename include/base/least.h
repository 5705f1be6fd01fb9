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

#endif
