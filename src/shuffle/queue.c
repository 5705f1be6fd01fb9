/*
 * One mutex guards all states, and a thread that holds it looks at no more than LANES_MAX (scatter.c) lanes and a few
 * numbers, however many threads and blocks there are. Blocks have numbers from 0; block b is at index b mod `count`.
 * From numbering on, tasks are about slices, mostly whole blocks: slices have numbers of their own, in input order, and
 * slice s is that of the block in slice[s mod `count`]. No block has two slices between numbering and its last append.
 *
 * A slice's first record gets a number when all blocks before have been scanned to their end, and all slices before
 * have been numbered. A lane appends all routed slices at once. It waits until they are worth a task, since handing
 * over costs some microseconds; or are many blocks of the ring; or until no more can come before they are appended.
 *
 * The task nearest to completion comes first, so that the ring empties before it fills; but if threads are idle,
 * reading comes first, which only one can do. A thread that gets a task wakes another one if there is more to do than
 * the working threads could begin before that is awake. So work spreads as fast as threads wake up, and few are woken
 * in vain.
 */

#include "shuffle/queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "system/fault.h"
#include "system/pool.h"

/* A block's lists have room for a record per BYTES_PER_RECORD bytes. A block with more records is done in slices. */
TUNABLE(BYTES_PER_RECORD, 4, 1, 64);

/* Lists for keys take 20 bytes a record beside the 14 of the others. A block with them has less data, so that there is
 * room for lines of 8 bytes. There is room for at least one record and the piece after it: these take up to 40 bytes
 * more than the other lists, and 16 for alignment. */
enum { KEYED_RECORD_BYTES = 34, KEYED_LESS = 7, KEYED_BYTES = 56 };
enum { ALIGNMENT = 64 };

/* With several workers, each has a block, and more blocks wait: 1/WAITING_SHARE of that number, and WAITING_BLOCKS. */
TUNABLE(WAITING_SHARE, 4, 1, 64);
TUNABLE(WAITING_BLOCKS, 4, 1, 8);

/* APPEND_RECORDS records of a lane, or 1/APPEND_SHARE of the ring, are worth a task: some 100 microseconds. */
TUNABLE(APPEND_RECORDS, 8192, 1, 8192);
TUNABLE(APPEND_SHARE, 3, 1, 64);

/* Waking a thread takes at most 1/WAKING_SHARE of the time of a task. */
TUNABLE(WAKING_SHARE, 4, 1, 64);

struct ring_slot {
    struct queue_block block;
    bool scanned; /* scanned, and not yet numbered? */
    bool routed;
};

struct lane {
    uint64_t next; /* number of the slice it appends next */
    bool busy;
};

/* `mutex` guards all fields except those that queue_open sets: the counts, in_order, and the arrays themselves. */
struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t work;
    unsigned count, lane_count;
    bool in_order; /* are blocks scanned one after another? */
    bool reading, at_end, stopped;
    bool open;          /* is a record open at the end of the last numbered slice? */
    bool sliced;        /* has block `to_number` a numbered slice, not appended yet, and more to come? */
    bool again;         /* was that appended, so that the next slice may be scanned? */
    unsigned busy;      /* number of threads with a task */
    unsigned idle;      /* and of those waiting for one */
    bool woken;         /* has one of these been woken, and not come here yet? */
    uint64_t oldest;    /* the first block not done */
    uint64_t to_number; /* the first one not numbered to its end */
    uint64_t to_scan;   /* the first one that no thread scans or has scanned */
    uint64_t to_read;   /* the first one not filled */
    uint64_t appended;  /* the first slice not appended by all lanes */
    uint64_t routed;    /* the first one not routed */
    uint64_t to_route;  /* the first one that no thread routes or has routed */
    uint64_t numbered;  /* the first one not numbered */
    uint64_t records;   /* number of records in all numbered slices */
    struct ring_slot **slice;
    struct lane *lane;
    size_t *lane_start;
    struct ring_slot slot[];
};

static unsigned ring_blocks(unsigned workers)
{
    return workers == 1 ? 1 : workers + workers / WAITING_SHARE + WAITING_BLOCKS;
}

static size_t room_for(size_t block_bytes)
{
    return block_bytes / BYTES_PER_RECORD;
}

