#ifndef BIGSHUF_TESTS_DISK_H
#define BIGSHUF_TESTS_DISK_H

/*
 * Temporary files on disks that fill up, fail and forget on demand: some of the system layer's functions (faulty_sys.h)
 * are replaced here. To be included before all else.
 *
 * Disks are told apart by the last character of a directory's name, '0' to '3'.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "system/sys.h"

int real_sys_open_anonymous(int directory, const char *name, mode_t mode);
int real_sys_mkstemp(char *pattern);
int real_sys_close(int fd);
ssize_t real_sys_pwritev(int fd, const struct iovec *pieces, int count, off_t offset);
ssize_t real_sys_preadv(int fd, const struct iovec *pieces, int count, off_t offset);
int real_sys_punch_hole(int fd, off_t offset, off_t bytes);
int real_sys_stat(const char *path, struct stat *status);
unsigned real_sys_free_descriptors(unsigned wanted);
void *real_sys_allocate(size_t count, size_t bytes);

enum { DISK_DISKS = 4, DISK_FILES_MAX = 2048 };

/* What goes wrong, and what has been seen. Counts down where it says "of number": 0 is never, 1 is now. */
static struct {
    pthread_mutex_t mutex;
    uint64_t room[DISK_DISKS]; /* bytes that can still be written; all of them after disk_reset */
    unsigned descriptors;      /* that may be open for temporary files; 0: as the system says */
    bool one;                  /* all directories are on one disk */
    bool names;                /* it has no files without names */
    unsigned fail_write;       /* the write of this number fails */
    unsigned fail_allocation;  /* the allocation of this number fails */
    bool cut;                  /* files are at their ends wherever they are read */
    unsigned flip_read;        /* the read of this number from temporary files gets one bit wrong */

    unsigned files; /* open now */
    unsigned made[DISK_DISKS];
    uint64_t written_bytes, punched_bytes;
    unsigned writes;
    signed char disk_of[DISK_FILES_MAX]; /* of each descriptor */
} disk = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static inline int disk_reset(void)
{
    disk.descriptors = 0;
    disk.one = disk.names = disk.cut = false;
    disk.fail_write = disk.fail_allocation = disk.flip_read = 0;
    disk.files = 0;
    disk.written_bytes = disk.punched_bytes = 0;
    disk.writes = 0;
    for (int i = 0; i < DISK_DISKS; i++) {
        disk.room[i] = UINT64_MAX;
        disk.made[i] = 0;
    }
    for (int i = 0; i < DISK_FILES_MAX; i++)
        disk.disk_of[i] = -1;
    return 0;
}

/* Has the time come? */
static inline bool disk_counts_down(unsigned *number)
{
    bool now;

    pthread_mutex_lock(&disk.mutex);
    now = *number == 1;
    if (*number > 0)
        --*number;
    pthread_mutex_unlock(&disk.mutex);
    return now;
}

static inline int disk_made(int fd, char name)
{
    if (fd < 0)
        return fd;
    pthread_mutex_lock(&disk.mutex);
    disk.disk_of[fd] = (signed char)(name >= '0' && name < '0' + DISK_DISKS ? name - '0' : 0);
    disk.made[disk.disk_of[fd]]++;
    disk.files++;
    pthread_mutex_unlock(&disk.mutex);
    return fd;
}

static inline bool disk_no_more_files(void)
{
    errno = EMFILE;
    return disk.descriptors > 0 && disk.files == disk.descriptors;
}

int sys_open_anonymous(int directory, const char *name, mode_t mode)
{
    if (disk.names) {
        errno = ENOTSUP;
        return -1;
    }
    return disk_no_more_files() ? -1
                                : disk_made(real_sys_open_anonymous(directory, name, mode), name[strlen(name) - 1]);
}

int sys_mkstemp(char *pattern)
{
    return disk_no_more_files() ? -1 : disk_made(real_sys_mkstemp(pattern), strrchr(pattern, '/')[-1]);
}

int sys_close(int fd)
{
    pthread_mutex_lock(&disk.mutex);
    if (fd >= 0 && disk.disk_of[fd] >= 0) {
        disk.disk_of[fd] = -1;
        disk.files--;
    }
    pthread_mutex_unlock(&disk.mutex);
    return real_sys_close(fd);
}

ssize_t sys_pwritev(int fd, const struct iovec *pieces, int count, off_t offset)
{
    struct iovec some[64];
    uint64_t room;
    ssize_t put;
    int fitting = 0;

    if (disk_counts_down(&disk.fail_write)) {
        errno = EIO;
        return -1;
    }
    pthread_mutex_lock(&disk.mutex);
    disk.writes++;
    room = disk.room[disk.disk_of[fd]];
    for (; fitting < count && room > 0; fitting++) {
        some[fitting] = pieces[fitting];
        if (some[fitting].iov_len > room)
            some[fitting].iov_len = (size_t)room;
        room -= some[fitting].iov_len;
    }
    errno = ENOSPC;
    put = fitting == 0 ? -1 : real_sys_pwritev(fd, some, fitting, offset);
    if (put > 0) {
        disk.written_bytes += (uint64_t)put;
        if (disk.room[disk.disk_of[fd]] != UINT64_MAX)
            disk.room[disk.disk_of[fd]] -= (uint64_t)put;
    }
    pthread_mutex_unlock(&disk.mutex);
    return put;
}

/* Temporary files have no names. */
static bool disk_is_temporary(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && status.st_nlink == 0;
}

ssize_t sys_preadv(int fd, const struct iovec *pieces, int count, off_t offset)
{
    ssize_t got = disk.cut ? 0 : real_sys_preadv(fd, pieces, count, offset);

    if (got > 0 && disk_is_temporary(fd) && disk_counts_down(&disk.flip_read))
        *(uint8_t *)pieces[count / 2].iov_base ^= 4;
    return got;
}

int sys_punch_hole(int fd, off_t offset, off_t bytes)
{
    pthread_mutex_lock(&disk.mutex);
    disk.punched_bytes += (uint64_t)bytes;
    pthread_mutex_unlock(&disk.mutex);
    return real_sys_punch_hole(fd, offset, bytes);
}

int sys_free_space(int fd, uint64_t *bytes)
{
    *bytes = disk.room[disk.disk_of[fd]];
    return 0;
}

int sys_stat(const char *path, struct stat *status)
{
    int result = real_sys_stat(path, status);

    if (result == 0 && strncmp(path, "disk", 4) == 0)
        status->st_dev = disk.one ? 0 : (dev_t)path[4];
    return result;
}

unsigned sys_free_descriptors(unsigned wanted)
{
    return disk.descriptors > 0 ? disk.descriptors - disk.files + 12 : real_sys_free_descriptors(wanted);
}

bool sys_is_memory_file_system(int fd)
{
    (void)fd;
    return false;
}

void *sys_allocate(size_t count, size_t bytes)
{
    errno = ENOMEM;
    return disk_counts_down(&disk.fail_allocation) ? NULL : real_sys_allocate(count, bytes);
}

#endif
