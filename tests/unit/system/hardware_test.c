/* What the kernel's text files say, of a made-up tree of /proc and /sys in the current directory, a scratch one. */

#include "support/scratch.h"
#include "support/unit.h"

#include <errno.h>
#include <sys/resource.h>

#include "base/arithmetic.h"
#include "system/hardware.h"
#include "system/sys.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

int sys_open(const char *path, int flags, mode_t mode)
{
    return open(path + strspn(path, "/"), flags | O_CLOEXEC, mode);
}

/* Write a file, and the directories on the way to it. */
static void put(const char *name, const char *content)
{
    char directory[512];

    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(directory, sizeof directory, "%.*s", (int)(slash - name), name);
        assert_true(mkdir(directory, 0700) == 0 || errno == EEXIST);
    }
    assert_true(scratch_put(name, content, 0600));
}

/* What hardware_memory makes of so much available memory. */
static uint64_t share(uint64_t available)
{
    return available / 2 - available / 2 / 512;
}

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

TEST(test_memory_is_half_of_what_is_available_less_page_tables_and_never_below_the_minimum)
{
    assert_true(hardware_memory() >= HARDWARE_MEMORY_MIN);
    assert_true(hardware_memory() <= hardware_whole_memory());
    put("proc/meminfo", "MemTotal: 100000000000 kB\n"); /* a kernel before 3.14 */
    assert_true(hardware_memory() <= hardware_whole_memory());
    put("proc/meminfo", "MemTotal:  4000000 kB\nMemFree:    1 kB\nMemAvailable:   1048576 kB\nBuffers: 7 kB\n");
    assert_int_equal(hardware_memory(), 512 * MIB - MIB);
    put("proc/meminfo", "MemAvailable: 10 kB\n");
    assert_int_equal(hardware_memory(), HARDWARE_MEMORY_MIN);
}

/* Files below the mount: "NAME=CONTENTS;NAME=CONTENTS". */
static void put_all(const char *files)
{
    char text[512], name[512], *rest = NULL;

    snprintf(text, sizeof text, "%s", files);
    for (char *file = strtok_r(text, ";", &rest); file != NULL; file = strtok_r(NULL, ";", &rest)) {
        char *contents = strchr(file, '=');

        *contents++ = '\0';
        snprintf(name, sizeof name, "sys/fs/cgroup/%s", file);
        put(name, contents);
    }
}

TEST(test_the_tightest_level_of_all_groups_counts)
{
    const uint64_t none = UINT64_MAX, whole = hardware_whole_memory();
    const struct {
        const char *groups, *files;
        uint64_t left, limit;
    } cases[] = {
        {"0::/a/b\n", "a/b/memory.max=1000;a/b/memory.current=300", 700, 1000},
        {"0::/a\n", "a/memory.max=1000;a/memory.current=2000", 0, 1000},
        {"0::/a\n", "a/memory.max=1000;a/memory.high=500", 500, 500},
        {"0::/a\n", "a/memory.max=max;a/memory.high=max", none, none},
        {"5:memory:/a\n3:cpu:/\n0::/\n", "memory/a/memory.limit_in_bytes=1000;memory/a/memory.usage_in_bytes=300", 700,
         1000},
        /* page cache counts as free */
        {"5:memory:/a\n0::/a\n",
         "a/memory.max=5000;a/memory.current=4000;"
         "a/memory.stat=anon 7\nfile 9\ninactive_files 77\ninactive_file 1000\nactive_file 200\n",
         2200, 5000},
        {"5:memory:/a\n0::/a\n",
         "memory/a/memory.limit_in_bytes=5000;memory/a/memory.usage_in_bytes=4000;"
         "memory/a/memory.stat=inactive_file 1\nactive_file 1\ntotal_inactive_file 1000\ntotal_active_file 300\n",
         2300, 5000},
        {"0::/a\n", "a/memory.max=5000;a/memory.current=9;a/memory.stat=inactive_file 6\nactive_file 6", 5000, 5000},
        /* any level, but none beside or above the tree */
        {"0::/a/b\n", "a/b/memory.max=1000;a/memory.max=5000;memory.max=5000", 1000, 1000},
        {"0::/a/b\n", "a/b/memory.max=5000;a/memory.max=1000;memory.max=5000", 1000, 1000},
        {"0::/a/b\n", "a/b/memory.max=5000;a/memory.max=5000;memory.max=1000", 1000, 1000},
        {"0::/a/b\n", "a/b/memory.max=5000;a/c/memory.max=1000;../memory.max=1000", 5000, 5000},
        /* both versions */
        {"5:memory:/a\n0::/b\n", "memory/a/memory.limit_in_bytes=5000;b/memory.max=4000", 4000, 4000},
        {"5:memory:/a\n0::/b\n", "memory/a/memory.limit_in_bytes=3000;b/memory.max=4000", 3000, 3000},
        /* in a container, where the group's name may not be seen */
        {"0::/docker/123\n", "memory.max=1000;../memory.max=500", 1000, 1000},
        {"0::/../other\n", "memory.max=1000;../memory.max=500;../other/memory.max=5", 1000, 1000},
        /* blanks and colons in names */
        {"0::/a:b c\n", "a:b c/memory.max=1000", 1000, 1000},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put("proc/self/cgroup", cases[i].groups);
        put("proc/meminfo", "MemAvailable: 8388608 kB\n");
        put_all(cases[i].files);
        assert_true(hardware_free_memory() == least(8 * GIB, cases[i].left));
        assert_true(hardware_whole_memory() == least(whole, cases[i].limit));
        scratch_empty(open("sys", O_RDONLY | O_DIRECTORY));
    }
}

