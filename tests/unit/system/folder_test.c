/* Nothing is replaced, nothing is followed, nothing appears in part. */

#include "support/folders.h"
#include "support/unit.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "system/folder.h"
#include "system/io.h"

static const char text[] = "all of it\n";
enum { TEXT_BYTES = sizeof text - 1 };

static struct folder folder;

/* A folder "d" that is open. */
static int setup(void **state)
{
    if (folders_setup(state) != 0 || mkdir("d", 0755) != 0)
        return -1;
    return folder_open(&folder, "d") ? 0 : -1;
}

static int teardown(void **state)
{
    folder_close(&folder);
    return folders_teardown(state);
}

/* Everything in the directory that is no plain file. */
static void put_others(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "d/socket"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && close(fd) == 0);
    assert_int_equal(mkdir("d/directory", 0755), 0);
    assert_int_equal(mkfifo("d/fifo", 0644), 0);
    assert_true(scratch_put("outside", "outside", 0644));
    assert_int_equal(symlink("../outside", "d/link"), 0);
    assert_int_equal(symlink("nowhere", "d/dangling"), 0);
}

static const char *const others[] = {"directory", "fifo", "link", "dangling", "socket"};
enum { OTHERS = sizeof others / sizeof others[0] };

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* ---- Folders ---- */

TEST(a_folder_is_the_users_own_word_and_may_be_a_link)
{
    struct folder other;

    assert_int_equal(symlink("d", "link"), 0);
    assert_true(folder_open(&other, "link"));
    folder_close(&other);
    folder_close(&other);
    folder_close(&(struct folder){0});
    assert_false(folder_open(&other, "missing"));
    assert_int_equal(folder_enter(&other, &folder, "missing"), FOLDER_MISSING);
    folder_close(&other);
}

TEST(what_is_no_folder_is_refused)
{
    struct folder other;

    put_others();
    assert_int_equal(symlink("directory", "d/to-directory"), 0);
    assert_ends((void)folder_open(&other, "outside"), "bigshuf: outside: Not a directory\n");
    assert_ends(folder_enter(&other, &folder, "to-directory"), "bigshuf: d/to-directory: Not a directory\n");
    folder.lenient = true;
    for (int i = 1; i < OTHERS; i++) { /* a FIFO does not make it wait */
        assert_int_equal(folder_enter(&other, &folder, others[i]), FOLDER_FAILED);
        assert_int_equal(errno, ENOTDIR);
    }
}

TEST(a_folder_that_cannot_be_opened_is_not_left_there)
{
    struct folder inner;

    faulty_fail_all("open_at", EMFILE);
    assert_ends(folder_make(&inner, &folder, "new"), "bigshuf: d/new: Too many open files\n");
    faulty_fail_all("allocate", ENOMEM);
    assert_ends(folder_make(&inner, &folder, "new"), "bigshuf: memory: Cannot allocate memory\n");
    assert_int_equal(scratch_count("d"), 0);
}

TEST(what_was_opened_stays_what_it_is_under_another_name)
{
    assert_int_equal(rename("d", "moved"), 0);
    assert_int_equal(mkdir("d", 0755), 0);
    assert_true(folder_publish(&folder, "file", ".by", text, TEXT_BYTES));
    assert_true(scratch_holds("moved/file", text));
    assert_int_equal(scratch_count("d"), 0);
}

TEST(reports_name_the_file_and_the_cause)
{
    struct folder root;

    assert_ends(folder_report(&folder, "file", ENOSPC), "bigshuf: d/file: No space left on device\n");
    assert_ends(folder_report(&folder, NULL, ENOSPC), "bigshuf: d: No space left on device\n");
    assert_ends(folder_say(&folder, "file", "has %d bytes, not %d", 1, 2), "bigshuf: d/file: has 1 bytes, not 2\n");
    assert_true(folder_open(&root, "/"));
    assert_ends(folder_report(&root, "file", EIO), "bigshuf: /file: Input/output error\n");
    folder_close(&root);
}

/* ---- The names in it ---- */

TEST(names_come_in_bytewise_order)
{
    static const char *const sorted[] = {".hidden", "10", "9", "A", "B", "_", "a", "a.b", "aa", "\303\244"};
    enum { NAMES = sizeof sorted / sizeof sorted[0] };
    struct folder_names names;
    char path[64];

    for (int i = 0; i < NAMES; i++) { /* made in another order */
        snprintf(path, sizeof path, "d/%s", sorted[i * 7 % NAMES]);
        assert_true(scratch_put(path, "", 0600));
    }
    assert_int_equal(folder_list(&folder, &names), FOLDER_OK);
    assert_int_equal(names.count, NAMES);
    for (int i = 0; i < NAMES; i++)
        assert_string_equal(names.name[i], sorted[i]);
    folder_names_release(&names);
    folder_names_release(&names);
}

