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
    return folder_open(&folder, "d") == FOLDER_OK ? 0 : -1;
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
    assert_int_equal(folder_open(&other, "link"), FOLDER_OK);
    folder_close(&other);
    folder_close(&other);
    folder_close(&(struct folder){0});
}

TEST(a_folder_that_is_missing_is_no_failure_yet)
{
    struct folder other;

    assert_int_equal(folder_open(&other, "missing"), FOLDER_MISSING);
    assert_int_equal(folder_enter(&other, &folder, "missing"), FOLDER_MISSING);
    assert_false(fault_any());
    folder_close(&other);
}

TEST(what_is_no_folder_is_refused)
{
    struct folder other;

    put_others();
    assert_int_equal(symlink("directory", "d/to-directory"), 0);
    folders_assert_says(folder_open(&other, "outside"), FOLDER_FAILED, "bigshuf: outside: Not a directory\n");
    folders_assert_says(folder_enter(&other, &folder, "to-directory"), FOLDER_FAILED,
                        "bigshuf: d/to-directory: Not a directory\n");
    for (int i = 1; i < OTHERS; i++) { /* a FIFO does not make it wait */
        folders_listen();
        assert_int_equal(folder_enter(&other, &folder, others[i]), FOLDER_FAILED);
        assert_non_null(strstr(scratch_heard(), "Not a directory"));
        folder_close(&other);
    }
}

TEST(a_folder_is_made_where_there_is_nothing)
{
    struct folder inner, innermost;

    put_others();
    for (int i = 0; i < OTHERS; i++)
        assert_int_equal(folder_make(&inner, &folder, others[i]), FOLDER_EXISTS);
    assert_int_equal(folder_make(&inner, &folder, "new"), FOLDER_OK);
    assert_int_equal(folder_make(&innermost, &inner, "newer"), FOLDER_OK);
    assert_string_equal(innermost.path, "d/new/newer");
    assert_true(folders_exists("d/new/newer"));
    assert_false(fault_any());
    folder_close(&innermost);
    folder_close(&inner);
}

TEST(a_folder_that_cannot_be_opened_is_not_left_there)
{
    for (unsigned at = 1;; at++) {
        enum folder_verdict verdict;
        struct folder inner;

        faulty_fail(NULL, at, EMFILE);
        folders_listen();
        errno = 0;
        verdict = folder_make(&inner, &folder, "new");
        assert_int_equal(errno, verdict == FOLDER_FAILED ? EMFILE : 0);
        if (faulty.failed == NULL) {
            folders_assert_heard("");
            assert_int_equal(verdict, FOLDER_OK);
            folder_close(&inner);
            assert_true(at > 2);
            break;
        }
        folders_assert_heard("bigshuf: d/new: Too many open files\n");
        assert_int_equal(verdict, FOLDER_FAILED);
        assert_false(folders_exists("d/new"));
        folder_close(&inner);
    }
}

TEST(a_folder_of_which_something_fails_is_not_open)
{
    struct folder other;

    faulty_fail_all("allocate", ENOMEM);
    folders_assert_says(folder_open(&other, "d"), FOLDER_FAILED, "bigshuf: d: Cannot allocate memory\n");
    folder_close(&other);
}

TEST(what_was_opened_stays_what_it_is_under_another_name)
{
    assert_int_equal(rename("d", "moved"), 0);
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(folder_publish(&folder, "file", ".by", text, TEXT_BYTES), FOLDER_OK);
    assert_true(scratch_holds("moved/file", text));
    assert_int_equal(scratch_count("d"), 0);
}

