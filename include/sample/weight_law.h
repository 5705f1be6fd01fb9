#pragma once

/*
 * The arithmetic of weighted sampling, in whole numbers, so that every machine draws the same sample.
 * bigshuf-order(7) defines all of it, and it is as fixed as the order: people pin seeds in papers.
 *
 * Without replacement: sort the records by ascending key -ln(u) / weight, with an independent u from (0, 1) for each,
 * and those with equal keys in input order. Then every beginning of the order is a sample: each record is the first
 * with a probability in proportion to its weight, the second is drawn so among the others, and so on (P. Efraimidis and
 * P. Spirakis, "Weighted random sampling with a reservoir", Information Processing Letters 97, 2006).
 *
 * With replacement: weights as whole numbers on one scale, and draws from their sum.
 */

#include <stdint.h>

#include "base/decimal.h"
#include "base/random.h"
#include "base/uint128.h"

/* The key of a record: -ln(u) / weight for u = (word + 1/2) / 2^64 and a uniform word, as a number in the order of the
 * quotients. For the quotient 2^e (1 + f), 0 <= f < 1, it is (e + 2048) 2^52 + f 2^52, rounded down; the logarithm is
 * right to 2^-57 of itself, and never increases when the word does. Only a weight of zero has the key UINT64_MAX. */
uint64_t weight_law_key(uint64_t word, struct decimal weight);

/* A weight as a whole number: weight * 2^(24 - top_exponent), rounded down, where `top_exponent` is the exponent of
 * the greatest weight. For the greatest it is from 2^87 to 2^88, so that 2^40 weights have a sum below 2^128. A weight
 * below 2^-87 of the greatest may become zero, one below 2^-88 does. */
struct uint128 weight_law_scale(struct decimal weight, int top_exponent);

/* A uniform number below `total`, which is not 0. A trial takes the words needed for the bits of total - 1 (none if
 * that is 0), the low one first, and cuts them to these bits; a number not below `total` is tried again. Fewer than 2
 * trials are needed on average. */
struct uint128 weight_law_draw(struct uint128 total, struct random_words *words);
