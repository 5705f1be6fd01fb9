#pragma once

/* Outputs that are also inputs, or whose contents would be lost by mistake. */

#include <stddef.h>

#include "output/files.h"
#include "system/file_mark.h"

/* The one output that is an input. Zeroed: there is none. */
struct overlap {
    const char *path;      /* NULL: none */
    int lock;              /* a descriptor of the file, which holds a lock */
    struct file_mark mark; /* of the file as it was when it was locked, before it is read */
};

/*
 * Look for files that this run or the next run of the same command would read twice or lose, before anything is read.
 * Refused are
 *  - an output that is an input, whatever names both have. But the only output may be the only input, if it will be
 *    replaced: then it is locked and marked, and will be on disk before it gets its name;
 *  - such a file if it would be destroyed, as an archive (hints.h);
 *  - an output that is not empty, while the only input is /dev/null as standard input.
 */
void overlap_check(struct overlap *overlap, const struct files *files);

/* The output is complete, and about to get its name. The run ends if others have changed or replaced the file since it
 * was locked: it would lose what they have written. */
void overlap_check_again(const struct overlap *overlap);

void overlap_release(struct overlap *overlap); /* also when zeroed */
