/*
 * hardware.c, and cgroup.c and textfile.c below it, in a made-up tree of /proc and /sys in the current directory: a
 * scratch directory, of which the root is ".".
 */

#include "support/scratch.h"
#include "support/unit.h"

#include <errno.h>
#include <sys/resource.h>

#include "system/cgroup.h"
#include "system/hardware.h"
#include "system/sys.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static const char mounts_v1[] = "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
                                "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
                                "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";
static const char mounts_v2[] = "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                                "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 master:5 - cgroup2 cgroup2 rw\n";

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

/* The control groups of this process, and where they are mounted. */
static void put_groups(const char *groups, const char *mounts)
{
    put("proc/self/cgroup", groups);
    put("proc/self/mountinfo", mounts);
}

/* What hardware_memory makes of so much available memory. */
static uint64_t share(uint64_t available)
{
    return available / 2 - available / 2 / 512;
}

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

TEST(test_memory_is_half_of_what_is_available_less_page_tables)
{
    put("proc/meminfo", "MemTotal:  4000000 kB\nMemFree:    1 kB\nMemAvailable:   1048576 kB\nBuffers: 7 kB\n");
    assert_int_equal(hardware_memory_under("."), 512 * MIB - MIB);
}

TEST(test_memory_is_never_below_the_minimum)
{
    put("proc/meminfo", "MemAvailable: 10 kB\n");
    assert_int_equal(hardware_memory_under("."), HARDWARE_MEMORY_MIN);
}

TEST(test_memory_has_an_answer_when_nothing_is_told)
{
    assert_true(hardware_memory_under(".") >= HARDWARE_MEMORY_MIN);
    assert_true(hardware_memory_under(".") <= hardware_whole_memory());
    put("proc/meminfo", "MemTotal: 100000000000 kB\n"); /* a kernel before 3.14 */
    assert_true(hardware_memory_under(".") <= hardware_whole_memory());
}

TEST(test_memory_minds_the_groups_of_version_2)
{
    put("proc/meminfo", "MemAvailable: 8388608 kB\n");
    put_groups("0::/a/b\n", mounts_v2);
    put("sys/fs/cgroup/a/b/memory.max", "1073741824\n");
    put("sys/fs/cgroup/a/b/memory.current", "268435456\n");
    assert_int_equal(cgroup_memory_left("."), GIB - 256 * MIB);
    assert_int_equal(hardware_free_memory_under("."), GIB - 256 * MIB);
    assert_int_equal(hardware_whole_memory_under("."), GIB);
    assert_int_equal(hardware_memory_under("."), share(GIB - 256 * MIB));
}

TEST(test_memory_minds_the_groups_of_version_1)
{
    put("proc/meminfo", "MemAvailable: 8388608 kB\n");
    put_groups("5:memory:/a\n3:cpu,cpuacct:/\n0::/\n", mounts_v1);
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1073741824\n");
    put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "268435456\n");
    assert_int_equal(cgroup_memory_left("."), GIB - 256 * MIB);
    assert_int_equal(cgroup_memory_limit("."), GIB);
    assert_int_equal(hardware_memory_under("."), share(GIB - 256 * MIB));
}

TEST(test_memory_high_is_a_limit_too)
{
    put_groups("0::/a\n", mounts_v2);
    put("sys/fs/cgroup/a/memory.max", "1073741824\n");
    put("sys/fs/cgroup/a/memory.high", "536870912\n");
    assert_int_equal(cgroup_memory_left("."), 512 * MIB);
}

TEST(test_max_is_no_limit)
{
    put_groups("0::/a\n", mounts_v2);
    put("sys/fs/cgroup/a/memory.max", "max\n");
    put("sys/fs/cgroup/a/memory.high", "max\n");
    put("sys/fs/cgroup/a/memory.current", "268435456\n");
    put("sys/fs/cgroup/a/cpu.max", "max 100000\n");
    assert_true(cgroup_memory_left(".") >= UINT64_MAX / 2);
    assert_true(cgroup_processors(".") == UINT64_MAX);
}

