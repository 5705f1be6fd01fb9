#pragma once

/*
 * The ChaCha block function (D. J. Bernstein, 2008; test vectors: RFC 8439 for 20 rounds, the published ChaCha8
 * vectors), many blocks at once. Several ways give the same result: plain C, and vectors of 4, 8 or 16 lanes that
 * compute as many blocks side by side. `chacha_ways` lists them, so that tests can compare each with plain C.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write `blocks` blocks of 16 words each to `words`. `input` is the state of the first block: constants, key, the
 * 64-bit block counter in words 12 (low) and 13, the stream in 14 (low) and 15. The counter of following blocks counts
 * on, modulo 2^64. `rounds` is even. */
typedef void chacha_function(const uint32_t input[16], int rounds, uint32_t *words, size_t blocks);

struct chacha_way {
    const char *name;
    chacha_function *run;
    bool (*supported)(void); /* does this processor have it? NULL: each has */
};

/* Best first; plain C comes last; a name that is NULL ends the list. */
extern const struct chacha_way chacha_ways[];

/* The best supported way. */
void chacha_blocks(const uint32_t input[16], int rounds, uint32_t *words, size_t blocks);
