#pragma once

/* Weights in steps of 2^-32, so that sums are exact: 0, or from 2^-32 to 2^32; rounded as the order page says. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"
#include "base/uint128.h"

/* Stands for the weight 2^32, whose 2^64 steps do not fit; so the weight one step below 2^32 counts as 2^32. */
#define STEPS_MOST UINT64_MAX
#define STEPS_ONE  ((uint64_t)1 << 32) /* the weight 1 */

static inline struct uint128 steps_count(uint64_t steps)
{
    return (struct uint128){.high = steps == STEPS_MOST, .low = steps + (steps == STEPS_MOST)};
}

/* Round a weight; read one from a text. False if it is no weight. */
bool steps_round(struct decimal weight, uint64_t *steps);
bool steps_read(const char *text, size_t bytes, uint64_t *steps);

/* Write a sum of weights, below 2^92, as an exact decimal. Returns the place after it. */
enum { STEPS_BYTES = 64 };
char *steps_print(char *to, struct uint128 steps);
