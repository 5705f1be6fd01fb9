/*
 * A leaf is drawn in batches: first the places, then the swaps, so that the memory of a whole batch of swaps is on its
 * way while the words for it are still being turned into places. Words are computed some KiB ahead, never more than
 * the records left could need.
 */

#include "shuffle/order.h"

#include <string.h>

#include "base/tunable.h"

enum { WORDS = 1024 }; /* 32-bit words computed at a time: 4 KiB, which stays in the first-level cache */

TUNABLE(BLOCKS, WORDS / RANDOM_BLOCK_WORDS, 1, WORDS / RANDOM_BLOCK_WORDS);
TUNABLE(BATCH, 64, 1, 64);    /* swaps between prefetch and use */
TUNABLE(STEP, 1024, 1, 1024); /* records scattered at a time */

struct order_node order_child(struct order_node node, unsigned child)
{
    return (struct order_node){.number = 512 * node.number + child + 1};
}

unsigned order_scatter_bits(const struct order *order, struct order_node node, uint64_t records)
{
    unsigned bits = 2;

    if (node.root)
        return ORDER_ROOT_BITS;
    if (records <= order->leaf_records)
        return 0;
    while (bits < ORDER_ROOT_BITS && records > (order->leaf_records << bits) / 2)
        bits++;
    return bits;
}

