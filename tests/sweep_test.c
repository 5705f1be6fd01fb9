/* What is abandoned goes, and nothing else: not what somebody works on, not what somebody reads, and nothing that the
 * store has not made. */

#include "small_store.h"

#include "../include/sweep.h" /* beside this file there is another one of that name */

static int setup(void **state)
{
    if (small_setup(state) != 0)
        return -1;
    small_open(SMALL_PILES, NULL);
    return 0;
}

/* Sweep what is dead. Returns what was said. */
static const char *sweep(void)
{
    small_forgive();
    scratch_listen();
    sweep_dead(&small.store);
    assert_false(fault_any(&small.fault));
    return scratch_heard();
}

/* Sweep all. Returns what came to standard output; *status receives what it returned, *said the message. */
static const char *sweep_everything(int *status, const char **said)
{
    static char lines[4096];
    int fd = open("lines", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int former = dup(STDOUT_FILENO);
    ssize_t got;

    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    small_forgive();
    scratch_listen();
    *status = sweep_all(&small.store);
    *said = scratch_heard();
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
    const char *said, *lines;
    int status;

    lines = sweep_everything(&status, &said);
    assert_string_equal(lines, expected);
    assert_string_equal(said, "");
    assert_int_equal(status, 0);
}

/* ---- Drafts ---- */

static void begin_draft(void)
{
    struct draft *draft;

    CHECK(small_begin(&draft, "one") == DRAFT_OK);
    CHECK(small_write(draft, "one") == 0);
}

static void begin_other(void)
{
    struct draft *draft;

    CHECK(small_begin(&draft, "other") == DRAFT_OK);
    CHECK(small_write(draft, "other") == 0);
}

/* Killed when all is written but the name. */
static void finish_draft(void)
{
    struct draft *draft;

    begin_draft();
    CHECK(small_begin(&draft, "two") == DRAFT_OK);
    CHECK(small_write(draft, "two") == 0);
    CHECK(scratch_put("store/.new-two/manifest", "whatever", 0644));
}

static void what_a_killed_task_leaves_is_swept(void **state)
{
    pid_t child = small_fork(finish_draft);

    (void)state;
    assert_string_equal(sweep(), "");
    assert_int_equal(small_count(".new-"), 2); /* it is alive */
    small_kill(child);
    assert_string_equal(sweep(), "");
    assert_int_equal(scratch_count("store"), 1);
}

static void a_task_that_has_ended_and_is_not_waited_for_is_no_more(void **state)
{
    pid_t child = small_fork(begin_draft);
    siginfo_t info;

    (void)state;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_string_equal(sweep(), "");
    assert_int_equal(scratch_count("store"), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* Make a folder in the store, with a file. */
static void put(const char *folder, const char *file, const char *content)
{
    char path[256];

    (void)mkdir(small_path("%s", folder), 0755);
    snprintf(path, sizeof path, "%s/%s", small_path("%s", folder), file);
    assert_true(scratch_put(path, content, 0644));
}

static const char foreign[] = "host elsewhere\nboot 1\nprocess 123\nstart 4\n";

static void drafts_of_others_stay(void **state)
{
    (void)state;
    put(".new-elsewhere", "owner", foreign);
    put(".new-elsewhere", "pile-0000", "x\n");
    put(".new-unsigned", "pile-0000", "x\n");
    put(".new-strange", "owner", "I am\n");
    small_kill(small_fork(begin_draft));
    layer.other_user = true;
    assert_string_equal(sweep(), "");
    assert_true(small_exists("store/.new-one/owner"));
    assert_int_equal(small_count(".new-"), 4);
    layer.other_user = false;
    assert_string_equal(sweep(), "");
    assert_false(small_exists("store/.new-one"));
    assert_int_equal(small_count(".new-"), 3);
    assert_true(small_exists("store/.new-elsewhere/pile-0000"));
}

static void a_draft_of_this_process_is_not_swept(void **state)
{
    struct draft *draft;

    (void)state;
    assert_int_equal(small_begin(&draft, "one"), DRAFT_OK);
    assert_int_equal(small_write(draft, "one"), 0);
    assert_string_equal(sweep(), "");
    assert_int_equal(small_commit(draft, "one", ""), DRAFT_OK);
    draft_free(draft);
    assert_true(small_is_whole("one", "one"));
}

static void who_asks_for_a_draft_is_told_its_owner(void **state)
{
    struct owner owner;

    (void)state;
    put(".new-elsewhere", "owner", foreign);
    assert_false(sweep_dead_draft(&small.store, ".new-elsewhere", &owner));
    assert_string_equal(owner.host, "elsewhere");
    assert_int_equal(owner.process, 123);
    small_kill(small_fork(begin_draft));
    assert_true(sweep_dead_draft(&small.store, ".new-one", &owner));
    assert_false(small_exists("store/.new-one"));
    assert_int_equal(symlink(".new-elsewhere", "store/.new-link"), 0);
    assert_false(sweep_dead_draft(&small.store, ".new-link", &owner));
    assert_string_equal(owner.host, "");
}

/* ---- What is not the store's ---- */

static void nothing_foreign_is_removed(void **state)
{
    static const char *const names_of_others[] = {
        ".new-format~host-1-2.3",
        ".new-header~h-1-2.3",
        ".new-",
        ".new-.a",
        ".new-a~0",
        ".new-a~01",
        ".new-a~100",
        ".new-a~",
        ".new-a~1~2",
        ".new-a b",
        ".old-",
        ".old-format",
        ".old-a~x",
        ".other",
        "notes",
    };
    enum { OTHERS = sizeof names_of_others / sizeof names_of_others[0] };

    (void)state;
    for (int i = 0; i < OTHERS; i++) {
        put(names_of_others[i], "manifest", "precious\n");
        put(names_of_others[i], "pile-0000", "precious\n");
    }
    assert_true(scratch_put("store/.new-file", "precious\n", 0644));
    assert_true(scratch_put("store/.old-file", "precious\n", 0644));
    assert_string_equal(sweep(), "");
    assert_sweeps_everything("");
    for (int i = 0; i < OTHERS; i++) {
        assert_true(scratch_holds(small_path("%s/manifest", names_of_others[i]), "precious\n"));
        assert_true(scratch_holds(small_path("%s/pile-0000", names_of_others[i]), "precious\n"));
    }
    assert_true(scratch_holds("store/.new-file", "precious\n") && scratch_holds("store/.old-file", "precious\n"));
    assert_int_equal(scratch_count("store"), OTHERS + 3);
}

static void no_link_is_followed(void **state)
{
    (void)state;
    assert_int_equal(mkdir("elsewhere", 0755), 0);
    assert_true(scratch_put("elsewhere/pile-0000", "precious\n", 0644));
    assert_true(scratch_put("elsewhere/manifest", "precious\n", 0644));
    assert_int_equal(symlink("../elsewhere", "store/.new-x"), 0);
    assert_int_equal(symlink("../elsewhere", "store/.old-x"), 0);
    assert_string_equal(sweep(), "");
    assert_sweeps_everything("");
    assert_int_equal(scratch_count("elsewhere"), 2);
    assert_int_equal(scratch_count("store"), 3);
}

static void a_folder_with_other_files_in_it_stays_with_a_warning(void **state)
{
    const char *said, *lines;
    int status;

    (void)state;
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
    lines = sweep_everything(&status, &said);
    assert_int_equal(status, -1);
    assert_string_equal(lines, "kept .old-one (there are other files in it)\n");
    assert_string_equal(said, "bigshuf: store/.old-one: cannot be removed: there are other files in it\n");
    assert_int_equal(scratch_count("store/.old-one"), 3);
}

static void so_does_a_draft_but_not_in_the_way_of_the_next(void **state)
{
    (void)state;
    small_kill(small_fork(begin_draft));
    put(".new-one", "notes", "precious\n");
    scratch_listen();
    small_add("one");
    assert_string_equal(scratch_heard(),
                        "bigshuf: warning: store/.old-one: cannot be removed: there are other files in it\n");
    assert_true(small_is_whole("one", "one"));
    assert_true(scratch_holds("store/.old-one/notes", "precious\n"));
    assert_int_equal(small_count(".new-"), 0);
}

/* ---- A window ---- */

static void add_ten(void)
{
    for (int i = 0; i < 10; i++) {
        const char name[] = {'b', (char)('0' + i), '\0'};

        small_add(name);
    }
}

static void a_window_holds_the_newest(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        const char name[] = {'b', (char)('0' + i), '\0'};

        small_add(name);
        assert_int_equal(sweep_keep(&small.store, 3, name), 0);
        assert_int_equal(small_count("b"), i < 3 ? i + 1 : 3);
    }
    assert_true(small_is_whole("b7", "b7") && small_is_whole("b8", "b8") && small_is_whole("b9", "b9"));
    assert_int_equal(scratch_count("store"), 4);
}

static void the_batch_that_was_added_stays_however_old_it_is(void **state)
{
    (void)state;
    add_ten();
    assert_int_equal(sweep_keep(&small.store, 3, "b2"), 0);
    assert_int_equal(small_count("b"), 4);
    assert_true(small_is_whole("b2", "b2"));
    assert_int_equal(sweep_keep(&small.store, 0, "b9"), 0);
    assert_int_equal(small_count("b"), 1);
    assert_true(small_is_whole("b9", "b9"));
    assert_int_equal(sweep_keep(&small.store, UINT64_MAX, "b9"), 0);
    assert_int_equal(scratch_count("store"), 2);
}

static void what_is_no_batch_neither_counts_nor_goes(void **state)
{
    (void)state;
    add_ten();
    assert_int_equal(mkdir("store/z-folder", 0755), 0);
    put("a-folder", "pile-0000", "precious\n");
    assert_true(scratch_put("store/z-file", "precious\n", 0644));
    assert_int_equal(sweep_keep(&small.store, 3, "b9"), 0);
    assert_int_equal(small_count("b"), 3);
    assert_true(small_exists("store/z-folder"));
    assert_true(scratch_holds("store/a-folder/pile-0000", "precious\n"));
    assert_int_equal(scratch_count("store"), 7);
}

static void who_reads_a_batch_reads_it_to_its_end(void **state)
{
    struct manifest manifest;
    struct batch batch;

    (void)state;
    small_add("one");
    small_add("two");
    assert_int_equal(batch_open(&batch, &small.store, "one", &manifest), BATCH_OK);
    scratch_listen();
    assert_int_equal(sweep_keep(&small.store, 1, "two"), 0);
    assert_string_equal(scratch_heard(), "");
    assert_false(small_exists("store/one"));
    assert_string_equal(sweep(), "");
    assert_sweeps_everything("kept .old-one (being read)\n");
    for (unsigned p = 0; p < SMALL_PILES; p++)
        assert_true(small_is_whole_pile(&batch, "one", p, &manifest.pile[p]));
    manifest_release(&manifest);
    batch_close(&batch);
    assert_string_equal(sweep(), "");
    assert_int_equal(scratch_count("store"), 2);
    assert_true(small_is_whole("two", "two"));
}

static void batches_of_one_name_may_leave_again_and_again(void **state)
{
    struct batch batch[3];

    (void)state;
    small_add("z");
    for (int i = 0; i < 3; i++) {
        small_add("one");
        assert_int_equal(batch_open(&batch[i], &small.store, "one", NULL), BATCH_OK);
        assert_int_equal(sweep_keep(&small.store, 1, "z"), 0);
    }
    assert_true(small_exists("store/.old-one~1/manifest") && small_exists("store/.old-one~2/manifest"));
    batch_close(&batch[1]);
    assert_string_equal(sweep(), "");
    assert_false(small_exists("store/.old-one~1"));
    assert_true(small_exists("store/.old-one/manifest") && small_exists("store/.old-one~2/manifest"));
    batch_close(&batch[0]);
    batch_close(&batch[2]);
    assert_string_equal(sweep(), "");
    assert_int_equal(scratch_count("store"), 2);
}

/* The name is on disk before the first file goes: else a batch might be there in part after a loss of power. */
static void the_new_name_is_on_disk_before_any_file_goes(void **state)
{
    struct batch batch;
    unsigned from;

    (void)state;
    small_add("one");
    small_add("two");
    assert_int_equal(batch_open(&batch, &small.store, "one", NULL), BATCH_OK);
    from = layer.syncs;
    assert_int_equal(sweep_keep(&small.store, 1, "two"), 0);
    assert_true(layer_has_synced("store", from, layer.syncs));
    batch_close(&batch);
}

/* ---- Removals that are interrupted ---- */

/* Let a sweep end at any of its calls, as if it had been killed there: all calls after it fail, too. Whatever it has
 * left, the batch is there and whole or is none, and the next sweep ends the work. */
static void interrupt_everywhere(bool all)
{
    bool over = false;

    for (unsigned at = 1; !over; at++) {
        small_forgive();
        small_add("one");
        assert_int_equal(sweep_keep(&small.store, 1, "two"), 0);
        small_add("one");
        small_kill(small_fork(begin_other));
        layer.calls = 0;
        layer.fail_at = at;
        layer.stays = true;
        scratch_listen();
        if (all)
            (void)sweep_keep(&small.store, 1, "two");
        sweep_dead(&small.store);
        (void)scratch_heard();
        over = layer.calls < at;
        layer.fail_at = 0;
        small_forgive();
        assert_true(!small_exists("store/one") || small_is_whole("one", "one"));
        assert_true(all || small_exists("store/one"));
        assert_int_equal(sweep_keep(&small.store, 1, "two"), 0);
        (void)sweep();
        assert_int_equal(scratch_count("store"), 2);
    }
}

static void a_sweep_that_is_interrupted_is_ended_by_the_next(void **state)
{
    (void)state;
    small_add("two");
    interrupt_everywhere(false);
}

static void so_is_one_that_keeps_a_window(void **state)
{
    (void)state;
    small_add("two");
    interrupt_everywhere(true);
}

static void a_failure_is_a_warning_and_goes_no_further(void **state)
{
    unsigned warnings = 0;

    (void)state;
    small_add("two");
    for (unsigned at = 1;; at++) {
        const char *said;

        (void)mkdir("store/.old-one", 0755);
        put(".old-one", "pile-0001", "x\n");
        put(".old-one", "manifest", "x\n");
        layer.calls = 0;
        layer.fail_at = at;
        said = sweep();
        layer.fail_at = 0;
        warnings += said[0] != '\0';
        assert_true(said[0] == '\0' || strncmp(said, "bigshuf: warning: store", 23) == 0);
        assert_true(small_is_whole("two", "two"));
        if (layer.calls < at)
            break;
    }
    assert_true(warnings > 10);
}

/* ---- Others who sweep at the same time ---- */

static void take_draft_away(void)
{
    layer.before_rename = NULL;
    assert_int_equal(rename("store/.new-one", "away"), 0);
}

static void a_draft_that_somebody_else_has_swept_is_well(void **state)
{
    (void)state;
    small_kill(small_fork(begin_draft));
    layer.before_rename = take_draft_away;
    assert_string_equal(sweep(), "");
    assert_int_equal(scratch_count("store"), 1);
}

static void put_another_in_its_place(void)
{
    layer.before_lock = NULL;
    assert_int_equal(rename("store/.old-one", "away"), 0);
    assert_int_equal(mkdir("store/.old-one", 0755), 0);
}

static void a_folder_that_has_taken_its_place_is_not_removed(void **state)
{
    (void)state;
    small_add("one");
    assert_int_equal(rename("store/one", "store/.old-one"), 0);
    layer.before_lock = put_another_in_its_place;
    assert_string_equal(sweep(), "");
    assert_true(small_exists("store/.old-one"));
    assert_int_equal(scratch_count("away"), 0);
}

/* As another draft or batch does that leaves now. */
static void take_the_place_of_the_empty_one(void)
{
    layer.before_rmdir = NULL;
    assert_int_equal(mkdir("store/other", 0755), 0);
    assert_true(scratch_put("store/other/pile-0001", "x\n", 0644));
    assert_int_equal(rename("store/other", "store/.old-one"), 0);
}

static void so_it_is_if_that_happens_at_the_last_moment(void **state)
{
    (void)state;
    small_add("one");
    assert_int_equal(rename("store/one", "store/.old-one"), 0);
    layer.before_rmdir = take_the_place_of_the_empty_one;
    assert_string_equal(sweep(), "");
    assert_true(scratch_holds("store/.old-one/pile-0001", "x\n"));
    assert_string_equal(sweep(), "");
    assert_int_equal(scratch_count("store"), 1);
}

/* ---- Network file systems ---- */

static void what_is_open_is_closed_before_its_folder_goes(void **state)
{
    (void)state;
    layer.network = true;
    small_kill(small_fork(finish_draft));
    assert_string_equal(sweep(), "");
    small_add("one");
    small_add("two");
    scratch_listen();
    assert_int_equal(sweep_keep(&small.store, 1, "two"), 0);
    assert_string_equal(scratch_heard(), "");
    assert_int_equal(scratch_count("store"), 2);
}

/* ---- Where there are no locks ---- */

static void where_there_are_no_locks_only_the_user_sweeps(void **state)
{
    (void)state;
    small_add("one");
    small_add("three");
    small_add("two");
    layer.lock_error = ENOLCK;
    scratch_listen();
    assert_int_equal(sweep_keep(&small.store, 1, "two"), 0);
    assert_string_equal(
        scratch_heard(),
        "bigshuf: warning: store: files cannot be locked there: batches that have left it stay until --sweep\n");
    assert_string_equal(
        sweep(),
        "bigshuf: warning: store: files cannot be locked there: batches that have left it stay until --sweep\n");
    assert_true(small_exists("store/.old-one/manifest") && small_exists("store/.old-three/manifest"));
    assert_sweeps_everything("removed .old-one (965 bytes)\nremoved .old-three (2 KiB)\n");
    assert_int_equal(scratch_count("store"), 2);
}

/* ---- All, and what is told ---- */

static void all_is_told_line_by_line(void **state)
{
    char expected[1024], host[256];
    pid_t alive = small_fork(begin_draft);

    (void)state;
    put(".new-a", "owner", foreign);
    put(".new-a", "pile-0001", "12345678901234567890");
    put(".new-b", "pile-0001", "12345678901234567890");
    put(".new-c", "owner", "host \033[2Jx\nboot 1\nprocess 9\nstart 4\n");
    put(".old-c", "pile-0001", "12345678901234567890");
    assert_int_equal(gethostname(host, sizeof host), 0);
    snprintf(expected, sizeof expected,
             "removed .new-a (host elsewhere, process 123, 62 bytes)\n"
             "removed .new-b (owner unknown, 20 bytes)\n"
             "removed .new-c (host ?[2Jx, process 9, 36 bytes)\n"
             "kept .new-one (host %s, process %ld: alive)\n"
             "removed .old-c (20 bytes)\n",
             host, (long)alive);
    assert_sweeps_everything(expected);
    small_kill(alive);
    assert_int_equal(scratch_count("store"), 2);
}

static void a_task_whose_draft_is_removed_fails(void **state)
{
    struct draft *draft;

    (void)state;
    assert_int_equal(small_begin(&draft, "one"), DRAFT_OK);
    assert_int_equal(small_write(draft, "one"), 0);
    assert_true(scratch_put("store/.new-one/owner", foreign, 0644));
    layer.lock_error = ENOTSUP; /* as if it were on another machine */
    assert_sweeps_everything("removed .new-one (host elsewhere, process 123, 596 bytes)\n");
    layer.lock_error = 0;
    scratch_listen();
    assert_int_equal(small_commit(draft, "one", ""), DRAFT_FAILED);
    assert_non_null(strstr(scratch_heard(), "bigshuf: store/.new-one"));
    draft_free(draft);
    assert_int_equal(scratch_count("store"), 1);
}

static void a_line_that_cannot_be_written_is_a_failure(void **state)
{
    int former = dup(STDOUT_FILENO);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    (void)state;
    if (full < 0) {
        close(former);
        skip();
    }
    put(".old-a", "pile-0001", "x\n");
    fflush(stdout);
    dup2(full, STDOUT_FILENO);
    scratch_listen();
    assert_int_equal(sweep_all(&small.store), -1);
    dup2(former, STDOUT_FILENO);
    assert_string_equal(scratch_heard(), "bigshuf: standard output: No space left on device\n");
    clearerr(stdout);
    close(former);
    close(full);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, small_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_a_killed_task_leaves_is_swept),
        TEST(a_task_that_has_ended_and_is_not_waited_for_is_no_more),
        TEST(drafts_of_others_stay),
        TEST(a_draft_of_this_process_is_not_swept),
        TEST(who_asks_for_a_draft_is_told_its_owner),
        TEST(nothing_foreign_is_removed),
        TEST(no_link_is_followed),
        TEST(a_folder_with_other_files_in_it_stays_with_a_warning),
        TEST(so_does_a_draft_but_not_in_the_way_of_the_next),
        TEST(a_window_holds_the_newest),
        TEST(the_batch_that_was_added_stays_however_old_it_is),
        TEST(what_is_no_batch_neither_counts_nor_goes),
        TEST(who_reads_a_batch_reads_it_to_its_end),
        TEST(batches_of_one_name_may_leave_again_and_again),
        TEST(the_new_name_is_on_disk_before_any_file_goes),
        TEST(a_sweep_that_is_interrupted_is_ended_by_the_next),
        TEST(so_is_one_that_keeps_a_window),
        TEST(a_failure_is_a_warning_and_goes_no_further),
        TEST(a_draft_that_somebody_else_has_swept_is_well),
        TEST(a_folder_that_has_taken_its_place_is_not_removed),
        TEST(so_it_is_if_that_happens_at_the_last_moment),
        TEST(what_is_open_is_closed_before_its_folder_goes),
        TEST(where_there_are_no_locks_only_the_user_sweeps),
        TEST(all_is_told_line_by_line),
        TEST(a_task_whose_draft_is_removed_fails),
        TEST(a_line_that_cannot_be_written_is_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
