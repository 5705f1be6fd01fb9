/*
 * A table remembers, for the hash of each 4 bytes, where they were seen last. If the next 4 bytes were seen before,
 * they begin a match, which is made as long as possible; the bytes passed over before it are literals. The longer
 * nothing is found, the larger the steps: data that does not shrink is left quickly.
 *
 * The format's rules for the end: the last match begins 12 bytes or more before it, and the last 5 bytes are literals.
 */

#include "base/lz4.h"

#include <string.h>

#include "base/arithmetic.h"

enum {
    MATCH_MIN = 4,
    LAST_LITERALS = 5,
    LAST_MATCH = 12, /* bytes from the last match's beginning to the end, at least */
    NIBBLE = 15,     /* in a token: bytes of the length follow */
    BYTE = 255,      /* in such a byte: another one follows */
    OFFSET_BYTES = 2,
    SKIP_SHIFT = 6, /* after 2^6 attempts without a match, steps grow by one */
    WIDE = 16,      /* bytes copied at a time where there is room to copy too many */
};

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4). Any function of the bytes will do. */
static uint32_t hash_of(uint32_t bytes)
{
    return bytes * UINT32_C(2654435761) >> (32 - LZ4_HASH_BITS);
}

/* How many bytes from `at` on, up to `end`, are the same as those from `before` on. */
static size_t match_length(const uint8_t *at, const uint8_t *before, const uint8_t *end)
{
    const uint8_t *start = at;

    while ((size_t)(end - at) >= sizeof(uint64_t)) {
        const uint64_t difference = load64le(at) ^ load64le(before);

        if (difference != 0)
            return (size_t)(at - start) + (size_t)__builtin_ctzll(difference) / 8;
        at += sizeof(uint64_t);
        before += sizeof(uint64_t);
    }
    while (at < end && *at == *before) {
        at++;
        before++;
    }
    return (size_t)(at - start);
}

/* How many bytes of a length follow its nibble. */
static size_t length_bytes(size_t length)
{
    return length < NIBBLE ? 0 : (length - NIBBLE) / BYTE + 1;
}

static uint8_t *put_length(uint8_t *to, size_t length)
{
    if (length < NIBBLE)
        return to;
    for (length -= NIBBLE; length >= BYTE; length -= BYTE)
        *to++ = BYTE;
    *to++ = (uint8_t)length;
    return to;
}

/* A block that is being made, up to `to`. */
struct block {
    uint8_t *to;
    uint8_t *to_end;
    const uint8_t *data_end;
};

/* Put a token and literals. False if they, and `after` bytes more, do not fit. */
static bool put_literals(struct block *block, const uint8_t *literals, size_t count, size_t match_nibble, size_t after)
{
    if ((size_t)(block->to_end - block->to) < 1 + length_bytes(count) + count + after)
        return false;
    *block->to++ = (uint8_t)((count < NIBBLE ? count : NIBBLE) << 4 | match_nibble);
    block->to = put_length(block->to, count);
    if (count <= WIDE && block->to_end - block->to >= WIDE && block->data_end - literals >= WIDE)
        memcpy(block->to, literals, WIDE);
    else
        memcpy(block->to, literals, count);
    block->to += count;
    return true;
}

/* Put a match that is `extra` bytes longer than the least one. False if it does not fit. */
static bool put_sequence(struct block *block, const uint8_t *literals, size_t count, size_t offset, size_t extra)
{
    if (!put_literals(block, literals, count, extra < NIBBLE ? extra : NIBBLE, OFFSET_BYTES + length_bytes(extra)))
        return false;
    *block->to++ = (uint8_t)offset;
    *block->to++ = (uint8_t)(offset >> 8);
    block->to = put_length(block->to, extra);
    return true;
}

/* Look for the next match in [at, limit). Returns where it begins, or NULL; *before receives the place of the bytes
 * that it repeats. */
