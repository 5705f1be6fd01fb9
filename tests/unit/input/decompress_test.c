/* Files that gzip has compressed, and one that it has not, read in turn while programs run ahead, in little memory. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>

#include "base/least.h"
#include "input/contents.h"

enum { FILES = 7, FILE_BYTES = 1 << 21, PLAIN = 3, EMPTY = 5 };

static const char *const names[FILES] = {"0", "1", "2", "3", "4", "5", "6"};
static struct file_mark marks[FILES];
static struct contents contents;
static uint8_t seen[FILE_BYTES + 1];

/* The bytes of file `i`. */
static uint8_t byte_of(size_t i, size_t at)
{
    return (uint8_t)(at >> 3 ^ at >> 11 ^ i * 37);
}

static size_t size_of(size_t i)
{
    return i == EMPTY ? 0 : FILE_BYTES - 1000 * i;
}

static int setup(void **state)
{
    if (reports_setup(state) != 0)
        return -1;
    memset(marks, 0, sizeof marks);
    for (size_t i = 0; i < FILES; i++) {
        FILE *file = i == PLAIN ? fopen(names[i], "w") : NULL;
        char command[32];

        snprintf(command, sizeof command, "gzip -1 >%zu", i);
        if (file == NULL)
            file = popen(command, "w"); /* NOLINT(cert-env33-c) */
        for (size_t at = 0; at < size_of(i); at++)
            fputc(byte_of(i, at), file);
        if (i == PLAIN ? fclose(file) != 0 : pclose(file) != 0)
            return -1;
    }
    return 0;
}

static int teardown(void **state)
{
    bool clean;

    contents_close(&contents);
    decompress_free(contents.decompress);
    clean = waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
    return reports_teardown(state) == 0 && clean ? 0 : -1;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

static void begin(unsigned programs, uint64_t bytes)
{
    contents = (struct contents){.names = names, .marks = marks, .fd = -1};
    contents.decompress =
        decompress_new(names, marks, FILES, (struct decompress_limits){.programs = programs, .bytes = bytes});
    assert_non_null(contents.decompress);
}

/* Read file i to its end, up to `bytes` at a time. */
static void read_file(size_t i, size_t bytes)
{
    size_t done = 0;
    ssize_t got;

    assert_int_equal(contents_begin(&contents, i), 0);
    while ((got = contents_read(&contents, seen + done, least_size(bytes, sizeof seen - done))) > 0)
        done += (size_t)got;
    assert_int_equal(got, 0);
    assert_int_equal(contents_read(&contents, seen, 1), 0);
    assert_int_equal(contents_end(&contents), 0);
    assert_int_equal(done, size_of(i));
    for (size_t at = 0; at < done; at++)
        if (seen[at] != byte_of(i, at))
            fail_msg("file %zu differs at %zu", i, at);
}

static void read_all(unsigned programs, uint64_t bytes, size_t at_a_time)
{
    begin(programs, bytes);
    for (size_t i = 0; i < FILES; i++)
        read_file(i, at_a_time);
    decompress_free(contents.decompress);
}

/* In a few blocks of memory, for which the files contend, and in memory for all of them. */
TEST(what_is_read_ahead_comes_in_its_turn)
{
    for (unsigned programs = 1; programs <= 4; programs++) {
        read_all(programs, 1 << 20, 70001);
        read_all(programs, 2000007, 1 << 20);
        read_all(programs, 1 << 26, 1 << 18);
        read_all(programs, 0, 1 << 16);
    }
    read_all(100, (uint64_t)1 << 30, 1 << 20);
    contents.decompress = NULL;
}

TEST(only_what_can_be_used_is_set_aside)
{
    begin(4, 1 << 20);
    assert_int_equal(decompress_memory(contents.decompress), 1 << 20);
    decompress_free(contents.decompress);
    begin(1, 1 << 20);
    assert_int_equal(decompress_memory(contents.decompress), 0);
    decompress_free(contents.decompress);
    begin(4, 1 << 19);
    assert_int_equal(decompress_memory(contents.decompress), 0);
}

TEST(programs_that_are_not_waited_for_are_ended)
{
    begin(4, 1 << 20);
    assert_int_equal(contents_begin(&contents, 0), 0);
    assert_true(contents_read(&contents, seen, 10) > 0);
}

/* Whatever fails, what is read is right, or there is one message. */
TEST(any_call_may_fail)
{
    for (unsigned turn = 1; turn < 400; turn = turn < 40 ? turn + 1 : turn * 3 / 2) {
        size_t i = 0, done = 0;
        ssize_t got = 0;

        contents = (struct contents){.names = names, .marks = marks, .fd = -1};
        memset(marks, 0, sizeof marks);
        scratch_listen();
        faulty_fail(NULL, turn, EIO);
        contents.decompress =
            decompress_new(names, marks, FILES, (struct decompress_limits){.programs = 3, .bytes = 1 << 20});
        for (; contents.decompress != NULL && i < FILES; i++) {
            if (contents_begin(&contents, i) != 0)
                break;
            for (done = 0; (got = contents_read(&contents, seen + done, sizeof seen - done)) > 0;)
                done += (size_t)got;
            if (got < 0 || contents_end(&contents) != 0)
                break;
            assert_int_equal(done, size_of(i));
            assert_true(done == 0 || seen[done - 1] == byte_of(i, done - 1));
        }
        faulty_stop();
        assert_true((i == FILES) != fault_any());
        contents_close(&contents);
        decompress_free(contents.decompress);
        (void)scratch_heard();
    }
    contents.decompress = NULL;
}