TEST(reports_name_the_file_and_the_cause)
{
    struct folder root;

    folders_assert_ends(folder_report(&folder, "file", ENOSPC), "bigshuf: d/file: No space left on device\n");
    folders_assert_ends(folder_report(&folder, NULL, ENOSPC), "bigshuf: d: No space left on device\n");
    folders_assert_ends(folder_say(&folder, "file", "has %d bytes, not %d", 1, 2),
                        "bigshuf: d/file: has 1 bytes, not 2\n");
    assert_int_equal(folder_open(&root, "/"), FOLDER_OK);
    folders_assert_ends(folder_report(&root, "file", EIO), "bigshuf: /file: Input/output error\n");
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

TEST(there_may_be_no_names_and_many)
{
    struct folder_names names;
    char name[16];

    assert_int_equal(folder_list(&folder, &names), FOLDER_OK);
    assert_int_equal(names.count, 0);
    folder_names_release(&names);
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "d/%03d", i);
        assert_true(scratch_put(name, "", 0600));
    }
    assert_int_equal(folder_list(&folder, &names), FOLDER_OK);
    assert_int_equal(names.count, 500);
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "%03d", i);
        assert_string_equal(names.name[i], name);
    }
    folder_names_release(&names);
}

TEST(a_list_is_complete_or_a_failure)
{
    struct folder_names names;
    enum folder_verdict verdict;
    unsigned at = 0;

    for (int i = 0; i < 70; i++) {
        char name[16];

        snprintf(name, sizeof name, "d/%03d", i);
        assert_true(scratch_put(name, "", 0600));
    }
    do {
        faulty_fail(NULL, ++at, EIO);
        folders_listen();
        errno = 0;
        verdict = folder_list(&folder, &names);
        assert_int_equal(errno, faulty.failed != NULL ? EIO : 0);
        folders_assert_heard(faulty.failed != NULL ? "bigshuf: d: Input/output error\n" : "");
        assert_int_equal(verdict, faulty.failed != NULL ? FOLDER_FAILED : FOLDER_OK);
        assert_int_equal(names.count, faulty.failed != NULL ? 0 : 70);
        folder_names_release(&names);
    } while (faulty_stop());
    assert_true(at > 140);
}

/* ---- Reading ---- */

TEST(only_regular_files_are_opened)
{
    char message[128];
    int fd;

    put_others();
    for (int i = 0; i < OTHERS; i++) {
        snprintf(message, sizeof message, "bigshuf: d/%s: not a regular file\n", others[i]);
        folders_listen();
        assert_int_equal(folder_open_file(&folder, others[i], &fd), FOLDER_FAILED);
        assert_int_equal(fd, -1);
        folders_assert_heard(message);
        folders_listen();
        assert_int_equal(folder_edit_file(&folder, others[i], false, &fd), FOLDER_FAILED);
        assert_int_equal(fd, -1);
        folders_assert_heard(message);
        assert_int_equal(folder_edit_file(&folder, others[i], true, &fd), FOLDER_EXISTS);
        assert_int_equal(fd, -1);
    }
    assert_true(scratch_holds("outside", "outside"));
}

TEST(a_file_that_is_missing_is_no_failure_yet)
{
    char *data;
    size_t bytes;
    int fd;

    assert_int_equal(folder_open_file(&folder, "missing", &fd), FOLDER_MISSING);
    assert_int_equal(folder_edit_file(&folder, "missing", false, &fd), FOLDER_MISSING);
    assert_int_equal(folder_read(&folder, "missing", 9, &data, &bytes), FOLDER_MISSING);
    assert_int_equal(folder_rename(&folder, "missing", "new"), FOLDER_MISSING);
    assert_int_equal(folder_unlink(&folder, "missing"), FOLDER_MISSING);
    assert_false(fault_any());
    assert_int_equal(scratch_count("d"), 0);
}

TEST(a_file_to_be_edited_keeps_its_contents_and_a_new_one_is_new)
{
    int fd;

    assert_int_equal(folder_edit_file(&folder, "file", true, &fd), FOLDER_OK);
    assert_int_equal(write(fd, text, TEXT_BYTES), TEXT_BYTES);
    assert_int_equal(sys_close(fd), 0);
    assert_int_equal(folder_edit_file(&folder, "file", true, &fd), FOLDER_EXISTS);
    assert_int_equal(folder_edit_file(&folder, "file", false, &fd), FOLDER_OK);
    assert_int_equal(pwrite(fd, "A", 1, 0), 1);
    assert_int_equal(sys_close(fd), 0);
    assert_true(scratch_holds("d/file", "All of it\n"));
}

