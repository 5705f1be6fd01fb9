#include "support/unit.h"

#include "shuffle/engine.h"

#include "shuffle/queue.h"

static const uint64_t sizes[] = {ENGINE_MEMORY_MIN,  ENGINE_MEMORY_MIN + 1, 10000000,
                                 (uint64_t)64 << 20, (uint64_t)100 << 20,   ((uint64_t)1 << 30) - 1,
                                 (uint64_t)1 << 30,  (uint64_t)16 << 30,    (uint64_t)1 << 40};

enum { SIZES = sizeof sizes / sizeof *sizes };

UNIT_TEST(a_limit_is_divided_into_a_buffer_and_blocks)
{
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

UNIT_TEST(a_limit_that_is_small_or_beyond_all_addresses_is_minded)
{
    assert_true(engine_memory(ENGINE_MEMORY_MIN, 64).workers < 4);
    assert_int_equal(engine_memory((uint64_t)1 << 30, 64).workers, 64);
    assert_true(engine_memory(UINT64_MAX, 4).bytes <= SIZE_MAX / 2 + 1);
    assert_true(engine_memory(UINT64_MAX, 4).bytes <= ENGINE_MEMORY_MAX);
}

UNIT_TEST(the_parts_of_the_buffer_stand_beside_each_other)
{
    static const uint64_t mebibytes[] = {8, 64, 1024};

    for (int i = 0; i < 3; i++) {
        uint8_t first;
        const struct engine engine = {.memory = engine_memory(mebibytes[i] << 20, 4), .buffer = &first};
        const struct engine_space whole = engine_buffer(&engine, ENGINE_WHOLE);
        const struct engine_space reading = engine_buffer(&engine, ENGINE_READING);
        const struct engine_space writing = engine_buffer(&engine, ENGINE_WRITING);
        const struct engine_space weights = engine_buffer(&engine, ENGINE_WEIGHTS);
        const struct engine_space latter = engine_buffer(&engine, ENGINE_LATTER);

        assert_ptr_equal(whole.data, engine.buffer);
        assert_int_equal(whole.bytes, engine.memory.buffer_bytes);
        assert_ptr_equal(reading.data, whole.data);
        assert_true(reading.data + reading.bytes + POOL_SLACK_BYTES <= weights.data);
        assert_true(weights.data + weights.bytes + POOL_SLACK_BYTES <= writing.data);
        assert_ptr_equal(latter.data, writing.data);
        assert_true(writing.bytes <= latter.bytes && latter.data + latter.bytes <= whole.data + whole.bytes);
        assert_true(reading.bytes > 4096 && writing.bytes > 4096 && weights.bytes > 4096);
    }
}
