#include "support/unit.h"

#include "shuffle/queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "system/pool.h"

enum { SMALL = 4096, LANES_MAX = 8 };

UNIT_TEST(pieces_keep_their_start_length_and_pile)
{
    static const size_t numbers[] = {0, 1, 4095, 4096, QUEUE_BLOCK_BYTES_MAX - 1, QUEUE_BLOCK_BYTES_MAX};
    static const unsigned piles[] = {0, 1, 511, 4095};

    for (size_t s = 0; s < 6; s++)
        for (size_t l = 0; l < 6; l++)
            for (size_t p = 0; p < 4; p++) {
                queue_piece piece = queue_piece_make(numbers[s], numbers[l], piles[p]);

                assert_int_equal(queue_piece_start(piece), numbers[s]);
                assert_int_equal(queue_piece_length(piece), numbers[l]);
                assert_int_equal(queue_piece_pile(piece), piles[p]);
            }
}

/* ---- By hand ---- */

static struct queue_task take(struct queue *queue, enum queue_kind kind)
{
    struct queue_task task = queue_take(queue, 0, NULL);

    assert_int_equal(task.kind, kind);
    return task;
}

static void read_done(struct queue *queue, struct queue_task task, size_t bytes)
{
    task.block->bytes = bytes;
    queue_done(queue, task);
}

static void scan_done(struct queue *queue, struct queue_task task, size_t to, size_t records)
{
    task.block->to = to;
    task.block->records = records;
    task.block->open = false;
    queue_done(queue, task);
}

UNIT_TEST(blocks_are_read_one_at_a_time_numbered_and_appended_in_order)
{
    size_t bytes = queue_bytes(2, SMALL);
    uint8_t *buffer = malloc(bytes);
    struct queue *queue = queue_open(buffer, bytes, 2, 2, false);
    struct queue_task first, second, third, routed, other, append[2];

    assert_non_null(queue);
    read_done(queue, take(queue, QUEUE_READ), 100);
    first = take(queue, QUEUE_SCAN);
    assert_int_equal(first.block->from, 0);
    read_done(queue, take(queue, QUEUE_READ), 200);
    second = take(queue, QUEUE_SCAN);
    assert_ptr_not_equal(first.block, second.block);
    scan_done(queue, second, 200, 20);
    third = take(queue, QUEUE_READ); /* the second cannot be routed before the first has been scanned */
    scan_done(queue, first, 100, 10);
    routed = take(queue, QUEUE_ROUTE);
    assert_ptr_equal(routed.block, first.block);
    assert_int_equal(routed.block->first_record, 0);
    other = take(queue, QUEUE_ROUTE);
    assert_ptr_equal(other.block, second.block);
    assert_int_equal(other.block->first_record, 10);
    queue_done(queue, other);
    read_done(queue, third, 300);
    scan_done(queue, take(queue, QUEUE_SCAN), 300, 0); /* not an append: the first block is not routed yet */
    queue_done(queue, take(queue, QUEUE_ROUTE));
    queue_done(queue, routed);
    append[0] = take(queue, QUEUE_APPEND);
    append[1] = take(queue, QUEUE_APPEND);
    assert_ptr_equal(append[0].block, first.block);
    assert_ptr_equal(append[1].block, first.block);
    assert_int_not_equal(append[0].lane, append[1].lane);
    queue_done(queue, append[1]);
    other = take(queue, QUEUE_APPEND); /* a lane does not wait for the others */
    assert_ptr_equal(other.block, second.block);
    assert_int_equal(other.lane, append[1].lane);
    queue_done(queue, append[0]);
    queue_done(queue, other);
    for (int i = 0; i < 3; i++)
        queue_done(queue, take(queue, QUEUE_APPEND));
    read_done(queue, take(queue, QUEUE_READ), 0);
    take(queue, QUEUE_END);
    take(queue, QUEUE_END);
    assert_int_equal(queue_records(queue), 30);
    queue_free(queue);
    free(buffer);
}

UNIT_TEST(a_block_with_too_many_records_is_worked_off_in_parts)
{
    size_t bytes = queue_bytes(2, SMALL);
    uint8_t *buffer = malloc(bytes);
    struct queue *queue = queue_open(buffer, bytes, 2, 1, false);
    struct queue_task task, next;

    read_done(queue, take(queue, QUEUE_READ), 100);
    task = take(queue, QUEUE_SCAN);
    read_done(queue, take(queue, QUEUE_READ), 10);
    next = take(queue, QUEUE_SCAN);
    scan_done(queue, next, 10, 3);
    for (size_t slice = 0; slice < 5; slice++) {
        assert_int_equal(task.block->from, slice * 20);
        scan_done(queue, task, slice * 20 + 20, 7);
        task = take(queue, QUEUE_ROUTE);
        assert_int_equal(task.block->first_record, 7 * slice);
        if (slice < 4) {
            queue_done(queue, task);
            queue_done(queue, take(queue, QUEUE_APPEND));
            task = take(queue, QUEUE_SCAN);
        }
    }
    next = take(queue, QUEUE_ROUTE);
    assert_int_equal(next.block->first_record, 35);
    queue_stop(queue);
    queue_free(queue);
    free(buffer);
}

