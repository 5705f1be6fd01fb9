#pragma once

/*
 * Units in the order of the output, on their way there. A unit is a record, or a group of records with the same key,
 * all of which go to the same file. Who copies units out marks where they end, if the output wants to know.
 *
 *     |  data of units  |  of the open unit  | ... free ... | mark 2 | mark 1 | mark 0 |
 *     buffer                                 at             end                        top
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arithmetic.h"

/* Where a unit ends in `data`, and what a division has found of it. */
struct unit_mark {
    uint32_t end;
    uint32_t found;
};

/* Some units, and perhaps the beginning of an open one after them. */
struct units {
    uint8_t *data; /* may be changed */
    size_t bytes;
    size_t count;   /* number of units that end here; 0 if ends are not wanted */
    bool continues; /* has the first unit, or the open one, begun before? */
    struct unit_mark *top;
};

static inline struct unit_mark *units_mark(const struct units *units, size_t i)
{
    return units->top - 1 - i;
}

static inline size_t units_end(const struct units *units, size_t i)
{
    return units_mark(units, i)->end;
}

/* ---- A buffer between many small writes and an output ---- */

/* A caller may write to `at` itself, up to `end`; output_buffer_put writes any number of bytes. */
struct output_buffer {
    uint8_t *buffer;
    uint8_t *at;  /* where the next byte goes */
    uint8_t *end; /* of the free bytes; if ends are wanted, a mark fits after it */
    struct unit_mark *top;
    bool ends;                    /* are the ends of units wanted? */
    bool open;                    /* was the beginning of an open unit taken already? */
    void (*drain)(void *context); /* called when it is full, to empty it with output_buffer_take */
    void *context;                /* of drain */
};

/* An empty one in buffer[0, bytes), which must stay. */
static inline void output_buffer_init(struct output_buffer *to, uint8_t *buffer, size_t bytes, bool ends,
                                      void (*drain)(void *context), void *context)
{
    uint8_t *top = buffer + least(bytes, UINT32_MAX);

    top -= (uintptr_t)top % sizeof *to->top;
    *to = (struct output_buffer){.buffer = buffer,
                                 .at = buffer,
                                 .end = top - ends * sizeof *to->top,
                                 .top = (struct unit_mark *)(void *)top,
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

/* Mark that a unit ends at `at`; there was room for a byte. Returns the new `end`. */
static inline uint8_t *output_buffer_mark(const struct output_buffer *to, const uint8_t *at, uint8_t *end)
{
    ((struct unit_mark *)(void *)end)->end = (uint32_t)(at - to->buffer);
    return end - sizeof *to->top;
}

/* A unit ends with the byte put last. */
static inline void output_buffer_end_unit(struct output_buffer *to)
{
    if (!to->ends)
        return;
    to->end = output_buffer_mark(to, to->at, to->end);
    if (to->end <= to->at)
        to->drain(to->context);
}

/* Take its contents, which stay until more is put there. */
static inline struct units output_buffer_take(struct output_buffer *to)
{
    const struct units units = {.data = to->buffer,
                                .bytes = (size_t)(to->at - to->buffer),
                                .count = (size_t)(to->top - (struct unit_mark *)(void *)to->end) - to->ends,
                                .continues = to->open,
                                .top = to->top};

    if (units.bytes > 0)
        to->open = units.count == 0 || units_end(&units, units.count - 1) < units.bytes;
    to->at = to->buffer;
    to->end = (uint8_t *)(to->top - to->ends);
    return units;
}