void order_scatter(const struct order *order, struct order_node node, unsigned bits, uint64_t first, size_t count,
                   uint16_t *pile)
{
    uint32_t words[WORDS];
    const uint64_t per_block = 2 * RANDOM_BLOCK_WORDS;
    const unsigned shift = 16 - bits;
    const uint32_t mask = (((uint32_t)1 << bits) - 1) * 0x10001; /* of both 16-bit words in a 32-bit word */
    size_t i = 0;

    while (i < count) {
        size_t skip = (size_t)((first + i) % per_block);
        size_t blocks = (size_t)((skip + (count - i) + per_block - 1) / per_block);
        size_t end;

        if (blocks > BLOCKS)
            blocks = BLOCKS;
        random_blocks(&order->key, node.number, (first + i) / per_block, words, blocks);
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
struct stream {
    const struct random_key *key;
    uint64_t number;
    uint64_t block; /* the next to be computed */
    size_t next;    /* in words */
    size_t end;
    uint32_t words[WORDS];
};

static inline uint32_t next_word(struct stream *stream, uint64_t wanted)
{
    if (stream->next == stream->end) {
        size_t blocks = BLOCKS;

        if (wanted < BLOCKS * RANDOM_BLOCK_WORDS)
            blocks = (size_t)(wanted + RANDOM_BLOCK_WORDS - 1) / RANDOM_BLOCK_WORDS;
        random_blocks(stream->key, stream->number, stream->block, stream->words, blocks);
        stream->block += blocks;
        stream->end = blocks * RANDOM_BLOCK_WORDS;
        stream->next = 0;
    }
    return stream->words[stream->next++];
}

/* A number from 0 to bound - 1; the 32-bit words are multiplied, not divided, and the few that would make some results
 * likelier are rejected. */
static inline uint32_t draw(struct stream *stream, uint32_t bound)
{
    uint64_t product = (uint64_t)next_word(stream, bound) * bound;

    if ((uint32_t)product < bound) {
        uint32_t excess = (uint32_t)-bound % bound; /* 2^32 mod bound */

        while ((uint32_t)product < excess)
            product = (uint64_t)next_word(stream, bound) * bound;
    }
    return (uint32_t)(product >> 32);
}

/* Once for numbers of each width. */
#define DEFINE_ORDER_LEAF(NAME, NUMBER, AT)                                                                            \
    void NAME(const struct order *order, struct order_node node, struct table *table, uint64_t first,                  \
              uint64_t records)                                                                                        \
    {                                                                                                                  \
        struct stream stream;                                                                                          \
        NUMBER *place[BATCH];                                                                                          \
                                                                                                                       \
        stream.key = &order->key;                                                                                      \
        stream.number = node.number;                                                                                   \
        stream.block = 0;                                                                                              \
        stream.next = 0;                                                                                               \
        stream.end = 0;                                                                                                \
        for (uint64_t i = 0; i + 1 < records;) {                                                                       \
            unsigned batch = records - 1 - i < BATCH ? (unsigned)(records - 1 - i) : BATCH;                            \
                                                                                                                       \
            for (unsigned k = 0; k < batch; k++) {                                                                     \
                place[k] = AT(table, first + i + k + draw(&stream, (uint32_t)(records - i - k)));                      \
                __builtin_prefetch(place[k], 1);                                                                       \
            }                                                                                                          \
            for (unsigned k = 0; k < batch; k++, i++) {                                                                \
                NUMBER *here = AT(table, first + i);                                                                   \
                NUMBER number = *here;                                                                                 \
                                                                                                                       \
                *here = *place[k];                                                                                     \
                *place[k] = number;                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_ORDER_LEAF(order_leaf_u64, uint64_t, table_u64)
DEFINE_ORDER_LEAF(order_leaf_u32, uint32_t, table_u32)

/* Stable scatter of from[first, first + records) to the same places of `to`; start[j] receives where pile j starts. */
static void scatter(const struct order *order, struct order_node node, unsigned bits, const struct table *from,
                    struct table *to, uint64_t first, uint64_t records, uint64_t start[(1 << ORDER_ROOT_BITS) + 1])
{
    uint16_t pile[STEP];
    uint64_t next[1 << ORDER_ROOT_BITS];
    unsigned piles = 1u << bits;
    uint64_t total = first;

    memset(next, 0, sizeof next);
    for (uint64_t i = 0; i < records; i += STEP) {
        size_t count = records - i < STEP ? (size_t)(records - i) : STEP;

        order_scatter(order, node, bits, i, count, pile);
        for (size_t k = 0; k < count; k++)
            next[pile[k]]++;
    }
    for (unsigned j = 0; j < piles; j++) {
        uint64_t count = next[j];

        start[j] = total;
        next[j] = total;
        total += count;
    }
    start[piles] = total;
    for (uint64_t i = 0; i < records; i += STEP) {
        size_t count = records - i < STEP ? (size_t)(records - i) : STEP;

        order_scatter(order, node, bits, i, count, pile);
        for (size_t k = 0; k < count; k++)
            *table_u64(to, next[pile[k]]++) = *table_u64(from, first + i + k);
    }
}

/* Depth is that of the tree: at most 7, each level with 4 KiB of starts. */
static void arrange(const struct order *order, struct order_node node, struct table *table, struct table *spare,
                    uint64_t first, uint64_t records, order_emit *emit, void *context)
{
    uint64_t start[(1 << ORDER_ROOT_BITS) + 1];
    unsigned bits = order_scatter_bits(order, node, records);

    if (records == 0)
        return;
    if (bits == 0) {
        order_leaf_u64(order, node, table, first, records);
        emit(context, table, first, records);
        return;
    }
    scatter(order, node, bits, table, spare, first, records, start);
    for (unsigned j = 0; j < 1u << bits; j++)
        arrange(order, order_child(node, j), spare, table, start[j], start[j + 1] - start[j], emit, context);
}

void order_arrange(const struct order *order, struct order_node node, struct table *table, struct table *spare,
                   uint64_t records, order_emit *emit, void *context)
{
    arrange(order, node, table, spare, 0, records, emit, context);
}

static void put_number(uint8_t bytes[8], uint64_t number)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

void order_batch_key(const struct order *order, const char *name, struct random_key *key)
{
    uint8_t arguments[8 + ORDER_NAME_MAX];
    size_t length = strlen(name);

    put_number(arguments, length);
    for (size_t i = 0; i < length; i++)
        arguments[8 + i] = (uint8_t)name[i];
    random_key_derive(key, &order->key, "batch", arguments, 8 + length);
}

void order_pile_key(const struct order *order, uint64_t epoch, uint64_t pile, struct random_key *key)
{
    uint8_t arguments[16];

    put_number(arguments, epoch);
    put_number(arguments + 8, pile);
    random_key_derive(key, &order->key, "pile", arguments, sizeof arguments);
}

void order_of_epoch(const struct order *order, uint64_t epoch, unsigned piles, uint32_t *number)
{
    struct order permuted = *order;
    uint8_t *block = (uint8_t *)number;
    struct table table = {.block = &block, .shift = 31}; /* all of it is one block */
    uint8_t arguments[8];

    for (unsigned p = 0; p < piles; p++)
        number[p] = p;
    put_number(arguments, epoch);
    random_key_derive(&permuted.key, &order->key, "epoch", arguments, sizeof arguments);
    order_leaf_u32(&permuted, (struct order_node){.number = 0}, &table, 0, piles);
}