UNIT_TEST(in_order_a_block_is_scanned_after_all_parts_of_those_before)
{
    size_t bytes = queue_bytes(2, SMALL);
    uint8_t *buffer = malloc(bytes);
    struct queue *queue = queue_open(buffer, bytes, 2, 1, true);
    struct queue_task first, second;

    read_done(queue, take(queue, QUEUE_READ), 100);
    first = take(queue, QUEUE_SCAN);
    read_done(queue, take(queue, QUEUE_READ), 10);
    second = take(queue, QUEUE_READ); /* not a scan of the second block */
    read_done(queue, second, 10);
    for (size_t slice = 0; slice < 3; slice++) {
        scan_done(queue, first, slice < 2 ? slice * 20 + 20 : 100, 7);
        queue_done(queue, take(queue, QUEUE_ROUTE));
        queue_done(queue, take(queue, QUEUE_APPEND));
        if (slice < 2) {
            struct queue_task again = take(queue, QUEUE_SCAN);

            assert_ptr_equal(again.block, first.block);
        }
    }
    second = take(queue, QUEUE_SCAN);
    assert_ptr_not_equal(second.block, first.block);
    queue_stop(queue);
    queue_free(queue);
    free(buffer);
}

UNIT_TEST(without_input_there_is_nothing_to_do)
{
    size_t bytes = queue_bytes(1, SMALL);
    uint8_t *buffer = malloc(bytes);
    struct queue *queue = queue_open(buffer, bytes, 1, 1, false);

    read_done(queue, take(queue, QUEUE_READ), 0);
    take(queue, QUEUE_END);
    assert_int_equal(queue_records(queue), 0);
    queue_free(queue);
    free(buffer);
}

/* The buffer is malloc'd, so that a sanitizer sees what lies outside; patterns show what overlaps. */
UNIT_TEST(blocks_and_their_lists_have_the_room_they_claim)
{
    for (unsigned workers = 1; workers <= 4; workers++) {
        enum { BLOCKS_MAX = 16 };
        size_t bytes = queue_bytes(workers, SMALL);
        uint8_t *buffer = malloc(bytes);
        struct queue *queue = queue_open(buffer, bytes, workers, 3, false);
        unsigned count = workers == 1 ? 1 : 2 * workers + 2;
        struct queue_block *block[BLOCKS_MAX];

        for (unsigned i = 0; i < count; i++) {
            struct queue_task task = take(queue, QUEUE_READ);

            block[i] = task.block;
            assert_true(block[i]->data_bytes >= SMALL && block[i]->data_bytes <= QUEUE_BLOCK_BYTES_MAX);
            assert_true(block[i]->room > 0);
            memset(block[i]->buffer, (int)i, block[i]->data_bytes + POOL_SLACK_BYTES);
            for (size_t k = 0; k <= block[i]->room; k++) {
                block[i]->ends[k] = i;
                block[i]->pile[k] = (uint16_t)i;
                block[i]->pieces[k] = i;
            }
            for (size_t lane = 0; lane <= 3; lane++)
                block[i]->lane_start[lane] = i;
            read_done(queue, task, SMALL);
            take(queue, QUEUE_SCAN);
        }
        for (unsigned i = 0; i < count; i++) {
            for (size_t k = 0; k < block[i]->data_bytes + POOL_SLACK_BYTES; k++)
                assert_true(block[i]->data[k] == i);
            for (size_t k = 0; k <= block[i]->room; k++)
                assert_true(block[i]->ends[k] == i && block[i]->pile[k] == i && block[i]->pieces[k] == i);
            for (size_t lane = 0; lane <= 3; lane++)
                assert_true(block[i]->lane_start[lane] == i);
        }
        queue_free(queue);
        free(buffer);
    }
}

/* ---- By threads ---- */

enum { STREAM_BYTES = 300000 };

/* A stream of bytes, and what each lane has seen of it. Nothing here is locked: that is for the queue to make sure. */
struct work {
    struct queue *queue;
    unsigned lanes;
    uint8_t stream[STREAM_BYTES];
    uint32_t records_before[STREAM_BYTES + 1];
    size_t read;
    size_t seen[LANES_MAX];
    size_t stop_at; /* stop when so much was read */
    size_t most_per_block;
    bool wrong[LANES_MAX];
};

static void scan(struct queue_block *block)
{
    block->records = 0;
    for (block->to = block->from; block->to < block->bytes && block->records < block->room;)
        if (block->data[block->to++] == '\n')
            block->ends[block->records++] = (uint32_t)(block->to - block->from);
    block->pieces[0] = 0;
}

static void append(struct work *work, const struct queue_block *block, unsigned lane)
{
    size_t bytes = block->to - block->from;
    size_t seen = work->seen[lane];

    if (bytes > STREAM_BYTES - seen || memcmp(block->data + block->from, work->stream + seen, bytes) != 0 ||
        block->first_record != work->records_before[seen] || block->pieces[0] != block->first_record + 1)
        work->wrong[lane] = true;
    work->seen[lane] += bytes;
}

