/* An existing file is safe until a new one is complete, whatever it is and whatever fails. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>

#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#include <sys/xattr.h>
#endif

#include "output/sink.h"
#include "output/target.h"
#include "system/signals.h"
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

static void write_more(const char *content)
{
    assert_int_equal(sink_write(sink, content, strlen(content)), 0);
}

/* Open a sink in place of the one before, and write to it, if there is anything to write. */
static void begin(const char *path, const char *content)
{
    drop();
    sink = sink_open(path);
    assert_non_null(sink);
    if (content != NULL)
        write_more(content);
}

static int commit_sink(void)
{
    if (sink_complete(sink) != 0 || sink_check_input(sink) != 0)
        return -1;
    return sink_publish(sink) == 0 ? 0 : fault_report("not published", errno);
}

static void commit(void)
{
    assert_int_equal(commit_sink(), 0);
    drop();
}

/* The file has what was written to it. */
static void write_file(const char *path, const char *content)
{
    begin(path, content);
    commit();
    assert_true(scratch_holds(path, content));
}

static void assert_refused(const char *path, const char *message)
{
    drop();
    assert_says((sink = sink_open(path)) == NULL, true, message);
}

/* Must the file that is made have a name? */
static void be_named(bool named)
{
    faulty.never = named ? "open_anonymous" : NULL;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* ---- New files ---- */

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

TEST(several_writes_follow_one_another)
{
    begin("new", NULL);
    write_more("a\n");
    write_more("");
    write_more("b\n");
    commit();
    assert_true(scratch_holds("new", "a\nb\n"));
}

TEST(no_output_makes_an_empty_file)
{
    begin("new", NULL);
    commit();
    assert_true(scratch_holds("new", ""));
}

TEST(a_new_file_is_not_there_before_it_is_complete)
{
    begin("new", NULL);
    write_more("x\n");
    assert_int_equal(access("new", F_OK), -1);
    drop();
    assert_int_equal(scratch_count("."), 0);
}

TEST(what_cannot_be_made_is_refused_at_once)
{
    assert_int_equal(mkdir("directory", 0755), 0);
    assert_refused("directory", "bigshuf: directory: Is a directory: name a file in it\n");
    assert_refused("nowhere/file", "bigshuf: nowhere/file: No such file or directory: there is no folder 'nowhere'\n");
    assert_refused("nothing/", "bigshuf: nothing/: Is a directory: name a file in it\n");
    assert_refused("", "bigshuf: '': No such file or directory\n");
    assert_int_equal(symlink("circle", "circle"), 0);
    assert_refused("circle", "bigshuf: circle: Too many levels of symbolic links\n");
}

/* ---- Existing files ---- */

TEST(an_existing_file_keeps_its_content_until_commit)
{
    assert_true(scratch_put("F", "old\n", 0644));
    begin("F", NULL);
    assert_false(sink_is_in_place(sink));
    assert_true(scratch_holds("F", "old\n"));
    write_more("new\n");
    assert_true(scratch_holds("F", "old\n"));
    assert_int_equal(commit_sink(), 0);
    assert_true(scratch_holds("F", "new\n"));
    drop();
    assert_true(scratch_holds("F", "new\n"));
    assert_int_equal(scratch_count("."), 1);
}

TEST(an_abort_leaves_the_old_file_and_nothing_else)
{
    ino_t inode;

    assert_true(scratch_put("F", "old\n", 0644));
    inode = scratch_inode("F");
    for (int named = 0; named < 2; named++) {
        be_named(named);
        begin("F", "new\n");
        drop();
        begin("F", NULL);
        drop();
        assert_true(scratch_holds("F", "old\n"));
        assert_int_equal(scratch_inode("F"), inode);
        assert_int_equal(scratch_count("."), 1);
    }
}

TEST(nothing_is_seen_of_a_file_in_the_making)
{
    int fd = sys_open_anonymous(AT_FDCWD, ".", 0600);

    if (fd < 0)
        skip();
    close(fd);
    begin("F", "new\n");
    assert_int_equal(scratch_count("."), 0);
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
            begin("F", NULL);
            assert_private_and_beside_the_file();
            write_more("new\n");
            commit();
            assert_true(scratch_holds("F", "new\n"));
            assert_int_equal(scratch_count("."), 1);
            assert_int_equal(unlink("F"), 0);
        }
}