TEST(a_file_is_read_whole_up_to_a_limit)
{
    static const char bytes_of[] = "a\0b";
    char *data;
    size_t bytes;

    folders_put("d/file", bytes_of, sizeof bytes_of);
    assert_int_equal(folder_read(&folder, "file", sizeof bytes_of, &data, &bytes), FOLDER_OK);
    assert_int_equal(bytes, sizeof bytes_of);
    assert_memory_equal(data, bytes_of, bytes);
    assert_int_equal(data[bytes], 0);
    free(data);
    folders_assert_says(folder_read(&folder, "file", sizeof bytes_of - 1, &data, &bytes), FOLDER_FAILED,
                        "bigshuf: d/file: larger than 3 bytes\n");
    assert_null(data);
    folders_put("d/empty", "", 0);
    assert_int_equal(folder_read(&folder, "empty", 0, &data, &bytes), FOLDER_OK);
    assert_int_equal(bytes, 0);
    assert_string_equal(data, "");
    free(data);
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
    char *data;
    size_t bytes;

    for (int i = 0; i < 2; i++) {
        folders_put("d/file", text, TEXT_BYTES);
        faulty_meet("read", change[i]);
        folders_assert_says(folder_read(&folder, "file", 100, &data, &bytes), FOLDER_FAILED,
                            "bigshuf: d/file: changes while it is read\n");
        assert_null(data);
    }
}

TEST(a_failure_to_read_is_reported)
{
    unsigned at = 0;
    char *data;
    size_t bytes;

    folders_put("d/file", text, TEXT_BYTES);
    do {
        enum folder_verdict verdict;

        faulty_fail(NULL, ++at, EIO);
        folders_listen();
        verdict = folder_read(&folder, "file", 100, &data, &bytes);
        assert_true(verdict != FOLDER_FAILED || errno == EIO);
        if (faulty.failed == NULL || strcmp(faulty.failed, "close") == 0) {
            folders_assert_heard("");
            assert_int_equal(verdict, FOLDER_OK);
            assert_string_equal(data, text);
        } else {
            folders_assert_heard("bigshuf: d/file: Input/output error\n");
            assert_int_equal(verdict, FOLDER_FAILED);
            assert_null(data);
        }
        free(data);
    } while (faulty_stop());
    assert_true(at > 5);
}

/* ---- Publishing ---- */

TEST(what_is_published_appears_and_nothing_else)
{
    faulty.is_short = true;
    assert_int_equal(folder_publish(&folder, "file", ".by", text, TEXT_BYTES), FOLDER_OK);
    assert_true(scratch_holds("d/file", text));
    assert_int_equal(scratch_count("d"), 1);
    assert_int_equal(folder_publish(&folder, "empty", ".by", "", 0), FOLDER_OK);
    assert_true(scratch_holds("d/empty", ""));
    assert_int_equal(scratch_count("d"), 2);
}

/* A name that survives a loss of power has all that belongs to it. */
TEST(what_is_published_is_on_disk_before_its_name_and_then_the_name_is)
{
    const char *write, *sync, *link;

    folders_forgive();
    assert_int_equal(folder_publish(&folder, "file", ".by", text, TEXT_BYTES), FOLDER_OK);
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
        assert_int_equal(folder_publish(&folder, others[i], ".by", text, TEXT_BYTES), FOLDER_EXISTS);
    assert_int_equal(folder_publish(&folder, "file", ".by", text, TEXT_BYTES), FOLDER_EXISTS);
    assert_true(scratch_holds("d/file", "old"));
    assert_true(scratch_holds("outside", "outside"));
    assert_false(folders_exists("d/nowhere"));
    assert_false(folders_exists("d/.by"));
    assert_int_equal(scratch_count("d"), OTHERS + 1);
    assert_false(fault_any());
}

static void put_file(void)
{
    folders_put("d/file", "first", 5);
}

TEST(one_who_comes_first_at_the_last_moment_stays)
{
    faulty_meet("link_at", put_file);
    assert_int_equal(folder_publish(&folder, "file", ".by", text, TEXT_BYTES), FOLDER_EXISTS);
    assert_true(scratch_holds("d/file", "first"));
    assert_int_equal(scratch_count("d"), 1);
}

