/*
 * A call that was interrupted, or that moved a part only, is simply made again for the rest: nothing is lost, because
 * read and write say exactly how far they came. A descriptor that others have set to O_NONBLOCK (a terminal or pipe
 * shared with another program) is waited for rather than changed, since the flag belongs to all who share it.
 *
 * A run that has failed gives up only calls that may wait for others. It still closes, unlocks and so on.
 */

#include "system/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "system/sys.h"

/* The most that one call is given. 64 blocks are far past the point where the cost of a call shows, and below every
 * system's IOV_MAX; some systems refuse to move 2^31 bytes at once, and Linux moves a little less than that. */
TUNABLE(CALL_PIECES, 64, 1, 64);
TUNABLE(CALL_BYTES, 1 << 30, 1 << 10, 1 << 30);

TUNABLE(WHOLE_BYTES_FIRST, 4096, 2, 4096);

typedef ssize_t transfer_function(int fd, const struct iovec *pieces, int count, off_t offset);

/* May the call that just failed be made again? Waits for the descriptor if need be. */
static bool again(int fd, short events)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return sys_poll(fd, events) >= 0 || errno == EINTR;
    return errno == EINTR;
}

/* An open with O_NONBLOCK has just failed. May it be made again without that? Yes if the file is regular, as `looked`
 * says of `status`: then a file server or the like has a lease on it, and gives it back to a process that waits. */
static bool is_leased(int flags, int looked, const struct stat *status)
{
    if ((flags & O_NONBLOCK) != 0 && looked == 0 && S_ISREG(status->st_mode))
        return true;
    errno = EWOULDBLOCK;
    return false;
}

int io_open(const char *path, int flags, mode_t mode)
{
    struct stat status;
    int fd;

    IO_REPEAT(fd, sys_open(path, flags, mode));
    if (fd < 0 && errno == EWOULDBLOCK && is_leased(flags, sys_stat(path, &status), &status))
        IO_REPEAT(fd, sys_open(path, flags & ~O_NONBLOCK, mode));
    return fd;
}

int io_look(const char *path, struct stat *status)
{
    if (sys_stat(path, status) != 0)
        return -1;
    if (S_ISREG(status->st_mode))
        return 0;
    if (S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode))
        return sys_readable(path);
    errno = S_ISDIR(status->st_mode) ? EISDIR : ENXIO; /* as an open would fail */
    return -1;
}

int io_open_at(int directory, const char *name, int flags, mode_t mode)
{
    struct stat status;
    int fd;

    IO_REPEAT(fd, sys_open_at(directory, name, flags, mode));
    if (fd < 0 && errno == EWOULDBLOCK && is_leased(flags, sys_stat_at(directory, name, &status), &status))
        IO_REPEAT(fd, sys_open_at(directory, name, flags & ~O_NONBLOCK, mode));
    return fd;
}

int io_close(int fd)
{
    return sys_close(fd) == 0 || errno == EINTR ? 0 : -1;
}

void io_drop(int fd)
{
    const int error = errno;

    if (fd >= 0)
        (void)sys_close(fd);
    errno = error;
}

/* ENOLCK: a network file system whose locks nobody serves. */
int io_lock(int fd, bool exclusive)
{
    int result;

    IO_REPEAT(result, sys_lock(fd, exclusive));
    if (result != 0 && (errno == EOPNOTSUPP || errno == ENOLCK || errno == ENOSYS || errno == EINVAL))
        errno = ENOTSUP;
    if (result != 0 && errno == EAGAIN) /* another number on some systems */
        errno = EWOULDBLOCK;
    return result;
}

int io_sync(int fd)
{
    int result;

    IO_REPEAT(result, sys_sync(fd));
    return result;
}

ssize_t io_read(int fd, void *data, size_t bytes)
{
    ssize_t got;

    do
        got = sys_read(fd, data, least_size(bytes, CALL_BYTES));
    while (got < 0 && again(fd, POLLIN));
    return got;
}

int io_write(int fd, const void *data, size_t bytes)
{
    const char *rest = data;

    while (bytes > 0) {
        ssize_t put = sys_write(fd, rest, least_size(bytes, CALL_BYTES));

        if (put < 0) {
            if (!again(fd, POLLOUT))
                return -1;
        } else if (put == 0) {
            errno = ENOSPC;
            return -1;
        } else {
            rest += put;
            bytes -= (size_t)put;
        }
    }
    return 0;
}

/* The signal is ignored in the whole process meanwhile. */
int io_write_pipe(int fd, const void *data, size_t bytes)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    int result;

    sigemptyset(&ignored.sa_mask);
    sigaction(SIGPIPE, &ignored, &before);
    result = io_write(fd, data, bytes);
    sigaction(SIGPIPE, &before, NULL);
    return result;
}

/* ---- Lists of pieces ---- */

int io_pieces_part(const struct iovec *pieces, int count, size_t from, uint64_t limit, struct iovec *some, int room,
                   size_t *bytes)
{
    int made = 0;

    *bytes = 0;
    for (int i = 0; i < count && made < room && *bytes < limit; i++) {
        const size_t before = least_size(from, pieces[i].iov_len);
        const size_t length = (size_t)least(pieces[i].iov_len - before, limit - *bytes);

        from -= before;
        if (length > 0)
            some[made++] = (struct iovec){.iov_base = (char *)pieces[i].iov_base + before, .iov_len = length};
        *bytes += length;
    }
    return made;
}

/* Both directions. A call that moves nothing fails with `error_at_end`: the end of the file or of the disk. */
static int transfer(transfer_function *call_once, short events, int error_at_end, int fd, const struct iovec *pieces,
                    int count, off_t offset, size_t *done)
{
    struct iovec call[CALL_PIECES];
    size_t bytes;
    int filled;

    *done = 0;
    while ((filled = io_pieces_part(pieces, count, *done, CALL_BYTES, call, CALL_PIECES, &bytes)) > 0) {
        ssize_t moved = call_once(fd, call, filled, offset + (off_t)*done);

        if (moved < 0) {
            if (!again(fd, events))
                return -1;
        } else if (moved == 0) {
            errno = error_at_end;
            return -1;
        } else {
            *done += (size_t)moved;
        }
    }
    return 0;
}

int io_read_at(int fd, const struct iovec *pieces, int count, off_t offset, size_t *done)
{
    return transfer(sys_preadv, POLLIN, 0, fd, pieces, count, offset, done);
}

int io_write_at(int fd, const struct iovec *pieces, int count, off_t offset, size_t *done)
{
    return transfer(sys_pwritev, POLLOUT, ENOSPC, fd, pieces, count, offset, done);
}

/* The size in fstat is 0 for pipes, and for files that a kernel makes up as they are read. So the room is doubled
 * whenever it is full. */
char *io_read_whole(int fd, size_t most, size_t *bytes)
{
    size_t room = WHOLE_BYTES_FIRST;
    char *data = sys_allocate(room, 1);
    ssize_t got = 1;

    *bytes = 0;
    while (data != NULL && got > 0 && *bytes <= most) {
        got = io_read(fd, data + *bytes, room - 1 - *bytes);
        *bytes += got > 0 ? (size_t)got : 0;
        if (*bytes + 1 == room) {
            char *wider = sys_reallocate(data, room *= 2);

            if (wider == NULL)
                free(data);
            data = wider;
        }
    }
    if (data != NULL && got == 0)
        return data;
    if (*bytes > most)
        errno = EFBIG;
    free(data);
    return NULL;
}

bool io_same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}
