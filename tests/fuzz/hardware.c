/*
 * What a machine and its control groups are said to leave, whatever the files say that a kernel writes: always an
 * answer, in range, no more with a limit than without, and where the limits are known, what they leave.
 */

#include "fuzz.h"

#include <inttypes.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "system/cgroup.h"
#include "system/hardware.h"
#include "system/textfile.h"

enum { FILES = 14 };

/* Those that a control group of version 2, or one of version 1, is asked for, in a tree below the current directory;
 * the groups and mounts that are told may be others. */
static const char *const names[FILES] = {
    "proc/meminfo",           "proc/self/cgroup",        "proc/self/mountinfo",         "proc/self/statm",
    "proc/self/status",       "sys/a/memory.max",        "sys/a/memory.high",           "sys/a/memory.current",
    "sys/a/memory.stat",      "sys/a/cpu.max",           "sys/a/memory.limit_in_bytes", "sys/a/memory.usage_in_bytes",
    "sys/a/cpu.cfs_quota_us", "sys/a/cpu.cfs_period_us",
};

static void make_directories(void)
{
    (void)mkdir("proc", 0700);
    (void)mkdir("proc/self", 0700);
    (void)mkdir("sys", 0700);
    (void)mkdir("sys/a", 0700);
}

/* Each file's text ends with NUL; what is empty is missing. */
static void take_files(struct fuzz *fuzz)
{
    for (size_t i = 0; i < FILES; i++) {
        size_t length = 0;

        while (length < fuzz->bytes && fuzz->data[length] != '\0')
            length++;
        (void)unlink(names[i]);
        if (length > 0)
            fuzz_put(names[i], fuzz->data, length);
        length += length < fuzz->bytes;
        fuzz->data += length;
        fuzz->bytes -= length;
    }
}

/* Blanks, then digits: the number, cut to 64 bits. */
static void check_number(const char *text)
{
    const char *digits = text + strspn(text, " \t");
    uint64_t number = 7;
    fuzz_wide expected = 0;
    bool good = *digits >= '0' && *digits <= '9';

    for (; *digits >= '0' && *digits <= '9'; digits++)
        if (expected <= UINT64_MAX)
            expected = expected * 10 + (unsigned)(*digits - '0');
    FUZZ_CHECK(textfile_number(text, &number) == good);
    FUZZ_CHECK(number == (!good ? 7 : expected < UINT64_MAX ? expected : UINT64_MAX));
}

static void check_texts(void)
{
    for (size_t i = 0; i < FILES; i++) {
        char *text = textfile_read("%s", names[i]);
        uint64_t number = 7;

        if (text == NULL)
            continue;
        check_number(text);
        if (!textfile_number_of(text, "MemAvailable:", &number))
            FUZZ_CHECK(number == 7);
        else
            FUZZ_CHECK(strstr(text, "MemAvailable:") != NULL);
        free(text);
    }
}

/* ---- Limits that are known ---- */

__attribute__((format(printf, 2, 3))) static void put_text(const char *name, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    fuzz_put(name, text, (size_t)vsnprintf(text, sizeof text, format, arguments));
    va_end(arguments);
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* The group /a, seen at /sys, has a limit, some memory in use, of which some is page cache, and a share of time. */
static void check_limits(struct fuzz *fuzz)
{
    uint64_t limit = fuzz_number(fuzz), used = fuzz_number(fuzz), cache = fuzz_number(fuzz) >> 1;
    uint64_t time = fuzz_number(fuzz) >> 1, period = fuzz_number(fuzz) >> 1;
    const bool newer = fuzz_byte(fuzz) % 2 != 0;
    const uint64_t processors = period == 0 ? UINT64_MAX : (uint64_t)(((fuzz_wide)time + period - 1) / period);

    for (size_t i = 0; i < FILES; i++)
        (void)unlink(names[i]);
    put_text("proc/self/cgroup", newer ? "0::/a\n" : "4:cpu,memory:/a\n");
    put_text("proc/self/mountinfo", "30 20 0:1 / /sys rw - %s x rw%s\n", newer ? "cgroup2" : "cgroup",
             newer ? "" : ",cpu,memory");
    put_text(newer ? "sys/a/memory.max" : "sys/a/memory.limit_in_bytes", "%" PRIu64 "\n", limit);
    put_text(newer ? "sys/a/memory.current" : "sys/a/memory.usage_in_bytes", "%" PRIu64 "\n", used);
    put_text("sys/a/memory.stat",
             newer ? "inactive_file %" PRIu64 "\nactive_file %" PRIu64 "\n"
                   : "total_inactive_file %" PRIu64 "\ntotal_active_file %" PRIu64 "\n",
             cache / 2, cache - cache / 2);
    if (newer) {
        put_text("sys/a/cpu.max", "%" PRIu64 " %" PRIu64 "\n", time, period);
    } else {
        put_text("sys/a/cpu.cfs_quota_us", "%" PRIu64 "\n", time);
        put_text("sys/a/cpu.cfs_period_us", "%" PRIu64 "\n", period);
    }
    FUZZ_CHECK(cgroup_memory_left(".") == difference(limit, difference(used, cache)));
    FUZZ_CHECK(cgroup_processors(".") == processors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    uint64_t left, processors, memory;
    unsigned usable;

    make_directories();
    take_files(&fuzz);
    check_texts();
    left = cgroup_memory_left(".");
    processors = cgroup_processors(".");
    memory = hardware_memory_under(".");
    usable = hardware_processors_under(".");
    FUZZ_CHECK(memory >= HARDWARE_MEMORY_MIN && (memory == HARDWARE_MEMORY_MIN || memory <= left / 2));
    FUZZ_CHECK(usable >= 1 && (usable == 1 || usable <= processors));
    FUZZ_CHECK(cgroup_memory_left(".") == left && cgroup_processors(".") == processors);
    (void)hardware_peak_memory_under(".");

    (void)unlink("proc/self/cgroup"); /* no limits of groups */
    FUZZ_CHECK(cgroup_memory_left(".") >= left && cgroup_processors(".") >= processors);
    FUZZ_CHECK(hardware_processors_under(".") >= usable);

    fuzz = (struct fuzz){data, bytes};
    check_limits(&fuzz);
    return 0;
}
