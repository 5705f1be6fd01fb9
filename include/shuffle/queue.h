#pragma once

/*
 * The way of the input through pass 1: a ring of input blocks and the tasks that are ready to be done on them.
 *
 *              one at a time           any number           when the records        each lane by one thread
 *                                      at once              before are counted      at a time, in input order
 *     EMPTY ----- READ -----> FILLED ----- SCAN -----> SCANNED ----- ROUTE -----> ROUTED ----- APPEND (each lane) --+
 *       ^                        ^                                                                                  |
 *       |                        +--- a slice of the block is left: more records than lists have room for ----------+
 *       +------------------------------------------------------------------- all of it is done ---------------------+
 *
 * Any thread does any task, at any time; the result does not depend on that, since lanes append blocks in input order
 * and no two threads work on one lane. The queue schedules; the caller does the tasks (scatter.c).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/siphash.h"
#include "base/tunable.h"
#include "input/contents.h"
#include "input/position.h"
#include "record/record.h"

struct queue;

enum { QUEUE_LENGTH_BITS = 20, QUEUE_PILE_BITS = 12 };

/* The most bytes in a block's buffer; and in a block whose bytes are elsewhere. */
TUNABLE(QUEUE_BLOCK_BYTES, 1 << 18, 64, 1 << 18);
TUNABLE(QUEUE_BLOCK_BYTES_MAX, (1 << QUEUE_LENGTH_BITS) - 64, 64, (1 << QUEUE_LENGTH_BITS) - 64);

/* A piece of a record in a block. */
struct queue_piece {
    uint32_t start, length : QUEUE_LENGTH_BITS, pile : QUEUE_PILE_BITS;
};

/* An input block. A block with very many records is done in several slices. The queue sets buffer, data_bytes, the
 * lists and room once, and from, first_record and continues under its lock; the other fields are written by the one
 * thread that has the READ, SCAN or ROUTE task of the block, and read by those that append. */
struct queue_block {
    uint8_t *buffer;      /* POOL_SLACK_BYTES more than data_bytes may be read */
    const uint8_t *data;  /* the bytes read: in the buffer, unless QUEUE_READ has set another place */
    struct absent absent; /* those of them that SCAN or ROUTE must fetch (input/source.h) */
    size_t data_bytes;    /* room for them */
    size_t bytes;         /* how many there are */
    size_t from;          /* the slice: data[from, to) */
    size_t to;
    struct record_scan begins;  /* position in a record where the slice begins */
    uint32_t *ends;             /* of the records that end in the slice, from its beginning */
    bool listed;                /* false: they were only counted, and `ends` is scratch */
    uint16_t *pile;             /* of each piece in the slice */
    struct queue_piece *pieces; /* the slice's pieces, or only the wanted ones, by lane */
    size_t *lane_start;         /* [lanes + 1]: index of each lane's first piece */

    /* Only if there are keys (keyed_reader.h), or numbers in their place (sorted.h): */
    struct siphash_pair *hash; /* of the key of each record in the slice */
    uint32_t *number;          /* index of a piece's record */
    struct siphash_pair inner; /* the hash of a record that is longer than the block */
    size_t bad;                /* number, from 1, of the first record in the slice without a key; 0: none */
    uint64_t offset;           /* of the block in the source */
    struct position position;  /* for messages */
    bool bad_inner;            /* does a record longer than the block lack a key? */

    size_t room;           /* of all these lists: for records that end in the slice, and one piece more */
    size_t records;        /* number of records that end in the slice */
    bool continues;        /* does the slice begin within a record? */
    bool open;             /* does one more record begin after the last end? */
    uint64_t first_record; /* number of the record to which the slice's first byte belongs */
};

enum queue_kind { QUEUE_READ, QUEUE_SCAN, QUEUE_ROUTE, QUEUE_APPEND, QUEUE_END };

struct queue_task {
    enum queue_kind kind;
    struct queue_block *block; /* for READ, SCAN and ROUTE */
    unsigned lane;             /* for APPEND: append the slices [first, last) in this lane, in order */
    uint64_t first;
    uint64_t last;
};

/* The ring for `workers` threads in buffer[0, bytes). `in_order`: blocks are scanned one after another. `keyed`: blocks
 * have lists for keys. */
struct queue *queue_open(uint8_t *buffer, size_t bytes, unsigned workers, unsigned lanes, bool in_order, bool keyed);
/* The buffer's bytes for a ring of blocks with `block_bytes` bytes each; and memory that the ring takes besides. */
size_t queue_bytes(unsigned workers, size_t block_bytes);
size_t queue_lists_bytes(unsigned workers, unsigned lanes);

/* *task is done, unless it is QUEUE_END: READ has set block->bytes (0: the input is at its end), SCAN has set to,
 * records, open, ROUTE the pieces. *task becomes the next one. QUEUE_END: all is done, or the queue was stopped. */
void queue_next(struct queue *queue, unsigned worker, struct queue_task *task);

/* The i-th block of the ring, or NULL. */
struct queue_block *queue_block_at(struct queue *queue, unsigned i);

/* The block of a slice of APPEND. */
struct queue_block *queue_slice(const struct queue *queue, uint64_t slice);

/* Give all threads QUEUE_END from now on, before all is done. Slices that are not appended stay as they are. */
void queue_stop(struct queue *queue);

/* When all threads have got QUEUE_END: free it. Returns the number of records, UINT64_MAX if it was stopped. */
uint64_t queue_close(struct queue *queue);