TEST(test_page_cache_counts_as_free)
{
    put_groups("5:memory:/a\n0::/a\n", mounts_v2);
    put("sys/fs/cgroup/a/memory.max", "1073741824\n");
    put("sys/fs/cgroup/a/memory.current", "1073741824\n");
    put("sys/fs/cgroup/a/memory.stat",
        "anon 7\nfile 9\ninactive_files 77\ninactive_file 1048576\nactive_file 2097152\n");
    assert_int_equal(cgroup_memory_left("."), 3 * MIB);

    put("proc/self/mountinfo", mounts_v1);
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1073741824\n");
    put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1073741824\n");
    put("sys/fs/cgroup/memory/a/memory.stat",
        "inactive_file 1\nactive_file 1\ntotal_inactive_file 1048576\ntotal_active_file 3145728\n");
    assert_int_equal(cgroup_memory_left("."), 4 * MIB);
}

TEST(test_more_in_use_than_the_limit_leaves_nothing)
{
    put_groups("0::/a\n", mounts_v2);
    put("sys/fs/cgroup/a/memory.max", "1000\n");
    put("sys/fs/cgroup/a/memory.current", "2000\n");
    assert_int_equal(cgroup_memory_left("."), 0);
}

TEST(test_more_cache_than_use_leaves_the_limit)
{
    put_groups("0::/a\n", mounts_v2);
    put("sys/fs/cgroup/a/memory.max", "5000\n");
    put("sys/fs/cgroup/a/memory.current", "2000\n");
    put("sys/fs/cgroup/a/memory.stat", "inactive_file 1500\nactive_file 1500\n");
    assert_int_equal(cgroup_memory_left("."), 5000);
}

TEST(test_the_tightest_level_counts_wherever_it_is)
{
    static const char *const names[] = {"sys/fs/cgroup/a/b/c/memory.max", "sys/fs/cgroup/a/b/memory.max",
                                        "sys/fs/cgroup/a/memory.max", "sys/fs/cgroup/memory.max"};

    put_groups("0::/a/b/c\n", mounts_v2);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++)
            put(names[k], k == i ? "1000\n" : "5000\n");
        assert_int_equal(cgroup_memory_left("."), 1000);
    }
}

TEST(test_groups_beside_and_above_the_tree_do_not_count)
{
    put_groups("0::/a/b\n", mounts_v2);
    put("sys/fs/cgroup/a/b/memory.max", "5000\n");
    put("sys/fs/cgroup/a/c/memory.max", "1000\n");
    put("sys/fs/memory.max", "1000\n");
    put("memory.max", "1000\n");
    assert_int_equal(cgroup_memory_left("."), 5000);
}

TEST(test_both_versions_may_be_in_use)
{
    char mounts[1024];

    snprintf(mounts, sizeof mounts, "%s38 31 0:35 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", mounts_v1);
    put_groups("5:memory:/a\n0::/b\n", mounts);
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n");
    put("sys/fs/cgroup/unified/b/memory.max", "4000\n");
    assert_int_equal(cgroup_memory_left("."), 4000);
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3000\n");
    assert_int_equal(cgroup_memory_left("."), 3000);
}

