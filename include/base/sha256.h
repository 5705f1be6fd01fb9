#pragma once

/* SHA-256 (FIPS 180-4). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t bytes; /* hashed so far */
    uint8_t buffer[64];
};

void sha256_init(struct sha256 *hash);
void sha256_update(struct sha256 *hash, const void *data, size_t bytes);
void sha256_final(struct sha256 *hash, uint8_t digest[32]);

/* Put the hash of a text in its place, in 64 hexadecimal digits, of which the number is returned. */
size_t sha256_fold(uint8_t *text, size_t bytes);

/* Add `more` bytes to a text of *bytes bytes in a place for `room`. Returns how many fitted. A text that `folds` has
 * room for all: when it is full, sha256_fold is done to it. */
size_t sha256_keep(uint8_t *text, size_t room, bool folds, size_t *bytes, const uint8_t *data, size_t more);
