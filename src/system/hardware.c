/*
 * Linux tells most of this in small text files. A file or line that is missing (another system, an older kernel, a
 * container that hides it) means that there is no such limit, so every question here has an answer.
 *
 * A control group limits all the groups below it, so the limit that counts may stand at any level: /proc/self/cgroup
 * tells the group of this process, and every directory from that up to the top of the tree is asked. The trees are
 * where everybody mounts them, in /sys/fs/cgroup: that of version 2, and one for each controller of version 1; a
 * machine may use both. In a container the group's name can be one that is not seen there; those levels are missing
 * files, and the top, which is the container's own group, remains. `controller` names a tree of version 1, and NULL is
 * the tree of version 2.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "system/io.h"
#include "system/sys.h"

enum { NAME_BYTES = 8192, TEXT_BYTES_MAX = 4 << 20 };

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* ---- Text files ---- */

/* The whole text of the file whose name is given in printf's manner, for free(). NULL if it cannot be read, or is
 * larger than any should be. */
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
    io_drop(fd);
    return text;
}

/* The number at the start of word `word` (from 1 on) of a file; or, if `key` is given, of the words after `key` on the
 * line that begins with it. `otherwise` if there is no such file, or no number there ("max", "-1"). */
static uint64_t number_in(const char *directory, const char *name, const char *key, unsigned word, uint64_t otherwise)
{
    char *text = read_text("%s/%s", directory, name);
    const size_t length = strlen(key);
    const char *at = text;
    uint64_t number = otherwise;

    while (at != NULL && length > 0 && (strncmp(at, key, length) != 0 || strspn(at + length, " \t") == 0)) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at != NULL && length > 0)
        at += length + strspn(at + length, " \t");
    for (; at != NULL && word > 1; word--)
        at += strcspn(at, " ") + (strchr(at, ' ') != NULL);
    if (at != NULL && *at >= '0' && *at <= '9')
        number = strtoull(at, NULL, 10);
    free(text);
    return number;
}

uint32_t hardware_boot(void)
{
    char *text = read_text("/proc/sys/kernel/random/boot_id");
    const uint32_t boot = text != NULL ? (uint32_t)xxh64(text, strlen(text)) : 0;

    free(text);
    return boot;
}

/* ---- Control groups ---- */

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)) != NULL; at++)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* The name of this process's group in the text of /proc/self/cgroup, which this changes; NULL if there is none. Lines
 * are "ID:CONTROLLER,CONTROLLER:NAME", for version 2 "0::NAME". */
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

/* What one level allows: its directory is of version 2 if `second`, else of version 1. */
typedef uint64_t level_function(const char *directory, bool second);

/* The least of what `ask` says of every level, from this process's group up to the top of the tree. UINT64_MAX stands
 * for no limit. */
static uint64_t least_of_tree(const char *controller, level_function *ask)
{
    char *groups = read_text("/proc/self/cgroup"), directory[NAME_BYTES];
    const char *name = groups == NULL ? NULL : group_name(groups, controller);
    const char *seen = name != NULL && strstr(name, "/..") == NULL ? name : ""; /* outside of the top: "/../other" */
    const bool second = controller == NULL;
    const size_t top = (size_t)snprintf(directory, sizeof directory, "/sys/fs/cgroup%s%s", second ? "" : "/",
                                        second ? "" : controller);
    uint64_t result = UINT64_MAX;

    snprintf(directory + top, sizeof directory - top, "%s", seen);
    for (char *end = directory + strlen(directory); name != NULL && end >= directory + top;
         end = strrchr(directory, '/')) {
        *end = '\0';
        result = least(result, ask(directory, second));
    }
    free(groups);
    return result;
}

static uint64_t least_of_trees(const char *controller, level_function *ask)
{
    return least(least_of_tree(controller, ask), least_of_tree(NULL, ask));
}

static uint64_t memory_limit(const char *directory, bool second)
{
    return second ? least(number_in(directory, "memory.max", "", 1, UINT64_MAX),
                          number_in(directory, "memory.high", "", 1, UINT64_MAX))
                  : number_in(directory, "memory.limit_in_bytes", "", 1, UINT64_MAX);
}