TEST(test_a_mount_of_a_part_of_the_tree_shows_that_part)
{
    put_groups("0::/docker/123/inner\n", "31 23 0:28 /docker/123 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    put("sys/fs/cgroup/inner/memory.max", "1000\n");
    put("sys/fs/cgroup/memory.max", "2000\n");
    assert_int_equal(cgroup_memory_left("."), 1000);
    put("sys/fs/cgroup/memory.max", "500\n");
    assert_int_equal(cgroup_memory_left("."), 500);
}

TEST(test_a_group_that_the_mount_does_not_show_is_the_mount)
{
    static const char *const groups[] = {"0::/docker/123\n", "0::/../other\n", "0::/\n", "0::/123456\n"};

    put("sys/fs/cgroup/memory.max", "1000\n");
    put("sys/fs/memory.max", "500\n"); /* what is above the mount is no group */
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        put_groups(groups[i], mounts_v2);
        assert_int_equal(cgroup_memory_left("."), 1000);
        put("proc/self/mountinfo", "31 23 0:28 /123 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        assert_int_equal(cgroup_memory_left("."), 1000);
    }
}

TEST(test_names_may_have_blanks_and_colons)
{
    put_groups("0::/a:b c\n", "31 23 0:28 / /my\\040groups\\134 rw - cgroup2 cgroup2 rw\n");
    put("my groups\\/a:b c/memory.max", "1000\n");
    assert_int_equal(cgroup_memory_left("."), 1000);
}

TEST(test_files_that_make_no_sense_set_no_limit)
{
    static const char *const texts[] = {
        "", "\n", ":::\n", "0:\n", "0::", "\n\n- - -\n", "1 2 3 4 5 6 - cgroup2\n", "a b c d e f g h i j\n", "x"};
    const size_t count = sizeof texts / sizeof texts[0];

    for (size_t i = 0; i < count * count; i++) {
        put_groups(texts[i / count], texts[i % count]);
        assert_true(cgroup_memory_left(".") == UINT64_MAX);
        assert_true(cgroup_processors(".") == UINT64_MAX);
    }
}

TEST(test_long_files_are_read_whole)
{
    static char mounts[100000];
    int length = 0;

    for (int i = 0; i < 1500; i++)
        length +=
            snprintf(mounts + length, sizeof mounts - (size_t)length, "%d 1 0:1 / /mnt/%d rw - ext4 /dev/x rw\n", i, i);
    snprintf(mounts + length, sizeof mounts - (size_t)length, "%s", mounts_v2);
    put_groups("0::/\n", mounts);
    put("sys/fs/cgroup/memory.max", "1000\n");
    assert_int_equal(cgroup_memory_left("."), 1000);
}

TEST(test_processors_by_quota_are_rounded_up)
{
    put_groups("3:cpu,cpuacct:/a\n0::/a\n", mounts_v2);
    put("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    assert_int_equal(cgroup_processors("."), 2);
    put("sys/fs/cgroup/a/cpu.max", "200000 100000\n");
    assert_int_equal(cgroup_processors("."), 2);
    put("sys/fs/cgroup/a/cpu.max", "1000 100000\n");
    assert_int_equal(cgroup_processors("."), 1);
    assert_int_equal(hardware_processors_under("."), 1);

    put("proc/self/mountinfo", mounts_v1);
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cgroup_processors("."), 3);
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
    assert_true(cgroup_processors(".") == UINT64_MAX);
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cgroup_processors("."), 1);
}

TEST(test_processors_are_at_least_one)
{
    put_groups("0::/\n", mounts_v2);
    put("sys/fs/cgroup/cpu.max", "0 100000\n");
    assert_int_equal(hardware_processors_under("."), 1);
    assert_true(hardware_processors() >= 1);
    assert_true(hardware_processors() <= (unsigned long)sysconf(_SC_NPROCESSORS_CONF));
}

TEST(test_peak_memory_is_read_or_asked_for)
{
    assert_true(hardware_peak_memory_under(".") > 64 * 1024); /* no file: getrusage */
    put("proc/self/status", "Name:\tx\nVmPeak:\t  999 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 77 kB\n");
    assert_int_equal(hardware_peak_memory_under("."), 1234 * 1024);
}

TEST(test_peak_memory_rises_with_what_is_touched)
{
    const size_t bytes = 32 << 20;
    uint64_t before = hardware_peak_memory();
    char *memory = sys_map(bytes);

    assert_non_null(memory);
    memset(memory, 1, bytes);
    sys_unmap(memory, bytes);
    assert_true(hardware_peak_memory() >= before + 24 * MIB);
    assert_true(hardware_peak_memory() < before + 512 * MIB); /* a sanitizer keeps books on what is touched */
}

TEST(test_this_machine_has_memory)
{
    assert_true(hardware_whole_memory() > HARDWARE_MEMORY_MIN);
    assert_true(hardware_memory() >= HARDWARE_MEMORY_MIN);
    assert_true(hardware_memory() <= hardware_whole_memory());
}

/* In children, since a limit once set cannot be taken back. It is so high that even a sanitizer lives with it. */
static const uint64_t limit_bytes = SIZE_MAX > UINT32_MAX ? (uint64_t)1 << 50 : 600 * MIB;

static void expect_limit_as(void)
{
    struct rlimit limit = {(rlim_t)limit_bytes, (rlim_t)limit_bytes};

    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK(hardware_memory_under(".") == share(limit_bytes - 100 * (uint64_t)sysconf(_SC_PAGESIZE)));
}

static void expect_limit_data(void)
{
    struct rlimit limit = {(rlim_t)limit_bytes, (rlim_t)limit_bytes};

    CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
    CHECK(hardware_memory_under(".") == share(limit_bytes - 60 * (uint64_t)sysconf(_SC_PAGESIZE)));
}

TEST(test_memory_minds_the_limits_of_the_process)
{
    put("proc/meminfo", "MemAvailable: 4398046511104 kB\n");
    put("proc/self/statm", "100 40 30 5 0 60 0\n");
    assert_int_equal(scratch_child(expect_limit_as), 0);
    assert_int_equal(scratch_child(expect_limit_data), 0);
}
