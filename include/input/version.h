#ifndef BIGSHUF_INPUT_VERSION_H
#define BIGSHUF_INPUT_VERSION_H

/* A regular file as it was, by which it can be told whether somebody has modified it since. One that has grown, as a
 * log does, has not been. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "system/fault.h"

/* There may be millions of inputs, so it is small. */
struct version {
    uint64_t file; /* of its device and inode; 0: it is no regular file, or was not looked at */
    off_t bytes;
    uint64_t modified; /* in nanoseconds */
};

struct version version_of(const struct stat *status);
bool version_is_known(const struct version *version);

/* Is it this file? Is it this file, and smaller now, or as large and modified? Never if the version is not known; nor
 * if it is empty, as are files that are made when they are read. */
bool version_is_of(const struct version *version, const struct stat *now);
bool version_has_changed(const struct version *version, const struct stat *now);

/* Is what the path leads to now smaller, or as large and modified, whichever file it is? Some file systems make up the
 * numbers of files (FAT, FUSE), and others when nobody has them open. */
bool version_is_past(const struct version *version, const struct stat *now);

/* Is it as large as it was, and not modified, whichever file it is? */
bool version_is_same(const struct version *version, const struct stat *now);

/* Report that it is another file, or has changed. -1 */
int version_report(const struct version *version, const struct stat *now, const char *name, struct fault *fault);
int version_report_shrunk(const char *name, struct fault *fault);

#endif
