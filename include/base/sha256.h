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

/* Replace text[0, bytes) by its hash in hexadecimal digits. Returns their number, 64. */
size_t sha256_fold(uint8_t *text, size_t bytes);

/* Append data[0, more) to text[0, *bytes), which has room for `room` bytes. Returns how many bytes fitted. If it
 * `folds`, all fit: a full text is replaced by its hash (sha256_fold). */
size_t sha256_keep(uint8_t *text, size_t room, bool folds, size_t *bytes, const uint8_t *data, size_t more);
