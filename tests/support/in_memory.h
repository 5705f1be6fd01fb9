#ifndef BIGSHUF_TESTS_IN_MEMORY_H
#define BIGSHUF_TESTS_IN_MEMORY_H

/* For tests that make files by the thousand: a directory in memory, if there is one with room. Some file systems are
 * slow where many files were deleted a moment ago. */

#include <sys/statvfs.h>

#include "support/scratch.h"

/* As scratch_setup, whose teardown it has. */
static inline int in_memory_setup(void **state)
{
    char path[] = "/dev/shm/bigshuf-test-XXXXXX";
    struct statvfs status;

    if (scratch_setup(state) != 0)
        return -1;
    if (statvfs("/dev/shm", &status) != 0 || (uint64_t)status.f_bavail * status.f_frsize < (uint64_t)1 << 30 ||
        mkdtemp(path) == NULL)
        return 0;
    if (chdir(path) != 0 || rmdir(scratch.path) != 0)
        return -1;
    memcpy(scratch.path, path, sizeof path);
    return 0;
}

#endif
