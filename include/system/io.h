#pragma once

/* Reading and writing that does not stop half-way: retried after EINTR, completed after short reads and writes, waiting
 * (poll) where a descriptor says EAGAIN. Functions return 0 or -1 with errno, unless they say otherwise. */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Make a call until no signal interrupts it. */
#define IO_REPEAT(result, call)                                                                                        \
    do                                                                                                                 \
        (result) = (call);                                                                                             \
    while ((result) < 0 && errno == EINTR)

/* As open, close-on-exec; a descriptor or -1. Even with O_NONBLOCK it waits until a lease on a regular file ends. */
int io_open(const char *path, int flags, mode_t mode);
int io_open_at(int directory, const char *name, int flags, mode_t mode); /* the same in a directory; follows no link */
void io_drop(int fd); /* close, ignoring failures; errno stays, and -1 is fine */
int io_close(int fd); /* EINTR counts as closed */
int io_sync(int fd);  /* fsync */

/* As sys_lock: EWOULDBLOCK if somebody else has it locked, ENOTSUP where nothing can be locked. */
int io_lock(int fd, bool exclusive);

/* stat, and can the file be read, as far as can be told without opening it (which may have effects)? EISDIR, EACCES, or
 * ENXIO for a socket and the like. For a regular file, only opening it tells for certain. */
int io_look(const char *path, struct stat *status);

/* Up to `bytes` bytes, as one read gives them; 0 at the end; -1 on failure. */
ssize_t io_read(int fd, void *data, size_t bytes);

/* Write all of it. io_write_pipe, for one thread at a time: without a reader, EPIPE instead of a signal. */
int io_write(int fd, const void *data, size_t bytes);
int io_write_pipe(int fd, const void *data, size_t bytes);

/* Read or write all pieces, however many, from `offset` on. *done receives the bytes transferred, also on failure. If
 * the file ends too early, it is -1 with errno 0. */
int io_read_at(int fd, const struct iovec *pieces, int count, off_t offset, size_t *done);
int io_write_at(int fd, const struct iovec *pieces, int count, off_t offset, size_t *done);

/* A part of a list of pieces: at most `limit` bytes after its first `from` bytes, as a list in `some`, which has room
 * for `room` pieces. Returns the number of pieces made, 0 at the end; *bytes is the sum of their bytes. */
int io_pieces_part(const struct iovec *pieces, int count, size_t from, uint64_t limit, struct iovec *some, int room,
                   size_t *bytes);

/* The rest of an open file, malloc'd, with a NUL byte after it, which *bytes does not count. NULL with errno: EFBIG for
 * more than `most` bytes. */
char *io_read_whole(int fd, size_t most, size_t *bytes);

/* Are both of the same file, by device and inode? */
bool io_same_file(const struct stat *one, const struct stat *other);
