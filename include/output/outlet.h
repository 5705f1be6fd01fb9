#pragma once

/*
 * What is copied out, in the order of the output: units, which are records, or groups of records with the same key, all
 * of which go to the same file. Whoever copies them out knows where they end, and says it if somebody wants to know.
 *
 *     |  data of units  |  of one that is open  | ... free ... | end 2 | end 1 | end 0 |
 *     buffer                                    at             end                     top
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arithmetic.h"

enum { UNITS_END_BYTES = sizeof(uint32_t) };

/* The first one may have begun before; another one may be open after those that end. */
struct units {
    uint8_t *data; /* may be changed */
    size_t bytes;
    size_t count; /* units that end here; 0 if nobody wants to know */
    const uint8_t *top;
};

/* Where unit i ends. */
static inline size_t units_end(const struct units *units, size_t i)
{
    uint32_t end;

    memcpy(&end, units->top - (i + 1) * UNITS_END_BYTES, sizeof end);
    return end;
}

/* ---- A buffer between many small writes and an output ---- */

/* Whoever writes often may write to `at` itself, up to `end`; output_buffer_put does it for any number of bytes. */
struct output_buffer {
    uint8_t *buffer;
    uint8_t *at;  /* where the next byte goes */
    uint8_t *end; /* if ends are wanted, there is room for one after it */
    uint8_t *top;
    bool ends;                    /* are they wanted? */
    void (*drain)(void *context); /* empties it, with output_buffer_take; called when it is full */
    void *context;                /* of drain */
};

/* Make it empty, in buffer[0, bytes), which must stay. */
static inline void output_buffer_init(struct output_buffer *to, uint8_t *buffer, size_t bytes, bool ends,
                                      void (*drain)(void *context), void *context)
{
    bytes = (size_t)least(bytes, UINT32_MAX);
    *to = (struct output_buffer){.buffer = buffer,
                                 .at = buffer,
                                 .end = buffer + bytes - (ends ? UNITS_END_BYTES : 0),
                                 .top = buffer + bytes,
                                 .ends = ends,
                                 .drain = drain,
                                 .context = context};
}

/* Put bytes into it, and call `drain` whenever it is full. */
static inline void output_buffer_put(struct output_buffer *to, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        const size_t room = least_size((size_t)(to->end - to->at), bytes);

        if (room == 0)
            to->drain(to->context);
        memcpy(to->at, data, room);
        to->at += room;
        data += room;
        bytes -= room;
    }
}

/* A unit ends at `at`, where there was room for a byte: write that down. Returns the new `end`. */
static inline uint8_t *output_buffer_mark(const struct output_buffer *to, const uint8_t *at, uint8_t *end)
{
    const uint32_t offset = (uint32_t)(at - to->buffer);

    memcpy(end, &offset, sizeof offset);
    return end - UNITS_END_BYTES;
}

/* What was put last ends a unit. */
static inline void output_buffer_end_unit(struct output_buffer *to)
{
    if (!to->ends)
        return;
    to->end = output_buffer_mark(to, to->at, to->end);
    if (to->end <= to->at)
        to->drain(to->context);
}

/* Take what is in it, which stays until more is put there. */
static inline struct units output_buffer_take(struct output_buffer *to)
{
    const struct units units = {.data = to->buffer,
                                .bytes = (size_t)(to->at - to->buffer),
                                .count = (size_t)(to->top - to->end) / UNITS_END_BYTES - to->ends,
                                .top = to->top};

    to->at = to->buffer;
    to->end = to->top - (to->ends ? UNITS_END_BYTES : 0);
    return units;
}
