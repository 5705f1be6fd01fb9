#ifndef BIGSHUF_TESTS_ENGINE_H
#define BIGSHUF_TESTS_ENGINE_H

/* For tests of the engine: sources over bytes in memory, and records of all lengths. */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "input/source.h"

struct engine_text {
    uint8_t *data;
    size_t bytes;
    size_t *start; /* [records + 1] */
    size_t records;
    size_t at; /* how far it was read as a source */
};

/* The same numbers on every run. */
static inline uint64_t engine_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Records of random bytes other than the delimiter, each followed by it; record i has length(i, random number) bytes
 * without it. */
static inline struct engine_text engine_text_make(size_t records, size_t (*length)(size_t i, uint64_t random),
                                                  uint8_t delimiter)
{
    struct engine_text text = {.records = records, .start = calloc(records + 1, sizeof *text.start)};
    uint64_t state = records;

    for (size_t i = 0; i < records; i++) {
        text.start[i] = text.bytes;
        text.bytes += length(i, engine_random(&state)) + 1;
    }
    text.start[records] = text.bytes;
    text.data = malloc(text.bytes + 1);
    for (size_t i = 0; i < records; i++) {
        uint8_t *record = text.data + text.start[i];
        uint64_t word = engine_random(&state);
        size_t bytes = text.start[i + 1] - text.start[i] - 1;

        for (size_t k = 0; k < 8 && k < bytes; k++, word >>= 8)
            record[k] = (uint8_t)word == delimiter ? (uint8_t)~delimiter : (uint8_t)word;
        for (size_t done = 8; done < bytes; done *= 2)
            memcpy(record + done, record, done < bytes - done ? done : bytes - done);
        record[bytes] = delimiter;
    }
    return text;
}

static inline void engine_text_free(struct engine_text *text)
{
    free(text->data);
    free(text->start);
}

static inline size_t engine_text_read(void *context, uint8_t *data, size_t bytes)
{
    struct engine_text *text = context;

    if (bytes > text->bytes - text->at)
        bytes = text->bytes - text->at;
    memcpy(data, text->data + text->at, bytes);
    text->at += bytes;
    return bytes;
}

static inline void engine_text_release(void *context)
{
    (void)context;
}

/* The text, which must stay, as a source. */
static inline struct source *engine_text_source(struct engine_text *text)
{
    struct source *source = source_over(engine_text_read, text, engine_text_release);

    if (source == NULL)
        fault_report("memory", errno);
    text->at = 0;
    return source;
}

#endif
