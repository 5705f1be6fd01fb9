#pragma once

/*
 * Describes a regular file as it was when it was opened, to tell whether somebody has modified it since. One rule holds
 * for all files, however they are read: a file that is smaller, or has the same size and another modification time, has
 * changed. A file that has grown, as a log does, is used up to its old size, if both ends of that part are unchanged,
 * as they must be in another file that got its name.
 *
 * Functions that return int return 0, or -1 with errno, where ESTALE stands for a file that is not what it was.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "system/fault.h"

/* There may be millions of inputs, so it is small. Zeroed before the file is opened. */
struct file_mark {
    uint64_t file; /* of its device and inode; 0: it is no regular file, or was not opened */
    off_t bytes;
    uint64_t modified; /* in nanoseconds */
    uint64_t ends; /* a hash of its first and its last bytes; 0: it was not opened, or has no size but is made when it
                      is read, and is never said to have changed */
};

bool file_mark_is_known(const struct file_mark *mark);

/* The file has been opened as `fd`: mark it if that has not been done, else check that it has not changed. */
int file_mark_open(struct file_mark *mark, int fd);

/* How much of the file is to be read from the byte `at` on; UINT64_MAX if it is to be read to its end. */
uint64_t file_mark_left(const struct file_mark *mark, off_t at);

/* Is the open file unchanged? `end` is the byte where a read has found its end; if the file has grown, that must be
 * where it ended before. mark->bytes: no read has found its end. -1: the file must not have grown. */
int file_mark_check(const struct file_mark *mark, int fd, off_t end);

/* The run ends with errno, as these leave it. */
_Noreturn void file_mark_report(const char *name);

/* The same without `ends`, zeroed unless it is a regular file. */
struct file_mark file_mark_of(const struct stat *status);
