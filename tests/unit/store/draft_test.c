/* A batch is never there in part, whatever fails, whoever is killed, and whoever else makes one of the same name. */

#include "support/small_store.h"
#include "support/unit.h"

#include <pthread.h>

#include "store/sweep.h"

/* What was said is this message, of this path. */
static void assert_said_of(const char *path, const char *message)
{
    char expected[1024];

    snprintf(expected, sizeof expected, "bigshuf: %s%s", path, message);
    assert_string_equal(scratch_heard(), expected);
}

#define TEST(name) UNIT_TEST_IN(name, small_setup_lines, small_teardown)

/* ---- What is in a batch ---- */

TEST(a_batch_is_whole_when_it_is_committed)
{
    struct draft *draft;

    small_reopen(16, NULL);
    assert_int_equal(small_begin(&draft, "one"), FOLDER_OK);
    assert_non_null(small_numbered(".new-one"));
    assert_int_equal(small_write(draft, "one"), 0);
    assert_false(small_exists("store/one"));
    assert_int_equal(small_commit(draft, "one", ""), FOLDER_OK);
    draft_free(draft);
    assert_true(small_is_whole("one", "one"));
    assert_int_equal(scratch_count("store/one"), 17); /* the piles, also those that are empty, and the manifest */
    assert_int_equal(scratch_count("store"), 2);
    draft_free(NULL);
}

TEST(what_is_not_committed_is_gone)
{
    struct draft *draft;

    draft = small_written("one", "one");
    draft_free(draft);
    assert_int_equal(scratch_count("store"), 1);
}

/* As a program has it that is being started: its descriptors are closed after who starts it goes on. */
TEST(what_is_not_committed_is_gone_though_another_process_has_its_lock)
{
    char path[600];
    struct draft *draft;
    int lock;

    draft = small_written("one", "one");
    snprintf(path, sizeof path, "%s/manifest", small_numbered(".new-one"));
    lock = open(path, O_RDWR);
    assert_int_equal(sys_lock(lock, false), 0);
    draft_free(draft);
    assert_int_equal(scratch_count("store"), 1);
    close(lock);
}

static void assert_whole_with_start(const char *start)
{
    small_reopen(SMALL_PILES, start);
    for (int i = 0; i < 10; i++) {
        const char name[] = {(char)('a' + i), '\0'};

        small_add(name);
        assert_true(small_is_whole(name, name));
    }
}

