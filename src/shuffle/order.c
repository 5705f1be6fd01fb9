/*
 * A leaf is drawn in batches: first the places, then the swaps, so that the memory for a whole batch of swaps is being
 * fetched while the words are still being turned into places. Words are computed some KiB ahead, never more than the
 * remaining records could need.
 */

#include "shuffle/order.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"

enum { WORDS = 1024 }; /* 32-bit words computed at a time: 4 KiB, which stays in the first-level cache */

TUNABLE(BLOCKS, WORDS / RANDOM_BLOCK_WORDS, 1, WORDS / RANDOM_BLOCK_WORDS);
TUNABLE(BATCH, 64, 1, 64); /* swaps between prefetch and use */

struct order_node order_child(struct order_node node, unsigned child)
{
    return (struct order_node){.order = node.order, .number = 512 * node.number + child + 1};
}

unsigned order_scatter_bits(struct order_node node, uint64_t records)
{
    const uint64_t leaf_records = node.order->leaf_records;
    unsigned bits = 2;

    if (records <= leaf_records)
        return 0;
    while (bits < ORDER_ROOT_BITS && records > (leaf_records << bits) / 2)
        bits++;
    return bits;
}

void order_scatter(struct order_node node, unsigned bits, uint64_t first, size_t count, uint16_t *pile)
{
    uint32_t words[WORDS];
    const uint64_t per_block = 2 * RANDOM_BLOCK_WORDS;
    const unsigned shift = 16 - bits;
    const uint32_t mask = (((uint32_t)1 << bits) - 1) * 0x10001; /* for both 16-bit words in a 32-bit word */
    size_t i = 0;

    while (i < count) {
        size_t skip = (size_t)((first + i) % per_block);
        size_t blocks = (size_t)((skip + (count - i) + per_block - 1) / per_block);
        size_t end;

        if (blocks > BLOCKS)
            blocks = BLOCKS;
        random_blocks(&node.order->key, node.number, (first + i) / per_block, words, blocks);
        end = blocks * per_block;
        if (end - skip > count - i)
            end = skip + (count - i);
        if (skip % 2 != 0)
            pile[i++] = (uint16_t)(random_u16(words, skip++) >> shift);
        for (; skip + 1 < end; skip += 2) {
            uint32_t two = words[skip / 2] >> shift & mask;

            pile[i++] = (uint16_t)two;
            pile[i++] = (uint16_t)(two >> 16);
        }
        if (skip < end)
            pile[i++] = (uint16_t)(random_u16(words, skip) >> shift);
    }
}

/* The 32-bit words of a stream in order. */
struct word_stream {
    struct order_node node;
    uint64_t block; /* number of the next block to be computed */
    size_t next;    /* index of the next word in `words` */
    size_t end;
    uint32_t words[WORDS];
};

static inline uint32_t next_stream_word(struct word_stream *stream, uint64_t wanted)
{
    if (stream->next == stream->end) {
        size_t blocks = BLOCKS;

        if (wanted < BLOCKS * RANDOM_BLOCK_WORDS)
            blocks = (size_t)(wanted + RANDOM_BLOCK_WORDS - 1) / RANDOM_BLOCK_WORDS;
        random_blocks(&stream->node.order->key, stream->node.number, stream->block, stream->words, blocks);
        stream->block += blocks;
        stream->end = blocks * RANDOM_BLOCK_WORDS;
        stream->next = 0;
    }
    return stream->words[stream->next++];
}

/* A number from 0 to bound - 1: words are multiplied, and the few that make some results likelier are rejected. */
static inline uint32_t draw_number(struct word_stream *stream, uint32_t bound)
{
    uint64_t product = (uint64_t)next_stream_word(stream, bound) * bound;

    if ((uint32_t)product < bound) {
        uint32_t excess = (uint32_t)-bound % bound; /* 2^32 mod bound */

        while ((uint32_t)product < excess)
            product = (uint64_t)next_stream_word(stream, bound) * bound;
    }
    return (uint32_t)(product >> 32);
}

static inline void *number_in_table(const struct table *table, uint64_t i, bool wide)
{
    return wide ? (void *)table_u64(table, i) : (void *)table_u32(table, i);
}

static inline void swap(void *one, void *other, bool wide)
{
    const size_t bytes = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    uint64_t kept[2];

    memcpy(&kept[0], one, bytes);
    memcpy(&kept[1], other, bytes);
    memcpy(one, &kept[1], bytes);
    memcpy(other, &kept[0], bytes);
}

/* Compiled once for each width of numbers. */
static inline void shuffle_leaf(struct order_node node, const struct table *table, uint64_t first, uint64_t records,
                                bool wide)
{
    struct word_stream stream;
    void *place[BATCH];

    stream.node = node;
    stream.block = 0;
    stream.next = 0;
    stream.end = 0;
    for (uint64_t i = 0; i + 1 < records;) {
        const unsigned batch = (unsigned)least(records - 1 - i, BATCH);

        for (unsigned k = 0; k < batch; k++) {
            place[k] = number_in_table(table, first + i + k + draw_number(&stream, (uint32_t)(records - i - k)), wide);
            __builtin_prefetch(place[k], 1);
        }
        for (unsigned k = 0; k < batch; k++, i++)
            swap(number_in_table(table, first + i, wide), place[k], wide);
    }
}

void order_leaf(struct order_node node, const struct table *table, uint64_t first, uint64_t records)
{
    if (table->wide)
        shuffle_leaf(node, table, first, records, true);
    else
        shuffle_leaf(node, table, first, records, false);
}

/* The same order with a key of its own. */
static struct order derive(const struct order *order, const char *label, const uint8_t *arguments, size_t bytes)
{
    struct order derived = *order;

    random_key_derive(&derived.key, &order->key, label, arguments, bytes);
    return derived;
}

struct order order_of_batch(const struct order *order, const char *name)
{
    uint8_t arguments[8 + ORDER_NAME_MAX];
    const size_t length = strlen(name);

    store64le(arguments, length);
    for (size_t i = 0; i < length; i++)
        arguments[8 + i] = (uint8_t)name[i];
    return derive(order, "batch", arguments, 8 + length);
}

struct order order_of_pile(const struct order *order, uint64_t epoch, uint64_t pile)
{
    uint8_t arguments[16];

    store64le(arguments, epoch);
    store64le(arguments + 8, pile);
    return derive(order, "pile", arguments, sizeof arguments);
}

void order_of_epoch(const struct order *order, uint64_t epoch, unsigned piles, uint32_t *number)
{
    uint8_t *block = (uint8_t *)number;
    struct table table = {.block = &block, .blocks = 1, .shift = 31}; /* all of it is one block */
    uint8_t arguments[8];
    struct order permuted;

    for (unsigned p = 0; p < piles; p++)
        number[p] = p;
    store64le(arguments, epoch);
    permuted = derive(order, "epoch", arguments, sizeof arguments);
    order_leaf((struct order_node){.order = &permuted}, &table, 0, piles);
}
