#ifndef BIGSHUF_TESTS_ENGINE_H
#define BIGSHUF_TESTS_ENGINE_H

/*
 * For tests of the engine: sources over bytes in memory, records of all lengths, and the order as its definition gives
 * it, computed a word at a time with arrays.
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "input/source.h"
#include "shuffle/order.h"

/* ---- Bytes ---- */

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

/* ---- The order, by definition ---- */

static inline uint32_t engine_word(const struct order *order, uint64_t stream, uint64_t i)
{
    static struct { /* the block that was computed last */
        struct random_key key;
        uint64_t stream, block;
        uint32_t words[RANDOM_BLOCK_WORDS];
    } last = {.block = UINT64_MAX};
    uint64_t block = i / RANDOM_BLOCK_WORDS;

    if (last.block != block || last.stream != stream || memcmp(&last.key, &order->key, sizeof last.key) != 0) {
        random_blocks(&order->key, stream, block, last.words, 1);
        last.key = order->key;
        last.stream = stream;
        last.block = block;
    }
    return last.words[i % RANDOM_BLOCK_WORDS];
}

/* The child that record i of a node goes to. */
static inline unsigned engine_child(const struct order *order, uint64_t node, unsigned bits, uint64_t i)
{
    uint32_t word = engine_word(order, node, i / 2);

    return (word >> (16 * (i % 2)) & 0xffff) >> (16 - bits);
}

static inline void engine_leaf(const struct order *order, uint64_t node, uint32_t *record, size_t count)
{
    uint64_t words = 0;

    for (size_t i = 0; i + 1 < count; i++) {
        uint64_t bound = count - i;
        uint64_t product;
        uint32_t other;

        do
            product = engine_word(order, node, words++) * bound;
        while ((uint32_t)product < ((uint64_t)1 << 32) % bound);
        other = record[i + (product >> 32)];
        record[i + (product >> 32)] = record[i];
        record[i] = other;
    }
}

/* Put the numbers of a node's records, which are in the order of entry, into the order of output. */
static inline void engine_arrange(const struct order *order, uint64_t node, bool root, uint32_t *record, size_t count)
{
    unsigned bits = root ? 9 : 2;
    uint32_t *sorted;
    uint16_t *child_of;
    size_t next[513] = {0}; /* where the next record of each child goes: at last, where the next child's begin */
    size_t first = 0;

    if (!root && count <= order->leaf_records) {
        engine_leaf(order, node, record, count);
        return;
    }
    while (!root && bits < 9 && 2 * (uint64_t)count > order->leaf_records << bits)
        bits++;
    sorted = malloc((count + 1) * sizeof *sorted);
    child_of = calloc(count + 1, sizeof *child_of);
    for (size_t i = 0; i < count; i++) {
        child_of[i] = (uint16_t)engine_child(order, node, bits, i);
        next[child_of[i] + 1]++;
    }
    for (unsigned child = 0; child < 1u << bits; child++)
        next[child + 1] += next[child];
    for (size_t i = 0; i < count; i++)
        sorted[next[child_of[i]]++] = record[i];
    for (unsigned child = 0; child < 1u << bits; first = next[child++])
        engine_arrange(order, 512 * node + child + 1, false, sorted + first, next[child] - first);
    memcpy(record, sorted, count * sizeof *sorted);
    free(child_of);
    free(sorted);
}

/* The numbers 0 ... records - 1 in the order of output of a node that has so many, malloc'd. */
static inline uint32_t *engine_order(struct order_node node, size_t records)
{
    uint32_t *number = malloc((records + 1) * sizeof *number);

    for (size_t i = 0; i < records; i++)
        number[i] = (uint32_t)i;
    engine_arrange(node.order, node.number, node.root, number, records);
    return number;
}

#endif