TEST(the_longest_name_works)
{
    char name[256];

    memset(name, 'n', 255);
    name[255] = '\0';
    write_file(name, "one\n");
    be_named(true);
    write_file(name, "two\n");
    assert_int_equal(scratch_count("."), 1);
}

TEST(the_mode_is_kept_but_for_the_set_id_bits)
{
    static const mode_t modes[][2] = {{0600, 0600}, {0666, 0666}, {0755, 0755}, {06755, 0755}, {0200, 0200}};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_true(scratch_put("F", "old\n", 0600));
        assert_int_equal(chmod("F", modes[i][0]), 0);
        begin("F", "new\n");
        commit();
        assert_int_equal(scratch_mode("F"), modes[i][1]);
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

static void write_in_child(const char *path)
{
    sink = sink_open(path);

    CHECK(sink != NULL && sink_write(sink, "new\n", 4) == 0 && commit_sink() == 0);
}

static void replace_as_user(void)
{
    scratch_become_user();
    write_in_child("F");
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

/* ---- Links ---- */

TEST(symbolic_links_stay_and_their_file_is_replaced)
{
    struct stat status;

    assert_int_equal(mkdir("directory", 0755), 0);
    assert_true(scratch_put("directory/file", "old\n", 0604));
    assert_int_equal(symlink("file", "directory/second"), 0);
    assert_int_equal(symlink("directory/second", "first"), 0);
    write_file("first", "new\n");
    assert_true(scratch_holds("directory/file", "new\n"));
    assert_int_equal(scratch_mode("directory/file"), 0604);
    assert_int_equal(lstat("first", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat("directory/second", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(scratch_count("directory"), 2);
    assert_int_equal(scratch_count("."), 2);
}

TEST(a_link_to_nothing_gets_its_file)
{
    char absolute[128];

    snprintf(absolute, sizeof absolute, "%s/directory/by absolute", scratch.path);
    assert_int_equal(mkdir("directory", 0755), 0);
    assert_int_equal(symlink("directory/by relative", "relative"), 0);
    assert_int_equal(symlink(absolute, "absolute"), 0);
    write_file("relative", "1\n");
    write_file("absolute", "2\n");
    assert_true(scratch_holds("directory/by relative", "1\n"));
    assert_true(scratch_holds("directory/by absolute", "2\n"));
    assert_int_equal(scratch_count("."), 3);
    assert_int_equal(symlink("no directory/file", "dangling"), 0);
    assert_refused("dangling", "bigshuf: dangling: No such file or directory\n");
}

TEST(a_file_with_two_names_is_replaced_under_one_of_them)
{
    assert_true(scratch_put("F", "old\n", 0640));
    assert_int_equal(link("F", "G"), 0);
    begin("F", "new\n");
    assert_true(sink_has_links(sink) && !sink_is_in_place(sink));
    commit();
    assert_true(scratch_holds("F", "new\n") && scratch_holds("G", "old\n"));
    assert_int_equal(scratch_mode("F"), 0640);
    begin("F", NULL);
    assert_false(sink_has_links(sink));
}

/* ---- What is no regular file ---- */

TEST(devices_are_written_to_directly)
{
    struct stat status;

    begin("/dev/null", "x\n");
    commit();
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

TEST(a_full_device_fails_with_its_name)
{
    if (access("/dev/full", W_OK) != 0)
        skip();
    begin("/dev/full", NULL);
    assert_ends(sink_write(sink, "x\n", 2), "bigshuf: /dev/full: No space left on device\n");
}

TEST(names_of_descriptors_reach_the_file_that_is_open)
{
    char name[64];
    ino_t inode;
    int fd;

    assert_true(scratch_put("F", "old and long\n", 0644));
    inode = scratch_inode("F");
    fd = open("F", O_WRONLY | O_APPEND);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_int_equal(symlink(name, "indirect"), 0);
    begin(name, "1\n");
    commit();
    assert_true(scratch_holds("F", "1\n"));
    write_file("indirect", "2\n");
    assert_true(scratch_holds("F", "2\n"));
    assert_int_equal(scratch_inode("F"), inode);
    close(fd);
}

static void read_fifo_to_its_end(void)
{
    char data[64];
    size_t got = 0;
    ssize_t piece;
    int fd = open("fifo", O_RDONLY);

    while ((piece = read(fd, data + got, sizeof data - got)) > 0)
        got += (size_t)piece;
    CHECK(got == 8 && memcmp(data, "one\ntwo\n", 8) == 0);
}

TEST(a_fifo_is_opened_once_and_its_reader_gets_all)
{
    pid_t reader;
    int status;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    reader = fork();
    if (reader == 0) {
        read_fifo_to_its_end();
        _exit(0);
    }
    assert_true(reader > 0);
    begin("fifo", "one\n");
    write_more("two\n");
    commit();
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_int_equal(status, 0);
}

TEST(only_what_is_emptied_by_the_first_write_is_in_place)
{
    static const char *const paths[] = {"/dev/null", NULL, "new", "regular"};
    char name[64];
    int fd;

    assert_true(scratch_put("regular", "old\n", 0644));
    for (int i = 0; i < 4; i++) {
        begin(paths[i], NULL);
        assert_false(sink_is_in_place(sink));
        drop();
    }
    fd = open("regular", O_RDWR);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    begin(name, NULL);
    assert_true(sink_is_in_place(sink));
    drop();
    close(fd);
}

/* ---- An ordinary user ---- */

static void refused_read_only(void)
{
    scratch_become_user();
    CHECK(sink_open("F") == NULL);
}

TEST(a_read_only_file_is_refused_and_stays)
{
    assert_true(scratch_put("F", "old\n", 0444));
    assert_int_equal(chmod(".", 0777), 0);
    assert_says(scratch_child(refused_read_only), 0, "bigshuf: F: Permission denied\n");
    assert_true(scratch_holds("F", "old\n"));
    assert_int_equal(scratch_count("."), 1);
}

static void in_place_as_user(void)
{
    ino_t inode = scratch_inode("F");

    scratch_become_user();
    CHECK(sink_open("new") == NULL);
    sink_free(sink_open("F"));
    CHECK(scratch_holds("F", "old and long\n"));
    replace_as_user();
    CHECK(scratch_holds("F", "new\n") && scratch_inode("F") == inode);
}

TEST(where_no_file_can_be_made_an_existing_one_is_written_in_place)
{
    assert_true(scratch_put("F", "old and long\n", 0666));
    assert_int_equal(chmod(".", 0555), 0);
    assert_says(scratch_child(in_place_as_user), 0, "bigshuf: new: Permission denied\n");
    assert_int_equal(scratch_count("."), 1);
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

#ifdef __linux__
/* In a name space of its own, so that the mounts go with the child. Exits with 77 where that is not permitted. */
static void replace_mounted_file(void)
{
    ino_t inode;

    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "other", "tmpfs", 0, "size=64k") != 0)
        _exit(77);
    CHECK(scratch_put("other/F", "old\n", 0644) && mount("other/F", "F", "none", MS_BIND, NULL) == 0);
    inode = scratch_inode("F");
    write_in_child("F");
    CHECK(scratch_holds("other/F", "new\n") && scratch_inode("F") == inode);
}

TEST(a_file_that_is_mounted_over_another_is_written_in_place)
{
    int status;

    assert_int_equal(mkdir("other", 0755), 0);
    assert_true(scratch_put("F", "hidden\n", 0644));
    status = scratch_child(replace_mounted_file);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
    assert_true(scratch_holds("F", "hidden\n"));
}
#endif

/* ---- One of several files ---- */

static void finish(const char *path, const char *content)
{
    begin(path, content);
    assert_int_equal(sink_complete(sink), 0);
}

TEST(a_finished_file_is_complete_but_not_seen)
{
    int probe = open(".", O_RDONLY), other;

    close(probe);
    assert_true(scratch_put("F", "old\n", 0640));
    finish("F", "new\n");
    other = open(".", O_RDONLY);
    close(other);
    assert_int_equal(other, probe); /* no descriptor is kept */
    assert_true(scratch_holds("F", "old\n"));
    assert_int_equal(scratch_count("."), 2);
    assert_int_equal(sink_complete(sink), 0);
    commit();
    assert_true(scratch_holds("F", "new\n"));
    assert_int_equal(scratch_mode("F"), 0640);
    finish("F", "newer\n");
    drop();
    assert_true(scratch_holds("F", "new\n"));
    assert_int_equal(scratch_count("."), 1);
}

TEST(a_complete_file_that_is_kept_is_not_unlinked)
{
    char name[64];

    assert_true(scratch_put("F", "old\n", 0640));
    finish("F", "new\n");
    sink_keep(sink);
    faulty.never = "rename_at";
    assert_int_equal(sink_publish(sink), -1);
    snprintf(name, sizeof name, "%s", sink_temporary_name(sink));
    drop();
    assert_true(scratch_holds("F", "old\n") && scratch_holds(name, "new\n"));
}

TEST(only_what_is_no_regular_file_is_direct)
{
    begin("/dev/null", NULL);
    assert_true(sink_is_direct(sink));
    begin("F", NULL);
    assert_false(sink_is_direct(sink));
}

/* ---- Standard output ---- */

static void write_to_standard_output(void)
{
    CHECK(dup2(open("out", O_WRONLY | O_CREAT | O_APPEND, 0600), STDOUT_FILENO) == STDOUT_FILENO);
    CHECK(write(STDOUT_FILENO, "before\n", 7) == 7);
    sink = sink_open(NULL);
    CHECK(sink != NULL && sink_write(sink, "x\n", 2) == 0 && commit_sink() == 0);
}

TEST(standard_output_is_added_to)
{
    assert_int_equal(scratch_child(write_to_standard_output), 0);
    assert_true(scratch_holds("out", "before\nx\n"));
}

static void write_to_full_standard_output(void)
{
    CHECK(dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO) == STDOUT_FILENO);
    sink = sink_open(NULL);
    CHECK(sink != NULL && sink_write(sink, "x\n", 2) == -1);
}

TEST(a_full_standard_output_fails)
{
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_says(scratch_child(write_to_full_standard_output), 0, "bigshuf: write error: No space left on device\n");
}

static void open_closed_standard_output(void)
{
    close(STDOUT_FILENO);
    CHECK(sink_open(NULL) == NULL);
}

static void open_filled_standard_output(void)
{
    char byte;

    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    CHECK(sys_fill_standard() == 0);
    CHECK(open(".", O_RDONLY) > STDERR_FILENO);
    CHECK(read(STDIN_FILENO, &byte, 1) == -1 && errno == EBADF);
    CHECK(sink_open(NULL) == NULL);
}

TEST(a_closed_standard_output_is_refused_at_once)
{
    void (*const bodies[])(void) = {open_closed_standard_output, open_filled_standard_output};

    for (size_t i = 0; i < 2; i++) {
        assert_says(scratch_child(bodies[i]), 0, "bigshuf: write error: Bad file descriptor\n");
    }
}

static void write_without_reader(void)
{
    int ends[2];

    CHECK(pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    sink = sink_open(NULL);
    CHECK(sink != NULL && sink_write(sink, "x\n", 2) == -1);
}

TEST(a_broken_pipe_is_an_error_where_its_signal_is_ignored)
{
    assert_says(scratch_child(write_without_reader), 0, "bigshuf: write error: Broken pipe\n");
}

static void fail_to_close_standard_output(void)
{
    sink = sink_open(NULL);

    faulty.never = "close";
    CHECK(sink != NULL && commit_sink() == -1);
}

TEST(a_failed_close_of_standard_output_is_reported)
{
    assert_says(scratch_child(fail_to_close_standard_output), 0, "bigshuf: write error: Input/output error\n");
}

/* ---- Failures ---- */

TEST(a_failed_close_leaves_the_old_file)
{
    assert_true(scratch_put("F", "old\n", 0644));
    begin("F", "new\n");
    faulty.never = "close";
    assert_ends(commit_sink(), "bigshuf: F: Input/output error\n");
    drop();
    assert_true(scratch_holds("F", "old\n"));
    assert_int_equal(scratch_count("."), 1);
}

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
        assert_true(sink_is_in_place(sink));
        drop();
        assert_true(scratch_holds("F", "old\n"));
    }
}

/* ---- Others are at work in the directory ---- */

/* What a sink to a path says when it cannot be committed, after `change`, made while it is open. */
static const char *said_after(const char *path, void (*change)(void), bool named)
{
    const char *heard;

    be_named(named);
    begin(path, "new\n");
    change();
    scratch_listen();
    assert_int_equal(commit_sink(), -1);
    heard = scratch_heard();
    drop();
    return heard;
}

static void replace_by_other(void)
{
    assert_true(scratch_put("other", "another's\n", 0644));
    assert_int_equal(rename("other", "F"), 0);
}

static void replace_by_folder(void)
{
    assert_int_equal(unlink("F"), 0);
    assert_int_equal(mkdir("F", 0700), 0);
}

static void add_to_it(void)
{
    assert_true(scratch_put("F", "old\nmore\n", 0644));
}

TEST(what_took_the_files_place_is_replaced)
{
    assert_true(scratch_put("F", "old\n", 0644));
    begin("F", "new\n");
    replace_by_other();
    commit();
    assert_true(scratch_holds("F", "new\n"));
    assert_int_equal(scratch_count("."), 1);
}

TEST(an_input_that_others_change_or_replace_is_left_alone)
{
    static const struct {
        void (*change)(void);
        const char *message;
    } cases[] = {
        {replace_by_other, "bigshuf: F: has been replaced by others meanwhile, and stays as it is\n"},
        {add_to_it, "bigshuf: F: has been changed by others meanwhile, and stays as it is\n"},
        {replace_by_folder, "bigshuf: F: has been replaced by others meanwhile, and stays as it is\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stat status;
        struct sink_mark mark;

        assert_true(scratch_put("F", "old\n", 0644));
        assert_int_equal(stat("F", &status), 0);
        mark = sink_mark_of(&status);
        begin("F", NULL);
        sink_replaces_input(sink, &mark);
        write_more("new\n");
        cases[i].change();
        assert_ends(commit_sink(), cases[i].message);
        drop();
        assert_int_equal(scratch_count("."), 1);
    }
    assert_int_equal(rmdir("F"), 0);
}

TEST(a_file_that_is_gone_meanwhile_is_made_again)
{
    assert_true(scratch_put("F", "old\n", 0640));
    begin("F", NULL);
    assert_int_equal(unlink("F"), 0);
    write_more("new\n");
    commit();
    assert_true(scratch_holds("F", "new\n"));
    assert_int_equal(scratch_mode("F"), 0640);
}

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
    assert_string_equal(said_after("folder/F", replace_directory, false), message);
    assert_true(scratch_holds("folder/F", "another's\n"));
    assert_int_equal(scratch_count("folder"), 1);
    assert_int_equal(scratch_count("elsewhere"), 0);
    assert_int_equal(rmdir("elsewhere"), 0);
    assert_int_equal(mkdir("aim", 0755), 0);
    assert_true(scratch_put("aim/F", "aim\n", 0644));
    assert_string_equal(said_after("folder/F", replace_directory_by_link, false), message);
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

/* Is the output complete, by all that the sink says? */
static bool run(const char *path, bool named)
{
    bool complete;

    be_named(named);
    sink = sink_open(path);
    complete = sink != NULL && sink_write(sink, "new\n", 4) == 0 && commit_sink() == 0;
    drop();
    return complete;
}

/* Those that leave nothing behind which somebody else would have to remove. */
static const char swept_calls[] =
    "open open_directory open_at create_at open_anonymous stat stat_at fstat fchmod fchown ftruncate "
    "can_link_descriptor link_descriptor rename_at realpath readlink get_acl set_acl write close allocate "
    "random";

/* Fail each call in turn, until a run has fewer calls. */
static void sweep(const char *path, const char *file, const char *old, bool named)
{
    unsigned at = 0;

    do {
        bool complete;

        if (old != NULL)
            assert_true(scratch_put(file, old, 0644));
        else
            (void)unlink(file);
        faulty_fail(swept_calls, ++at, EIO);
        scratch_listen();
        complete = run(path, named);
        (void)scratch_heard();
        assert_int_equal(complete, !fault_any());
        if (complete)
            assert_true(scratch_holds(file, "new\n"));
        else if (old != NULL)
            assert_true(scratch_holds(file, old));
        else
            assert_int_equal(access(file, F_OK), -1);
        assert_int_equal(scratch_count("."), (old != NULL || complete ? 1 : 0) + (strcmp(path, file) != 0));
    } while (faulty_stop());
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

static void die_while_writing(void)
{
    signals_install();
    be_named(true);
    sink = sink_open("F");
    CHECK(sink != NULL && sink_write(sink, "new\n", 4) == 0 && scratch_count(".") == 2);
    raise(SIGTERM);
}

TEST(death_by_signal_is_an_abort)
{
    assert_true(scratch_put("F", "old\n", 0644));
    assert_int_equal(WTERMSIG(scratch_child(die_while_writing)), SIGTERM);
    assert_true(scratch_holds("F", "old\n"));
    assert_int_equal(scratch_count("."), 1);
}

TEST(no_slot_stays_taken)
{
    int slot = signals_register("probe"), again;

    signals_forget(slot);
    for (int named = 0; named < 2; named++) {
        be_named(named);
        write_file("F", "x\n");
        begin("F", NULL);
        drop();
    }
    again = signals_register("probe");
    signals_forget(again);
    assert_int_equal(again, slot);
}
