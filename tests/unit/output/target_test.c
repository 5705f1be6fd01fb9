/* Where a path leads, if need be to a file that is yet to be made. */

#include "support/scratch.h"
#include "support/unit.h"

#include <errno.h>

#include "output/target.h"

static void assert_leads_to(const char *path, const char *directory, const char *name, bool special)
{
    struct target target;
    struct stat status;
    int fd;

    target_find(&target, path);
    assert_int_equal(stat(directory, &status), 0);
    assert_true(target.device == status.st_dev && target.inode == status.st_ino);
    assert_string_equal(target.name, name);
    assert_int_equal(target.special, special);
    fd = target_enter(&target);
    assert_true(fd >= 0);
    close(fd);
    target_release(&target);
}

static void assert_fails(const char *path, const char *cause)
{
    struct target target;
    char message[128];

    snprintf(message, sizeof message, "bigshuf: %s: %s\n", path[0] == '\0' ? "''" : path, cause);
    assert_ends(target_find(&target, path), message);
}

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

TEST(links_are_followed_to_the_last_one)
{
    char inner[128], absolute[160];

    snprintf(inner, sizeof inner, "%s/inner", scratch.path);
    snprintf(absolute, sizeof absolute, "%s/first", scratch.path);
    assert_int_equal(mkdir("inner", 0755), 0);
    assert_int_equal(symlink("inner", "folder"), 0);
    assert_int_equal(symlink("folder/second", "first"), 0);
    assert_int_equal(symlink("../inner/file", "inner/second"), 0);
    assert_int_equal(symlink(absolute, "zeroth"), 0);
    for (int there = 0; there < 2; there++) {
        assert_leads_to("inner/file", inner, "file", false);
        assert_leads_to("folder/./file", inner, "file", false);
        assert_leads_to("first", inner, "file", false);
        assert_leads_to(absolute, inner, "file", false);
        assert_leads_to("zeroth", inner, "file", false);
        assert_true(scratch_put("inner/file", "", 0644));
    }
    assert_leads_to("/no such file", "/", "no such file", false);
}

TEST(paths_that_lead_nowhere_say_why)
{
    assert_fails("", "No such file or directory");
    assert_fails("nothing/", "Is a directory: name a file in it");
    assert_fails("nothing/file", "No such file or directory: there is no folder 'nothing'");
    assert_int_equal(symlink("there", "here"), 0);
    assert_int_equal(symlink("here", "there"), 0);
    assert_fails("here", "Too many levels of symbolic links");
}

TEST(a_way_through_dev_or_proc_is_special)
{
    assert_int_equal(symlink("/dev/null", "null"), 0);
    assert_leads_to("/dev/null", "/dev", "null", true);
    assert_leads_to("/dev/stdout", "/dev", "stdout", true);
    assert_leads_to("null", "/dev", "null", true);
    if (access("/proc/uptime", F_OK) == 0)
        assert_leads_to("/proc/uptime", "/proc", "uptime", true);
    if (access("/dev/shm", F_OK) == 0)
        assert_leads_to("/dev/shm/no such file", "/dev/shm", "no such file", false);
}

TEST(a_directory_that_took_the_place_of_another_is_not_entered)
{
    struct target target;

    assert_int_equal(mkdir("folder", 0755), 0);
    target_find(&target, "folder/file");
    assert_int_equal(rename("folder", "elsewhere"), 0);
    assert_int_equal(target_enter(&target), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(target_enter(&target), -1);
    assert_int_equal(errno, ESTALE);
    target_release(&target);
}

/* As Linux has it with fs.protected_symlinks, whether that is on or off. */
TEST(in_a_directory_for_all_only_trusted_links_are_followed)
{
    static const struct {
        mode_t mode;
        uid_t directory;
        uid_t link;
        bool followed;
    } cases[] = {
        {01777, 0, 0, true},    {01777, 0, 1234, false}, {01777, 1234, 1234, true}, {01777, 1234, 5678, false},
        {01777, 1234, 0, true}, {0777, 0, 1234, true},   {01775, 0, 1234, true},    {0755, 0, 1234, true},
    };

    if (geteuid() != 0)
        skip();
    for (int there = 0; there < 2; there++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            if (there)
                assert_true(scratch_put("file", "", 0666));
            assert_int_equal(mkdir("public", 0755), 0);
            assert_int_equal(symlink("../file", "public/link"), 0);
            assert_int_equal(symlink("public/link", "own"), 0);
            assert_int_equal(lchown("public/link", cases[i].link, cases[i].link), 0);
            assert_int_equal(chown("public", cases[i].directory, cases[i].directory), 0);
            assert_int_equal(chmod("public", cases[i].mode), 0);
            for (int first = 0; first < 2; first++)
                if (cases[i].followed)
                    assert_leads_to(first ? "own" : "public/link", ".", "file", false);
                else
                    assert_fails(first ? "own" : "public/link", "Permission denied");
            assert_int_equal(unlink("public/link") | unlink("own") | rmdir("public"), 0);
        }
}

static bool are_same(const char *one, const char *other)
{
    return target_number(one) == target_number(other);
}

TEST(a_file_has_one_number_and_so_has_the_place_of_one_that_is_not_there)
{
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(symlink("one", "link"), 0);
    for (int there = 0; there < 2; there++) {
        assert_true(are_same("one", "./one") && are_same("one", "link") && are_same("one", "folder/../one"));
        assert_true(!are_same("one", "two") && !are_same("one", "folder/one") && target_number("one") != 0);
        assert_true(scratch_put("one", "", 0600));
    }
    assert_int_equal(link("one", "two"), 0);
    assert_true(are_same("one", "two"));
    assert_int_equal(target_number("/dev/null"), 0);
    assert_ends(target_number("nowhere/one"),
                "bigshuf: nowhere/one: No such file or directory: there is no folder 'nowhere'\n");
    assert_ends(target_number("nothing/"), "bigshuf: nothing/: Is a directory: name a file in it\n");
}
