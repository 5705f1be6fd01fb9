#pragma once

/*
 * Records in the order of numbers that come with them, their keys; records with the same key in the order of the input.
 * A scatter sends them to ranges of keys: pile j holds the records of range j, and pile SORTED_RANGES + j their keys
 * (pile_keys.h). Where ranges begin costs only time and space, since the order is that of the keys.
 */

#include "input/record_reader.h"
#include "shuffle/pile.h"
#include "shuffle/queue.h"

enum { SORTED_RANGES = 256, SORTED_SAMPLE = 4096 };

/* As record_reader_next; with the first piece of a record comes its key, less than UINT64_MAX. Called by any thread,
 * one at a time. */
typedef bool sorted_next(void *context, struct record_reader *reader, struct record_piece *piece, uint64_t *key);

/* For one scatter. Its user sets the first two, all else is zero. */
struct sorted {
    sorted_next *next;
    void *context;
    struct record_reader reader; /* of the source */
    struct record_piece piece;   /* what is left of it for the next block, */
    uint64_t key;                /* and the key of its record */
    unsigned sampled;
    uint64_t sample[SORTED_SAMPLE];
    unsigned ranges;              /* how many there are; 0: the first block has not been filled */
    uint64_t from[SORTED_RANGES]; /* the least key of each */
};

/* Before the first block has been filled: keys like this one will come. Ranges are made equal for a sample of them. */
void sorted_expect(struct sorted *sorted, uint64_t key);

/* The same of the keys in a pile, evenly from among them. Are they not all the same? */
bool sorted_expect_pile(struct sorted *sorted, struct piles *piles, unsigned pile);

/* Fill a block with records, and find the piles of its records. */
void sorted_fill(struct sorted *sorted, struct queue_block *block);
void sorted_route(const struct sorted *sorted, struct queue_block *block);
