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
 * Any thread does any task. Who does what and when is left to chance; the result is not, since lanes append blocks in
 * input order and no two threads work on one lane. The queue schedules; what the tasks are is for the caller
 * (scatter.c).
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

/* The most bytes in a block's buffer; and in a block whose bytes stand elsewhere. */
TUNABLE(QUEUE_BLOCK_BYTES, 1 << 18, 64, 1 << 18);
TUNABLE(QUEUE_BLOCK_BYTES_MAX, (1 << QUEUE_LENGTH_BITS) - 64, 64, (1 << QUEUE_LENGTH_BITS) - 64);

/* A piece of a record in a block. */
struct queue_piece {
    uint32_t start, length : QUEUE_LENGTH_BITS, pile : QUEUE_PILE_BITS;
};

/* An input block. A block with very many records is worked off in several slices. The queue sets buffer, data_bytes,
 * the lists and room once, and from, first_record and continues under its lock; all else is written by the one thread
 * that has the READ, SCAN or ROUTE task of the block, and read by those that append. */
struct queue_block {
    uint8_t *buffer;      /* POOL_SLACK_BYTES more than data_bytes may be read */
    const uint8_t *data;  /* what was read: the buffer, unless QUEUE_READ has set it to where the bytes stand */
    struct absent absent; /* the last of these, which SCAN or ROUTE fetches (input/source.h) */
    size_t data_bytes;    /* room */
    size_t bytes;         /* filled */
    size_t from;          /* the slice: data[from, to) */
    size_t to;
    struct record_scan begins;  /* where in a record the slice begins */
    uint32_t *ends;             /* of the records that end in the slice, from its beginning; */
    bool listed;                /* if false, they were only counted, and `ends` is scratch */
    uint16_t *pile;             /* of each piece in the slice */
    struct queue_piece *pieces; /* the slice's pieces, sorted by lane; or only those that are wanted */
    size_t *lane_start;         /* [lanes + 1]: where each lane's pieces start */

    /* Only if there are keys (keyed_reader.h): */
    struct siphash_pair *hash; /* of the key of each record in the slice, */
    uint32_t *number;          /* which record a piece is of, */
    struct siphash_pair inner; /* the hash of a record that is longer than the block, */
    size_t bad;               /* the number, from 1, of the first record in the slice without a key; 0: all have one, */
    uint64_t offset;          /* where the block is in the source, */
    struct position position; /* and in which file */
    bool bad_inner;           /* is that a record longer than the block? */

    size_t room;           /* of all these lists: records that end in the slice, and one more piece */
    size_t records;        /* that end in the slice */
    bool continues;        /* the slice begins within a record */
    bool open;             /* after the last end comes the beginning of one more record */
    uint64_t first_record; /* number of the record to which the slice's first byte belongs */
};

enum queue_kind { QUEUE_READ, QUEUE_SCAN, QUEUE_ROUTE, QUEUE_APPEND, QUEUE_END };

struct queue_task {
    enum queue_kind kind;
    struct queue_block *block; /* of READ, SCAN and ROUTE */
    unsigned lane;             /* of APPEND: it appends these slices, in this order */
    uint64_t first;
    uint64_t last; /* the one after the last */
};

/* The ring for `workers` threads in buffer[0, bytes). `in_order`: one block after another is scanned. `keyed`: blocks
 * have lists for keys. */
struct queue *queue_open(uint8_t *buffer, size_t bytes, unsigned workers, unsigned lanes, bool in_order, bool keyed);
/* Memory that suffices for a ring of blocks with `block_bytes` each; and what it takes besides. */
size_t queue_bytes(unsigned workers, size_t block_bytes);
size_t queue_lists_bytes(unsigned workers, unsigned lanes);

/* *task is done, if it is one (QUEUE_END is none): READ has set block->bytes (0: the input is at its end), SCAN has set
 * to, records, open, ROUTE the pieces. *task becomes the next one. QUEUE_END: all is done, or it was stopped. */
void queue_next(struct queue *queue, unsigned worker, struct queue_task *task);

/* The i-th block of the ring; NULL: there are fewer. */
struct queue_block *queue_block_at(struct queue *queue, unsigned i);

/* The block of one of an APPEND's slices. */
struct queue_block *queue_slice(const struct queue *queue, uint64_t slice);

/* Everybody gets QUEUE_END from now on, before all is done. Slices that are not appended stay as they are. */
void queue_stop(struct queue *queue);

/* Once everybody got QUEUE_END: free it. Returns the number of records, UINT64_MAX if it was stopped. */
uint64_t queue_close(struct queue *queue);
