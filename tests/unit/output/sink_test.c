/* An existing file is safe until a new one is complete, whatever fails, and whatever others do meanwhile. What is
 * written how, as users see it, is in output.sh. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>

#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "output/sink.h"
#include "system/fault.h"
#include "system/sys.h"

static struct sink *sink; /* of the running test */

int real_sys_open_at(int directory, const char *name, int flags, mode_t mode);

/* Where no file can be made, one that is there can still be opened. */
int sys_open_at(int directory, const char *name, int flags, mode_t mode)
{
    return faulty_fails(flags & O_CREAT ? "create_at" : "open_at") ? -1
                                                                   : real_sys_open_at(directory, name, flags, mode);
}

static const char ways_to_make_a_file[] = "open_anonymous create_at";

static void drop(void)
{
    sink_free(sink);
    sink = NULL;
}

static int setup(void **state)
{
    return reports_setup(state);
}

static int teardown(void **state)
{
    faulty_reset();
    drop();
    return reports_teardown(state);
}

/* Open a sink in place of the one before, and write to it, if there is anything to write. */
static void begin(const char *path, const char *content)
{
    drop();
    sink = sink_open(path);
    if (content != NULL)
        sink_write(sink, content, strlen(content));
}

/* Complete the file and give it its name. */
static void commit(void)
{
    sink_complete(sink);
    if (sink_publish(sink) != 0)
        fault_report("not published", errno);
    drop();
}

static void write_file(const char *path, const char *content)
{
    begin(path, content);
    commit();
}

static void assert_refused(const char *path, const char *message)
{
    drop();
    assert_ends(sink_open(path), message);
}

/* Must the file that is made have a name? */
static void be_named(bool named)
{
    faulty.never = named ? "open_anonymous" : NULL;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

TEST(a_new_file_has_the_content_and_the_mode_of_the_umask)
{
    mode_t before = umask(027);

    write_file("new", "one\ntwo\n");
    assert_int_equal(scratch_mode("new"), 0640);
    be_named(true);
    write_file("named", "x\n");
    assert_int_equal(scratch_mode("named"), 0640);
    assert_int_equal(scratch_count("."), 2);
    umask(before);
}

static void assert_private_and_beside_the_file(void)
{
    DIR *directory = opendir(".");
    struct dirent *entry;
    int found = 0;

    while ((entry = readdir(directory)) != NULL)
        if (strncmp(entry->d_name, ".F.", 3) == 0 && strlen(entry->d_name) == strlen(".F.XXXXXX")) {
            found++;
            assert_int_equal(scratch_mode(entry->d_name), 0600);
        }
    closedir(directory);
    assert_int_equal(found, 1);
}

TEST(where_files_must_have_names_the_temporary_one_is_private)
{
    static const char *const obstacles[] = {"open_anonymous", "can_link_descriptor"};

    for (size_t i = 0; i < 2; i++)
        for (int existing = 0; existing < 2; existing++) {
            faulty.never = obstacles[i];
            if (existing)
                assert_true(scratch_put("F", "old\n", 0664));
            begin("F", "new\n");
            assert_private_and_beside_the_file();
            commit();
            assert_true(scratch_holds("F", "new\n"));
            assert_int_equal(scratch_count("."), 1);
            assert_int_equal(unlink("F"), 0);
        }
}

TEST(owner_and_group_are_kept_by_root)
{
    struct stat status;

    if (geteuid() != 0)
        skip();
    assert_true(scratch_put("F", "old\n", 0640));
    assert_int_equal(chown("F", 1234, 5678), 0);
    write_file("F", "new\n");
    assert_int_equal(stat("F", &status), 0);
    assert_int_equal(status.st_uid, 1234);
    assert_int_equal(status.st_gid, 5678);
    assert_int_equal(status.st_mode & 07777, 0640);
}

static void replace_as_user(void)
{
    scratch_become_user();
    write_file("F", "new\n");
}

TEST(a_group_that_cannot_be_kept_widens_nobodys_access)
{
    static const mode_t modes[][2] = {{0664, 0644}, {0640, 0600}, {0604, 0600}, {0666, 0666}};

    if (geteuid() != 0)
        skip();
    assert_int_equal(chown(".", SCRATCH_NOBODY, SCRATCH_NOBODY), 0);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_true(scratch_put("F", "old\n", 0600));
        assert_int_equal(chown("F", SCRATCH_NOBODY, 5678), 0);
        assert_int_equal(chmod("F", modes[i][0]), 0);
        assert_int_equal(scratch_child(replace_as_user), 0);
        assert_true(scratch_holds("F", "new\n"));
        assert_int_equal(scratch_mode("F"), modes[i][1]);
        assert_int_equal(unlink("F"), 0);
    }
}

