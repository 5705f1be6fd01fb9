/* io.c over a system that is interrupted, moves less than was asked for, has nothing yet, and fails. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "system/io.h"
#include "system/sys.h"

enum { FILE_BYTES = 4096 };

/* What the next calls do, where that is not the true system's business. */
static struct {
    int polls_fail;        /* with this error; 0: somebody at the other end of the pipe writes, or reads it empty */
    short events;          /* that were waited for */
    int other_end;         /* of the pipe */
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

int sys_poll(int fd, short events)
{
    char data[FILE_BYTES];

    (void)fd;
    other.events = events;
    errno = other.polls_fail;
    if (other.polls_fail == EINTR || (other.polls_fail == 0 && events == POLLOUT))
        (void)!read(other.other_end, data, sizeof data);
    else if (other.polls_fail == 0)
        CHECK(write(other.other_end, "late", 4) == 4);
    return other.polls_fail == 0 ? 1 : -1;
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

/* ---- One call ---- */

static const char *const calls[] = {"read", "write", "preadv", "pwritev", "lock", "sync", "close", "open", "open_at"};

/* Has something come of calls[number]? */
static bool succeeds(unsigned number)
{
    char byte = 'x';
    struct iovec piece = {&byte, 1};
    size_t done;
    int opened;

    switch (number) {
    case 0:
        return io_read(fd, &byte, 1) >= 0;
    case 1:
        return io_write(fd, "x", 1) == 0;
    case 2:
        return io_read_at(fd, &piece, 1, 0, &done) == 0;
    case 3:
        return io_write_at(fd, &piece, 1, 0, &done) == 0;
    case 4:
        return io_lock(fd, true) == 0;
    case 5:
        return io_sync(fd) == 0;
    case 6:
        return io_close(dup(fd)) == 0;
    default:
        opened = number == 7 ? io_open("file", O_RDONLY, 0) : io_open_at(AT_FDCWD, "file", O_RDONLY, 0);
    }
    return opened >= 0 && close(opened) == 0;
}

TEST(a_call_is_made_again_after_a_signal_and_its_failure_is_passed_on)
{
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        faulty_fail(calls[i], 1, EINTR);
        assert_true(succeeds(i));
        assert_int_equal(faulty.calls, strcmp(calls[i], "close") == 0 ? 1 : 2); /* what is closed stays so */
        faulty_fail(calls[i], 1, EIO);
        assert_false(succeeds(i));
        assert_int_equal(errno, EIO);
    }
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

/* ---- What is not there yet ---- */

static void have_pipe(int *end, bool to_write)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    *end = ends[to_write];
    other.other_end = ends[!to_write];
    assert_int_equal(fcntl(*end, F_SETFL, O_NONBLOCK), 0);
}

TEST(who_reads_waits_for_what_is_not_there_yet)
{
    char data[10];
    int end;

    have_pipe(&end, false);
    assert_int_equal(io_read(end, data, sizeof data), 4);
    assert_memory_equal(data, "late", 4);
    assert_int_equal(other.events, POLLIN);
    other.polls_fail = ENOMEM;
    assert_int_equal(io_read(end, data, sizeof data), -1);
    assert_int_equal(errno, ENOMEM);
    close(end);
    close(other.other_end);
}

TEST(who_writes_waits_for_a_slow_reader_also_when_a_signal_comes)
{
    static const char much[300000];
    static const int errors[] = {0, EINTR, ENOMEM};

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        int end;

        have_pipe(&end, true);
        other.polls_fail = errors[i];
        assert_int_equal(io_write(end, much, sizeof much), errors[i] == ENOMEM ? -1 : 0);
        assert_true(errors[i] != ENOMEM || errno == ENOMEM);
        assert_int_equal(other.events, POLLOUT);
        close(end);
        close(other.other_end);
    }
}

/* ---- All of it ---- */

TEST(all_is_written_however_little_a_call_writes)
{
    faulty.is_short = true;
    faulty.interrupts = true;
    assert_int_equal(io_write(fd, "hello, world", 12), 0);
    faulty_reset();
    assert_true(scratch_holds("file", "hello, world"));
    other.takes_nothing = true;
    assert_int_equal(io_write(fd, "", 0), 0);
    assert_int_equal(io_write(fd, "x", 1), -1);
    assert_int_equal(errno, ENOSPC);
}

enum { PIECES = 1100, OFFSET = 11 };

/* Cut `data` into pieces of 0 to 6 bytes; returns all their bytes. */
static size_t cut(struct iovec pieces[PIECES], char *data)
{
    size_t bytes = 0;

    for (size_t i = 0; i < PIECES; i++) {
        pieces[i] = (struct iovec){data + bytes, i % 7};
        bytes += i % 7;
    }
    return bytes;
}

/* More of them than one call takes. */
TEST(pieces_arrive_whole_however_little_a_call_moves)
{
    char data[FILE_BYTES] = "", back[FILE_BYTES] = "";
    struct iovec pieces[PIECES];
    const size_t bytes = cut(pieces, data);
    size_t done = 1;

    for (size_t i = 0; i < bytes; i++)
        data[i] = (char)(i * i / 7 + i);
    for (int way = 0; way < 4; way++) {
        faulty.is_short = (way & 1) != 0;
        faulty.interrupts = (way & 2) != 0;
        cut(pieces, data);
        assert_int_equal(io_write_at(fd, pieces, PIECES, OFFSET, &done), 0);
        assert_int_equal(done, bytes);
        memset(back, 0, sizeof back);
        cut(pieces, back);
        assert_int_equal(io_read_at(fd, pieces, PIECES, OFFSET, &done), 0);
        assert_int_equal(done, bytes);
        assert_memory_equal(back, data, bytes);
        assert_int_equal(lseek(fd, 0, SEEK_END), OFFSET + bytes);
        assert_int_equal(ftruncate(fd, 0), 0);
    }
    assert_int_equal(io_write_at(fd, pieces, 0, 0, &done), 0);
    assert_int_equal(done, 0);
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

/* However little each read gives; the first buffer has room for FILE_BYTES - 1. */
TEST(a_file_is_read_whole_if_it_is_no_larger_than_it_may_be)
{
    static const size_t sizes[] = {0, 1, 1000, FILE_BYTES - 1, FILE_BYTES};
    char written[FILE_BYTES], *data;
    size_t bytes;

    for (size_t i = 0; i < FILE_BYTES; i++)
        written[i] = (char)(i % 251 + 1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        faulty.is_short = faulty.interrupts = i % 2 == 0;
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, written, sizes[i], 0), sizes[i]);
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        data = io_read_whole(fd, sizes[i], &bytes);
        assert_non_null(data);
        assert_int_equal(bytes, sizes[i]);
        assert_memory_equal(data, written, bytes);
        assert_int_equal(data[bytes], '\0');
        free(data);
    }
    for (size_t i = 0; i < 4; i++) {
        static const struct {
            const char *name;
            unsigned at;
            int error;
        } failures[] = {{"", 0, EFBIG}, {"read", 1, EIO}, {"allocate", 1, ENOMEM}, {"allocate", 2, ENOMEM}};

        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        faulty_fail(failures[i].name, failures[i].at, failures[i].error);
        assert_null(io_read_whole(fd, i == 0 ? FILE_BYTES - 1 : FILE_BYTES, &bytes));
        assert_int_equal(errno, failures[i].error);
    }
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
