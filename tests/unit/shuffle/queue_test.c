#include "support/unit.h"

#include "shuffle/queue.h"

#include <string.h>

#include "system/pool.h"

enum { SMALL = 4096 };

static uint8_t *buffer;
static struct queue *queue;

static void open_queue(unsigned workers, unsigned lanes, bool in_order)
{
    const size_t bytes = queue_bytes(workers, SMALL);

    buffer = malloc(bytes);
    queue = queue_open(buffer, bytes, workers, lanes, in_order, false);
}

static uint64_t close_queue(void)
{
    free(buffer);
    return queue_close(queue);
}

/* The task is done; the next one is of this kind. */
static void next(struct queue_task *task, enum queue_kind kind)
{
    queue_next(queue, 0, task);
    assert_int_equal(task->kind, kind);
}

static void read_done(struct queue_task *task, size_t bytes, enum queue_kind kind)
{
    task->block->bytes = bytes;
    next(task, kind);
}

static void scan_done(struct queue_task *task, size_t to, size_t records, enum queue_kind kind)
{
    task->block->to = to;
    task->block->records = records;
    task->block->open = false;
    next(task, kind);
}

static void assert_appends(const struct queue_task *task, unsigned lane, uint64_t first, uint64_t last)
{
    assert_int_equal(task->lane, lane);
    assert_int_equal(task->first, first);
    assert_int_equal(task->last, last);
}

/* By three threads. Two slices of six are worth a task. */
UNIT_TEST(blocks_are_read_one_at_a_time_numbered_and_appended_in_order)
{
    struct queue_task a = {.kind = QUEUE_END}, b = a, c = a;
    const struct queue_block *first, *second;

    open_queue(2, 2, false);
    next(&a, QUEUE_READ);
    read_done(&a, 100, QUEUE_SCAN);
    first = a.block;
    assert_int_equal(first->from, 0);
    next(&b, QUEUE_READ);
    read_done(&b, 200, QUEUE_SCAN);
    second = b.block;
    scan_done(&b, 200, 20, QUEUE_READ); /* the second cannot be routed before the first has been scanned */
    scan_done(&a, 100, 10, QUEUE_ROUTE);
    assert_ptr_equal(a.block, first);
    assert_int_equal(first->first_record, 0);
    next(&c, QUEUE_ROUTE);
    assert_ptr_equal(c.block, second);
    assert_int_equal(second->first_record, 10);
    read_done(&b, 300, QUEUE_SCAN);
    scan_done(&b, 300, 0, QUEUE_ROUTE);
    next(&c, QUEUE_READ); /* not an append: the first block is not routed yet */
    next(&a, QUEUE_APPEND);
    assert_appends(&a, 0, 0, 2);
    assert_ptr_equal(queue_slice(queue, 0), first);
    assert_ptr_equal(queue_slice(queue, 1), second);
    next(&b, QUEUE_APPEND); /* a lane does not wait for the others */
    assert_appends(&b, 1, 0, 3);
    read_done(&c, 10, QUEUE_SCAN);
    next(&a, QUEUE_READ); /* one slice is not worth a task */
    scan_done(&c, 10, 5, QUEUE_ROUTE);
    assert_int_equal(c.block->first_record, 30);
    next(&c, QUEUE_APPEND);
    assert_appends(&c, 0, 2, 4);
    queue_stop(queue);
    close_queue();
}

/* A block with too many records is worked off in parts: the numbers of the next one come after those of all of them. In
 * order, it is not scanned before. */
UNIT_TEST(blocks_after_one_that_is_worked_off_in_parts_wait)
{
    for (int in_order = 0; in_order < 2; in_order++) {
        struct queue_task a = {.kind = QUEUE_END}, b = a;
        const struct queue_block *first;

        open_queue(2, 1, in_order);
        next(&a, QUEUE_READ);
        read_done(&a, 100, QUEUE_SCAN);
        first = a.block;
        next(&b, QUEUE_READ);
        read_done(&b, 10, in_order ? QUEUE_READ : QUEUE_SCAN);
        if (!in_order)
            scan_done(&b, 10, 3, QUEUE_READ);
        for (size_t slice = 0; slice < 5; slice++) {
            assert_ptr_equal(a.block, first);
            assert_int_equal(first->from, slice * 20);
            scan_done(&a, slice * 20 + 20, 7, QUEUE_ROUTE);
            assert_int_equal(first->first_record, 7 * slice);
            if (slice == 4)
                break;
            next(&a, QUEUE_APPEND);
            assert_appends(&a, 0, slice, slice + 1);
            next(&a, QUEUE_SCAN);
        }
        next(&a, in_order ? QUEUE_SCAN : QUEUE_ROUTE);
        if (in_order)
            scan_done(&a, 10, 3, QUEUE_ROUTE);
        assert_int_equal(a.block->first_record, 35);
        queue_stop(queue);
        close_queue();
    }
}

/* The buffer is malloc'd, so that a sanitizer sees what lies outside; patterns show what overlaps. */
UNIT_TEST(blocks_and_their_lists_have_the_room_they_claim)
{
    for (unsigned workers = 1; workers <= 4; workers++) {
        const unsigned count = workers == 1 ? 1 : workers + workers / 4 + 4;
        struct queue_block *block[9];

        open_queue(workers, 3, false);
        for (unsigned i = 0; i < count; i++) {
            struct queue_task task = {.kind = QUEUE_END};

            next(&task, QUEUE_READ);
            block[i] = task.block;
            assert_true(block[i]->data_bytes >= SMALL && block[i]->data_bytes <= QUEUE_BLOCK_BYTES);
            assert_true(block[i]->room > 0);
            memset(block[i]->buffer, (int)i, block[i]->data_bytes + POOL_SLACK_BYTES);
            for (size_t k = 0; k <= block[i]->room; k++) {
                block[i]->ends[k] = i;
                block[i]->pile[k] = (uint16_t)i;
                block[i]->pieces[k].start = i;
            }
            for (size_t lane = 0; lane <= 3; lane++)
                block[i]->lane_start[lane] = i;
            read_done(&task, SMALL, QUEUE_SCAN);
        }
        for (unsigned i = 0; i < count; i++) {
            for (size_t k = 0; k < block[i]->data_bytes + POOL_SLACK_BYTES; k++)
                assert_true(block[i]->data[k] == i);
            for (size_t k = 0; k <= block[i]->room; k++)
                assert_true(block[i]->ends[k] == i && block[i]->pile[k] == i && block[i]->pieces[k].start == i);
            for (size_t lane = 0; lane <= 3; lane++)
                assert_true(block[i]->lane_start[lane] == i);
        }
        close_queue();
    }
}
