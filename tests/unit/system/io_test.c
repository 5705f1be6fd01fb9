/*
 * io.c over a system that misbehaves on demand: this file is the sys layer (see sys.h) as far as io.c calls it, with
 * one file that lives in memory.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/unit.h"

#include "base/arithmetic.h"
#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

enum { FD = 77, FILE_BYTES = 4096 };

static struct {
    /* the file */
    unsigned char bytes[FILE_BYTES];
    size_t place; /* for read and write */
    size_t size;  /* no byte can be read or written from here on */

    /* how it misbehaves */
    int error;             /* every second call fails with this; 0 for none */
    int permanent_error;   /* every call fails with this; 0 for none */
    int poll_error;        /* every poll fails with this; 0 for none */
    int error_at_size;     /* what a write at `size` fails with; 0: it writes nothing */
    size_t most_per_call;  /* bytes */
    bool without_contents; /* lengths are believed, memory is not touched */
    int allocations;       /* the allocation of this number, from 1, fails; 0 for none */

    mode_t mode; /* of the file `name` */

    /* what it has seen */
    int calls, polls;
    short events;
    int most_pieces;
    size_t most_bytes;
} fake;

static int reset(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    fake.size = FILE_BYTES;
    fake.most_per_call = SIZE_MAX;
    return 0;
}

static bool misbehaves(void)
{
    bool first_of_two = ++fake.calls % 2 == 1;

    errno = fake.permanent_error != 0 ? fake.permanent_error : fake.error;
    return fake.permanent_error != 0 || (fake.error != 0 && first_of_two);
}

static ssize_t transfer(const struct iovec *pieces, int count, size_t place, bool write)
{
    size_t bytes = 0, moved = 0, room;

    if (misbehaves())
        return -1;
    for (int i = 0; i < count; i++)
        bytes += pieces[i].iov_len;
    fake.most_bytes = bytes > fake.most_bytes ? bytes : fake.most_bytes;
    fake.most_pieces = count > fake.most_pieces ? count : fake.most_pieces;
    if (fake.without_contents)
        return (ssize_t)bytes;
    if (place >= fake.size && write && fake.error_at_size != 0) {
        errno = fake.error_at_size;
        return -1;
    }
    room = least_size(fake.most_per_call, place < fake.size ? fake.size - place : 0);
    for (int i = 0; i < count && moved < room; i++) {
        size_t part = least_size(pieces[i].iov_len, room - moved);

        if (write)
            memcpy(fake.bytes + place + moved, pieces[i].iov_base, part);
        else
            memcpy(pieces[i].iov_base, fake.bytes + place + moved, part);
        moved += part;
    }
    return (ssize_t)moved;
}

void *sys_allocate(size_t count, size_t bytes)
{
    if (fake.allocations > 0 && --fake.allocations == 0) {
        errno = ENOMEM;
        return NULL;
    }
    return malloc(count * bytes);
}

int sys_open(const char *path, int flags, mode_t mode)
{
    assert_string_equal(path, "name");
    assert_int_equal(flags, O_RDWR | O_CREAT);
    assert_int_equal(mode, 0640);
    return misbehaves() ? -1 : FD;
}

int sys_stat(const char *path, struct stat *status)
{
    assert_string_equal(path, "name");
    *status = (struct stat){.st_mode = fake.mode};
    return misbehaves() ? -1 : 0;
}

int sys_readable(const char *path)
{
    assert_string_equal(path, "name");
    errno = EACCES;
    return -1;
}

int sys_open_at(int directory, const char *name, int flags, mode_t mode)
{
    assert_int_equal(directory, FD);
    return sys_open(name, flags, mode);
}

int sys_lock(int fd, bool exclusive)
{
    (void)exclusive;
    return sys_close(fd);
}

int sys_sync(int fd)
{
    return sys_close(fd);
}

int sys_close(int fd)
{
    assert_int_equal(fd, FD);
    return misbehaves() ? -1 : 0;
}

ssize_t sys_read(int fd, void *data, size_t bytes)
{
    struct iovec piece = {data, bytes};
    ssize_t got = transfer(&piece, 1, fake.place, false);

    assert_int_equal(fd, FD);
    fake.place += got > 0 ? (size_t)got : 0;
    return got;
}

ssize_t sys_write(int fd, const void *data, size_t bytes)
{
    struct iovec piece = {(void *)(uintptr_t)data, bytes};
    ssize_t put = transfer(&piece, 1, fake.place, true);

    assert_int_equal(fd, FD);
    fake.place += put > 0 ? (size_t)put : 0;
    return put;
}

