#ifndef BIGSHUF_TESTS_KNOWN_BYTES_H
#define BIGSHUF_TESTS_KNOWN_BYTES_H

/* Bytes that show their place: the bytes of each pile begin at their own place in one sequence, which repeats after a
 * number of bytes that is not the size of any block or piece. They are put and compared many at a time. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { KNOWN_BYTES = 65537 };

static uint8_t known_bytes[KNOWN_BYTES];
static size_t known_bytes_period = KNOWN_BYTES; /* or less, for bytes that can be compressed */

/* Done before main, since threads may use it. */
__attribute__((constructor)) static void known_bytes_make(void)
{
    for (uint64_t i = 0; i < KNOWN_BYTES; i++)
        known_bytes[i] = (uint8_t)(i * 0x9e3779b97f4a7c15 >> 40);
}

/* The bytes of a pile from `offset` on that lie together, at most `bytes`. Returns how many. */
static inline size_t known_bytes_piece(unsigned pile, uint64_t offset, size_t bytes, const uint8_t **piece)
{
    size_t from = (size_t)((offset + 257 * (uint64_t)pile) % known_bytes_period);

    *piece = known_bytes + from;
    return bytes < known_bytes_period - from ? bytes : known_bytes_period - from;
}

static inline void known_bytes_put(uint8_t *data, size_t bytes, unsigned pile, uint64_t offset)
{
    const uint8_t *piece;

    for (size_t done = 0, length; done < bytes; done += length) {
        length = known_bytes_piece(pile, offset + done, bytes - done, &piece);
        memcpy(data + done, piece, length);
    }
}

static inline bool known_bytes_are(const uint8_t *data, size_t bytes, unsigned pile, uint64_t offset)
{
    const uint8_t *piece;

    for (size_t done = 0, length; done < bytes; done += length) {
        length = known_bytes_piece(pile, offset + done, bytes - done, &piece);
        if (memcmp(data + done, piece, length) != 0)
            return false;
    }
    return true;
}

#endif