static void *do_tasks(void *context)
{
    struct work *work = context;
    struct queue_task task;

    while ((task = queue_take(work->queue, 0, NULL)).kind != QUEUE_END) {
        struct queue_block *block = task.block;

        switch (task.kind) {
        case QUEUE_READ:
            block->bytes = STREAM_BYTES - work->read;
            if (block->bytes > block->data_bytes)
                block->bytes = block->data_bytes;
            if (block->bytes > work->most_per_block)
                block->bytes = work->most_per_block;
            memcpy(block->buffer, work->stream + work->read, block->bytes);
            work->read += block->bytes;
            if (work->read >= work->stop_at) {
                queue_stop(work->queue);
                return NULL;
            }
            break;
        case QUEUE_SCAN:
            scan(block);
            break;
        case QUEUE_ROUTE:
            block->pieces[0] = block->first_record + 1;
            break;
        case QUEUE_APPEND:
            append(work, block, task.lane);
            break;
        case QUEUE_END:
            break;
        }
        queue_done(work->queue, task);
    }
    return NULL;
}

/* Every `per_record`th byte or so ends a record. */
static struct work *work_make(unsigned per_record)
{
    struct work *work = calloc(1, sizeof *work);
    uint32_t random = 1;

    for (size_t i = 0; i < STREAM_BYTES; i++) {
        random = random * 1664525 + 1013904223;
        work->stream[i] = (random >> 16) % per_record == 0 ? '\n' : (uint8_t)('a' + random % 7);
        work->records_before[i + 1] = work->records_before[i] + (work->stream[i] == '\n');
    }
    work->stop_at = SIZE_MAX;
    work->most_per_block = SIZE_MAX;
    return work;
}

/* The queue is made for `workers`, `threads` of them come. */
static void run(struct work *work, unsigned workers, unsigned threads, unsigned lanes)
{
    size_t bytes = queue_bytes(workers, SMALL);
    uint8_t *buffer = malloc(bytes);
    pthread_t thread[16];

    work->lanes = lanes;
    work->read = 0;
    memset(work->seen, 0, sizeof work->seen);
    work->queue = queue_open(buffer, bytes, workers, lanes, false);
    for (unsigned i = 1; i < threads; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, do_tasks, work), 0);
    do_tasks(work);
    for (unsigned i = 1; i < threads; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (unsigned lane = 0; lane < lanes; lane++)
        assert_false(work->wrong[lane]);
    if (work->stop_at == SIZE_MAX) {
        for (unsigned lane = 0; lane < lanes; lane++)
            assert_int_equal(work->seen[lane], STREAM_BYTES);
        assert_int_equal(queue_records(work->queue), work->records_before[STREAM_BYTES]);
    }
    queue_free(work->queue);
    free(buffer);
}

UNIT_TEST(every_lane_sees_all_blocks_in_order_whatever_the_threads)
{
    struct work *work = work_make(30);

    for (unsigned workers = 1; workers <= 4; workers++)
        for (unsigned lanes = 1; lanes <= LANES_MAX; lanes *= 2)
            run(work, workers, workers, lanes);
    free(work);
}

UNIT_TEST(fewer_or_more_threads_than_planned_do_all_the_work)
{
    struct work *work = work_make(30);

    run(work, 8, 1, 8);
    run(work, 8, 2, 8);
    run(work, 1, 4, 3);
    free(work);
}

UNIT_TEST(very_short_records_and_short_reads_change_nothing)
{
    static const unsigned per_record[] = {1, 2, 5};

    for (unsigned i = 0; i < 3; i++) {
        struct work *work = work_make(per_record[i]);

        run(work, 1, 1, 1);
        run(work, 4, 4, 4);
        work->most_per_block = 777;
        run(work, 3, 3, 5);
        free(work);
    }
}

UNIT_TEST(everybody_ends_when_the_queue_is_stopped)
{
    struct work *work = work_make(30);

    for (work->stop_at = 1; work->stop_at < STREAM_BYTES; work->stop_at += 29989)
        run(work, 4, 4, 4);
    free(work);
}

static void *take_one(void *queue)
{
    return queue_take(queue, 0, NULL).kind == QUEUE_END ? queue : NULL;
}

UNIT_TEST(who_waits_for_a_task_is_woken_by_a_stop)
{
    size_t bytes = queue_bytes(2, SMALL);
    uint8_t *buffer = malloc(bytes);
    struct queue *queue = queue_open(buffer, bytes, 2, 1, false);
    pthread_t thread;
    void *ended = NULL;

    take(queue, QUEUE_READ);
    assert_int_equal(pthread_create(&thread, NULL, take_one, queue), 0);
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    queue_stop(queue);
    assert_int_equal(pthread_join(thread, &ended), 0);
    assert_ptr_equal(ended, queue);
    take(queue, QUEUE_END);
    queue_free(queue);
    free(buffer);
}