TEST(what_stands_under_the_other_name_is_not_written_through)
{
    folders_put("precious", "precious", 8);
    assert_int_equal(symlink("../precious", "d/.by"), 0);
    folders_listen();
    assert_int_equal(folder_publish(&folder, "file", ".by", text, TEXT_BYTES), FOLDER_FAILED);
    folders_assert_heard("bigshuf: d/.by: File exists\n");
    assert_true(scratch_holds("precious", "precious"));
    assert_int_equal(scratch_count("d"), 1);
}

/* Each call fails in turn. The name has nothing or the whole; the other one stays only if it cannot be removed. */
TEST(a_failure_at_any_call_leaves_nothing_or_the_whole)
{
    bool linked = false, not_linked = false;
    unsigned at = 0;

    do {
        enum folder_verdict verdict;
        const char *heard;

        (void)unlink("d/file");
        (void)unlink("d/.by");
        faulty.is_short = true;
        faulty_fail(NULL, ++at, EIO);
        folders_listen();
        errno = 0;
        verdict = folder_publish(&folder, "file", ".by", text, TEXT_BYTES);
        assert_true(verdict != FOLDER_FAILED || errno == EIO);
        heard = scratch_heard();
        assert_true(scratch_holds("d/file", text) || !folders_exists("d/file"));
        if (faulty.failed == NULL) {
            assert_int_equal(verdict, FOLDER_OK);
            assert_string_equal(heard, "");
            break;
        }
        assert_int_equal(verdict, FOLDER_FAILED);
        assert_true(strncmp(heard, "bigshuf: d", 10) == 0 && strstr(heard, "Input/output error\n") != NULL);
        linked = linked || folders_exists("d/file");
        not_linked = not_linked || !folders_exists("d/file");
        assert_true(!folders_exists("d/.by") || strcmp(faulty.failed, "unlink_at") == 0);
    } while (true);
    assert_true(at > 7 && linked && not_linked);
    assert_int_equal(scratch_count("d"), 1);
}

static void publish_and_exit(void)
{
    (void)folder_publish(&folder, "file", ".by", text, TEXT_BYTES);
    CHECK(faulty.calls < faulty.at);
    _exit(2);
}

/* The process ends at each call in turn: the name has nothing or the whole, and another attempt, under another name
 * that nobody has had, finds no obstacle. */
TEST(death_at_any_call_leaves_nothing_or_the_whole)
{
    unsigned at = 0;
    int status;

    do {
        enum folder_verdict again;
        bool whole;

        (void)unlink("d/file");
        (void)unlink("d/.by");
        faulty.is_short = true;
        faulty_fail(NULL, ++at, EIO);
        faulty.dies = true;
        status = scratch_child(publish_and_exit);
        assert_true(WIFEXITED(status));
        whole = scratch_holds("d/file", text);
        assert_true(whole || !folders_exists("d/file"));
        folders_forgive();
        again = folder_publish(&folder, "file", ".other", text, TEXT_BYTES);
        assert_int_equal(again, whole ? FOLDER_EXISTS : FOLDER_OK);
        assert_int_equal(scratch_count("d"), 1 + folders_exists("d/.by"));
    } while (WEXITSTATUS(status) == 0);
    assert_int_equal(WEXITSTATUS(status), 2);
    assert_true(at > 7);
}

TEST(a_file_system_without_hard_links_is_named)
{
    static const int errors[] = {EPERM, EMLINK, ENOTSUP, EOPNOTSUPP, ENOSYS};

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        faulty_fail_all("link_at", errors[i]);
        folders_assert_says(folder_publish(&folder, "file", ".by", text, TEXT_BYTES), FOLDER_FAILED,
                            "bigshuf: d/file: cannot be made in one step: the file system has no hard links\n");
        assert_int_equal(scratch_count("d"), 0);
    }
}

enum { FIRST = 10, LATER = 11 };

