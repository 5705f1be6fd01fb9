#ifndef BIGSHUF_TESTS_SMALL_RUN_H
#define BIGSHUF_TESTS_SMALL_RUN_H

/* For tests of what works on a run: one in the least memory there can be, with disks that fail on demand (disk.h), a
 * sink, and proof at the end that all blocks and files were given back. To be included before all else. */

#include "support/disk.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "output/output.h"
#include "shuffle/run.h"
#include "support/engine.h"
#include "support/scratch.h"

static const char *const small_directories[] = {"disk0", "disk1", "disk2"};

static struct {
    struct spill_place place;
    struct run run;
    struct run_progress progress; /* of the run */
    unsigned divisor;             /* of memory, and of the lengths of large records */
} small;

static inline int small_setup(void **state)
{
    if (scratch_setup_in_memory(state) != 0)
        return -1;
    for (int i = 0; i < 3; i++)
        if (mkdir(small_directories[i], 0700) != 0)
            return -1;
    memset(&small, 0, sizeof small);
    small.divisor = 1;
    return disk_reset();
}

/* For tests that fill the memory again and again: a quarter of it, in as many blocks, which a quarter of the records
 * fills. */
static inline int small_quarter_setup(void **state)
{
    int status = small_setup(state);

    small.divisor = 4;
    return status;
}

static inline int small_teardown(void **state)
{
    engine_close(&small.run.engine);
    return scratch_teardown(state) == 0 && disk.files == 0 ? 0 : -1;
}

/* With as many workers as told, though engine_memory would not allow so many. */
static inline void small_open(unsigned workers, uint64_t leaf_records)
{
    struct engine_memory memory = engine_memory(ENGINE_MEMORY_MIN, workers);

    memory.workers = workers;
    memory.bytes /= small.divisor;
    memory.block_bytes /= small.divisor;
    memory.buffer_bytes /= small.divisor;
    memset(&small.run, 0, sizeof small.run);
    memset(&small.place, 0, sizeof small.place);
    small.place.directory = small_directories;
    small.place.directories = 1;
    small.place.packing = SPILL_NEVER;
    memset(&small.progress, 0, sizeof small.progress);
    small.run.limit = UINT64_MAX;
    small.run.expected = UINT64_MAX;
    small.run.progress = &small.progress;
    small.run.format.delimiter = '\n';
    small.run.order.leaf_records = leaf_records;
    random_key_init(&small.run.order.key, "42", 2);
    engine_open(&small.run.engine, memory, &small.place);
}

/* Write at most so many records from now on. */
static inline void small_limit(uint64_t records)
{
    small.run.limit = records;
    memset(&small.progress, 0, sizeof small.progress);
}

/* An output to one file. */
static inline struct output *small_output(const char *path)
{
    const struct output_plan plan = {.path = path, .filters = 1, .format = small.run.format, .place = &small.place};

    return output_open(&plan);
}

/* Before the run is closed: it has everything back. */
static inline void small_close(void)
{
    assert_int_equal(small.run.engine.pool.free, small.run.engine.pool.blocks);
    assert_int_equal(small.run.engine.pool.promised, 0);
    assert_int_equal(small.run.engine.pool.pinned, 0);
    assert_int_equal(disk.files, 0);
    engine_close(&small.run.engine);
}

/* Does the file hold the text's records in this order? */
static inline void small_assert_file(const char *name, const struct engine_text *text, const uint32_t *number,
                                     size_t records)
{
    FILE *file = fopen(name, "rb");
    size_t most = 0;
    uint8_t *data;

    assert_non_null(file);
    for (size_t i = 0; i < records; i++) {
        size_t bytes = text->start[number[i] + 1] - text->start[number[i]];

        most = bytes > most ? bytes : most;
    }
    data = malloc(most + 1);
    for (size_t i = 0; i < records; i++) {
        size_t bytes = text->start[number[i] + 1] - text->start[number[i]];

        if (fread(data, 1, bytes, file) != bytes || memcmp(data, text->data + text->start[number[i]], bytes) != 0)
            fail_msg("record %lu of the output is not record %lu", (unsigned long)i, (unsigned long)number[i]);
    }
    assert_int_equal(getc(file), EOF);
    fclose(file);
    free(data);
}

/* ---- Lengths of records ---- */

static inline size_t small_length_0(size_t i, uint64_t random)
{
    (void)i;
    (void)random;
    return 0;
}

static inline size_t small_length_to_20(size_t i, uint64_t random)
{
    (void)i;
    return (size_t)(random % 21);
}

static inline size_t small_length_to_300(size_t i, uint64_t random)
{
    (void)i;
    return (size_t)(random % 301);
}

/* Mostly short, some over several blocks. */
static inline size_t small_length_uneven(size_t i, uint64_t random)
{
    (void)i;
    return (size_t)(random / 64 % (random % 50 == 0 ? 30000 : 100));
}

/* For records that do not fit into memory, or only a few of them. */
static inline size_t small_mebibytes(size_t mebibytes)
{
    return (mebibytes << 20) / small.divisor;
}

#endif
