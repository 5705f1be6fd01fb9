/* Formats by their first bytes and by their names, and the commands that are run for them. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>

#include "system/packer.h"

#define TEST(name) UNIT_TEST_IN(name, reports_setup, reports_teardown)

/* What is the program called whose files begin so? */
static const char *name_of(const char *data, size_t bytes)
{
    const struct packer *packer = packer_of_beginning((const uint8_t *)data, bytes);

    return packer != NULL ? packer_name(packer) : "none";
}

TEST(formats_are_known_by_their_first_bytes_and_by_no_fewer)
{
    assert_string_equal(name_of("\x1f\x8b\x08", 3), "gzip");
    assert_string_equal(name_of("\x28\xb5\x2f\xfd", 4), "zstd");
    assert_string_equal(name_of("\x50\x2a\x4d\x18", 4), "zstd");
    assert_string_equal(name_of("\xfd\x37zXZ\0", 6), "xz");
    assert_string_equal(name_of("BZh9", 4), "bzip2");
    assert_string_equal(name_of("\x04\x22\x4d\x18", 4), "lz4");
    assert_string_equal(name_of("\x1f", 1), "none");
    assert_string_equal(name_of("\x28\xb5\x2f", 3), "none");
    assert_string_equal(name_of("\xfd\x37zXZ", 5), "none");
    assert_string_equal(name_of("\x1f\x9d", 2), "gzip");
    assert_string_equal(name_of("\x5d\x00\x00\x80\x00\xff", 6), "xz");
    assert_string_equal(name_of("\x5d\x00\x00\x00\x04\xff", 6), "xz");
    assert_string_equal(name_of("\x5d\x00\x00\x80\x00", 5), "none");
    assert_string_equal(name_of("\x5d\x00\x00\x00{\"", 6), "none");
    assert_string_equal(name_of("\x5d\x00\x00\x00\x00\xff", 6), "none");
    assert_string_equal(name_of("\x02\x21\x4c\x18", 4), "lz4");
    assert_string_equal(name_of("BZh", 3), "none");
    assert_string_equal(name_of("BZh0", 4), "none");
    assert_string_equal(name_of("BZhell", 6), "none");
    assert_string_equal(name_of("", 0), "none");
}

TEST(formats_are_known_by_the_endings_of_names)
{
    assert_string_equal(packer_name(packer_of_name("a.gz")), "gzip");
    assert_string_equal(packer_name(packer_of_name("dir.xz/a.zst")), "zstd");
    assert_string_equal(packer_name(packer_of_name(".xz")), "xz");
    assert_string_equal(packer_name(packer_of_name("a.tar.bz2")), "bzip2");
    assert_string_equal(packer_name(packer_of_name("lz4.lz4")), "lz4");
    assert_null(packer_of_name("gz"));
    assert_null(packer_of_name("a.gz.txt"));
    assert_string_equal(packer_name(packer_of_name("A.GZ")), "gzip");
    assert_string_equal(packer_name(packer_of_name("a.tgz")), "gzip");
    assert_string_equal(packer_name(packer_of_name("a.tzst")), "zstd");
    assert_null(packer_of_name("a.Z"));
    assert_true(packer_is_unknown("a.Z"));
    assert_true(packer_is_unknown("a.zip"));
    assert_false(packer_is_unknown("a.gz"));
    assert_false(packer_is_unknown("zip"));
    assert_null(packer_of_name(""));
    assert_null(packer_of_name("-"));
}

/* A program of this name in the folder `bin`, which alone is in PATH. */
static void have(const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "bin/%s", name);
    (void)mkdir("bin", 0755);
    assert_true(scratch_put(path, "#!/bin/sh\n", 0755));
}

static void with_path(const char *path, void (*body)(void))
{
    char *before = strdup(getenv("PATH"));

    setenv("PATH", path, 1);
    body();
    setenv("PATH", before, 1);
    free(before);
}

static void assert_commands(const char *file, const char *there, const char *back)
{
    const struct packer *packer = packer_of_name(file);
    struct packer_command command;

    assert_int_equal(packer_pack(&command, packer, 7), 0);
    assert_string_equal(command.text, there);
    assert_int_equal(packer_unpack(&command, packer), 0);
    assert_string_equal(command.text, back);
    assert_null(command.arguments[3]);
}

static void look_at_commands(void)
{
    have("gzip");
    assert_commands("x.gz", "gzip -nc", "gzip -dc");
    have("pigz");
    assert_commands("x.gz", "pigz -nc -p7", "gzip -dc");
    have("zstd");
    assert_commands("x.zst", "zstd -c -T7", "zstd -dc");
    have("xz");
    assert_commands("x.xz", "xz -c -T7", "xz -dc");
    have("bzip2");
    assert_commands("x.bz2", "bzip2 -c", "bzip2 -dc");
    have("lz4");
    assert_commands("x.lz4", "lz4 -c", "lz4 -dc");
}

TEST(commands_name_what_is_there)
{
    with_path("nowhere:bin", look_at_commands);
}

static void miss_commands(void)
{
    struct packer_command command;

    assert_int_equal(packer_pack(&command, packer_of_name("x.gz"), 2), -1);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(command.text, "gzip -nc");
    assert_int_equal(packer_unpack(&command, packer_of_name("x.zst")), -1);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(command.text, "zstd -dc");
    assert_ends(packer_report(&command, "x.zst"), "bigshuf: x.zst: cannot run 'zstd -dc': No such file or directory\n");
}

TEST(commands_that_are_missing_are_known)
{
    (void)mkdir("bin", 0755);
    assert_true(scratch_put("bin/gzip", "not executable", 0644));
    with_path("bin", miss_commands);
}
