/* What end_to_end/faults.sh does not see of io.c, in which calls are interrupted, do half, and fail. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "system/io.h"
#include "system/sys.h"

/* What the next writes do, where that is not the true system's business. */
static struct {
    bool without_contents; /* lengths are believed, memory is not touched */
    bool takes_nothing;    /* no byte is ever written */
    size_t most_bytes;     /* of one call */
} other;

ssize_t real_sys_write(int fd, const void *data, size_t bytes);

static ssize_t believe(size_t bytes)
{
    other.most_bytes = bytes > other.most_bytes ? bytes : other.most_bytes;
    return (ssize_t)bytes;
}

ssize_t sys_write(int fd, const void *data, size_t bytes)
{
    if (other.takes_nothing)
        return 0;
    if (other.without_contents)
        return believe(bytes);
    return faulty_fails("write") ? -1 : real_sys_write(fd, data, faulty.is_short ? (bytes + 1) / 2 : bytes);
}

static int fd;

static int setup(void **state)
{
    memset(&other, 0, sizeof other);
    if (reports_setup(state) != 0)
        return -1;
    fd = open("file", O_RDWR | O_CREAT, 0600);
    return fd >= 0 ? 0 : -1;
}

static int teardown(void **state)
{
    close(fd);
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

TEST(what_is_closed_stays_so_after_a_signal)
{
    faulty_fail("close", 1, EINTR);
    assert_int_equal(io_close(dup(fd)), 0);
    assert_int_equal(faulty.calls, 1);
}

TEST(what_takes_nothing_is_full)
{
    other.takes_nothing = true;
    assert_int_equal(io_write(fd, "", 0), 0);
    assert_int_equal(io_write(fd, "x", 1), -1);
    assert_int_equal(errno, ENOSPC);
}

TEST(whatever_a_system_without_locks_says_is_one_error)
{
    static const int errors[][2] = {
        {ENOTSUP, ENOTSUP}, {EOPNOTSUPP, ENOTSUP},      {ENOLCK, ENOTSUP}, {ENOSYS, ENOTSUP},
        {EINVAL, ENOTSUP},  {EWOULDBLOCK, EWOULDBLOCK}, {EBADF, EBADF},    {EIO, EIO}};

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        faulty_fail("lock", 1, errors[i][0]);
        assert_int_equal(io_lock(fd, false), -1);
        assert_int_equal(errno, errors[i][1]);
    }
}

static void assert_looks_like(const char *name, int error)
{
    struct stat status;

    errno = 0;
    assert_int_equal(io_look(name, &status), error == 0 ? 0 : -1);
    assert_int_equal(errno, error);
}

TEST(what_cannot_be_opened_is_seen_without_opening_it)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int socket_fd = socket(AF_UNIX, SOCK_STREAM, 0);

    assert_int_equal(bind(socket_fd, (struct sockaddr *)&address, sizeof address), 0);
    close(socket_fd);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_looks_like("missing", ENOENT);
    assert_looks_like(".", EISDIR);
    assert_looks_like("socket", ENXIO);
    assert_looks_like("fifo", 0);
    assert_looks_like("/dev/null", 0);
    faulty_fail_all("readable", EACCES);
    assert_looks_like("fifo", EACCES);
    assert_looks_like("/dev/null", EACCES);
    assert_looks_like("file", 0); /* open says the rest */
}

TEST(pieces_that_do_not_fit_tell_how_far_they_came)
{
    char data[12] = "abcdefghijkl";
    struct iovec pieces[] = {{data, 3}, {data + 3, 0}, {data + 3, 4}, {data + 7, 5}};
    size_t done;

    faulty_fail("pwritev", 2, ENOSPC);
    faulty.is_short = true;
    assert_int_equal(io_write_at(fd, pieces, 4, 0, &done), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(done, 6);
    assert_true(scratch_holds("file", "abcdef"));
}

TEST(a_file_that_ends_too_early_fails_without_an_error_number)
{
    char data[10];
    struct iovec pieces[] = {{data, 4}, {data + 4, 6}};
    size_t done;

    assert_int_equal(pwrite(fd, "abcdefg", 7, 0), 7);
    assert_int_equal(io_read_at(fd, pieces, 2, 0, &done), -1);
    assert_int_equal(errno, 0);
    assert_int_equal(done, 7);
}

/* Some systems refuse to move 2^31 bytes in one call. */
TEST(no_call_moves_2_to_the_31_bytes)
{
#if SIZE_MAX > UINT32_MAX
    other.without_contents = true;
    assert_int_equal(io_write(fd, "", (size_t)5 << 30), 0);
    assert_true(other.most_bytes <= INT_MAX);
#else
    skip();
#endif
}

/* ---- Lists of pieces ---- */

enum { FEW = 5 };

/* Is this what the pieces hold? */
static void assert_hold(const struct iovec *pieces, int count, const char *text)
{
    for (int i = 0; i < count; text += pieces[i++].iov_len)
        assert_memory_equal(pieces[i].iov_base, text, pieces[i].iov_len);
    assert_int_equal(*text, '\0');
}

UNIT_TEST(a_part_has_as_many_bytes_and_pieces_as_are_asked_for)
{
    static const struct {
        size_t from;
        uint64_t limit;
        int room, made;
        const char *text;
    } cases[] = {
        {0, 0, 5, 0, ""},          {0, 1, 5, 1, "a"},     {0, 2, 5, 1, "ab"},     {0, 3, 5, 2, "abc"},
        {0, 3, 1, 1, "ab"},        {0, 5, 5, 2, "abcde"}, {0, 6, 5, 3, "abcdef"}, {0, UINT64_MAX, 5, 3, "abcdef"},
        {0, UINT64_MAX, 0, 0, ""}, {1, 1, 5, 1, "b"},     {1, 3, 5, 2, "bcd"},    {2, UINT64_MAX, 5, 2, "cdef"},
        {3, 2, 1, 1, "de"},        {4, 9, 5, 2, "ef"},    {5, 1, 5, 1, "f"},      {6, UINT64_MAX, 5, 0, ""},
        {9, UINT64_MAX, 5, 0, ""},
    };
    static char text[] = "abcdef";
    const struct iovec pieces[FEW] = {{text, 2}, {text + 2, 0}, {text + 2, 3}, {text + 5, 1}, {text + 6, 0}};
    struct iovec some[FEW];
    size_t bytes;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(io_pieces_part(pieces, FEW, cases[i].from, cases[i].limit, some, cases[i].room, &bytes),
                         cases[i].made);
        assert_int_equal(bytes, strlen(cases[i].text));
        assert_hold(some, cases[i].made, cases[i].text);
    }
}