/* Page cache counts as free, since it gives way. */
static uint64_t memory_left(const char *directory, bool second)
{
    const uint64_t used = number_in(directory, second ? "memory.current" : "memory.usage_in_bytes", "", 1, 0);
    const uint64_t cache = number_in(directory, "memory.stat", second ? "inactive_file" : "total_inactive_file", 1, 0) +
                           number_in(directory, "memory.stat", second ? "active_file" : "total_active_file", 1, 0);

    return difference(memory_limit(directory, second), difference(used, cache));
}

/* Processors that the time allowed amounts to, rounded up. */
static uint64_t processors(const char *directory, bool second)
{
    const uint64_t time = number_in(directory, second ? "cpu.max" : "cpu.cfs_quota_us", "", 1, UINT64_MAX);
    const uint64_t period =
        second ? number_in(directory, "cpu.max", "", 2, 0) : number_in(directory, "cpu.cfs_period_us", "", 1, 0);

    return time == UINT64_MAX || period == 0 ? UINT64_MAX : time / period + (time % period != 0);
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
    uint64_t bytes = number_in("/proc", "meminfo", "MemAvailable:", 1, 0) * 1024;

#ifdef _SC_AVPHYS_PAGES
    if (bytes == 0)
        bytes = pages_to_bytes(sysconf(_SC_AVPHYS_PAGES));
#endif
    return bytes > 0 ? bytes : physical_memory();
}

/* What is left of a limit of the process: word `word` of /proc/self/statm is the number of pages used. */
static uint64_t below_limit(const struct rlimit *limit, unsigned word)
{
    if (limit->rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return difference(limit->rlim_cur, pages_to_bytes((long)number_in("/proc/self", "statm", "", word, 0)));
}

uint64_t hardware_free_memory(void)
{
    return least(available_memory(), least_of_trees("memory", memory_left));
}

/* The first word of statm is the size, the sixth data and stack. With 32 bits the address space runs out first. */
static uint64_t free_addresses(void)
{
    struct rlimit size = {.rlim_cur = RLIM_INFINITY}, data = size;

    (void)getrlimit(RLIMIT_AS, &size);
    (void)getrlimit(RLIMIT_DATA, &data);
    return least(SIZE_MAX / 2, least(below_limit(&size, 1), below_limit(&data, 6)));
}

uint64_t hardware_memory(void)
{
    uint64_t bytes = least(free_addresses(), hardware_free_memory()) / 2;

    bytes -= bytes / 512;
    return bytes > HARDWARE_MEMORY_MIN ? bytes : HARDWARE_MEMORY_MIN;
}

uint64_t hardware_whole_memory(void)
{
    return least(physical_memory(), least_of_trees("memory", memory_limit));
}

uint64_t hardware_peak_memory(void)
{
    const uint64_t kib = number_in("/proc/self", "status", "VmHWM:", 1, 0);
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

/* The kernel refuses a set that is smaller than its own, whose size it does not tell. */
static uint64_t processors_by_affinity(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

#ifdef __linux__
    cpu_set_t sets[64];

    if (sched_getaffinity(0, sizeof sets, sets) == 0)
        return (uint64_t)CPU_COUNT_S(sizeof sets, sets);
#endif
    return online > 0 ? (uint64_t)online : 1;
}

unsigned hardware_processors(void)
{
    const uint64_t count = least(processors_by_affinity(), least_of_trees("cpu", processors));

    return count > 0 ? (unsigned)count : 1;
}

/* ---- Users ---- */

bool hardware_is_known_user(uint32_t user)
{
#ifdef __linux__
    const uint32_t nobody = 65534; /* /proc/sys/kernel/overflowuid, which hardly anybody changes */

    return user != nobody || number_in("/proc/self", "uid_map", "         0          0", 1, 0) == UINT32_MAX;
#else
    (void)user;
    return true;
#endif
}
