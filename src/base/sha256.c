/*
 * SHA-256 as FIPS 180-4 writes it. It hashes seeds, a few bytes a run, so it is written to be read rather than to be
 * fast: the message schedule is computed whole, and bytes are taken one by one, which suits either byte order.
 */

#include "base/sha256.h"

#include <string.h>

#include "base/arithmetic.h"

enum { BLOCK = 64, LENGTH = 8 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2). */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void compress(uint32_t state[8], const uint8_t block[BLOCK])
{
    uint32_t w[64];
    for (size_t t = 0; t < 16; t++)
        w[t] = load32be(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }

    uint32_t v[8]; /* a to h */
    memcpy(v, state, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t s1 = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
        uint32_t s0 = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
        uint32_t t1 = v[7] + s1 + choice + round_constants[t] + w[t];
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void sha256_init(struct sha256 *hash)
{
    /* The same of the square roots of the first 8 primes (section 5.3.3). */
    *hash = (struct sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_update(struct sha256 *hash, const void *data, size_t bytes)
{
    const uint8_t *next = data;
    while (bytes > 0) {
        size_t held = hash->bytes % BLOCK;
        size_t part = bytes < BLOCK - held ? bytes : BLOCK - held;
        memcpy(hash->buffer + held, next, part);
        hash->bytes += part;
        next += part;
        bytes -= part;
        if (held + part == BLOCK)
            compress(hash->state, hash->buffer);
    }
}

void sha256_final(struct sha256 *hash, uint8_t digest[32])
{
    /* One bit, zeros up to the last 8 bytes of a block, and there the length in bits. */
    static const uint8_t padding[BLOCK] = {0x80};
    uint8_t length[LENGTH];
    uint64_t bits = hash->bytes * 8;
    for (int i = 0; i < LENGTH; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    size_t held = hash->bytes % BLOCK;
    size_t end = held < BLOCK - LENGTH ? BLOCK : 2 * BLOCK;
    sha256_update(hash, padding, end - LENGTH - held);
    sha256_update(hash, length, sizeof length);

    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

size_t sha256_fold(uint8_t *text, size_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    struct sha256 hash;
    uint8_t digest[32];

    sha256_init(&hash);
    sha256_update(&hash, text, bytes);
    sha256_final(&hash, digest);
    for (size_t i = 0; i < 2 * sizeof digest; i++)
        text[i] = (uint8_t)digits[digest[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
    return 2 * sizeof digest;
}

size_t sha256_keep(uint8_t *text, size_t room, bool folds, size_t *bytes, const uint8_t *data, size_t more)
{
    size_t kept = 0;

    for (;;) {
        const size_t part = least_size(room - *bytes, more - kept);

        memcpy(text + *bytes, data + kept, part);
        *bytes += part;
        kept += part;
        if (kept == more || !folds)
            return kept;
        *bytes = sha256_fold(text, *bytes);
    }
}
