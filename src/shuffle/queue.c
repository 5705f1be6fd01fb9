/*
 * One mutex guards all states: a task takes a hundred microseconds or more, so a look over the few blocks of the ring
 * for every task costs nothing. Blocks have sequence numbers from 0; block s stands at s mod `count`. The task nearest
 * to completion comes first, so that the ring empties before it fills.
 *
 * The number of a block's first record is known when the block before it has been scanned to its end: SCANNED becomes
 * NUMBERED in input order.
 */

#include "shuffle/queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "system/fault.h"
#include "system/pool.h"

/* A record for every so many bytes of a block: the room of its lists. With fewer bytes a record, blocks are worked
 * off in slices. */
TUNABLE(BYTES_PER_RECORD, 4, 1, 64);
enum { ALIGNMENT = 64 };

/* Blocks of the ring for each of several workers, and some more. */
TUNABLE(BLOCKS_EACH, 2, 1, 4);

enum state { EMPTY, FILLED, SCANNING, SCANNED, NUMBERED, ROUTING, ROUTED };

struct slot {
    struct queue_block block;
    enum state state;
    unsigned slice; /* counts the slices of this block */
    unsigned lanes; /* that have yet to append this slice */
};

struct lane {
    uint64_t next;  /* the block it appends next */
    unsigned slice; /* and the slice of it */
    bool busy;
};

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned count;
    unsigned lane_count;
    uint64_t oldest;    /* the first block not done */
    uint64_t next_read; /* the first block not filled */
    uint64_t next_scan; /* the first block not scanned to its end */
    uint64_t numbered;  /* the first block not numbered to its end */
    uint64_t records;   /* in all that is numbered */
    bool open;          /* a record begins there that does not end */
    bool in_order;      /* are blocks scanned one after another? */
    bool reading;
    bool at_end;
    bool stopped;
    struct lane *lane;
    size_t *lane_start;
    struct slot slot[];
};

