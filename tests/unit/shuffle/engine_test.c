#include "shuffle/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shuffle/queue.h"

static const uint64_t sizes[] = {ENGINE_MEMORY_MIN,  ENGINE_MEMORY_MIN + 1, 10000000,
                                 (uint64_t)64 << 20, (uint64_t)100 << 20,   ((uint64_t)1 << 30) - 1,
                                 (uint64_t)1 << 30,  (uint64_t)16 << 30,    (uint64_t)1 << 40};

enum { SIZES = sizeof sizes / sizeof *sizes };

static void a_limit_is_divided_into_a_buffer_and_blocks(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++)
        for (unsigned workers = 1; workers <= 256; workers *= 2) {
            struct engine_memory memory = engine_memory(sizes[i], workers);

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
    assert_true(engine_memory(ENGINE_MEMORY_MIN, 64).workers < 4);
    assert_int_equal(engine_memory((uint64_t)1 << 30, 64).workers, 64);
    assert_int_equal(engine_memory((uint64_t)1 << 30, 3).workers, 3);
    assert_int_equal(engine_memory(ENGINE_MEMORY_MIN, 1).workers, 1);
}

static void blocks_grow_with_the_limit_up_to_64_kib(void **state)
{
    (void)state;
    assert_int_equal(engine_memory(ENGINE_MEMORY_MIN, 1).block_bytes, 4096);
    assert_int_equal(engine_memory((uint64_t)256 << 20, 1).block_bytes, 16384);
    assert_int_equal(engine_memory((uint64_t)1 << 36, 1).block_bytes, 65536);
}

static void a_limit_beyond_all_addresses_is_cut(void **state)
{
    (void)state;
    assert_true(engine_memory(UINT64_MAX, 4).bytes <= SIZE_MAX / 2 + 1);
    assert_true(engine_memory(UINT64_MAX, 4).bytes <= ENGINE_MEMORY_MAX);
}

static void an_engine_has_its_buffer_and_its_blocks_within_the_limit(void **state)
{
    struct engine engine = {.waiting = 3};
    struct engine_memory memory = engine_memory(ENGINE_MEMORY_MIN, 2);
    struct fault fault;

    (void)state;
    fault_init(&fault);
    assert_int_equal(engine_open(&engine, memory, NULL, &fault), 0);
    assert_ptr_equal(engine.fault, &fault);
    memset(engine.buffer, 1, memory.buffer_bytes + POOL_SLACK_BYTES);
    assert_true(engine.pool.mapping_bytes + memory.buffer_bytes <= ENGINE_MEMORY_MIN);
    assert_true((uint64_t)engine.pool.blocks * engine.pool.block_bytes > ENGINE_MEMORY_MIN / 10 * 9);
    assert_int_equal(engine.pool.block_bytes, memory.block_bytes);
    engine_close(&engine);
    engine_close(&engine);
    fault_release(&fault);
}

static void a_zeroed_engine_can_be_closed(void **state)
{
    struct engine engine = {0};

    (void)state;
    engine_close(&engine);
}

static void the_parts_of_the_buffer_stand_beside_each_other(void **state)
{
    static const uint64_t mebibytes[] = {8, 64, 1024};

    (void)state;
    for (int i = 0; i < 3; i++) {
        uint8_t first;
        const struct engine engine = {.memory = engine_memory(mebibytes[i] << 20, 4), .buffer = &first};
        const struct engine_space whole = engine_buffer(&engine, ENGINE_WHOLE);
        const struct engine_space reading = engine_buffer(&engine, ENGINE_READING);
        const struct engine_space writing = engine_buffer(&engine, ENGINE_WRITING);
        const struct engine_space weights = engine_buffer(&engine, ENGINE_WEIGHTS);
        const struct engine_space keys = engine_buffer(&engine, ENGINE_KEYS);

        assert_ptr_equal(whole.data, engine.buffer);
        assert_int_equal(whole.bytes, engine.memory.buffer_bytes);
        assert_ptr_equal(reading.data, whole.data);
        assert_true(reading.data + reading.bytes + POOL_SLACK_BYTES <= writing.data);
        assert_true(writing.data + writing.bytes <= whole.data + whole.bytes);
        assert_ptr_equal(weights.data, writing.data);
        assert_true(weights.data + weights.bytes + POOL_SLACK_BYTES <= keys.data);
        assert_true(keys.data + keys.bytes <= whole.data + whole.bytes);
        assert_true(reading.bytes > 4096 && writing.bytes > 4096 && weights.bytes > 4096 && keys.bytes > 4096);
    }
}

static void threads_are_limited_those_that_wait_first(void **state)
{
    struct engine engine = {.memory = {.workers = 4}, .waiting = 3};

    (void)state;
    engine_limit_threads(&engine, 9);
    assert_int_equal(engine_threads(&engine), 7);
    engine_limit_threads(&engine, 5);
    assert_int_equal(engine.memory.workers, 4);
    assert_int_equal(engine.waiting, 1);
    engine_limit_threads(&engine, 1);
    assert_int_equal(engine.memory.workers, 1);
    assert_int_equal(engine.waiting, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_is_divided_into_a_buffer_and_blocks),
        cmocka_unit_test(a_small_limit_lowers_the_number_of_workers),
        cmocka_unit_test(blocks_grow_with_the_limit_up_to_64_kib),
        cmocka_unit_test(a_limit_beyond_all_addresses_is_cut),
        cmocka_unit_test(an_engine_has_its_buffer_and_its_blocks_within_the_limit),
        cmocka_unit_test(a_zeroed_engine_can_be_closed),
        cmocka_unit_test(the_parts_of_the_buffer_stand_beside_each_other),
        cmocka_unit_test(threads_are_limited_those_that_wait_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
