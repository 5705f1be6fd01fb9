#pragma once

/* The inside of json.c, for json_alike.c. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arithmetic.h"

struct json;

#define INLINE static inline __attribute__((always_inline))

/* What may come next in a text. */
enum next {
    NEXT_TEXT = 0, /* nothing has come */
    NEXT_VALUE,
    NEXT_ELEMENT, /* the first element of an array, or its end */
    NEXT_MEMBER,  /* the first member of an object, or its end */
    NEXT_NAME,
    NEXT_COLON,
    NEXT_END,     /* the end of the container, a comma, or the end of the text */
    NEXT_NOTHING, /* the text is no JSON */

    /* Within a value: */
    NEXT_STRING,
    NEXT_ESCAPED,
    NEXT_HEX,
    NEXT_DIGIT,
    NEXT_WORD
};

/* Which of 8 bytes end a run of others? The lowest bit says the first one; a zero byte does. (What a borrow or a carry
 * spoils is above that.) */
typedef uint64_t ends_function(uint64_t bytes);

#define EACH(byte) (UINT64_MAX / UINT8_MAX * (byte))

/* Bytes of a string that do not stand for themselves: quotes and control characters, which are less than '!' once quote
 * and blank have changed places, and backslashes. */
INLINE uint64_t text_ends(uint64_t bytes)
{
    return (((bytes ^ EACH('"' ^ ' ')) - EACH('!')) | ((bytes ^ EACH('\\')) - EACH(1))) & ~bytes & EACH(0x80);
}

INLINE uint64_t digits_end(uint64_t bytes)
{
    return ((bytes ^ EACH('0')) | ((bytes ^ EACH('0')) + EACH(0x80 - 10))) & EACH(0x80);
}

INLINE const uint8_t *end_of_run(const uint8_t *at, const uint8_t *end, ends_function *ends)
{
    uint64_t few = 0;

    for (; end - at >= 8; at += 8)
        if (ends(load64le(at)) != 0)
            return at + __builtin_ctzll(ends(load64le(at))) / 8;
    for (ptrdiff_t i = end - at; i > 0; i--)
        few = few << 8 | at[i - 1];
    return at + __builtin_ctzll(ends(few)) / 8;
}

/* A vector, of the compiler's (base/chacha.c). */
typedef uint8_t vector __attribute__((vector_size(16)));

INLINE const uint8_t *end_of_text(const uint8_t *at, const uint8_t *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (vector bytes; end - at >= (ptrdiff_t)sizeof bytes; at += sizeof bytes) {
        uint64_t half[2];

        memcpy(&bytes, at, sizeof bytes);
        bytes = (vector)((bytes < ' ') | (bytes == '"') | (bytes == '\\'));
        memcpy(half, &bytes, sizeof half);
        if ((half[0] | half[1]) != 0)
            return at + (half[0] != 0 ? __builtin_ctzll(half[0]) : 64 + __builtin_ctzll(half[1])) / 8;
    }
#endif
    return end_of_run(at, end, text_ends);
}

/* A value begins with this byte. */
void json_begin_value(struct json *json, uint8_t byte);

/* Follow one thing: a mark, or the part of a string, number or word that is there. Returns where the rest begins. */
const uint8_t *json_step(struct json *json, const uint8_t *at, const uint8_t *end);

/* Follow to the end of what is open and more than `depth` deep. Returns where the rest begins. */
const uint8_t *json_follow_to(struct json *json, const uint8_t *at, const uint8_t *end, int64_t depth);
