#pragma once

/*
 * Puts records in the order of numbers that come with them, their keys; records with equal keys are in the order of the
 * input. A scatter sends them to ranges of keys: pile j holds the records of range j, and pile SORTED_RANGES + j their
 * keys (pile_keys.h). Bad ranges cost only time and space, since piles are sorted by keys.
 */

#include "input/record_reader.h"
#include "shuffle/pile.h"
#include "shuffle/queue.h"

enum { SORTED_RANGES = 256, SORTED_SAMPLE = 4096 };

/* As record_reader_next; with the first piece of a record, *key receives its key, less than UINT64_MAX. Called by any
 * thread, one at a time. */
typedef bool sorted_next(void *context, struct record_reader *reader, struct record_piece *piece, uint64_t *key);

/* For one scatter. The caller sets the first two fields, and zeroes the others; in the scatter, only the thread that
 * reads writes them. */
struct sorted {
    sorted_next *next;
    void *context;
    struct record_reader reader; /* reads the source */
    struct record_piece piece;   /* the rest of a piece, for the next block */
    uint64_t key;                /* the key of its record */
    unsigned sampled;
    uint64_t sample[SORTED_SAMPLE];
    unsigned ranges;              /* number of ranges; 0: no block has been filled yet */
    uint64_t from[SORTED_RANGES]; /* the least key of each */
};

/* Before the first block is filled: keys like this one will come. Ranges get equal parts of a sample of these. */
void sorted_expect(struct sorted *sorted, uint64_t key);

/* The same for keys of a pile, taken evenly. False: they are all the same. */
bool sorted_expect_pile(struct sorted *sorted, struct piles *piles, unsigned pile);

/* Fill a block with records; and find their piles. */
void sorted_fill(struct sorted *sorted, struct queue_block *block);
void sorted_route(const struct sorted *sorted, struct queue_block *block);
