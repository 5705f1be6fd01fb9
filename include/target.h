#ifndef BIGSHUF_TARGET_H
#define BIGSHUF_TARGET_H

/*
 * Where the path of an output really leads: symbolic links followed to the last one, whether or not a file is there.
 */

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

struct target {
    char *directory;  /* real path of the directory in which the file is, or would be made */
    char *path;       /* directory, '/', and its name there */
    const char *name; /* the last part of path */
    bool special;     /* the way leads through /dev or /proc and was followed no further */
};

/* 0, or -1 with errno: the directory does not exist, a circle of links (ELOOP), a path that ends in '/' (EISDIR). */
int target_find(struct target *target, const char *path);

/* Do any two of the paths, of which some may be NULL, lead to the same regular file, or to the same place for one that
 * is yet to be made? With `by_name`, paths are only compared with each other. 0 if not; else -1 after a report. */
int target_check_distinct(const char *const *paths, size_t count, bool by_name, struct fault *fault);

void target_release(struct target *target); /* also after a failure, or of a zeroed one */

#endif