static unsigned ring_blocks(unsigned workers)
{
    return workers == 1 ? 1 : BLOCKS_EACH * workers + 2;
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

    return block_bytes + POOL_SLACK_BYTES + (lists + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t queue_bytes(unsigned workers, size_t block_bytes)
{
    return ring_blocks(workers) * slot_bytes(block_bytes);
}

size_t queue_lists_bytes(unsigned workers, unsigned lanes)
{
    const size_t blocks = ring_blocks(workers);

    return lanes * sizeof(struct lane) + blocks * (sizeof(struct slot) + (lanes + 1) * sizeof(size_t));
}

struct queue *queue_open(uint8_t *buffer, size_t bytes, unsigned workers, unsigned lanes, bool in_order)
{
    unsigned count = ring_blocks(workers);
    size_t block_bytes = QUEUE_BLOCK_BYTES / ALIGNMENT * ALIGNMENT;
    struct queue *queue = fault_allocate(1, sizeof *queue + count * sizeof *queue->slot);

    queue->lane = fault_allocate(lanes, sizeof *queue->lane);
    queue->lane_start = fault_allocate((size_t)count * (lanes + 1), sizeof *queue->lane_start);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->count = count;
    queue->in_order = in_order;
    queue->lane_count = lanes;
    while (queue_bytes(workers, block_bytes) > bytes)
        block_bytes -= ALIGNMENT;
    for (unsigned i = 0; i < count; i++) {
        struct queue_block *block = &queue->slot[i].block;
        uint8_t *at = buffer + i * slot_bytes(block_bytes);

        block->room = room_for(block_bytes);
        /* The data first: where reading begins at no multiple of 16, the system copies at a third of its speed (AMD
         * EPYC, Linux 6.18). */
        block->buffer = at;
        block->data = at;
        block->pieces = (struct queue_piece *)(void *)(at + block_bytes + POOL_SLACK_BYTES);
        block->ends = (uint32_t *)(void *)(block->pieces + block->room + 1);
        block->pile = (uint16_t *)(void *)(block->ends + block->room + 1);
        block->data_bytes = block_bytes;
        block->lane_start = queue->lane_start + (size_t)i * (lanes + 1);
    }
    return queue;
}

static struct slot *slot_of(struct queue *queue, uint64_t sequence)
{
    return &queue->slot[sequence % queue->count];
}

static bool find_append(struct queue *queue, unsigned worker, struct queue_task *task)
{
    for (unsigned i = 0; i < queue->lane_count; i++) {
        unsigned l = (worker + i) % queue->lane_count;
        struct lane *lane = &queue->lane[l];
        struct slot *slot = slot_of(queue, lane->next);

        if (!lane->busy && lane->next < queue->next_read && slot->state == ROUTED && lane->slice == slot->slice) {
            lane->busy = true;
            *task = (struct queue_task){.kind = QUEUE_APPEND, .block = &slot->block, .lane = l};
            return true;
        }
    }
    return false;
}

static bool find_in_ring(struct queue *queue, struct queue_task *task)
{
    for (uint64_t s = queue->oldest; s < queue->next_read; s++) {
        struct slot *slot = slot_of(queue, s);

        task->block = &slot->block;
        if (slot->state == NUMBERED) {
            slot->state = ROUTING;
            task->kind = QUEUE_ROUTE;
            return true;
        }
        if (slot->state == FILLED && (!queue->in_order || s == queue->next_scan)) {
            slot->state = SCANNING;
            task->kind = QUEUE_SCAN;
            return true;
        }
    }
    return false;
}

static bool find_read(struct queue *queue, struct queue_task *task)
{
    if (queue->reading || queue->at_end || queue->next_read - queue->oldest == queue->count)
        return false;
    queue->reading = true;
    *task = (struct queue_task){.kind = QUEUE_READ, .block = &slot_of(queue, queue->next_read)->block};
    return true;
}

struct queue_task queue_take(struct queue *queue, unsigned worker)
{
    struct queue_task task = {.kind = QUEUE_END};

    pthread_mutex_lock(&queue->mutex);
    while (!queue->stopped && !(queue->at_end && queue->oldest == queue->next_read)) {
        if (find_append(queue, worker, &task) || find_in_ring(queue, &task) || find_read(queue, &task))
            break;
        pthread_cond_wait(&queue->changed, &queue->mutex);
    }
    pthread_mutex_unlock(&queue->mutex);
    return task;
}

/* Tell blocks the numbers of their first records as far as they are known. After a slice that is not the block's last,
 * the following blocks must wait. */
static void number_blocks(struct queue *queue)
{
    while (queue->numbered < queue->next_read) {
        struct slot *slot = slot_of(queue, queue->numbered);

        if (slot->state != SCANNED)
            return;
        slot->state = NUMBERED;
        slot->block.first_record = queue->records;
        slot->block.continues = queue->open;
        queue->records += slot->block.records;
        queue->open = slot->block.open;
        if (slot->block.to < slot->block.bytes)
            return;
        queue->numbered++;
    }
}

static void slice_done(struct queue *queue, struct slot *slot)
{
    if (slot->block.to < slot->block.bytes) {
        slot->block.from = slot->block.to;
        slot->slice++;
        slot->state = FILLED;
        return;
    }
    slot->state = EMPTY;
    while (queue->oldest < queue->next_read && slot_of(queue, queue->oldest)->state == EMPTY)
        queue->oldest++;
}

/* Each kind of task takes the block to its next state. Those who wait are told, since it may be what they wait for. */
void queue_done(struct queue *queue, struct queue_task task)
{
    struct slot *slot = (struct slot *)(void *)task.block;
    struct lane *lane = &queue->lane[task.lane];

    pthread_mutex_lock(&queue->mutex);
    switch (task.kind) {
    case QUEUE_READ:
        queue->reading = false;
        if (task.block->bytes == 0) {
            queue->at_end = true;
            break;
        }
        task.block->from = 0;
        slot->slice = 0;
        slot->state = FILLED;
        queue->next_read++;
        break;
    case QUEUE_SCAN:
        slot->state = SCANNED;
        queue->next_scan += queue->in_order && slot->block.to == slot->block.bytes;
        number_blocks(queue);
        break;
    case QUEUE_ROUTE:
        slot->state = ROUTED;
        slot->lanes = queue->lane_count;
        break;
    case QUEUE_APPEND:
        lane->busy = false;
        if (task.block->to < task.block->bytes) {
            lane->slice++;
        } else {
            lane->slice = 0;
            lane->next++;
        }
        if (--slot->lanes == 0)
            slice_done(queue, slot);
        break;
    case QUEUE_END:
        break;
    }
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

void queue_stop(struct queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->stopped = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

uint64_t queue_close(struct queue *queue)
{
    const uint64_t records = queue->stopped ? UINT64_MAX : queue->records;

    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->mutex);
    free(queue->lane);
    free(queue->lane_start);
    free(queue);
    return records;
}
