#ifndef BIGSHUF_BASE_LOAD_H
#define BIGSHUF_BASE_LOAD_H

/* Numbers of several bytes as they stand in memory, little-endian (le) or big-endian (be), on machines of either byte
 * order. Compilers see one load in each, with a byte swap where the order is the other one. */

#include <stdint.h>

static inline uint32_t load32le(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint32_t load32be(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t load64le(const uint8_t *p)
{
    return load32le(p) | (uint64_t)load32le(p + 4) << 32;
}

static inline uint64_t load64be(const uint8_t *p)
{
    return (uint64_t)load32be(p) << 32 | load32be(p + 4);
}

#endif