ssize_t sys_preadv(int fd, const struct iovec *pieces, int count, off_t offset)
{
    assert_int_equal(fd, FD);
    return transfer(pieces, count, (size_t)offset, false);
}

ssize_t sys_pwritev(int fd, const struct iovec *pieces, int count, off_t offset)
{
    assert_int_equal(fd, FD);
    return transfer(pieces, count, (size_t)offset, true);
}

int sys_poll(int fd, short events)
{
    assert_int_equal(fd, FD);
    fake.polls++;
    fake.events = events;
    errno = fake.poll_error;
    return fake.poll_error != 0 ? -1 : 1;
}

#define TEST(name) UNIT_TEST_IN(name, reset, NULL)

TEST(test_open_is_made_again_after_a_signal)
{
    fake.error = EINTR;
    assert_int_equal(io_open("name", O_RDWR | O_CREAT, 0640), FD);
    assert_int_equal(fake.calls, 2);
    assert_int_equal(io_open_at(FD, "name", O_RDWR | O_CREAT, 0640), FD);
    assert_int_equal(fake.calls, 4);
}

TEST(test_open_passes_a_failure_on)
{
    fake.permanent_error = EACCES;
    assert_int_equal(io_open("name", O_RDWR | O_CREAT, 0640), -1);
    assert_int_equal(errno, EACCES);
    assert_int_equal(fake.calls, 1);
    errno = 0;
    assert_int_equal(io_open_at(FD, "name", O_RDWR | O_CREAT, 0640), -1);
    assert_int_equal(errno, EACCES);
    assert_int_equal(fake.calls, 2);
}

static void assert_looks_like(mode_t mode, int error)
{
    struct stat status;

    fake.mode = mode;
    errno = 0;
    assert_int_equal(io_look("name", &status), error == 0 ? 0 : -1);
    assert_int_equal(errno, error);
    assert_int_equal(status.st_mode, mode);
}

TEST(test_what_cannot_be_opened_is_seen_without_opening_it)
{
    assert_looks_like(S_IFREG, 0); /* open says the rest */
    assert_looks_like(S_IFDIR | 0777, EISDIR);
    assert_looks_like(S_IFSOCK | 0777, ENXIO);
    assert_looks_like(0777, ENXIO); /* an epoll, a timer: through /proc/self/fd */
    assert_looks_like(S_IFIFO, EACCES);
    assert_looks_like(S_IFCHR, EACCES);
    assert_looks_like(S_IFBLK, EACCES);
    fake.permanent_error = ENOENT;
    assert_looks_like(S_IFREG, ENOENT);
}

TEST(test_sync_is_made_again_after_a_signal)
{
    fake.error = EINTR;
    assert_int_equal(io_sync(FD), 0);
    assert_int_equal(fake.calls, 2);
}

TEST(test_lock_is_made_again_after_a_signal)
{
    fake.error = EINTR;
    assert_int_equal(io_lock(FD, true), 0);
    assert_int_equal(fake.calls, 2);
}

TEST(test_whatever_a_system_without_locks_says_is_one_error)
{
    static const int errors[][2] = {
        {ENOTSUP, ENOTSUP}, {EOPNOTSUPP, ENOTSUP},      {ENOLCK, ENOTSUP}, {ENOSYS, ENOTSUP},
        {EINVAL, ENOTSUP},  {EWOULDBLOCK, EWOULDBLOCK}, {EBADF, EBADF},    {EIO, EIO}};

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        fake.permanent_error = errors[i][0];
        assert_int_equal(io_lock(FD, false), -1);
        assert_int_equal(errno, errors[i][1]);
    }
}

