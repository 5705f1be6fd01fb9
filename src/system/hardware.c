/*
 * Linux tells most of this in small text files. A file or line that is missing (another system, an older kernel, a
 * container that hides it) means that there is no such limit, so every question here has an answer.
 *
 * A control group limits all the groups below it, so the limit that counts may stand at any level: /proc/self/cgroup
 * tells the group of this process, /proc/self/mountinfo where the tree of groups is mounted and which part of it, and
 * every directory from the group up to the mount is asked. In a container the group's name can be one that the mount
 * does not show; those levels are missing files, and the mount itself, which is the container's own group, remains.
 *
 * Version 1 has a tree for each controller, version 2 one tree for all; a machine may use both. `controller` names a
 * tree of version 1, and NULL is the tree of version 2.
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

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "system/io.h"

enum { FIELD_BYTES = 4096, NAME_BYTES = 2 * FIELD_BYTES, TEXT_BYTES_MAX = 4 << 20 };

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* ---- Text files ---- */

/* The whole text of the file whose name is given in printf's manner, for free. NULL if it cannot be read, or is larger
 * than any should be. */
__attribute__((format(printf, 1, 2))) static char *read_text(const char *format, ...)
{
    char name[NAME_BYTES], *text;
    va_list arguments;
    size_t bytes;
    int fd;

    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    fd = io_open(name, O_RDONLY, 0);
    if (fd < 0)
        return NULL;
    text = io_read_whole(fd, TEXT_BYTES_MAX, &bytes);
    (void)io_close(fd);
    return text;
}

/* The number that `text` begins with, after blanks. False, and *number untouched, if there is none ("max", "-1"). */
static bool take_number(const char *text, uint64_t *number)
{
    text += strspn(text, " \t");
    if (*text < '0' || *text > '9')
        return false;
    *number = strtoull(text, NULL, 10);
    return true;
}

/* The number that is all of a file, or that follows `key`, which begins a line and has blanks behind it; `otherwise` if
 * there is no such file or no number in it. */
static uint64_t number_in(const char *directory, const char *name, const char *key, uint64_t otherwise)
{
    char *text = read_text("%s/%s", directory, name);
    const size_t length = strlen(key);
    uint64_t number = otherwise;

    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && (length == 0 || strchr(" \t", line[length]) != NULL)) {
            (void)take_number(line + length, &number);
            break;
        }
    }
    free(text);
    return number;
}

/* ---- Control groups ---- */

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (;;) {
        size_t next = strcspn(list, ",");

        if (next == length && memcmp(list, word, length) == 0)
            return true;
        if (list[next] == '\0')
            return false;
        list += next + 1;
    }
}

/* The name of this process's group, found in the text of /proc/self/cgroup, which is changed; NULL if there is none.
 * Lines are "ID:CONTROLLER,CONTROLLER:NAME", for version 2 "0::NAME". */
static char *group_name(char *text, const char *controller)
{
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *list = strchr(line, ':'), *name = list == NULL ? NULL : strchr(list + 1, ':');

        if (name == NULL)
            continue;
        *name++ = '\0';
        if (controller == NULL ? strcmp(line, "0:") == 0 : has_word(list + 1, controller))
            return name;
    }
    return NULL;
}

/* The first mount of the tree in the text of /proc/self/mountinfo, which is changed: the directory `point`, in which
 * the group `top` is seen. A line is four fields, of which the last is `top`; `point`, options, any number of others,
 * "-", type, source, options of the file system. Names with a blank, which stands there as \040, are not
 * found. */
static bool find_mount(char *text, const char *controller, char top[FIELD_BYTES], char point[FIELD_BYTES])
{
    char *rest = NULL, type[FIELD_BYTES], options[FIELD_BYTES];

    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        const char *second = strstr(line, " - ");

        if (second == NULL || sscanf(line, "%*s %*s %*s %4095s %4095s", top, point) != 2 ||
            sscanf(second, " - %4095s %*s %4095s", type, options) != 2)
            continue;
        if (controller == NULL ? strcmp(type, "cgroup2") == 0
                               : strcmp(type, "cgroup") == 0 && has_word(options, controller))
            return true;
    }
    return false;
}

/* The part of a group's name that is below the group `top`, with its slash; "" if it is not below. */
static const char *below(const char *name, const char *top)
{
    size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);

    /* A group outside of what a container may see is "/../other". */
    if (strncmp(name, top, length) != 0 || name[length] != '/' || strstr(name, "/..") != NULL)
        return "";
    return name + length;
}

typedef uint64_t level_function(const char *directory);

/* The least of what `ask` says of every level, from this process's group up to the top of the tree. UINT64_MAX stands
 * for no limit. */