TEST(test_files_that_make_no_sense_set_no_limit)
{
    static const char *const texts[] = {"", "\n", ":::\n", "0:\n", "0::", "x"};
    const uint64_t whole = hardware_whole_memory();
    const unsigned all = hardware_processors();

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put("proc/self/cgroup", texts[i]);
        assert_true(hardware_whole_memory() == whole && hardware_processors() == all);
    }
}

TEST(test_long_files_are_read_whole)
{
    static char groups[100000];
    int length = 0;

    for (int i = 0; i < 1500; i++)
        length +=
            snprintf(groups + length, sizeof groups - (size_t)length, "%d:name=x:/some/group/of/this/name/%d\n", i, i);
    snprintf(groups + length, sizeof groups - (size_t)length, "0::/\n");
    put("proc/self/cgroup", groups);
    put("sys/fs/cgroup/memory.max", "1000\n");
    assert_int_equal(hardware_whole_memory(), 1000);
}

TEST(test_processors_by_quota_are_rounded_up)
{
    const struct {
        const char *name, *quota;
        uint64_t processors;
    } cases[] = {
        {"cgroup/a/cpu.max", "max 100000\n", UINT64_MAX},
        {"cgroup/a/cpu.max", "150000 100000\n", 2},
        {"cgroup/a/cpu.max", "200000 100000\n", 2},
        {"cgroup/cpu.max", "1000 100000\n", 1},
        {"cgroup/cpu/a/cpu.cfs_quota_us", "110000\n", 2},
        {"cgroup/cpu/a/cpu.cfs_period_us", "0\n", UINT64_MAX},
        {"cgroup/cpu/a/cpu.cfs_quota_us", "-1\n", UINT64_MAX},
        {"cgroup/cpu/cpu.cfs_quota_us", "50000\n", 1},
    };

    const uint64_t all = hardware_processors();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[512];

        scratch_empty(open("sys", O_RDONLY | O_DIRECTORY));
        put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
        put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
        snprintf(name, sizeof name, "sys/fs/%s", cases[i].name);
        put("proc/self/cgroup", "3:cpu,cpuacct:/a\n0::/a\n");
        put(name, cases[i].quota);
        assert_int_equal(hardware_processors(), least(all, cases[i].processors));
    }
    assert_int_equal(hardware_processors(), 1);
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "0\n");
    assert_int_equal(hardware_processors(), 1); /* at least */
    assert_in_range(all, 1, sysconf(_SC_NPROCESSORS_CONF));
}

TEST(test_peak_memory_is_read_or_asked_for)
{
    assert_true(hardware_peak_memory() > 64 * 1024); /* no file: getrusage */
    put("proc/self/status", "Name:\tx\nVmPeak:\t  999 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 77 kB\n");
    assert_int_equal(hardware_peak_memory(), 1234 * 1024);
}

/* In a child, since a limit once set cannot be taken back. It is so high that even a sanitizer lives with it. */
static const uint64_t limit_bytes = SIZE_MAX > UINT32_MAX ? (uint64_t)1 << 50 : 600 * MIB;

static void expect_limits(void)
{
    const struct rlimit limit = {(rlim_t)limit_bytes, (rlim_t)limit_bytes};

    CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
    CHECK(hardware_memory() == share(limit_bytes - 60 * (uint64_t)sysconf(_SC_PAGESIZE)));
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK(hardware_memory() == share(limit_bytes - 100 * (uint64_t)sysconf(_SC_PAGESIZE)));
}

TEST(test_memory_minds_the_limits_of_the_process)
{
    put("proc/meminfo", "MemAvailable: 4398046511104 kB\n");
    put("proc/self/statm", "100 40 30 5 0 60 0\n");
    assert_int_equal(scratch_child(expect_limits), 0);
}
