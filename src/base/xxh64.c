/*
 * XXH64 as its specification writes it. Input is eaten in stripes of 32 bytes, 8 for each of four lanes that do not
 * depend on each other, so that a processor works on all four multiplications at once. Whole stripes are read from the
 * caller's memory; only the odd bytes at either end of a piece go through the buffer.
 */

#include "base/xxh64.h"

#include <string.h>

#include "base/arithmetic.h"

enum { STRIPE = 32 };

static const uint64_t prime1 = 0x9e3779b185ebca87;
static const uint64_t prime2 = 0xc2b2ae3d27d4eb4f;
static const uint64_t prime3 = 0x165667b19e3779f9;
static const uint64_t prime4 = 0x85ebca77c2b2ae63;
static const uint64_t prime5 = 0x27d4eb2f165667c5;

static uint64_t mix(uint64_t lane, uint64_t input)
{
    return rotate_left(lane + input * prime2, 31) * prime1;
}

static uint64_t merge(uint64_t value, uint64_t lane)
{
    return (value ^ mix(0, lane)) * prime1 + prime4;
}

/* Eat the whole stripes of data[0, bytes). */
static void eat_stripes(uint64_t lane[4], const uint8_t *data, size_t bytes)
{
    uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    for (; bytes >= STRIPE; data += STRIPE, bytes -= STRIPE) {
        a = mix(a, load64le(data));
        b = mix(b, load64le(data + 8));
        c = mix(c, load64le(data + 16));
        d = mix(d, load64le(data + 24));
    }
    lane[0] = a;
    lane[1] = b;
    lane[2] = c;
    lane[3] = d;
}

void xxh64_init(struct xxh64 *hash, uint64_t seed)
{
    *hash = (struct xxh64){.lane = {seed + prime1 + prime2, seed + prime2, seed, seed - prime1}};
}

void xxh64_update(struct xxh64 *hash, const void *data, size_t bytes)
{
    if (bytes == 0)
        return;
    const uint8_t *next = data;
    size_t held = hash->bytes % STRIPE;
    hash->bytes += bytes;
    if (held > 0) {
        size_t part = bytes < STRIPE - held ? bytes : STRIPE - held;
        memcpy(hash->buffer + held, next, part);
        if (held + part < STRIPE)
            return;
        eat_stripes(hash->lane, hash->buffer, STRIPE);
        next += part;
        bytes -= part;
    }
    eat_stripes(hash->lane, next, bytes);
    memcpy(hash->buffer, next + bytes / STRIPE * STRIPE, bytes % STRIPE);
}

uint64_t xxh64_value(const struct xxh64 *hash)
{
    const uint64_t *lane = hash->lane;
    uint64_t value;
    if (hash->bytes >= STRIPE) {
        value = rotate_left(lane[0], 1) + rotate_left(lane[1], 7) + rotate_left(lane[2], 12) + rotate_left(lane[3], 18);
        for (int i = 0; i < 4; i++)
            value = merge(value, lane[i]);
    } else {
        value = lane[2] + prime5; /* lane 2 still is the seed */
    }
    value += hash->bytes;

    const uint8_t *next = hash->buffer;
    size_t left = hash->bytes % STRIPE;
    for (; left >= 8; next += 8, left -= 8)
        value = rotate_left(value ^ mix(0, load64le(next)), 27) * prime1 + prime4;
    if (left >= 4) {
        value = rotate_left(value ^ load32le(next) * prime1, 23) * prime2 + prime3;
        next += 4;
        left -= 4;
    }
    for (; left > 0; next++, left--)
        value = rotate_left(value ^ *next * prime5, 11) * prime1;

    value = (value ^ value >> 33) * prime2;
    value = (value ^ value >> 29) * prime3;
    return value ^ value >> 32;
}

uint64_t xxh64(const void *data, size_t bytes)
{
    struct xxh64 hash;

    xxh64_init(&hash, 0);
    xxh64_update(&hash, data, bytes);
    return xxh64_value(&hash);
}