static uint64_t least_of_levels(const char *controller, level_function *ask)
{
    char *groups = read_text("/proc/self/cgroup"), *mounts = read_text("/proc/self/mountinfo");
    const char *name = groups == NULL ? NULL : group_name(groups, controller);
    char top[FIELD_BYTES], directory[NAME_BYTES];
    uint64_t result = UINT64_MAX;

    if (name != NULL && mounts != NULL && find_mount(mounts, controller, top, directory)) {
        const size_t top_length = strlen(directory);

        snprintf(directory + top_length, sizeof directory - top_length, "%s", below(name, top));
        for (char *end = directory + strlen(directory); end != NULL && end >= directory + top_length;
             end = strrchr(directory, '/')) {
            *end = '\0';
            result = least(result, ask(directory));
        }
    }
    free(groups);
    free(mounts);
    return result;
}

static uint64_t memory_limit_v1(const char *directory)
{
    return number_in(directory, "memory.limit_in_bytes", "", UINT64_MAX);
}

static uint64_t memory_limit_v2(const char *directory)
{
    return least(number_in(directory, "memory.max", "", UINT64_MAX),
                 number_in(directory, "memory.high", "", UINT64_MAX));
}

/* Page cache counts as free, since it gives way. */
static uint64_t memory_left_v1(const char *directory)
{
    const uint64_t cache = number_in(directory, "memory.stat", "total_inactive_file", 0) +
                           number_in(directory, "memory.stat", "total_active_file", 0);

    return difference(memory_limit_v1(directory),
                      difference(number_in(directory, "memory.usage_in_bytes", "", 0), cache));
}

static uint64_t memory_left_v2(const char *directory)
{
    const uint64_t cache =
        number_in(directory, "memory.stat", "inactive_file", 0) + number_in(directory, "memory.stat", "active_file", 0);

    return difference(memory_limit_v2(directory), difference(number_in(directory, "memory.current", "", 0), cache));
}

/* Processors that the time allowed amounts to, rounded up. */
static uint64_t quota(uint64_t time, uint64_t period)
{
    return time == UINT64_MAX || period == 0 ? UINT64_MAX : time / period + (time % period != 0);
}

static uint64_t processors_v1(const char *directory)
{
    return quota(number_in(directory, "cpu.cfs_quota_us", "", UINT64_MAX),
                 number_in(directory, "cpu.cfs_period_us", "", 0));
}

/* "TIME PERIOD", where TIME may be "max". */
static uint64_t processors_v2(const char *directory)
{
    char *text = read_text("%s/cpu.max", directory);
    uint64_t time, period, result = UINT64_MAX;

    if (text != NULL && take_number(text, &time) && take_number(text + strcspn(text, " "), &period))
        result = quota(time, period);
    free(text);
    return result;
}

/* ---- Memory ---- */

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

static uint64_t available_memory(void)
{
    uint64_t bytes = number_in("/proc", "meminfo", "MemAvailable:", 0) * 1024;

#ifdef _SC_AVPHYS_PAGES
    if (bytes == 0)
        bytes = pages_to_bytes(sysconf(_SC_AVPHYS_PAGES));
#endif
    return bytes > 0 ? bytes : physical_memory();
}

/* What a limit of the process leaves, less the number of pages in this field of /proc/self/statm. */
static uint64_t below_limit(int resource, unsigned field)
{
    char *text = read_text("/proc/self/statm");
    const char *at = text;
    struct rlimit limit;
    uint64_t pages = 0;

    for (; at != NULL && field > 1; field--)
        at += strcspn(at, " ") + (strchr(at, ' ') != NULL);
    if (at != NULL)
        (void)take_number(at, &pages);
    free(text);
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return difference(limit.rlim_cur, pages_to_bytes((long)pages));
}

uint64_t hardware_free_memory(void)
{
    return least(available_memory(),
                 least(least_of_levels("memory", memory_left_v1), least_of_levels(NULL, memory_left_v2)));
}

/* The first field of statm is the size, the sixth data and stack. With 32 bits the address space is what runs out
 * first. */
uint64_t hardware_memory(void)
{
    uint64_t bytes = least(SIZE_MAX / 2, hardware_free_memory());

    bytes = least(bytes, least(below_limit(RLIMIT_AS, 1), below_limit(RLIMIT_DATA, 6))) / 2;
    bytes -= bytes / 512;
    return bytes > HARDWARE_MEMORY_MIN ? bytes : HARDWARE_MEMORY_MIN;
}

uint64_t hardware_whole_memory(void)
{
    return least(physical_memory(),
                 least(least_of_levels("memory", memory_limit_v1), least_of_levels(NULL, memory_limit_v2)));
}

uint64_t hardware_peak_memory(void)
{
    const uint64_t kib = number_in("/proc/self", "status", "VmHWM:", 0);
    struct rusage usage;

    if (kib > 0)
        return kib * 1024;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
#ifdef __APPLE__
    return (uint64_t)usage.ru_maxrss;
#else
    return (uint64_t)usage.ru_maxrss * 1024;
#endif
}

/* ---- Processors ---- */

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

unsigned hardware_processors(void)
{
    const uint64_t allowed = least(least_of_levels("cpu", processors_v1), least_of_levels(NULL, processors_v2));
    const uint64_t count = least(processors_by_affinity(), allowed);

    return count > 0 ? (unsigned)count : 1;
}