TEST(a_list_is_complete_or_a_failure)
{
    struct folder_names names;
    unsigned at = 0;
    bool failed;

    assert_int_equal(folder_list(&folder, &names), FOLDER_OK);
    assert_int_equal(names.count, 0);
    for (int i = 0; i < 500; i++) {
        char name[16];

        snprintf(name, sizeof name, "d/%03d", i);
        assert_true(scratch_put(name, "", 0600));
    }
    folder.lenient = true;
    do {
        enum folder_verdict verdict;

        faulty_fail("list_open list_next", ++at, EIO);
        verdict = folder_list(&folder, &names);
        failed = faulty_stop();
        assert_int_equal(verdict, failed ? FOLDER_FAILED : FOLDER_OK);
        assert_int_equal(names.count, failed ? 0 : 500);
        assert_true(!failed || errno == EIO);
        folder_names_release(&names);
    } while (failed);
    assert_true(at > 500);
    folder.lenient = false;
    faulty_fail("list_next", 100, EIO);
    assert_ends(folder_list(&folder, &names), "bigshuf: d: Input/output error\n");
}

/* ---- Reading ---- */

TEST(only_regular_files_are_opened)
{
    char message[128];
    int fd;

    put_others();
    for (int i = 0; i < OTHERS; i++) {
        snprintf(message, sizeof message, "bigshuf: d/%s: not a regular file\n", others[i]);
        assert_ends((void)folder_open_file(&folder, others[i]), message);
        assert_ends(folder_edit_file(&folder, others[i], false, &fd), message);
        assert_int_equal(folder_edit_file(&folder, others[i], true, &fd), FOLDER_EXISTS);
        assert_int_equal(fd, -1);
        folder.lenient = true;
        assert_int_equal(folder_edit_file(&folder, others[i], false, &fd), FOLDER_FAILED);
        assert_int_equal(fd, -1);
        folder.lenient = false;
    }
    assert_true(scratch_holds("outside", "outside"));
}

static void grow(void)
{
    assert_true(scratch_put("d/file", "more than it was", 0644));
}

static void shrink(void)
{
    assert_true(scratch_put("d/file", "less", 0644));
}

TEST(a_file_that_changes_is_not_taken_for_whole)
{
    void (*const change[])(void) = {grow, shrink};
    size_t bytes;

    for (int i = 0; i < 2; i++) {
        folders_put("d/file", text, TEXT_BYTES);
        faulty_meet("read", change[i]);
        assert_ends((void)folder_read(&folder, "file", 100, &bytes), "bigshuf: d/file: changes while it is read\n");
    }
}

/* ---- Publishing ---- */

TEST(what_is_published_appears_and_nothing_else)
{
    faulty.is_short = true;
    assert_true(folder_publish(&folder, "file", ".by", text, TEXT_BYTES));
    assert_true(scratch_holds("d/file", text));
    assert_int_equal(scratch_count("d"), 1);
    assert_true(folder_publish(&folder, "empty", ".by", "", 0));
    assert_true(scratch_holds("d/empty", ""));
    assert_int_equal(scratch_count("d"), 2);
}

/* A name that survives a loss of power has all that belongs to it. */
TEST(what_is_published_is_on_disk_before_its_name_and_then_the_name_is)
{
    const char *write, *sync, *link;

    folders_forgive();
    assert_true(folder_publish(&folder, "file", ".by", text, TEXT_BYTES));
    write = strstr(folders.trail, "write ");
    assert_non_null(write);
    sync = strstr(write, "sync ");
    assert_non_null(sync);
    link = strstr(sync, "link_at ");
    assert_non_null(link);
    assert_non_null(strstr(link, "sync "));
}

TEST(publishing_never_replaces)
{
    put_others();
    folders_put("d/file", "old", 3);
    for (int i = 0; i < OTHERS; i++)
        assert_false(folder_publish(&folder, others[i], ".by", text, TEXT_BYTES));
    assert_false(folder_publish(&folder, "file", ".by", text, TEXT_BYTES));
    assert_true(scratch_holds("d/file", "old"));
    assert_true(scratch_holds("outside", "outside"));
    assert_false(folders_exists("d/nowhere"));
    assert_false(folders_exists("d/.by"));
    assert_int_equal(scratch_count("d"), OTHERS + 1);
}

