/*
 * Linux tells most of this in small text files. A file or line that is missing (another system, an older kernel, a
 * container that hides it) means that there is no such limit, so every question here has an answer.
 */

#ifdef __linux__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#else
#undef _POSIX_C_SOURCE /* _SC_PHYS_PAGES */
#undef _XOPEN_SOURCE
#define _DARWIN_C_SOURCE
#define _NETBSD_SOURCE
#endif

#include "system/hardware.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "system/cgroup.h"
#include "system/textfile.h"

static uint64_t pages_to_bytes(long pages)
{
    long page_bytes = sysconf(_SC_PAGESIZE);

    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

static uint64_t physical_memory(void)
{
#ifdef _SC_PHYS_PAGES
    return pages_to_bytes(sysconf(_SC_PHYS_PAGES));
#else
    return 0;
#endif
}

static uint64_t available_memory(const char *root)
{
    char *text = textfile_read("%s/proc/meminfo", root);
    uint64_t kib, bytes = 0;

    if (text != NULL && textfile_number_of(text, "MemAvailable:", &kib))
        bytes = kib * 1024;
#ifdef _SC_AVPHYS_PAGES
    if (bytes == 0)
        bytes = pages_to_bytes(sysconf(_SC_AVPHYS_PAGES));
#endif
    if (bytes == 0)
        bytes = physical_memory();
    free(text);
    return bytes;
}

static uint64_t below_limit(const struct rlimit *limit, uint64_t used_bytes)
{
    if (limit->rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit->rlim_cur > used_bytes ? limit->rlim_cur - used_bytes : 0;
}

/* What /proc/self/statm says: numbers of pages, of which the first is the size, the sixth data and stack. */
static uint64_t statm_bytes(const char *text, unsigned field)
{
    uint64_t pages = 0;

    for (unsigned i = 1; i < field; i++)
        text += strcspn(text, " ") + (strchr(text, ' ') != NULL);
    (void)textfile_number(text, &pages);
    return pages_to_bytes((long)pages);
}

/* What the process's own limits leave. */
static uint64_t memory_below_limits(const char *root)
{
    char *text = textfile_read("%s/proc/self/statm", root);
    struct rlimit limit;
    uint64_t left = UINT64_MAX;

    if (getrlimit(RLIMIT_AS, &limit) == 0)
        left = least(left, below_limit(&limit, text == NULL ? 0 : statm_bytes(text, 1)));
    if (getrlimit(RLIMIT_DATA, &limit) == 0)
        left = least(left, below_limit(&limit, text == NULL ? 0 : statm_bytes(text, 6)));
    free(text);
    return left;
}

uint64_t hardware_free_memory_under(const char *root)
{
    return least(available_memory(root), cgroup_memory_left(root));
}

uint64_t hardware_free_memory(void)
{
    return hardware_free_memory_under("");
}

uint64_t hardware_memory_under(const char *root)
{
    uint64_t bytes = SIZE_MAX / 2; /* with 32 bits the address space is what runs out first */

    bytes = least(bytes, hardware_free_memory_under(root));
    bytes = least(bytes, memory_below_limits(root));
    bytes /= 2;
    bytes -= bytes / 512;
    return bytes > HARDWARE_MEMORY_MIN ? bytes : HARDWARE_MEMORY_MIN;
}

uint64_t hardware_memory(void)
{
    return hardware_memory_under("");
}

uint64_t hardware_whole_memory_under(const char *root)
{
    return least(physical_memory(), cgroup_memory_limit(root));
}

uint64_t hardware_whole_memory(void)
{
    return hardware_whole_memory_under("");
}

static unsigned processors_online(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count > 0 ? (unsigned)count : 1;
}

#ifdef __linux__
/* The kernel refuses a set that is smaller than its own, whose size it does not tell. */
static unsigned processors_by_affinity(void)
{
    for (size_t room = CPU_SETSIZE; room <= (size_t)CPU_SETSIZE << 10; room *= 2) {
        size_t bytes = CPU_ALLOC_SIZE(room);
        cpu_set_t *set = CPU_ALLOC(room);
        bool known = set != NULL && sched_getaffinity(0, bytes, set) == 0;
        unsigned count = known ? (unsigned)CPU_COUNT_S(bytes, set) : 0;

        CPU_FREE(set);
        if (known)
            return count;
    }
    return processors_online();
}
#else
static unsigned processors_by_affinity(void)
{
    return processors_online();
}
#endif

unsigned hardware_processors_under(const char *root)
{
    uint64_t count = least(processors_by_affinity(), cgroup_processors(root));

    return count > 0 ? (unsigned)count : 1;
}

unsigned hardware_processors(void)
{
    return hardware_processors_under("");
}

uint64_t hardware_peak_memory_under(const char *root)
{
    char *text = textfile_read("%s/proc/self/status", root);
    uint64_t kib;
    bool known = text != NULL && textfile_number_of(text, "VmHWM:", &kib);
    struct rusage usage;

    free(text);
    if (known)
        return kib * 1024;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
#ifdef __APPLE__
    return (uint64_t)usage.ru_maxrss;
#else
    return (uint64_t)usage.ru_maxrss * 1024;
#endif
}

uint64_t hardware_peak_memory(void)
{
    return hardware_peak_memory_under("");
}