static const uint8_t *find_match(struct lz4_table *table, const uint8_t *data, const uint8_t *at, const uint8_t *limit,
                                 const uint8_t **before)
{
    for (size_t attempts = (size_t)1 << SKIP_SHIFT; at < limit; at += attempts++ >> SKIP_SHIFT) {
        uint32_t bytes = load32le(at);
        uint16_t *place = &table->place[hash_of(bytes)];
        const uint8_t *seen = data + *place;

        *place = (uint16_t)(at - data);
        if (seen < at && load32le(seen) == bytes) {
            *before = seen;
            return at;
        }
    }
    return NULL;
}

size_t lz4_compress(struct lz4_table *table, const uint8_t *data, size_t bytes, uint8_t *to, size_t room)
{
    const uint8_t *end = data + bytes;
    const uint8_t *limit = bytes > LAST_MATCH ? end - LAST_MATCH : data;
    const uint8_t *literals = data;
    const uint8_t *before = NULL;
    struct block block = {.to = to, .to_end = to + room, .data_end = end};

    memset(table, 0, sizeof *table);
    for (const uint8_t *at = data; (at = find_match(table, data, at, limit, &before)) != NULL;) {
        size_t length;

        while (at > literals && before > data && at[-1] == before[-1]) {
            at--;
            before--;
        }
        length = match_length(at + MATCH_MIN, before + MATCH_MIN, end - LAST_LITERALS) + MATCH_MIN;
        if (!put_sequence(&block, literals, (size_t)(at - literals), (size_t)(at - before), length - MATCH_MIN))
            return 0;
        at += length;
        literals = at;
        if (at < limit)
            table->place[hash_of(load32le(at - 2))] = (uint16_t)(at - 2 - data);
    }
    return put_literals(&block, literals, (size_t)(end - literals), 0, 0) ? (size_t)(block.to - to) : 0;
}

/* Read a length that begins with `nibble`, and may go on at *from. False if it does not end before `end`. */
static bool read_length(size_t nibble, const uint8_t **from, const uint8_t *end, size_t *length)
{
    uint8_t byte = BYTE;

    *length = nibble;
    while (nibble == NIBBLE && byte == BYTE) {
        if (*from == end)
            return false;
        byte = *(*from)++;
        *length += byte;
    }
    return true;
}

/* Copy a match to[0, length), which begins `offset` bytes before and may overlap with it. `room` may be written. */
static void copy_match(uint8_t *to, size_t offset, size_t length, size_t room)
{
    const uint8_t *from = to - offset;

    if (offset >= WIDE && room - length >= WIDE) {
        for (size_t done = 0; done < length; done += WIDE)
            memcpy(to + done, from + done, WIDE);
    } else if (offset >= length) {
        memcpy(to, from, length);
    } else {
        for (size_t i = 0; i < length; i++)
            to[i] = from[i];
    }
}

bool lz4_decompress(const uint8_t *from, size_t bytes, uint8_t *to, size_t wanted)
{
    const uint8_t *end = from + bytes;
    uint8_t *start = to;
    uint8_t *to_end = to + wanted;

    while (from < end) {
        uint8_t token = *from++;
        size_t count, length, offset;

        if (!read_length(token >> 4, &from, end, &count) || count > (size_t)(end - from) ||
            count > (size_t)(to_end - to))
            return false;
        if (count <= WIDE && end - from >= WIDE && to_end - to >= WIDE)
            memcpy(to, from, WIDE);
        else
            memcpy(to, from, count);
        from += count;
        to += count;
        if (from == end)
            return to == to_end;
        if (end - from < OFFSET_BYTES)
            return false;
        offset = (size_t)(from[0] | from[1] << 8);
        from += OFFSET_BYTES;
        if (offset == 0 || offset > (size_t)(to - start) || !read_length(token & NIBBLE, &from, end, &length))
            return false;
        length += MATCH_MIN;
        if (length > (size_t)(to_end - to))
            return false;
        copy_match(to, offset, length, (size_t)(to_end - to));
        to += length;
    }
    return false; /* a block ends with literals */
}