TEST(records_that_start_with_a_string_stand_as_in_the_input)
{
    char longest[RECORD_DELIMITER_BYTES_MAX];

    memset(longest, '>', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_whole_with_start(">");
    assert_whole_with_start("@@@SEQ");
    assert_whole_with_start(longest);
}

TEST(a_last_record_without_its_string_is_no_batch)
{
    char text[] = "one\n>two\n";
    uint64_t records[SMALL_PILES] = {2};
    struct draft *draft;

    small_reopen(SMALL_PILES, ">");
    assert_int_equal(small_begin(&draft, "one"), FOLDER_OK);
    assert_int_equal(small_append(draft, 0, text, strlen(text)), 0);
    scratch_listen();
    assert_int_equal(draft_commit(draft, records, NULL, 0, 1), FOLDER_FAILED);
    assert_said_of(small_numbered(".new-one"), "/pile-0000: the last record is not complete\n");
    draft_free(draft);
    assert_int_equal(scratch_count("store"), 1);
}

TEST(the_header_is_put_into_the_store_before_the_batch)
{
    struct manifest manifest;
    struct batch batch;

    assert_int_equal(small_try("one", "a,b\n"), FOLDER_OK);
    assert_true(scratch_holds("store/header", "a,b\n"));
    assert_int_equal(batch_open(&batch, &small.store, "one", &manifest), FOLDER_OK);
    assert_int_equal(manifest.header_bytes, 4);
    manifest_release(&manifest);
    batch_close(&batch);
    scratch_listen();
    assert_int_equal(small_try("two", "a,c\n"), FOLDER_FAILED);
    assert_non_null(strstr(scratch_heard(), "bigshuf: store/header: "));
    assert_int_equal(small_count("two") + small_count(".new-"), 0);
}

/* A draft is written by several threads at the same time, each to piles of its own. */
static struct {
    struct draft *draft;
    unsigned first;
    int status;
} writers[4];

static void *write_some(void *argument)
{
    char text[SMALL_TEXT_BYTES];
    unsigned me = (unsigned)(size_t)argument;

    for (unsigned p = me; p < SMALL_PILES_MAX; p += 4) {
        struct storage *storage = draft_storage(writers[me].draft);
        uint64_t records;
        size_t bytes = small_stream("threads", p, text, &records);

        for (size_t at = 0; at < bytes; at += 7) {
            struct iovec piece = {.iov_base = text + at, .iov_len = bytes - at < 7 ? bytes - at : 7};

            writers[me].status |= storage->kind->write(storage, p, &piece, 1);
        }
    }
    return NULL;
}

static void write_by_threads(void)
{
    pthread_t thread[4];
    struct draft *draft;

    assert_int_equal(small_begin(&draft, "threads"), FOLDER_OK);
    for (unsigned i = 0; i < 4; i++) {
        writers[i].draft = draft;
        writers[i].status = 0;
        assert_int_equal(pthread_create(&thread[i], NULL, write_some, (void *)(size_t)i), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(writers[i].status, 0);
    }
    assert_int_equal(small_commit(draft, "threads", ""), FOLDER_OK);
    draft_free(draft);
    assert_true(small_is_whole("threads", "threads"));
}

TEST(threads_write_different_piles_at_the_same_time)
{
    small_reopen(SMALL_PILES_MAX, ">");
    write_by_threads();
}

TEST(few_descriptors_are_enough)
{
    layer.descriptors = 40;
    small_reopen(SMALL_PILES_MAX, ">");
    write_by_threads();
}

/* ---- On disk ---- */

TEST(all_of_it_is_on_disk_before_its_name_and_then_its_name)
{
    for (int few = 0; few < 2; few++) {
        const char *name = few ? "few" : "many";
        unsigned from = folders.syncs;

        layer.descriptors = few ? 1 : 0;
        small_reopen(SMALL_PILES, few ? ">" : NULL);
        small_add(name);
        for (unsigned p = 0; p < SMALL_PILES; p++)
            assert_true(layer_has_synced(small_path("%s/pile-%04u", name, p), from, layer.syncs_at_rename));
        assert_true(layer_has_synced(small_path("%s/manifest", name), from, layer.syncs_at_rename));
        assert_true(layer_has_synced(small_path("%s", name), from, layer.syncs_at_rename));
        assert_int_equal(folders.synced[layer.syncs_at_rename - 1], scratch_inode(small_path("%s", name)));
        assert_true(layer_has_synced("store", layer.syncs_at_rename, folders.syncs));
    }
}

TEST(the_name_of_a_batch_that_is_there_already_is_on_disk_too)
{
    unsigned from;

    small_add("one");
    from = folders.syncs;
    scratch_listen();
    assert_int_equal(small_try("one", ""), FOLDER_EXISTS);
    (void)scratch_heard();
    assert_true(layer_has_synced("store", from, folders.syncs));
}

/* ---- Failures ---- */

/* Make a batch, of which a call fails. Returns whether none did, as the calls were too few. */
static bool fail_once(unsigned at, const char *name)
{
    enum folder_verdict verdict;
    const char *heard;
    bool whole, over;
    faulty_fail(NULL, at, EIO);
    scratch_listen();
    verdict = small_try(name, "header\n");
    heard = scratch_heard();
    over = !faulty_stop();
    whole = small_is_whole(name, name);
    if (verdict == FOLDER_OK && !whole)
        fail_msg("call %u: success, but no batch", at);
    if (verdict == FOLDER_FAILED && (heard[0] == '\0' || strchr(heard, '\n') != heard + strlen(heard) - 1))
        fail_msg("call %u: the message is: %s", at, heard);
    if (verdict == FOLDER_EXISTS || (!whole && small_exists(small_path("%s", name))))
        fail_msg("call %u: the batch is there in part", at);
    if (verdict != FOLDER_OK &&
        small_count(small_path(".new-%s", name) + 6) + small_count(".old-") > 0) /* after "store/" */
        fail_msg("call %u: something is left", at);
    return over;
}

static void fail_everywhere(void)
{
    bool over = false;

    for (unsigned at = 1; !over; at++) {
        char name[32];

        snprintf(name, sizeof name, "%c%u", 'a' + (int)at % 26, at);
        over = fail_once(at, name);
        (void)unlink("store/header");
        assert_true(at < 10000);
    }
    assert_false(fault_any());
}

TEST(whatever_fails_all_of_a_batch_or_nothing_is_there)
{
    fail_everywhere();
}

TEST(so_it_is_with_records_that_start_with_a_string_and_few_descriptors)
{
    layer.descriptors = 1;
    small_reopen(SMALL_PILES, "@");
    fail_everywhere();
}

TEST(no_failure_that_stays_leaves_a_batch_in_part_or_hinders_the_next)
{
    bool over = false;

    for (unsigned at = 1; !over; at += 3) {
        char name[32];

        snprintf(name, sizeof name, "%c%u", 'a' + (int)at % 26, at);
        faulty_fail(NULL, at, ENOSPC);
        faulty.stays = true;
        scratch_listen();
        over = small_try(name, "") == FOLDER_OK;
        faulty_stop();
        if (!small_is_whole(name, name)) {
            assert_false(small_exists(small_path("%s", name)));
            assert_int_equal(small_try(name, ""), FOLDER_OK);
        }
        (void)scratch_heard();
        assert_true(small_is_whole(name, name));
    }
}

/* ---- A task that is run again ---- */

/* Each has a folder of its own, and says nothing of the other. */
static void begin_two(struct draft **first, struct draft **second)
{
    scratch_listen();
    assert_int_equal(small_begin(first, "one"), FOLDER_OK);
    assert_int_equal(small_begin(second, "one"), FOLDER_OK);
    assert_string_equal(scratch_heard(), "");
    assert_int_equal(small_count(".new-one~"), 2);
}

TEST(two_at_once_who_make_the_same_both_succeed)
{
    struct draft *first, *second;

    begin_two(&first, &second);
    assert_int_equal(small_write(second, "one"), 0);
    assert_int_equal(small_write(first, "one"), 0);
    assert_int_equal(small_commit(second, "one", ""), FOLDER_OK);
    assert_says(small_commit(first, "one", ""), FOLDER_EXISTS,
                "bigshuf: batch one is in store already: nothing was added\n");
    draft_free(first);
    draft_free(second);
    assert_true(small_is_whole("one", "one"));
    assert_int_equal(scratch_count("store"), 2);
}

TEST(of_two_at_once_who_differ_the_first_wins)
{
    struct draft *first, *second;

    begin_two(&first, &second);
    assert_int_equal(small_write(second, "two"), 0);
    assert_int_equal(small_write(first, "one"), 0);
    assert_int_equal(small_commit(first, "one", ""), FOLDER_OK);
    scratch_listen();
    assert_int_equal(small_commit(second, "two", ""), FOLDER_FAILED);
    assert_non_null(strstr(scratch_heard(), "made of other data"));
    draft_free(first);
    draft_free(second);
    assert_true(small_is_whole("one", "one"));
    assert_int_equal(scratch_count("store"), 2);
}

static void leave_a_draft(void)
{
    struct draft *draft;

    CHECK(small_begin(&draft, "one") == FOLDER_OK);
    CHECK(small_write(draft, "two") == 0);
}

/* Beside what was left, which is for a sweep. */
TEST(a_killed_task_is_begun_anew)
{
    small_kill(small_fork(leave_a_draft));
    assert_int_equal(small_count(".new-one~"), 1);
    assert_says(small_try("one", ""), FOLDER_OK, "");
    assert_true(small_is_whole("one", "one"));
    assert_int_equal(small_count(".new-one~"), 1);
}

/* ---- Somebody who sweeps ---- */

static void sweep_as_another(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

        CHECK(null >= 0 && dup2(null, STDOUT_FILENO) >= 0);
        CHECK(sweep_all(&small.store) == 0);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Make a batch, with a sweep before the call of this number. Returns whether there was no such call. If it `may_fail`,
 * the batch is there or not. */
static bool meet_sweep(unsigned at, bool may_fail)
{
    enum folder_verdict verdict;
    const char *heard;
    char name[32];

    snprintf(name, sizeof name, "%c%u%d", 'a' + (int)at % 26, at, may_fail);
    faulty_fail(NULL, at, EIO);
    faulty.meet = sweep_as_another;
    scratch_listen();
    verdict = small_try(name, "header\n");
    heard = scratch_heard();
    if (may_fail && verdict == FOLDER_FAILED) {
        assert_ptr_equal(strchr(heard, '\n'), heard + strlen(heard) - 1);
        assert_false(small_exists(small_path("%s", name)));
    } else if (verdict != FOLDER_OK || heard[0] != '\0' || !small_is_whole(name, name)) {
        fail_msg("call %u: %s", at, heard);
    }
    assert_int_equal(small_count(".new-") + small_count(".old-"), 0);
    (void)unlink("store/header");
    return faulty.meet != NULL;
}

static unsigned sweep_everywhere(bool may_fail)
{
    unsigned at = 1;

    while (!meet_sweep(at, may_fail))
        at += scratch_is_tiny() ? 7 : 1;
    faulty_reset();
    return at;
}

TEST(no_sweep_at_any_moment_takes_a_living_draft)
{
    assert_true(sweep_everywhere(false) > 50);
}

/* As after an hour at any moment, and without locks. */
TEST(a_draft_that_is_taken_for_dead_at_any_moment_is_a_failure_and_no_part_of_a_batch)
{
    layer.later = 7200;
    (void)sweep_everywhere(true);
}

TEST(a_name_that_is_taken_by_no_batch_is_a_failure)
{
    assert_true(scratch_put("store/file", "precious\n", 0644));
    assert_int_equal(mkdir("store/folder", 0755), 0);
    assert_true(scratch_put("store/folder/file", "precious\n", 0644));
    assert_says(small_try("file", ""), FOLDER_FAILED, "bigshuf: store/file: Not a directory\n");
    assert_says(small_try("folder", ""), FOLDER_FAILED,
                "bigshuf: store/folder/manifest: missing, so this is no batch: move its folder out of the store, and "
                "add the batch again if it was one\n");
    assert_int_equal(scratch_count("store"), 3);
}

static void take_the_name(void)
{
    assert_true(scratch_put("store/one", "precious\n", 0644));
}

TEST(so_it_is_if_it_is_taken_at_the_last_moment)
{
    faulty_meet("rename_at", take_the_name);
    assert_says(small_try("one", ""), FOLDER_FAILED, "bigshuf: store/one: Not a directory\n");
    assert_true(scratch_holds("store/one", "precious\n"));
    assert_int_equal(scratch_count("store"), 2);
}

TEST(a_draft_that_somebody_removed_is_no_batch)
{
    struct draft *draft;
    const char *path;

    draft = small_written("one", "one");
    path = small_numbered(".new-one");
    assert_int_equal(rename(path, "away"), 0);
    scratch_listen();
    assert_int_equal(small_commit(draft, "one", ""), FOLDER_FAILED);
    assert_said_of(path, ": somebody has removed it\n");
    draft_free(draft);
    assert_int_equal(scratch_count("store"), 1);
}

/* ---- Network file systems ---- */

TEST(a_rename_that_is_heard_twice_is_a_success)
{
    layer.heard_twice = true;
    small_add("one");
    assert_true(small_is_whole("one", "one"));
    assert_int_equal(scratch_count("store/one"), SMALL_PILES + 1);
}

TEST(a_draft_goes_also_where_open_files_stay_in_their_folders)
{
    struct draft *draft;

    layer.network = true;
    draft = small_written("one", "one");
    draft_free(draft);
    assert_int_equal(scratch_count("store"), 1);
}

TEST(where_there_are_no_locks_a_batch_is_made_or_given_up_without)
{
    faulty_fail_all("lock", ENOTSUP);
    assert_says(small_try("one", ""), FOLDER_OK, "");
    assert_true(small_is_whole("one", "one"));
    assert_int_equal(scratch_count("store"), 2);
    scratch_listen();
    draft_free(small_written("two", "two"));
    assert_string_equal(scratch_heard(), "");
    assert_int_equal(scratch_count("store"), 2);
}
