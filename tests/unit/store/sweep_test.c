/* What is abandoned goes, and nothing else: not what somebody works on, not what somebody reads, and nothing that the
 * store has not made. */

#include "support/small_store.h"
#include "support/unit.h"

#include "store/sweep.h"

/* Sweep what is dead. Returns what was said. */
static const char *sweep(void)
{
    scratch_listen();
    sweep_dead(&small.store);
    return scratch_heard();
}

/* Sweep all. Returns what came to standard output; the message goes where messages go. */
static const char *sweep_everything(void)
{
    static char lines[4096];
    int fd = open("lines", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int former = dup(STDOUT_FILENO);
    ssize_t got;

    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    sweep_all(&small.store);
    dup2(former, STDOUT_FILENO);
    close(former);
    got = pread(fd, lines, sizeof lines - 1, 0);
    lines[got > 0 ? got : 0] = '\0';
    close(fd);
    unlink("lines");
    return lines;
}

static void assert_sweeps_everything(const char *expected)
{
    const char *lines;

    scratch_listen();
    lines = sweep_everything();
    assert_string_equal(scratch_heard(), "");
    assert_string_equal(lines, expected);
}

/* The same as small_numbered, without the store: as sweeps tell it. */
static const char *name_of(const char *prefix)
{
    return small_numbered(prefix) + strlen("store/");
}

/* ---- Drafts ---- */

static void begin(const char *name)
{
    (void)small_written(name, name);
}

static void begin_draft(void)
{
    begin("one");
}

static void begin_other(void)
{
    begin("other");
}

/* Killed when all is written but the name. */
static void finish_draft(void)
{
    char path[512];

    begin_draft();
    begin("two");
    snprintf(path, sizeof path, "%s/manifest", small_numbered(".new-two"));
    CHECK(scratch_put(path, "whatever", 0644));
}

/* Killed before it had a manifest. */
static void begin_folder(void)
{
    CHECK(mkdir("store/.new-one~0123456789abcdef", 0755) == 0);
}

#define TEST(name) UNIT_TEST_IN(name, small_setup_lines, small_teardown)

enum { AN_HOUR = 3600 };

TEST(what_a_killed_task_leaves_is_swept_an_hour_after_it_was_written)
{
    void (*const tasks[])(void) = {begin_draft, finish_draft, begin_folder};

    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        small_kill(small_fork(tasks[i]));
        layer.later = AN_HOUR - 60;
        assert_string_equal(sweep(), "");
        assert_true(small_count(".new-") > 0);
        layer.later = AN_HOUR + 60;
        assert_string_equal(sweep(), "");
        assert_int_equal(scratch_count("store"), 1);
    }
}

