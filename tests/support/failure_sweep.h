#ifndef BIGSHUF_TESTS_SWEEP_H
#define BIGSHUF_TESTS_SWEEP_H

/* For tests of tasks on a run: make each of their operations fail, the first one, a later one, and so on, until none is
 * left. Each run that may fail has a process of its own. There must be one message, the old output as it was, and no
 * file left. */

#include "support/small_run.h"

/* Opens the run (small_open) and writes the file "out". The run is closed for it. */
typedef void sweep_task(void);

static inline void sweep_run(sweep_task *task)
{
    task();
    small_close();
}

/* The statuses of a process that has done the task: nothing went wrong, or what did has not mattered. */
enum { SWEEP_DONE = 90, SWEEP_DONE_NEVERTHELESS };

/* Do the task in a process, in which something may go wrong. Returns its status; scratch.text is what it said. */
static inline int sweep_try(sweep_task *task)
{
    const int files = scratch_put("out", "old", 0600) ? scratch_count(".") : -1;
    int status = -1;

    if (scratch_begin_end()) {
        const bool goes_wrong = disk.fail_write > 0 || disk.fail_allocation > 0 || disk.flip_read > 0;

        sweep_run(task);
        if (!goes_wrong || disk.fail_write > 0 || disk.fail_allocation > 0 || disk.flip_read > 0)
            _exit(SWEEP_DONE);
        _exit(SWEEP_DONE_NEVERTHELESS);
    }
    assert_int_equal(waitpid(scratch.child, &status, 0), scratch.child);
    scratch_heard();
    if (!WIFEXITED(status))
        fail_msg("the process has not ended by itself, status %#x: %s", (unsigned)status, scratch.text);
    assert_int_equal(scratch_count("."), files);
    return WEXITSTATUS(status);
}

/* The run has failed, as sweep_try says, and the message has this in it. */
static inline void sweep_assert_failed(int status, const char *message)
{
    const char *end = strchr(scratch.text, '\n');

    if (status != EXIT_FAILURE || strstr(scratch.text, message) == NULL || end == NULL || end[1] != '\0')
        fail_msg("status %d, message: %s", status, scratch.text);
    assert_true(scratch_holds("out", "old"));
}

static inline void sweep_assert_fails(sweep_task *task, const char *message)
{
    sweep_assert_failed(sweep_try(task), message);
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
    sweep_run(task);
    writes = disk.writes;
    assert_true(writes > 0);
    for (unsigned i = 1; i <= writes; i = sweep_next(i, writes)) {
        disk.fail_write = i;
        sweep_assert_fails(task, "Input/output error");
    }
    disk.fail_write = 0;
}

/* What else may be said of a bit that has turned over: where weights are read once more from what was verified before,
 * a weight may become none before the last byte tells. NULL: nothing. */
static const char *sweep_said_of_bits;

/* A bit that turns over in anything that is read back is found, or does no harm; at least one is found. */
static inline void sweep_reads(sweep_task *task)
{
    unsigned reads, found = 0;

    disk.flip_read = UINT_MAX;
    sweep_run(task);
    reads = UINT_MAX - disk.flip_read;
    assert_true(reads > 0);
    assert_int_equal(rename("out", "right"), 0);
    for (unsigned i = 1; i <= reads; i = sweep_next(i, reads)) {
        int status;

        disk.flip_read = i;
        status = sweep_try(task);
        if (status != EXIT_FAILURE) {
            assert_in_range(status, SWEEP_DONE, SWEEP_DONE_NEVERTHELESS);
            assert_true(sweep_same_files("out", "right"));
            continue;
        }
        if (sweep_said_of_bits != NULL && strstr(scratch.text, sweep_said_of_bits) != NULL)
            sweep_assert_failed(status, sweep_said_of_bits);
        else
            sweep_assert_failed(status, "contents have changed since they were written");
        found++;
    }
    assert_true(found > 0);
    disk.flip_read = 0;
    disk.cut = true;
    sweep_assert_fails(task, "file is shorter than what was written");
    disk.cut = false;
}

/* The first allocations, and some of those after them. Without some, a run can do. */
static inline void sweep_allocations(sweep_task *task)
{
    int status = -1;

    for (unsigned i = 1; status != SWEEP_DONE; i = sweep_next(i, UINT_MAX)) {
        disk.fail_allocation = i;
        status = sweep_try(task);
        if (status != SWEEP_DONE && status != SWEEP_DONE_NEVERTHELESS)
            sweep_assert_failed(status, "emory");
        assert_true(i < 10000);
    }
    disk.fail_allocation = 0;
}

/* An output that is full. The task writes what `sweep_output` names. */
static const char *sweep_output = "out";

static inline void sweep_full_output(sweep_task *task)
{
    if (access("/dev/full", W_OK) != 0)
        skip();
    sweep_output = "/dev/full";
    sweep_assert_fails(task, "bigshuf: /dev/full: No space left on device\n");
    sweep_output = "out";
}

/* ---- What a task is made of ---- */

/* A text that ends with a failure after half of its bytes. */
static inline size_t sweep_read_half(void *context, uint8_t *data, size_t bytes)
{
    struct engine_text *text = context;

    if (text->at > text->bytes / 2)
        fault_say("input failed");
    return engine_text_read(context, data, bytes);
}

static inline struct source *sweep_failing_source(struct engine_text *text)
{
    text->at = 0;
    return source_over(sweep_read_half, text, engine_text_release);
}

/* Write the text by way of `write`, to `sweep_output`. */
static inline void sweep_write(struct source *source, void (*write)(struct source *source, struct output *to))
{
    struct output *to = small_output(sweep_output);

    write(source, to);
    output_commit(to);
    output_free(to);
    source_free(source);
}

#endif
