#include "shuffle/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shuffle/queue.h"

static const uint64_t sizes[] = {RUN_MEMORY_MIN,     RUN_MEMORY_MIN + 1,  10000000,
                                 (uint64_t)64 << 20, (uint64_t)100 << 20, ((uint64_t)1 << 30) - 1,
                                 (uint64_t)1 << 30,  (uint64_t)16 << 30,  (uint64_t)1 << 40};

enum { SIZES = sizeof sizes / sizeof *sizes };

static void a_limit_is_divided_into_a_buffer_and_blocks(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++)
        for (unsigned workers = 1; workers <= 256; workers *= 2) {
            struct run_memory memory = run_memory(sizes[i], workers);

            if (sizes[i] > SIZE_MAX / 2)
                continue;
            assert_true(memory.bytes == sizes[i]);
            assert_true(memory.workers >= 1 && memory.workers <= workers);
            assert_true(memory.block_bytes >= 4096 && (memory.block_bytes & (memory.block_bytes - 1)) == 0);
            assert_true(memory.buffer_bytes > 0 && memory.buffer_bytes <= sizes[i] / 16);
            assert_int_equal(memory.buffer_bytes % memory.block_bytes, 0);
            /* Input blocks of 8 KiB at least, and two scatters of 512 piles, one within the other. */
            assert_true(queue_bytes(memory.workers, 8192) <= memory.buffer_bytes);
            assert_true((sizes[i] - memory.buffer_bytes) / memory.block_bytes >= 1024);
        }
}

static void a_small_limit_lowers_the_number_of_workers(void **state)
{
    (void)state;
    assert_true(run_memory(RUN_MEMORY_MIN, 64).workers < 4);
    assert_int_equal(run_memory((uint64_t)1 << 30, 64).workers, 64);
    assert_int_equal(run_memory((uint64_t)1 << 30, 3).workers, 3);
    assert_int_equal(run_memory(RUN_MEMORY_MIN, 1).workers, 1);
}

static void blocks_grow_with_the_limit_up_to_64_kib(void **state)
{
    (void)state;
    assert_int_equal(run_memory(RUN_MEMORY_MIN, 1).block_bytes, 4096);
    assert_int_equal(run_memory((uint64_t)256 << 20, 1).block_bytes, 16384);
    assert_int_equal(run_memory((uint64_t)1 << 36, 1).block_bytes, 65536);
}

static void a_limit_beyond_all_addresses_is_cut(void **state)
{
    (void)state;
    assert_true(run_memory(UINT64_MAX, 4).bytes <= SIZE_MAX / 2 + 1);
    assert_true(run_memory(UINT64_MAX, 4).bytes <= RUN_MEMORY_MAX);
}

static void a_run_has_its_buffer_and_its_blocks_within_the_limit(void **state)
{
    struct run run = {0};
    struct run_memory memory = run_memory(RUN_MEMORY_MIN, 2);
    struct fault fault;

    (void)state;
    fault_init(&fault);
    assert_int_equal(run_open(&run, memory, &fault), 0);
    assert_ptr_equal(run.fault, &fault);
    memset(run.buffer, 1, memory.buffer_bytes + POOL_SLACK_BYTES);
    assert_true(run.pool.mapping_bytes + memory.buffer_bytes <= RUN_MEMORY_MIN);
    assert_true((uint64_t)run.pool.blocks * run.pool.block_bytes > RUN_MEMORY_MIN / 10 * 9);
    assert_int_equal(run.pool.block_bytes, memory.block_bytes);
    run_close(&run);
    run_close(&run);
    fault_release(&fault);
}

static void a_zeroed_run_can_be_closed(void **state)
{
    struct run run = {0};

    (void)state;
    run_close(&run);
}

static void records_are_taken_out_of_what_is_left(void **state)
{
    struct run run = {.left = 10};

    (void)state;
    assert_int_equal(run_take(&run, 3), 3);
    assert_int_equal(run.left, 7);
    assert_int_equal(run_take(&run, 0), 0);
    assert_int_equal(run_take(&run, 8), 7);
    assert_int_equal(run.left, 0);
    assert_int_equal(run_take(&run, 1), 0);
    run.left = UINT64_MAX - 1;
    assert_true(run_take(&run, UINT64_MAX) == UINT64_MAX - 1);
    assert_int_equal(run.left, 0);
}

static void a_run_begins_without_a_limit_and_then_nothing_is_taken_off(void **state)
{
    struct run run = {0};
    struct fault fault;

    (void)state;
    fault_init(&fault);
    assert_int_equal(run_open(&run, run_memory(RUN_MEMORY_MIN, 1), &fault), 0);
    assert_true(run.left == UINT64_MAX);
    assert_int_equal(run_take(&run, 5), 5);
    assert_true(run_take(&run, UINT64_MAX) == UINT64_MAX);
    assert_true(run.left == UINT64_MAX);
    run_close(&run);
    fault_release(&fault);
}

static void the_clock_only_goes_forward(void **state)
{
    double before = run_seconds();

    (void)state;
    for (int i = 0; i < 1000; i++) {
        double now = run_seconds();

        assert_true(now >= before && now < before + 60);
        before = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_is_divided_into_a_buffer_and_blocks),
        cmocka_unit_test(a_small_limit_lowers_the_number_of_workers),
        cmocka_unit_test(blocks_grow_with_the_limit_up_to_64_kib),
        cmocka_unit_test(a_limit_beyond_all_addresses_is_cut),
        cmocka_unit_test(a_run_has_its_buffer_and_its_blocks_within_the_limit),
        cmocka_unit_test(a_zeroed_run_can_be_closed),
        cmocka_unit_test(the_clock_only_goes_forward),
        cmocka_unit_test(records_are_taken_out_of_what_is_left),
        cmocka_unit_test(a_run_begins_without_a_limit_and_then_nothing_is_taken_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
