/* Files that gzip has compressed, and one that it has not, read in turn while programs run ahead, in little memory. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>

#include "base/arithmetic.h"
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
    contents.decompress = NULL;
    clean = waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
    return reports_teardown(state) == 0 && clean ? 0 : -1;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

static void begin(unsigned programs, uint64_t bytes)
{
    contents = (struct contents){.names = names, .marks = marks, .fd = -1};
    contents.decompress =
        decompress_new(names, marks, FILES, (struct decompress_limits){.programs = programs, .bytes = bytes});
}

/* Read file i to its end, up to `bytes` at a time. */
static void read_file(size_t i, size_t bytes)
{
    size_t done = 0, got;

    contents_begin(&contents, i);
    while ((got = contents_read(&contents, seen + done, least_size(bytes, sizeof seen - done))) > 0)
        done += got;
    assert_int_equal(contents_read(&contents, seen, 1), 0);
    contents_end(&contents);
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
    contents_begin(&contents, 0);
    assert_true(contents_read(&contents, seen, 10) > 0);
}

static unsigned failing; /* the call that fails */

static void read_all_or_end(void)
{
    faulty_fail(NULL, failing, EIO);
    begin(3, 1 << 20);
    for (size_t i = 0; i < FILES; i++) {
        size_t done = 0, got;

        contents_begin(&contents, i);
        while ((got = contents_read(&contents, seen + done, sizeof seen - done)) > 0)
            done += got;
        contents_end(&contents);
        CHECK(done == size_of(i));
        CHECK(done == 0 || seen[done - 1] == byte_of(i, done - 1));
    }
}

/* Whatever fails, what is read is right, or there is one message. */
TEST(any_call_may_fail)
{
    for (failing = 1; failing < 400; failing = failing < 20 ? failing + 1 : failing * 3 / 2) {
        const char *said;
        int status;

        scratch_listen();
        status = scratch_child(read_all_or_end);
        said = scratch_heard();
        if (status == 0) {
            assert_string_equal(said, "");
            continue;
        }
        assert_int_equal(WEXITSTATUS(status), EXIT_FAILURE);
        assert_memory_equal(said, "bigshuf: ", 9);
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    }
}