TEST(a_mode_that_cannot_be_set_is_a_warning)
{
    const char *heard;

    faulty.never = "fchmod";
    scratch_listen();
    write_file("F", "new\n");
    heard = scratch_heard();
    assert_string_equal(heard, "bigshuf: warning: F: cannot set its mode: Input/output error\n");
    assert_true(scratch_holds("F", "new\n"));
}

TEST(anothers_file_in_a_sticky_directory_is_written_in_place)
{
    ino_t inode;

    if (geteuid() != 0)
        skip();
    assert_true(scratch_put("F", "old\n", 0666));
    inode = scratch_inode("F");
    assert_int_equal(chmod(".", 01777), 0);
    assert_int_equal(scratch_child(replace_as_user), 0);
    assert_true(scratch_holds("F", "new\n"));
    assert_int_equal(scratch_inode("F"), inode);
    assert_int_equal(scratch_count("."), 1);
}

TEST(a_complete_file_that_is_kept_is_not_unlinked)
{
    char name[64];

    assert_true(scratch_put("F", "old\n", 0640));
    begin("F", "new\n");
    sink_complete(sink);
    sink_keep(sink);
    faulty.never = "rename_at";
    assert_int_equal(sink_publish(sink), -1);
    snprintf(name, sizeof name, "%s", sink_temporary_name(sink));
    drop();
    assert_true(scratch_holds("F", "old\n") && scratch_holds(name, "new\n"));
}

/* ---- Failures ---- */

TEST(a_shortage_is_reported_rather_than_written_around)
{
    static const char *const calls_of_sink_open[] = {"realpath", "open_directory", "stat_at", "readlink",
                                                     "open_at",  "fstat",          "get_acl"};
    static const int errors[] = {ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM, EIO};
    char message[128];

    assert_true(scratch_put("F", "old\n", 0644));
    assert_int_equal(symlink("F", "link"), 0);
    for (size_t i = 0; i < sizeof calls_of_sink_open / sizeof calls_of_sink_open[0]; i++) {
        faulty.never = calls_of_sink_open[i];
        assert_refused("link", "bigshuf: link: Input/output error\n");
    }
    faulty.never = ways_to_make_a_file;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        faulty.error = errors[i];
        snprintf(message, sizeof message, "bigshuf: F: %s\n", strerror(errors[i]));
        assert_refused("F", message);
    }
    assert_true(scratch_holds("F", "old\n"));
}

TEST(what_forbids_new_files_lets_the_old_one_be_written_in_place)
{
    static const int errors[] = {EACCES, EPERM, EROFS, ENOTSUP, ENOSYS};

    assert_true(scratch_put("F", "old\n", 0644));
    faulty.never = ways_to_make_a_file;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        faulty.error = errors[i];
        begin("F", NULL);
        assert_true(sink_manner(sink) == SINK_IN_PLACE);
        drop();
        assert_true(scratch_holds("F", "old\n"));
    }
}

/* ---- Others are at work in the directory ---- */

static void replace_directory(void)
{
    assert_int_equal(rename("folder", "elsewhere"), 0);
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_true(scratch_put("folder/F", "another's\n", 0644));
}

static void replace_directory_by_link(void)
{
    assert_int_equal(rename("folder", "elsewhere"), 0);
    assert_int_equal(symlink("aim", "folder"), 0);
}

TEST(nothing_is_done_in_a_directory_that_took_the_place_of_the_first)
{
    static const char message[] = "bigshuf: folder/F: its directory has been replaced meanwhile\n";

    assert_int_equal(mkdir("folder", 0755), 0);
    begin("folder/F", "new\n");
    replace_directory();
    assert_ends(commit(), message);
    assert_true(scratch_holds("folder/F", "another's\n"));
    assert_int_equal(scratch_count("folder"), 1);
    assert_int_equal(scratch_count("elsewhere"), 0);
    assert_int_equal(rmdir("elsewhere"), 0);
    assert_int_equal(mkdir("aim", 0755), 0);
    assert_true(scratch_put("aim/F", "aim\n", 0644));
    begin("folder/F", "new\n");
    replace_directory_by_link();
    assert_ends(commit(), message);
    assert_true(scratch_holds("aim/F", "aim\n"));
    assert_int_equal(scratch_count("aim"), 1);
}

#ifdef __linux__
/* ---- Access control lists ---- */

/* linux/posix_acl_xattr.h: version 2, then for each entry its tag, permissions and number, little-endian. */
#define ACL_ENTRY(tag, permissions, number)                                                                            \
    tag, 0, permissions, 0, (number)&0xff, (number) >> 8 & 0xff, (number) >> 16 & 0xff, (number) >> 24
