/* When a file is said to have changed, and when not. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>
#include <fcntl.h>

#include "system/file_mark.h"

static struct file_mark mark;
static int fd;

static const size_t sizes[] = {1, 100, 8192, 8193, 150000, 10000000};

static int setup(void **state)
{
    fd = -1;
    return reports_setup(state);
}

static int teardown(void **state)
{
    if (fd >= 0)
        close(fd);
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

static void put_byte(off_t at, char byte)
{
    int file = open("file", O_WRONLY);

    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    close(file);
}

static void set_time(time_t seconds)
{
    const struct timespec times[] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

    assert_int_equal(utimensat(AT_FDCWD, "file", times, 0), 0);
}

/* The file `file`, of so many zeros, is open and marked. */
static void mark_file(size_t bytes)
{
    if (fd >= 0)
        close(fd);
    assert_true(scratch_put("file", "", 0644));
    assert_int_equal(truncate("file", (off_t)bytes), 0);
    fd = open("file", O_RDONLY);
    mark = (struct file_mark){.file = 0};
    assert_int_equal(file_mark_open(&mark, fd), 0);
    assert_true(file_mark_is_known(&mark));
    assert_int_equal(mark.bytes, bytes);
}

/* It is so, whoever asks. */
static void assert_changed(bool changed)
{
    errno = 0;
    assert_int_equal(file_mark_check(&mark, fd, mark.bytes), changed ? -1 : 0);
    assert_int_equal(file_mark_open(&mark, fd), changed ? -1 : 0);
    assert_true(!changed || errno == ESTALE);
}

TEST(a_file_has_changed_that_is_smaller_or_was_modified_at_another_time)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        mark_file(sizes[i]);
        assert_int_equal(chmod("file", 0600), 0);
        assert_changed(false);
        set_time(1);
        assert_changed(true);
        mark_file(sizes[i]);
        assert_int_equal(truncate("file", mark.bytes - 1), 0);
        assert_changed(true);
    }
}

TEST(a_file_that_has_grown_has_changed_if_one_of_its_ends_has)
{
    enum { KEPT = 4096 }; /* at least */

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const off_t last = (off_t)sizes[i] - 1, near = last < KEPT ? last : KEPT - 1;
        const off_t changes[] = {0, near, last - near, last};

        mark_file(sizes[i]);
        put_byte(last + 1, 'x');
        set_time(1);
        assert_changed(false);
        assert_int_equal(file_mark_check(&mark, fd, mark.bytes - 1), -1);
        assert_int_equal(file_mark_check(&mark, fd, mark.bytes + 1), -1);
        for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
            put_byte(changes[k], 'x');
            assert_changed(true);
            put_byte(changes[k], 0);
            assert_changed(false);
        }
    }
    put_byte(65535, 'x');
    assert_changed(true);
}