TEST(test_sync_passes_a_failure_on)
{
    fake.permanent_error = EIO;
    assert_int_equal(io_sync(FD), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(fake.calls, 1);
}

TEST(test_close_interrupted_counts_as_closed_and_is_not_made_again)
{
    fake.permanent_error = EINTR;
    assert_int_equal(io_close(FD), 0);
    assert_int_equal(fake.calls, 1);
}

TEST(test_close_passes_a_failure_on)
{
    fake.permanent_error = EIO;
    assert_int_equal(io_close(FD), -1);
    assert_int_equal(errno, EIO);
}

TEST(test_read_gives_what_one_read_gives)
{
    char data[10] = "";

    memcpy(fake.bytes, "abcdef", 6);
    fake.most_per_call = 4;
    fake.size = 6;
    assert_int_equal(io_read(FD, data, sizeof data), 4);
    assert_int_equal(io_read(FD, data + 4, sizeof data - 4), 2);
    assert_string_equal(data, "abcdef");
    assert_int_equal(io_read(FD, data, sizeof data), 0);
}

TEST(test_read_is_made_again_after_a_signal)
{
    char data[2];

    fake.error = EINTR;
    assert_int_equal(io_read(FD, data, sizeof data), 2);
    assert_int_equal(fake.polls, 0);
}

TEST(test_read_waits_when_there_is_nothing_yet)
{
    char data[2];

    fake.error = EAGAIN;
    assert_int_equal(io_read(FD, data, sizeof data), 2);
    assert_int_equal(fake.polls, 1);
    assert_int_equal(fake.events, POLLIN);
}

TEST(test_read_passes_a_failure_on)
{
    char data[2];

    fake.permanent_error = EISDIR;
    assert_int_equal(io_read(FD, data, sizeof data), -1);
    assert_int_equal(errno, EISDIR);
}

TEST(test_write_is_completed_byte_by_byte_and_after_signals)
{
    fake.most_per_call = 1;
    fake.error = EINTR;
    assert_int_equal(io_write(FD, "hello", 5), 0);
    assert_memory_equal(fake.bytes, "hello", 6);
    assert_int_equal(fake.calls, 10);
}

TEST(test_write_waits_for_a_slow_reader)
{
    fake.most_per_call = 2;
    fake.error = EAGAIN;
    assert_int_equal(io_write(FD, "hello", 5), 0);
    assert_memory_equal(fake.bytes, "hello", 6);
    assert_int_equal(fake.polls, 3);
    assert_int_equal(fake.events, POLLOUT);
}

TEST(test_a_wait_that_a_signal_ends_is_no_failure)
{
    fake.error = EAGAIN;
    fake.poll_error = EINTR;
    assert_int_equal(io_write(FD, "hello", 5), 0);
    assert_memory_equal(fake.bytes, "hello", 6);
}

TEST(test_a_wait_that_fails_is_a_failure)
{
    fake.error = EAGAIN;
    fake.poll_error = ENOMEM;
    assert_int_equal(io_write(FD, "hello", 5), -1);
    assert_int_equal(errno, ENOMEM);
}

TEST(test_write_fails_on_a_full_disk)
{
    fake.size = 3;
    fake.error_at_size = ENOSPC;
    assert_int_equal(io_write(FD, "hello", 5), -1);
    assert_int_equal(errno, ENOSPC);
    assert_memory_equal(fake.bytes, "hel\0", 4);
}

TEST(test_write_that_writes_nothing_counts_as_a_full_disk)
{
    fake.size = 3;
    assert_int_equal(io_write(FD, "hello", 5), -1);
    assert_int_equal(errno, ENOSPC);
}

TEST(test_write_of_nothing_makes_no_call)
{
    assert_int_equal(io_write(FD, "", 0), 0);
    assert_int_equal(fake.calls, 0);
}

enum { PIECES = 1100, OFFSET = 11 };

/* Cut `data` into pieces of 0 to 6 bytes; returns all their bytes. */
static size_t cut(struct iovec pieces[PIECES], void *data)
{
    size_t bytes = 0;

    for (size_t i = 0; i < PIECES; i++) {
        pieces[i] = (struct iovec){(char *)data + bytes, i % 7};
        bytes += i % 7;
    }
    return bytes;
}

static void fill(unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(i * i / 7 + i);
}

static void check_write_at(void)
{
    unsigned char data[FILE_BYTES];
    struct iovec pieces[PIECES];
    size_t bytes = cut(pieces, data), done = 1;

    fill(data, bytes);
    assert_int_equal(io_write_at(FD, pieces, PIECES, OFFSET, &done), 0);
    assert_int_equal(done, bytes);
    assert_memory_equal(fake.bytes + OFFSET, data, bytes);
    assert_int_equal(fake.bytes[OFFSET - 1], 0);
    assert_int_equal(fake.bytes[OFFSET + bytes], 0);
    assert_true(fake.most_pieces <= sysconf(_SC_IOV_MAX));
}

static void check_read_at(void)
{
    unsigned char data[FILE_BYTES] = {0};
    struct iovec pieces[PIECES];
    size_t bytes = cut(pieces, data), done = 1;

    fill(fake.bytes, FILE_BYTES);
    assert_int_equal(io_read_at(FD, pieces, PIECES, OFFSET, &done), 0);
    assert_int_equal(done, bytes);
    assert_memory_equal(data, fake.bytes + OFFSET, bytes);
    assert_int_equal(data[bytes], 0);
    assert_true(fake.most_pieces <= sysconf(_SC_IOV_MAX));
}

TEST(test_pieces_arrive_whole_in_few_calls)
{
    check_write_at();
    assert_true(fake.calls <= PIECES / 16);
    fake.calls = 0;
    check_read_at();
    assert_true(fake.calls <= PIECES / 16);
}

TEST(test_pieces_arrive_whole_at_every_size_of_a_short_transfer)
{
    for (size_t most = 1; most <= 40; most++) {
        reset(NULL);
        fake.most_per_call = most;
        check_write_at();
        check_read_at();
    }
}

TEST(test_pieces_arrive_whole_despite_signals)
{
    fake.error = EINTR;
    fake.most_per_call = 5;
    check_write_at();
    check_read_at();
    assert_int_equal(fake.polls, 0);
}

TEST(test_pieces_arrive_whole_despite_waiting)
{
    fake.error = EAGAIN;
    fake.most_per_call = 5;
    check_write_at();
    assert_int_equal(fake.events, POLLOUT);
    check_read_at();
    assert_int_equal(fake.events, POLLIN);
}

TEST(test_pieces_that_do_not_fit_on_the_disk_tell_how_far_they_came)
{
    for (size_t size = 0; size < 12; size++)
        for (int error_at_size = 0; error_at_size <= ENOSPC; error_at_size += ENOSPC) {
            char data[12] = "abcdefghijkl";
            struct iovec pieces[] = {{data, 3}, {data + 3, 0}, {data + 3, 4}, {data + 7, 5}};
            size_t done = 99;

            reset(NULL);
            fake.size = size;
            fake.error_at_size = error_at_size;
            assert_int_equal(io_write_at(FD, pieces, 4, 0, &done), -1);
            assert_int_equal(errno, ENOSPC);
            assert_int_equal(done, size);
            assert_memory_equal(fake.bytes, data, size);
        }
}

TEST(test_a_file_that_ends_too_early_fails_without_an_error_number)
{
    char data[10] = "";
    struct iovec pieces[] = {{data, 4}, {data + 4, 6}};
    size_t done;

    fake.size = 7;
    errno = EIO;
    assert_int_equal(io_read_at(FD, pieces, 2, 0, &done), -1);
    assert_int_equal(errno, 0);
    assert_int_equal(done, 7);
}

TEST(test_pieces_pass_a_failure_on)
{
    char data[1] = "";
    struct iovec piece = {data, 1};
    size_t done = 99;

    fake.permanent_error = EIO;
    assert_int_equal(io_read_at(FD, &piece, 1, 0, &done), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(done, 0);
}

TEST(test_no_pieces_and_empty_pieces_make_no_call)
{
    struct iovec pieces[] = {{NULL, 0}, {NULL, 0}};
    size_t done = 99;

    assert_int_equal(io_write_at(FD, pieces, 0, 0, &done), 0);
    assert_int_equal(io_read_at(FD, pieces, 2, 0, &done), 0);
    assert_int_equal(done, 0);
    assert_int_equal(fake.calls, 0);
}

/* Some systems refuse to move 2^31 bytes in one call. */
TEST(test_no_call_moves_2_to_the_31_bytes)
{
#if SIZE_MAX > UINT32_MAX
    const size_t bytes = (size_t)5 << 30;
    struct iovec pieces[] = {{fake.bytes, bytes}, {fake.bytes, bytes}};
    size_t done;

    fake.without_contents = true;
    assert_int_equal(io_write(FD, fake.bytes, bytes), 0);
    assert_true(io_read(FD, fake.bytes, bytes) > 0);
    assert_int_equal(io_write_at(FD, pieces, 2, 0, &done), 0);
    assert_int_equal(done, 2 * bytes);
    assert_true(fake.most_bytes <= INT_MAX);
#else
    skip();
#endif
}

static void fill_file(size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        fake.bytes[i] = (unsigned char)(i % 251 + 1);
    fake.size = bytes;
}

/* However little each read gives, and with signals; the first buffer has room for FILE_BYTES - 1. */
TEST(test_a_file_is_read_whole)
{
    const size_t sizes[] = {0, 1, 1000, FILE_BYTES - 1, FILE_BYTES};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t bytes = 1;
        char *data;

        reset(NULL);
        fill_file(sizes[i]);
        fake.error = EINTR;
        fake.most_per_call = 7;
        data = io_read_whole(FD, FILE_BYTES, &bytes);
        assert_non_null(data);
        assert_int_equal(bytes, sizes[i]);
        assert_memory_equal(data, fake.bytes, bytes);
        assert_int_equal(data[bytes], '\0');
        free(data);
    }
}

TEST(test_a_file_may_be_as_large_as_the_most_and_no_larger)
{
    size_t bytes;
    char *data;

    fill_file(1000);
    data = io_read_whole(FD, 1000, &bytes);
    assert_non_null(data);
    free(data);
    fake.place = 0;
    assert_null(io_read_whole(FD, 999, &bytes));
    assert_int_equal(errno, EFBIG);
}

TEST(test_a_file_that_cannot_be_read_whole_is_a_failure)
{
    size_t bytes;

    fake.permanent_error = EIO;
    assert_null(io_read_whole(FD, FILE_BYTES, &bytes));
    assert_int_equal(errno, EIO);
    for (int failing = 1; failing <= 2; failing++) {
        reset(NULL);
        fill_file(FILE_BYTES);
        fake.allocations = failing;
        assert_null(io_read_whole(FD, FILE_BYTES, &bytes));
        assert_int_equal(errno, ENOMEM);
    }
}

TEST(test_files_are_the_same_by_device_and_inode)
{
    const struct stat file = {.st_dev = 1, .st_ino = 2, .st_size = 3};
    const struct stat grown = {.st_dev = 1, .st_ino = 2, .st_size = 4};
    const struct stat neighbour = {.st_dev = 1, .st_ino = 3, .st_size = 3};
    const struct stat elsewhere = {.st_dev = 2, .st_ino = 2, .st_size = 3};

    assert_true(io_same_file(&file, &grown));
    assert_false(io_same_file(&file, &neighbour));
    assert_false(io_same_file(&file, &elsewhere));
}

/* ---- Lists of pieces ---- */

enum { FEW = 5 };

/* "ab", "", "cde", "f", "" */
static void make(struct iovec pieces[FEW])
{
    static char text[] = "abcdef";
    static const struct {
        size_t at, bytes;
    } places[FEW] = {{0, 2}, {2, 0}, {2, 3}, {5, 1}, {6, 0}};

    for (int i = 0; i < FEW; i++)
        pieces[i] = (struct iovec){.iov_base = text + places[i].at, .iov_len = places[i].bytes};
}

/* Is this what the pieces hold? */
static void assert_hold(const struct iovec *pieces, int count, const char *text)
{
    for (int i = 0; i < count; i++) {
        assert_memory_equal(pieces[i].iov_base, text, pieces[i].iov_len);
        text += pieces[i].iov_len;
    }
    assert_int_equal(*text, '\0');
}

UNIT_TEST(the_beginning_has_as_many_bytes_and_pieces_as_are_asked_for)
{
    static const struct {
        uint64_t limit;
        int room, made;
        const char *text;
    } cases[] = {
        {0, 5, 0, ""},          {1, 5, 1, "a"},     {2, 5, 1, "ab"},     {3, 5, 3, "abc"},
        {3, 2, 2, "ab"},        {5, 5, 3, "abcde"}, {6, 5, 4, "abcdef"}, {UINT64_MAX, 5, 5, "abcdef"},
        {UINT64_MAX, 0, 0, ""},
    };
    struct iovec pieces[FEW], some[FEW];
    size_t bytes;

    make(pieces);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(io_pieces_begin(pieces, FEW, cases[i].limit, some, cases[i].room, &bytes), cases[i].made);
        assert_int_equal(bytes, strlen(cases[i].text));
        assert_hold(some, cases[i].made, cases[i].text);
    }
    assert_hold(pieces, FEW, "abcdef");
}

UNIT_TEST(what_is_taken_away_leaves_the_rest)
{
    static const int used[] = {0, 0, 2, 2, 2, 3, 5};
    struct iovec pieces[FEW];

    for (size_t bytes = 0; bytes <= strlen("abcdef"); bytes++) {
        make(pieces);
        assert_int_equal(io_pieces_advance(pieces, FEW, bytes), used[bytes]);
        assert_hold(pieces, FEW, &"abcdef"[bytes]);
        for (int i = 0; i < used[bytes]; i++)
            assert_int_equal(pieces[i].iov_len, 0);
    }
}
