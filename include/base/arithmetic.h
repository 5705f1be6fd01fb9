#pragma once

/* Arithmetic that C lacks, numbers in memory of either byte order, and numbers that several threads read. */

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/uint128.h"

/* The lesser of two numbers. */
static inline uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline size_t least_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline uint64_t rotate_left(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

/* For qsort: 64-bit numbers, ascending. */
static inline int compare_numbers(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return (a > b) - (a < b);
}

/* (number + more) modulo modulus, where the sum may be too large for its type; number is less than the modulus. */
static inline uint64_t modulo_add(uint64_t number, uint64_t more, uint64_t modulus)
{
    more %= modulus;
    return more < modulus - number ? number + more : more - (modulus - number);
}

/* ---- A whole divided into parts that differ by at most one ---- */

#define PART_MAX UINT32_MAX /* parts */

/* Where part number `part` ends, and the next one begins, if the whole is divided into `parts`, which are numbered from
 * 1: the whole times part / parts, rounded down. Part 0 ends at 0. */
static inline uint64_t part_end(uint64_t whole, uint64_t part, uint64_t parts)
{
    return whole / parts * part + whole % parts * part / parts;
}

/* ---- Places of numbers in a table with open addressing ---- */

/* A place from 0 to places - 1. The upper bits of a product with 2^64 / phi spread numbers that are close together or
 * evenly apart (Knuth, The Art of Computer Programming 3, 6.4). */
static inline uint64_t spread(uint64_t number, uint64_t places)
{
    return uint128_multiply(number * UINT64_C(0x9e3779b97f4a7c15), places).high;
}

/* The place to try after `place`. */
static inline uint64_t spread_next(uint64_t place, uint64_t places)
{
    return place + 1 < places ? place + 1 : 0;
}

/* ---- Little-endian (le) and big-endian (be) numbers in memory, on machines of either byte order ---- */

/* Compilers see one load in each, with a byte swap where the order is the other one. */

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

static inline void store64le(uint8_t *p, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

/* ---- Counters ---- */

/* A number that any thread may read while another changes it. Either one thread at a time changes it, which costs no
 * more than a plain number, or all threads change it with counter_add_shared. */

typedef atomic_uint_least64_t counter;

static inline uint64_t counter_get(const counter *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

static inline void counter_set(counter *number, uint64_t value)
{
    atomic_store_explicit(number, value, memory_order_relaxed);
}

static inline void counter_add(counter *number, uint64_t more)
{
    const uint64_t before = counter_get(number);

    MUST(atomic_exchange(number, before + more) == before); /* nobody else adds */
    counter_set(number, before + more);
}

static inline void counter_add_shared(counter *number, uint64_t more)
{
    atomic_fetch_add_explicit(number, more, memory_order_relaxed);
}