/* Let what stands there have been written so long ago. */
static void set_age(const char *path, time_t seconds)
{
    const struct timespec then = {.tv_sec = time(NULL) - seconds};
    const struct timespec times[2] = {then, then};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST(every_file_of_a_draft_tells_its_age)
{
    static const char *const files[] = {"", "/manifest", "/pile-0000", "/pile-0001", "/pile-0002", "/pile-0003"};
    enum { FILES = sizeof files / sizeof files[0] };
    char draft[512], path[512];

    small_kill(small_fork(begin_draft));
    snprintf(draft, sizeof draft, "%s", small_numbered(".new-one"));
    for (int young = 0; young <= FILES; young++) {
        for (int i = 0; i < FILES; i++) {
            snprintf(path, sizeof path, "%s%s", draft, files[i]);
            if (small_exists(path))
                set_age(path, i == young ? 0 : 2 * AN_HOUR);
        }
        snprintf(path, sizeof path, "%s%s", draft, young < FILES ? files[young] : "");
        if (young < FILES && !small_exists(path))
            continue; /* an empty pile */
        assert_string_equal(sweep(), "");
        assert_int_equal(small_exists(draft), young < FILES);
    }
}

/* Make a folder in the store, with a file. */
static void put(const char *folder, const char *file, const char *content)
{
    char path[256];

    (void)mkdir(small_path("%s", folder), 0755);
    snprintf(path, sizeof path, "%s/%s", small_path("%s", folder), file);
    assert_true(scratch_put(path, content, 0644));
}

#define NUMBER "~0123456789abcdef"

TEST(drafts_of_others_stay)
{
    small_kill(small_fork(begin_draft));
    assert_true(scratch_put("store/.new-format" NUMBER, "", 0644));
    layer.later = AN_HOUR + 60;
    layer.other_user = true;
    assert_string_equal(sweep(), "");
    assert_int_equal(small_count(".new-"), 2);
    layer.other_user = false;
    assert_string_equal(sweep(), "");
    assert_int_equal(small_count(".new-"), 0);
}

TEST(a_file_without_its_name_is_swept_an_hour_after_it_was_written)
{
    assert_true(scratch_put("store/.new-header" NUMBER, "x", 0644));
    assert_string_equal(sweep(), "");
    assert_sweeps_everything("kept .new-header" NUMBER " (written less than an hour ago)\n");
    layer.later = AN_HOUR + 60;
    assert_sweeps_everything("removed .new-header" NUMBER " (1 bytes)\n");
    assert_int_equal(scratch_count("store"), 1);
}

TEST(where_the_clock_cannot_be_read_nothing_is_dead)
{
    char expected[512];

    small_kill(small_fork(begin_draft));
    layer.later = AN_HOUR + 60;
    faulty_fail_all("touch", EROFS);
    snprintf(expected, sizeof expected, "bigshuf: warning: %s: cannot be removed: Read-only file system\n",
             small_numbered(".new-one"));
    assert_string_equal(sweep(), expected);
    assert_int_equal(small_count(".new-"), 1);
}

/* ---- What is not the store's ---- */

TEST(nothing_foreign_is_removed)
{
    static const char *const names_of_others[] = {
        ".new-format" NUMBER, /* no file */
        ".new-a",
        ".new-a" NUMBER ".other",
        ".new-a\033[2J" NUMBER,
        ".old-format",
        ".old-a~1",
        ".other",
        "notes",
    };
    enum { OTHERS = sizeof names_of_others / sizeof names_of_others[0] };

    for (int i = 0; i < OTHERS; i++) {
        put(names_of_others[i], "manifest", "precious\n");
        put(names_of_others[i], "pile-0000", "precious\n");
    }
    assert_true(scratch_put("store/.new-file" NUMBER, "precious\n", 0644));
    assert_true(scratch_put("store/.old-file", "precious\n", 0644));
    layer.later = AN_HOUR + 60;
    assert_string_equal(sweep(), "");
    assert_sweeps_everything("");
    for (int i = 0; i < OTHERS; i++) {
        assert_true(scratch_holds(small_path("%s/manifest", names_of_others[i]), "precious\n"));
        assert_true(scratch_holds(small_path("%s/pile-0000", names_of_others[i]), "precious\n"));
    }
    assert_true(scratch_holds("store/.new-file" NUMBER, "precious\n") &&
                scratch_holds("store/.old-file", "precious\n"));
    assert_int_equal(scratch_count("store"), OTHERS + 3);
}

TEST(no_link_is_followed)
{
    assert_int_equal(mkdir("elsewhere", 0755), 0);
    assert_true(scratch_put("elsewhere/pile-0000", "precious\n", 0644));
    assert_true(scratch_put("elsewhere/manifest", "precious\n", 0644));
    layer.later = AN_HOUR + 60;
    assert_int_equal(symlink("../elsewhere", "store/.new-x" NUMBER), 0);
    assert_int_equal(symlink("../elsewhere", "store/.old-x"), 0);
    assert_string_equal(sweep(), "");
    assert_sweeps_everything("");
    assert_int_equal(symlink("../elsewhere/manifest", "store/.new-format" NUMBER), 0);
    assert_string_equal(sweep(), "");
    assert_sweeps_everything("");
    assert_int_equal(scratch_count("elsewhere"), 2);
    assert_int_equal(scratch_count("store"), 4);
}

TEST(a_folder_with_other_files_in_it_stays_with_a_warning)
{
    small_add("one");
    assert_int_equal(rename("store/one", "store/.old-one"), 0);
    assert_int_equal(unlink("store/.old-one/pile-0000"), 0);
    assert_int_equal(mkdir("elsewhere", 0755), 0);
    assert_int_equal(symlink("../../elsewhere", "store/.old-one/pile-0000"), 0);
    put(".old-one", "pile-0004", "not of this store\n");
    put(".old-one", "notes", "precious\n");
    assert_string_equal(sweep(), "bigshuf: warning: store/.old-one: cannot be removed: there are other files in it\n");
    assert_int_equal(scratch_count("store/.old-one"), 3);
    assert_true(scratch_holds("store/.old-one/notes", "precious\n"));
    assert_true(scratch_holds("store/.old-one/pile-0004", "not of this store\n"));
    assert_true(small_exists("store/.old-one/pile-0000"));
    assert_ends((void)sweep_everything(), "bigshuf: store/.old-one: cannot be removed: there are other files in it\n");
    assert_true(scratch_holds("lines", "kept .old-one (there are other files in it)\n"));
    assert_int_equal(scratch_count("store/.old-one"), 3);
}

/* ---- Batches that leave ---- */

TEST(what_is_no_batch_does_not_go)
{
    small_add("a");
    small_add("c");
    assert_int_equal(mkdir("store/b", 0755), 0);
    assert_true(scratch_put("store/b/pile-0000", "precious\n", 0644));
    assert_ends(sweep_keep(&small.store, 1, "c"),
                "bigshuf: store/b/manifest: missing, so this is no batch: move its folder out of the store, and add "
                "the batch again if it was one\n");
    assert_true(scratch_holds("store/b/pile-0000", "precious\n"));
    assert_true(small_is_whole("a", "a"));
}

/* The name is on disk before the first file goes: else a batch might be there in part after a loss of power. */
TEST(the_new_name_is_on_disk_before_any_file_goes)
{
    struct batch batch;
    unsigned from;

    small_add("one");
    small_add("two");
    assert_true(batch_open(&batch, &small.store, "one", NULL));
    from = folders.syncs;
    sweep_keep(&small.store, 1, "two");
    assert_true(layer_has_synced("store", from, folders.syncs));
    batch_close(&batch);
}

/* ---- Removals that are interrupted ---- */

static void sweep_the_dead(void)
{
    sweep_dead(&small.store);
}

static void keep_one(void)
{
    sweep_keep(&small.store, 1, "two");
}

/* Let a sweep be killed at any of its calls. Whatever it has left, the batch is there and whole or is none, and the
 * next sweep ends the work. */
static void interrupt_everywhere(void (*task)(void))
{
    unsigned at = 0;
    int outcome;

    small_add("two");
    do {
        small_add("one");
        keep_one();
        small_add("one");
        small_kill(small_fork(begin_other));
        layer.later = AN_HOUR + 60;
        faulty_fail(NULL, ++at, EIO);
        faulty.dies = true;
        outcome = folders_try(task);
        assert_true(!small_exists("store/one") || small_is_whole("one", "one"));
        assert_true(task == keep_one || small_exists("store/one"));
        keep_one();
        (void)sweep();
        assert_int_equal(scratch_count("store"), 2);
    } while (outcome != FOLDERS_OVER);
}

TEST(a_sweep_that_is_interrupted_is_ended_by_the_next)
{
    interrupt_everywhere(sweep_the_dead);
}

TEST(so_is_one_that_keeps_the_newest)
{
    interrupt_everywhere(keep_one);
}

TEST(a_failure_is_a_warning_and_goes_no_further)
{
    unsigned warnings = 0;
    bool over = false;

    small_add("two");
    for (unsigned at = 1; !over; at++) {
        const char *said;

        (void)mkdir("store/.old-one", 0755);
        put(".old-one", "pile-0001", "x\n");
        put(".old-one", "manifest", "x\n");
        faulty_fail("list_open list_next open_at fstat stat_at touch lock unlink_at rmdir_at rename_at", at, EIO);
        said = sweep();
        over = !faulty_stop();
        warnings += said[0] != '\0';
        assert_true(said[0] == '\0' || strncmp(said, "bigshuf: warning: store", 23) == 0);
        assert_true(small_is_whole("two", "two"));
    }
    assert_true(warnings > 10);
}

/* ---- Others who sweep at the same time ---- */

static void take_draft_away(void)
{
    assert_int_equal(rename(small_numbered(".new-one"), "away"), 0);
}

TEST(a_draft_that_somebody_else_has_swept_is_well)
{
    small_kill(small_fork(begin_draft));
    layer.later = AN_HOUR + 60;
    faulty_meet("rename_at", take_draft_away);
    assert_string_equal(sweep(), "");
    assert_int_equal(scratch_count("store"), 1);
}

/* ---- Network file systems ---- */

TEST(what_is_open_is_closed_before_its_folder_goes)
{
    layer.network = true;
    layer.later = AN_HOUR + 60;
    small_kill(small_fork(finish_draft));
    assert_string_equal(sweep(), "");
    small_add("one");
    small_add("two");
    scratch_listen();
    sweep_keep(&small.store, 1, "two");
    assert_string_equal(scratch_heard(), "");
    assert_int_equal(scratch_count("store"), 2);
}

/* ---- Where there are no locks ---- */

TEST(where_there_are_no_locks_only_the_user_sweeps)
{
    char expected[512];

    small_add("one");
    small_add("three");
    small_add("two");
    faulty_fail_all("lock", ENOLCK);
    scratch_listen();
    sweep_keep(&small.store, 1, "two");
    assert_string_equal(
        scratch_heard(),
        "bigshuf: warning: store: files cannot be locked there: what is abandoned stays until --sweep\n");
    assert_string_equal(sweep(), ""); /* once is enough */
    snprintf(expected, sizeof expected, "removed %s (965 bytes)\nremoved %s (2 KiB)\n", name_of(".old-one"),
             name_of(".old-three"));
    assert_sweeps_everything(expected);
    assert_int_equal(scratch_count("store"), 2);
}

TEST(there_drafts_go_by_their_age_alone)
{
    char name[512], expected[1024];

    small_kill(small_fork(begin_draft));
    faulty_fail_all("lock", ENOLCK);
    snprintf(name, sizeof name, "%s", name_of(".new-one"));
    snprintf(expected, sizeof expected, "kept %s (written less than an hour ago)\n", name);
    assert_sweeps_everything(expected);
    assert_string_equal(sweep(), "");
    layer.later = AN_HOUR + 60;
    assert_string_equal(
        sweep(), "bigshuf: warning: store: files cannot be locked there: what is abandoned stays until --sweep\n");
    snprintf(expected, sizeof expected, "removed %s (554 bytes)\n", name);
    assert_sweeps_everything(expected);
    assert_int_equal(scratch_count("store"), 1);
}

static void lose_draft(void)
{
    struct draft *draft = small_written("one", "one");

    (void)sweep_everything();
    faulty_reset();
    (void)small_commit(draft, "one", "");
}

TEST(a_task_whose_draft_is_removed_fails)
{
    faulty_fail_all("lock", ENOTSUP);
    layer.later = AN_HOUR + 60;
    if (scratch_begin_end())
        lose_draft();
    assert_non_null(strstr(scratch_ended(), "bigshuf: store/.new-one~"));
    assert_int_equal(scratch_count("store"), 1);
}

/* ---- All, and what is told ---- */

static void sweep_to_a_full_disk(void)
{
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    fflush(stdout);
    CHECK(full < 0 || dup2(full, STDOUT_FILENO) >= 0);
    sweep_all(&small.store);
}

TEST(a_line_that_cannot_be_written_is_a_failure)
{
    if (access("/dev/full", W_OK) != 0)
        skip();
    put(".old-a", "pile-0001", "x\n");
    assert_ends(sweep_to_a_full_disk(), "bigshuf: write error: No space left on device\n");
}