static int race(int racer)
{
    char by[16], content[4096];
    enum folder_verdict verdict;

    snprintf(by, sizeof by, ".by-%d", racer);
    memset(content, 'a' + racer, sizeof content);
    verdict = folder_publish(&folder, "file", by, content, sizeof content);
    CHECK(verdict == FOLDER_OK || verdict == FOLDER_EXISTS);
    return verdict == FOLDER_OK ? FIRST : LATER;
}

TEST(of_many_at_the_same_time_one_is_first)
{
    for (int round = 0; round < (scratch_is_tiny() ? 2 : FOLDERS_ROUNDS); round++) {
        char data[4096 + 1], expected[4096];
        int result[FOLDERS_RACERS], fd, winner = -1;

        folders_race(race, result);
        for (int i = 0; i < FOLDERS_RACERS; i++)
            if (result[i] == FIRST) {
                assert_int_equal(winner, -1);
                winner = i;
            } else {
                assert_int_equal(result[i], LATER);
            }
        assert_true(winner >= 0);
        memset(expected, 'a' + winner, sizeof expected);
        fd = open("d/file", O_RDONLY | O_CLOEXEC);
        assert_int_equal(read(fd, data, sizeof data), sizeof expected);
        close(fd);
        assert_memory_equal(data, expected, sizeof expected);
        assert_int_equal(scratch_count("d"), 1);
        assert_int_equal(unlink("d/file"), 0);
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
    assert_int_equal(folder_sync(&folder), 0);
    assert_false(fault_any());
    faulty_fail_all("rename_at", EIO);
    folders_assert_says(folder_rename(&folder, "directory", "name"), FOLDER_FAILED,
                        "bigshuf: d/directory: Input/output error\n");
}

TEST(names_that_cannot_be_put_on_disk_are_a_failure_where_that_is_possible_at_all)
{
    faulty_fail_all("sync", EINVAL);
    assert_int_equal(folder_sync(&folder), 0);
    faulty_fail_all("sync", EIO);
    folders_assert_ends(folder_sync(&folder), "bigshuf: d: Input/output error\n");
}

TEST(what_stands_under_a_name_is_known_from_what_stood_there)
{
    int fd;

    assert_true(scratch_put("d/one", "", 0644));
    assert_int_equal(folder_open_file(&folder, "one", &fd), FOLDER_OK);
    assert_int_equal(folder_stands(&folder, "one", fd), 1);
    assert_true(scratch_put("d/two", "", 0644));
    assert_int_equal(folder_stands(&folder, "two", fd), 0);
    assert_int_equal(rename("d/two", "d/one"), 0);
    assert_int_equal(folder_stands(&folder, "one", fd), 0);
    assert_int_equal(folder_stands(&folder, "two", fd), 0);
    assert_int_equal(io_close(fd), 0);
}

TEST(unlinking_follows_no_link_and_takes_no_folder)
{
    put_others();
    assert_true(scratch_put("d/directory/inside", "", 0644));
    assert_int_equal(folder_unlink(&folder, "link"), FOLDER_OK);
    assert_true(scratch_holds("outside", "outside"));
    folders_listen();
    assert_int_equal(folder_unlink(&folder, "directory"), FOLDER_FAILED);
    assert_non_null(strstr(scratch_heard(), "bigshuf: d/directory: "));
    assert_true(folders_exists("d/directory/inside"));
}

static void a_user_who_may_not_is_told_so(void)
{
    int fd;

    scratch_become_user();
    CHECK(folder_open_file(&folder, "secret", &fd) == FOLDER_FAILED);
    CHECK(folder_publish(&folder, "new", ".by", text, TEXT_BYTES) == FOLDER_FAILED);
    CHECK(folder_unlink(&folder, "secret") == FOLDER_FAILED);
}

TEST(what_is_not_permitted_is_a_failure)
{
    int status;

    assert_true(scratch_put("d/secret", "secret", 0));
    assert_int_equal(chmod("d", 0555), 0);
    assert_int_equal(chmod(".", 0755), 0);
    folders_listen();
    status = scratch_child(a_user_who_may_not_is_told_so);
    folders_assert_heard("bigshuf: d/secret: Permission denied\n");
    assert_int_equal(status, 0);
}