static size_t slot_bytes(size_t block_bytes)
{
    struct queue_block block;
    size_t room = room_for(block_bytes) + 1;
    size_t lists = room * (sizeof *block.pieces + sizeof *block.ends + sizeof *block.pile);

    return block_bytes + POOL_SLACK_BYTES + (lists + KEYED_BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t queue_bytes(unsigned workers, size_t block_bytes)
{
    return ring_blocks(workers) * slot_bytes(block_bytes);
}

size_t queue_lists_bytes(unsigned workers, unsigned lanes)
{
    const size_t blocks = ring_blocks(workers);

    return lanes * sizeof(struct lane) + blocks * (sizeof(struct ring_slot) + (lanes + 1) * sizeof(size_t));
}

struct queue *queue_open(uint8_t *buffer, size_t bytes, unsigned workers, unsigned lanes, bool in_order, bool keyed)
{
    unsigned count = ring_blocks(workers);
    size_t block_bytes = QUEUE_BLOCK_BYTES / ALIGNMENT * ALIGNMENT, data_bytes, list_bytes;
    struct queue *queue = fault_allocate(1, sizeof *queue + count * sizeof *queue->slot);

    queue->lane = fault_allocate(lanes, sizeof *queue->lane);
    queue->lane_start = fault_allocate((size_t)count * (lanes + 1), sizeof *queue->lane_start);
    queue->slice = fault_allocate(count, sizeof(struct ring_slot *));
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->work, NULL);
    queue->count = count;
    queue->in_order = in_order;
    queue->lane_count = lanes;
    while (queue_bytes(workers, block_bytes) > bytes)
        block_bytes -= ALIGNMENT;
    data_bytes = keyed ? block_bytes - block_bytes / KEYED_LESS / ALIGNMENT * ALIGNMENT : block_bytes;
    list_bytes = slot_bytes(block_bytes) - data_bytes - POOL_SLACK_BYTES;
    for (unsigned i = 0; i < count; i++) {
        struct queue_block *block = &queue->slot[i].block;
        uint8_t *at = buffer + i * slot_bytes(block_bytes);

        block->room = keyed ? list_bytes / KEYED_RECORD_BYTES - 1 : room_for(block_bytes);
        /* The data first: reading to an address that is no multiple of 16 is three times slower (AMD EPYC, Linux
         * 6.18). */
        block->buffer = at;
        block->data = at;
        block->pieces = (struct queue_piece *)(void *)(at + data_bytes + POOL_SLACK_BYTES);
        block->hash = (struct siphash_pair *)(void *)(block->pieces + block->room + 1);
        block->number = (uint32_t *)(void *)(block->hash + (keyed ? block->room + 1 : 0));
        block->ends = block->number + (keyed ? block->room + 1 : 0);
        block->pile = (uint16_t *)(void *)(block->ends + block->room + 1);
        block->data_bytes = data_bytes;
        block->lane_start = queue->lane_start + (size_t)i * (lanes + 1);
    }
    return queue;
}

static struct ring_slot *slot_of_slice(struct queue *queue, uint64_t sequence)
{
    return &queue->slot[sequence % queue->count];
}

struct queue_block *queue_block_at(struct queue *queue, unsigned i)
{
    return i < queue->count ? &queue->slot[i].block : NULL;
}

struct queue_block *queue_slice(const struct queue *queue, uint64_t slice)
{
    return &queue->slice[slice % queue->count]->block;
}

/* ---- Looking for work ---- */

/* Must numbered slices be appended before more slices can be numbered? */
static bool numbers_wait(const struct queue *queue)
{
    return queue->sliced || (queue->at_end && queue->to_number == queue->to_read);
}

/* Are the routed slices from `next` on worth a task for one lane? */
static bool is_worth(const struct queue *queue, uint64_t next)
{
    const struct queue_block *last;

    if (next == queue->routed)
        return false;
    if (APPEND_SHARE * (queue->routed - next) >= queue->count ||
        (queue->routed == queue->numbered && numbers_wait(queue)))
        return true;
    last = queue_slice(queue, queue->routed - 1);
    return last->first_record + last->records - queue_slice(queue, next)->first_record >=
           (uint64_t)APPEND_RECORDS * queue->lane_count;
}

/* The number of lanes with slices that are worth a task. *best receives the worker's own lane, or the one with most. */
static unsigned count_appends(const struct queue *queue, unsigned worker, unsigned *best)
{
    uint64_t least = UINT64_MAX;
    unsigned found = 0;

    for (unsigned l = 0; l < queue->lane_count; l++) {
        const struct lane *lane = &queue->lane[l];

        if (lane->busy || !is_worth(queue, lane->next))
            continue;
        found++;
        if (lane->next < least || l == worker % queue->lane_count) {
            least = l == worker % queue->lane_count ? 0 : lane->next;
            *best = l;
        }
    }
    return found;
}

static uint64_t count_scans(const struct queue *queue)
{
    if (queue->in_order)
        return queue->again || (queue->to_scan < queue->to_read && queue->to_scan == queue->to_number);
    return queue->again + (queue->to_read - queue->to_scan);
}

static bool can_read(const struct queue *queue)
{
    return !queue->reading && !queue->at_end && queue->to_read - queue->oldest < queue->count;
}

/* Is there enough to do for one more thread? Not while one that was woken has not come yet. */
static bool is_worth_waking(const struct queue *queue)
{
    unsigned lane;

    return queue->idle > 0 && !queue->woken &&
           count_appends(queue, 0, &lane) + (queue->numbered - queue->to_route) + count_scans(queue) + can_read(queue) >
               queue->busy / WAKING_SHARE;
}

static bool take_other(struct queue *queue, unsigned worker, struct queue_task *task)
{
    unsigned lane;

    if (count_appends(queue, worker, &lane) > 0) {
        queue->lane[lane].busy = true;
        *task = (struct queue_task){
            .kind = QUEUE_APPEND, .lane = lane, .first = queue->lane[lane].next, .last = queue->routed};
    } else if (queue->to_route < queue->numbered) {
        *task = (struct queue_task){.kind = QUEUE_ROUTE, .block = queue_slice(queue, queue->to_route++)};
    } else if (queue->again) {
        *task = (struct queue_task){.kind = QUEUE_SCAN, .block = &slot_of_slice(queue, queue->to_number)->block};
        queue->again = false;
    } else if (count_scans(queue) > 0) {
        *task = (struct queue_task){.kind = QUEUE_SCAN, .block = &slot_of_slice(queue, queue->to_scan++)->block};
    } else {
        return false;
    }
    return true;
}

static bool take_task(struct queue *queue, unsigned worker, struct queue_task *task)
{
    const bool reads = can_read(queue);

    if ((!reads || queue->idle == 0) && take_other(queue, worker, task))
        return true;
    if (reads) {
        *task = (struct queue_task){.kind = QUEUE_READ, .block = &slot_of_slice(queue, queue->to_read)->block};
        queue->reading = true;
    }
    return reads;
}

/* ---- What is done ---- */

/* Number all slices that can be numbered. If a slice is not the last of its block, the following blocks wait. */
static void number_slices(struct queue *queue)
{
    while (queue->to_number < queue->to_read && !queue->sliced) {
        struct ring_slot *slot = slot_of_slice(queue, queue->to_number);

        if (!slot->scanned)
            return;
        slot->scanned = false;
        slot->routed = false;
        slot->block.first_record = queue->records;
        slot->block.continues = queue->open;
        queue->slice[queue->numbered++ % queue->count] = slot;
        queue->records += slot->block.records;
        queue->open = slot->block.open;
        queue->sliced = slot->block.to < slot->block.bytes;
        queue->to_number += !queue->sliced;
    }
}

/* End the slices that all lanes have appended, and their blocks if nothing is left of them. */
static void end_slices(struct queue *queue)
{
    uint64_t end = queue->routed;

    for (unsigned l = 0; l < queue->lane_count; l++)
        end = least(end, queue->lane[l].next);
    for (; queue->appended < end; queue->appended++) {
        struct queue_block *block = queue_slice(queue, queue->appended);

        if (block->to < block->bytes) {
            block->from = block->to;
            queue->sliced = false;
            queue->again = true;
        } else {
            queue->oldest++;
        }
    }
}

static void finish_task(struct queue *queue, const struct queue_task *task)
{
    struct ring_slot *slot = (struct ring_slot *)(void *)task->block;

    queue->busy -= task->kind != QUEUE_END;
    switch (task->kind) {
    case QUEUE_READ:
        queue->reading = false;
        queue->at_end = task->block->bytes == 0;
        task->block->from = 0;
        queue->to_read += !queue->at_end;
        break;
    case QUEUE_SCAN:
        slot->scanned = true;
        number_slices(queue);
        break;
    case QUEUE_ROUTE:
        slot->routed = true;
        while (queue->routed < queue->to_route && queue->slice[queue->routed % queue->count]->routed)
            queue->routed++;
        break;
    case QUEUE_APPEND:
        queue->lane[task->lane].busy = false;
        queue->lane[task->lane].next = task->last;
        end_slices(queue);
        break;
    case QUEUE_END:
        break;
    }
}

void queue_next(struct queue *queue, unsigned worker, struct queue_task *task)
{
    bool wakes, ends;

    pthread_mutex_lock(&queue->mutex);
    if (!queue->stopped)
        finish_task(queue, task);
    *task = (struct queue_task){.kind = QUEUE_END};
    while (!(ends = queue->stopped || (queue->at_end && queue->oldest == queue->to_read)) &&
           !take_task(queue, worker, task)) {
        queue->idle++;
        pthread_cond_wait(&queue->work, &queue->mutex);
        queue->idle--;
        queue->woken = false;
    }
    queue->busy += !ends;
    wakes = !ends && is_worth_waking(queue);
    queue->woken |= wakes;
    pthread_mutex_unlock(&queue->mutex);
    if (ends)
        pthread_cond_broadcast(&queue->work);
    else if (wakes)
        pthread_cond_signal(&queue->work);
}

void queue_stop(struct queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->stopped = true;
    pthread_cond_broadcast(&queue->work);
    pthread_mutex_unlock(&queue->mutex);
}

uint64_t queue_close(struct queue *queue)
{
    const uint64_t records = queue->stopped ? UINT64_MAX : queue->records;

    pthread_cond_destroy(&queue->work);
    pthread_mutex_destroy(&queue->mutex);
    free(queue->slice);
    free(queue->lane);
    free(queue->lane_start);
    free(queue);
    return records;
}