TEST(what_stands_under_the_other_name_is_not_written_through)
{
    folders_put("precious", "precious", 8);
    assert_int_equal(symlink("../precious", "d/.by"), 0);
    assert_ends((void)folder_publish(&folder, "file", ".by", text, TEXT_BYTES), "bigshuf: d/.by: File exists\n");
    assert_true(scratch_holds("precious", "precious"));
    assert_int_equal(scratch_count("d"), 1);
}

static void publish(void)
{
    (void)folder_publish(&folder, "file", ".by", text, TEXT_BYTES);
}

/* The name has nothing or the whole; and another attempt, under another name that nobody has had, finds no obstacle. */
TEST(a_failure_at_any_call_leaves_nothing_or_the_whole)
{
    bool linked = false, not_linked = false;
    unsigned at = 0;
    int outcome;

    faulty.is_short = true;
    do {
        bool whole;

        (void)unlink("d/file");
        (void)unlink("d/.by");
        faulty_fail(NULL, ++at, EIO);
        outcome = folders_try(publish);
        whole = scratch_holds("d/file", text);
        assert_true(whole || !folders_exists("d/file"));
        linked = linked || (whole && outcome != FOLDERS_OVER);
        not_linked = not_linked || !whole;
        assert_true(!folders_exists("d/.by") || whole); /* it cannot be removed */
        assert_int_equal(folder_publish(&folder, "file", ".other", text, TEXT_BYTES), !whole);
        assert_int_equal(scratch_count("d"), 1 + folders_exists("d/.by"));
    } while (outcome != FOLDERS_OVER);
    assert_true(at > 7 && linked && not_linked);
}

TEST(a_file_system_without_hard_links_is_named)
{
    static const int errors[] = {EPERM, EMLINK, ENOTSUP, EOPNOTSUPP, ENOSYS};

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        faulty_fail_all("link_at", errors[i]);
        assert_ends((void)folder_publish(&folder, "file", ".by", text, TEXT_BYTES),
                    "bigshuf: d/file: cannot be made in one step: the file system has no hard links\n");
        assert_int_equal(scratch_count("d"), 0);
    }
}

/* ---- Names ---- */

TEST(a_folder_is_renamed_only_to_what_is_free)
{
    put_others();
    assert_int_equal(mkdir("d/new", 0755), 0);
    assert_true(scratch_put("d/new/file", text, 0644));
    assert_true(scratch_put("d/plain", "plain", 0644));
    assert_true(scratch_put("d/directory/inside", "", 0644));
    assert_int_equal(folder_rename(&folder, "new", "plain"), FOLDER_EXISTS);
    for (int i = 0; i < OTHERS; i++)
        assert_int_equal(folder_rename(&folder, "new", others[i]), FOLDER_EXISTS);
    assert_int_equal(folder_rename(&folder, "new", "name"), FOLDER_OK);
    assert_true(scratch_holds("d/name/file", text));
    assert_true(scratch_holds("d/plain", "plain"));
    assert_int_equal(unlink("d/directory/inside"), 0);
    assert_int_equal(folder_rename(&folder, "name", "directory"), FOLDER_OK);
    assert_true(scratch_holds("d/directory/file", text));
    folder_sync(&folder);
    faulty_fail_all("rename_at", EIO);
    assert_ends(folder_rename(&folder, "directory", "name"), "bigshuf: d/directory: Input/output error\n");
}

TEST(names_that_cannot_be_put_on_disk_are_a_failure_where_that_is_possible_at_all)
{
    faulty_fail_all("sync", EINVAL);
    folder_sync(&folder);
    faulty_fail_all("sync", EIO);
    assert_ends(folder_sync(&folder), "bigshuf: d: Input/output error\n");
}

TEST(what_stands_under_a_name_is_known_from_what_stood_there)
{
    int fd;

    assert_true(scratch_put("d/one", "", 0644));
    fd = folder_open_file(&folder, "one");
    assert_true(folder_stands(&folder, "one", fd));
    assert_true(scratch_put("d/two", "", 0644));
    assert_false(folder_stands(&folder, "two", fd));
    assert_int_equal(rename("d/two", "d/one"), 0);
    assert_false(folder_stands(&folder, "one", fd));
    assert_false(folder_stands(&folder, "two", fd));
    assert_int_equal(io_close(fd), 0);
}