#define ACL(user, mask)                                                                                                \
    2, 0, 0, 0, ACL_ENTRY(1, 6, UINT32_MAX), ACL_ENTRY(2, user, 1234u), ACL_ENTRY(4, 4, UINT32_MAX),                   \
        ACL_ENTRY(0x10, mask, UINT32_MAX), ACL_ENTRY(0x20, 4, UINT32_MAX)

static const uint8_t list[] = {ACL(6, 6)}, other_list[] = {ACL(7, 7)};

static bool put_list(const char *path, const char *kind, const uint8_t *bytes)
{
    return setxattr(path, kind, bytes, sizeof list, 0) == 0;
}

/* Does the file have just this list? NULL: none. */
static bool has_list(const char *path, const uint8_t *wanted)
{
    uint8_t got[256];
    ssize_t bytes = getxattr(path, "system.posix_acl_access", got, sizeof got);

    return wanted == NULL ? bytes < 0 && errno == ENODATA
                          : bytes == sizeof list && memcmp(got, wanted, sizeof list) == 0;
}

TEST(an_access_control_list_is_kept)
{
    assert_true(scratch_put("F", "old\n", 0640));
    if (!put_list("F", "system.posix_acl_access", list))
        skip();
    for (int named = 0; named < 2; named++) {
        be_named(named);
        write_file("F", "new\n");
        assert_true(has_list("F", list));
        assert_int_equal(scratch_mode("F"), 0664);
    }
}

TEST(what_the_directory_gives_new_files_is_not_for_a_replaced_one)
{
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_true(scratch_put("folder/bare", "old\n", 0664));
    assert_true(scratch_put("folder/F", "old\n", 0644));
    if (!put_list("folder", "system.posix_acl_default", other_list) ||
        !put_list("folder/F", "system.posix_acl_access", list))
        skip();
    for (int named = 0; named < 2; named++) {
        be_named(named);
        write_file("folder/bare", "new\n");
        assert_true(has_list("folder/bare", NULL));
        assert_int_equal(scratch_mode("folder/bare"), 0664);
        write_file("folder/F", "new\n");
        assert_true(has_list("folder/F", list));
    }
}

TEST(a_list_that_cannot_be_kept_lets_nobody_else_in)
{
    const char *heard;

    assert_true(scratch_put("F", "old\n", 0640));
    if (!put_list("F", "system.posix_acl_access", list))
        skip();
    faulty.never = "set_acl";
    scratch_listen();
    write_file("F", "new\n");
    heard = scratch_heard();
    assert_string_equal(heard, "bigshuf: warning: F: cannot keep its access control list: Input/output error\n");
    assert_true(has_list("F", NULL));
    assert_int_equal(scratch_mode("F"), 0600);
}
#endif

/* Those that leave nothing behind which somebody else would have to remove. */
static const char swept_calls[] =
    "open open_directory open_at create_at open_anonymous stat stat_at fstat fchmod fchown ftruncate "
    "can_link_descriptor link_descriptor rename_at realpath readlink get_acl set_acl write close allocate "
    "random";

/* Write the file, while one call fails: in a child. Its status: 0: all went well, with one call that did not; 1: it
 * failed; 2: there were fewer calls. */
static int status_of_run(const char *path, unsigned at)
{
    int status;

    fflush(NULL);
    scratch_listen();
    if (fork() == 0) {
        faulty_fail(swept_calls, at, EIO);
        write_file(path, "new\n");
        _exit(faulty_stop() ? 0 : 2);
    }
    wait(&status);
    (void)scratch_heard();
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Fail each call in turn, until a run has fewer calls. */
static void sweep(const char *path, const char *file, const char *old, bool named)
{
    unsigned at = 0;
    int status;

    be_named(named);
    do {
        if (old != NULL)
            assert_true(scratch_put(file, old, 0644));
        else
            (void)unlink(file);
        status = status_of_run(path, ++at);
        if (status != 1)
            assert_true(scratch_holds(file, "new\n"));
        else if (old != NULL)
            assert_true(scratch_holds(file, old));
        else
            assert_int_equal(access(file, F_OK), -1);
        assert_int_equal(scratch_count("."), (old != NULL || status != 1 ? 1 : 0) + (strcmp(path, file) != 0));
    } while (status != 2);
    assert_true(at > 10);
}

TEST(whichever_call_fails_the_file_is_old_or_new_and_alone)
{
    for (int named = 0; named < 2; named++) {
        sweep("F", "F", "old\n", named);
        sweep("F", "F", NULL, named);
        assert_int_equal(unlink("F"), 0);
        assert_int_equal(symlink("G", "F"), 0);
        sweep("F", "G", "old\n", named);
        sweep("F", "G", NULL, named);
        assert_int_equal(unlink("F"), 0);
        assert_int_equal(unlink("G"), 0);
    }
}
