#ifndef BIGSHUF_SYSTEM_CGROUP_H
#define BIGSHUF_SYSTEM_CGROUP_H

/*
 * What the control groups of Linux (versions 1 and 2, every level up to the root) leave to this process. UINT64_MAX
 * stands for no limit. The files are looked for below `root`, which is "" but for tests.
 */

#include <stdint.h>

/* Bytes of memory below the limits. Page cache counts as free, since it gives way. */
uint64_t cgroup_memory_left(const char *root);

/* The least of the limits themselves. */
uint64_t cgroup_memory_limit(const char *root);

/* Processors that the time allowed amounts to, rounded up. */
uint64_t cgroup_processors(const char *root);

#endif
