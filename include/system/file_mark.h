#pragma once

/*
 * Describes a regular file as it was when it was opened, to tell whether somebody has modified it since. One rule holds
 * for all files, however they are read: a file that is smaller, or has the same size and another modification time, has
 * changed. A file that has grown, as a log does, is used up to its old size, if both ends of that part are unchanged,
 * as they must be in another file that has got its name.
 *
 * Functions that return int return 0, or -1 with errno, where ESTALE means that the file has changed.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "system/fault.h"

/* There may be millions of inputs, so it is small. Zeroed before the file is opened. */
struct file_mark {
    uint64_t file; /* made of device and inode; 0: no regular file, or not opened */
    off_t bytes;
    uint64_t modified; /* in nanoseconds */
    uint64_t ends; /* a hash of its first and last bytes; 0: not opened, or made by the kernel when it is read (its size
                      is 0, and it never counts as changed) */
};

bool file_mark_is_known(const struct file_mark *mark);

/* The file has been opened as `fd`: mark it if that has not been done, else check that it has not changed. */
int file_mark_open(struct file_mark *mark, int fd);

/* How many bytes to read from offset `at` on; UINT64_MAX: up to the end, wherever it is. */
uint64_t file_mark_left(const struct file_mark *mark, off_t at);

/* Is the open file unchanged? `end` is the offset where a read has found its end: if the file has grown, it must be the
 * old size. mark->bytes: no read has found the end. -1: the file must not have grown. */
int file_mark_check(const struct file_mark *mark, int fd, off_t end);

/* End the run, with errno as these functions leave it. */
_Noreturn void file_mark_report(const char *name);

/* The mark of a regular file without `ends`; of another one, zeros. */
struct file_mark file_mark_of(const struct stat *status);
