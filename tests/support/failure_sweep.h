#ifndef BIGSHUF_TESTS_SWEEP_H
#define BIGSHUF_TESTS_SWEEP_H

/* For tests of tasks on a run: whatever they do is made to fail, at first, later, and so on, until it happens no more.
 * Each time there must be one message, an old output as it was, and everything given back. */

#include "support/small_run.h"

/* Opens the run (small_open) and writes the file "out". 0, or -1 after a report. The run is closed for it. */
typedef int sweep_task(void);

static inline int sweep_run(sweep_task *task)
{
    int status;

    
    status = task();
    small_close();
    return status;
}

static inline const char *sweep_fails(sweep_task *task)
{
    const char *heard;

    assert_true(scratch_put("out", "old", 0600));
    scratch_listen();
    assert_int_equal(sweep_run(task), -1);
    heard = scratch_heard();
    assert_ptr_equal(strchr(heard, '\n'), heard + strlen(heard) - 1);
    assert_true(scratch_holds("out", "old"));
    return heard;
}

/* It fails, and the message has this in it. */
static inline void sweep_assert_fails(sweep_task *task, const char *message)
{
    const char *heard = sweep_fails(task);

    if (strstr(heard, message) == NULL)
        fail_msg("the message is: %s", heard);
}

static inline bool sweep_same_files(const char *name, const char *other)
{
    FILE *one = fopen(name, "rb");
    FILE *two = fopen(other, "rb");
    char data[65536], others[65536];
    size_t bytes;
    bool same = true;

    assert_true(one != NULL && two != NULL);
    do {
        bytes = fread(data, 1, sizeof data, one);
        same = fread(others, 1, sizeof others, two) == bytes && memcmp(data, others, bytes) == 0;
    } while (same && bytes > 0);
    fclose(one);
    fclose(two);
    return same;
}

/* The place to fail at after `place` of `places`: the first three, where a task begins, then three times as far each
 * time, or as TEST_SCALE has it, and the last one. */
static inline unsigned sweep_next(unsigned place, unsigned places)
{
    unsigned next = place + 1 + (place < 3 ? 0 : scratch_scale(4 * place, 2 * place, place / 4));

    return next > places && place < places ? places : next;
}

/* Every write to a temporary file; there must be some. */
static inline void sweep_writes(sweep_task *task)
{
    unsigned writes;

    disk.writes = 0;
    assert_int_equal(sweep_run(task), 0);
    writes = disk.writes;
    assert_true(writes > 0);
    for (unsigned i = 1; i <= writes; i = sweep_next(i, writes)) {
        disk.fail_write = i;
        sweep_assert_fails(task, "Input/output error");
    }
}

/* What else may be said of a bit that has turned over: where weights are read once more from what was verified before,
 * a weight may become none before the last byte tells. NULL: nothing. */
static const char *sweep_said_of_bits;

/* A bit that turns over in anything that is read back is found, or does no harm; at least one is found. */
static inline void sweep_reads(sweep_task *task)
{
    unsigned reads, found = 0;

    disk.flip_read = UINT_MAX;
    assert_int_equal(sweep_run(task), 0);
    reads = UINT_MAX - disk.flip_read;
    assert_true(reads > 0);
    assert_int_equal(rename("out", "right"), 0);
    for (unsigned i = 1; i <= reads; i = sweep_next(i, reads)) {
        int status;
        const char *heard;

        assert_true(scratch_put("out", "old", 0600));
        disk.flip_read = i;
        scratch_listen();
        status = sweep_run(task);
        heard = scratch_heard();
        if (status == 0) {
            assert_true(sweep_same_files("out", "right"));
            continue;
        }
        if (strstr(heard, "contents have changed since they were written") == NULL &&
            (sweep_said_of_bits == NULL || strstr(heard, sweep_said_of_bits) == NULL))
            fail_msg("the message is: %s", heard);
        assert_true(scratch_holds("out", "old"));
        found++;
    }
    assert_true(found > 0);
    disk.flip_read = 0;
    disk.cut = true;
    sweep_assert_fails(task, "file is shorter than what was written");
    disk.cut = false;
}

/* The first allocations, and some of those after them. */
static inline void sweep_allocations(sweep_task *task)
{
    int status = -1;

    for (unsigned i = 1; status != 0; i = sweep_next(i, UINT_MAX)) {
        
        disk.fail_allocation = i;
        scratch_listen();
        status = task();
        assert_int_equal(scratch_heard()[0] == '\0', status == 0);
        disk.fail_allocation = 0;
        small_close();
        assert_true(i < 10000);
    }
}

/* An output that is full. The task writes what `sweep_output` names. */
static const char *sweep_output = "out";

static inline void sweep_full_output(sweep_task *task)
{
    if (access("/dev/full", W_OK) != 0)
        skip();
    sweep_output = "/dev/full";
    scratch_listen();
    assert_int_equal(sweep_run(task), -1);
    sweep_output = "out";
    assert_string_equal(scratch_heard(), "bigshuf: /dev/full: No space left on device\n");
}

/* ---- What a task is made of ---- */

/* A text that ends with a failure after half of its bytes. */
static inline ssize_t sweep_read_half(void *context, uint8_t *data, size_t bytes)
{
    struct engine_text *text = context;

    if (text->at > text->bytes / 2)
        return fault_say("input failed");
    return engine_text_read(context, data, bytes);
}

static inline struct source *sweep_failing_source(struct engine_text *text)
{
    text->at = 0;
    return source_over(sweep_read_half, text, engine_text_release);
}

/* Write the text by way of `write`, to `sweep_output`. */
static inline int sweep_write(struct source *source, int (*write)(struct source *source, struct output *to))
{
    struct output *to = source == NULL ? NULL : small_output(sweep_output);
    int status = -1;

    if (source == NULL)
        fault_say("no source");
    else if (to != NULL && write(source, to) == 0)
        status = output_commit(to);
    output_free(to);
    source_free(source);
    return status;
}

#endif
