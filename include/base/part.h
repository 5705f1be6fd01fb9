#ifndef BIGSHUF_BASE_PART_H
#define BIGSHUF_BASE_PART_H

/* A whole divided into parts that differ by at most one. */

#include <stdint.h>

#define PART_MAX UINT32_MAX /* parts */

/* Where part number `part` ends, and the next one begins, if the whole is divided into `parts`, which are numbered from
 * 1: the whole times part / parts, rounded down. Part 0 ends at 0. */
static inline uint64_t part_end(uint64_t whole, uint64_t part, uint64_t parts)
{
    return whole / parts * part + whole % parts * part / parts;
}

#endif
