/*
 * Rewriting a file, and making it larger, changes the bytes at its beginning or at its old end; adding to it does not.
 * Hashing the whole file would mean reading it twice.
 */

#include "system/file_mark.h"

#include <errno.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "base/xxh64.h"
#include "system/io.h"
#include "system/sys.h"

/* Of either end 1/END_SHARE of the file is hashed, within these bounds, in pieces that fit on a thread's stack. (1 GB
 * in 5,000 files, in memory: 64 KiB of each end take 38 us of the 240 us of processor time that a file takes
 * altogether, 4 KiB take 4 us.) */
enum { END_SHARE = 64, END_BYTES_MIN = 4 << 10, END_BYTES_MAX = 64 << 10 };
TUNABLE(PIECE_BYTES, 8 << 10, 64, 8 << 10);

enum { TRIES = 100 };

/* Devices have small numbers, which are multiplied by 2^64 / phi so that they differ in all bits. */
static uint64_t number_of(const struct stat *status)
{
    const uint64_t number = (uint64_t)status->st_dev * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)status->st_ino;

    return number > 0 ? number : 1;
}

struct file_mark file_mark_of(const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return (struct file_mark){.file = 0};
    return (struct file_mark){.file = number_of(status), .bytes = status->st_size, .modified = sys_modified(status)};
}

bool file_mark_is_known(const struct file_mark *mark)
{
    return mark->file != 0;
}

/* Is it the same file, by its number? */
static bool is_of(const struct file_mark *mark, const struct stat *now)
{
    return file_mark_is_known(mark) && mark->file == number_of(now);
}

/* Is the size as it was, and the time, whichever file it is? Some file systems make up the numbers of files (FAT,
 * FUSE), and others when nobody has them open. */
static bool is_same(const struct file_mark *mark, const struct stat *now)
{
    return file_mark_is_known(mark) && S_ISREG(now->st_mode) && now->st_size == mark->bytes &&
           mark->modified == sys_modified(now);
}

/* The bytes from `at` to `end`, as far as the file has them: some files have fewer than they say. */
static int hash_range(int fd, off_t at, off_t end, struct xxh64 *hash)
{
    uint8_t data[PIECE_BYTES];

    while (at < end) {
        const size_t wanted = (size_t)least(sizeof data, (uint64_t)(end - at));
        struct iovec piece = {.iov_base = data, .iov_len = wanted};
        size_t done;

        if (io_read_at(fd, &piece, 1, at, &done) != 0 && errno != 0)
            return -1;
        xxh64_update(hash, data, done);
        at += (off_t)wanted;
    }
    return 0;
}

/* Both ends of the first `bytes` bytes of a file; all of them if there are few. */
static int hash_ends(int fd, off_t bytes, uint64_t *ends)
{
    const off_t share = bytes / END_SHARE;
    const off_t end = share < END_BYTES_MIN ? END_BYTES_MIN : share > END_BYTES_MAX ? END_BYTES_MAX : share;
    struct xxh64 hash;

    xxh64_init(&hash, 0);
    if (hash_range(fd, 0, (off_t)least((uint64_t)bytes, (uint64_t)end), &hash) != 0 ||
        hash_range(fd, bytes > 2 * end ? bytes - end : end, bytes, &hash) != 0)
        return -1;
    *ends = xxh64_value(&hash) | 1;
    return 0;
}

/* Does a file of size 0 have bytes to read? If it cannot be read, the reader will notice. */
static bool is_made(int fd)
{
    char byte;
    struct iovec piece = {.iov_base = &byte, .iov_len = 1};
    size_t done;

    return io_read_at(fd, &piece, 1, 0, &done) == 0 || errno != 0;
}

/* The hash must be of the file that had this size, so it is made again if the file was modified meanwhile; but not for
 * ever, since some file systems make up the time. */
int file_mark_open(struct file_mark *mark, int fd)
{
    const bool was_regular = file_mark_is_known(mark);
    unsigned tries = 0;
    struct stat now;

    if (mark->ends != 0)
        return file_mark_check(mark, fd, mark->bytes);
    if (sys_fstat(fd, &now) != 0)
        return -1;
    do {
        *mark = file_mark_of(&now);
        errno = ESTALE;
        if (!file_mark_is_known(mark))
            return was_regular ? -1 : 0;
        if ((mark->bytes > 0 || !is_made(fd)) && hash_ends(fd, mark->bytes, &mark->ends) != 0)
            return -1;
        if (sys_fstat(fd, &now) != 0)
            return -1;
    } while (!is_same(mark, &now) && ++tries < TRIES);
    return 0;
}

uint64_t file_mark_left(const struct file_mark *mark, off_t at)
{
    if (mark->ends == 0)
        return UINT64_MAX;
    return at < mark->bytes ? (uint64_t)(mark->bytes - at) : 0;
}

/* Nothing is used of a file that was empty, so its time does not matter. */
static bool may_be_more(const struct file_mark *mark, const struct stat *now)
{
    return now->st_size > mark->bytes || mark->bytes == 0;
}

int file_mark_check(const struct file_mark *mark, int fd, off_t end)
{
    struct stat now;
    uint64_t ends;

    if (mark->ends == 0)
        return 0;
    if (sys_fstat(fd, &now) != 0)
        return -1;
    if (is_same(mark, &now) && is_of(mark, &now))
        return 0;
    if (is_same(mark, &now) || (S_ISREG(now.st_mode) && end == mark->bytes && may_be_more(mark, &now))) {
        if (hash_ends(fd, mark->bytes, &ends) != 0)
            return -1;
        if (ends == mark->ends)
            return 0;
    }
    errno = ESTALE;
    return -1;
}

void file_mark_report(const char *name)
{
    if (errno == ESTALE)
        die("%s: file has changed while it was read", name);
    die_errno(name, errno);
}
