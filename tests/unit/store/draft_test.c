/* A batch is never there in part, whatever fails, whoever is killed, and whoever else makes one of the same name. */

#include "support/small_store.h"
#include "support/unit.h"

#include <pthread.h>

#include "store/sweep.h"
#include "system/fault.h"

#define TEST(name) UNIT_TEST_IN(name, small_setup_lines, small_teardown)

/* ---- What is in a batch ---- */

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

static void commit_without_a_start(void)
{
    char text[] = "one\n>two\n";
    uint64_t records[SMALL_PILES] = {2};
    struct draft *draft;

    draft = small_begin("one");
    small_append(draft, 0, text, strlen(text));
    (void)draft_commit(draft, records, NULL, 0, 1);
}

TEST(a_last_record_without_its_string_is_no_batch)
{
    small_reopen(SMALL_PILES, ">");
    if (scratch_begin_end())
        commit_without_a_start();
    assert_non_null(strstr(scratch_ended(), "/pile-0000: the last record is not complete\n"));
    assert_int_equal(scratch_count("store"), 1);
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
    assert_false(small_try("one", ""));
    (void)scratch_heard();
    assert_true(layer_has_synced("store", from, folders.syncs));
}

/* ---- Failures ---- */

static void make_batch(void)
{
    CHECK(small_try("one", "header\n"));
}

static void judge_batch(bool failed)
{
    assert_true(small_exists("store/one") ? small_is_whole("one", "one") : failed);
    assert_int_equal(small_count(".new-one") + small_count(".old-"), 0);
    scratch_empty(open("store/one", O_RDONLY | O_DIRECTORY));
    (void)rmdir("store/one");
    (void)unlink("store/header");
}

TEST(whatever_fails_all_of_a_batch_or_nothing_is_there)
{
    small_fail_everywhere(make_batch, judge_batch, 40);
}

TEST(so_it_is_with_records_that_start_with_a_string_and_few_descriptors)
{
    layer.descriptors = 1;
    small_reopen(SMALL_PILES, "@");
    small_fail_everywhere(make_batch, judge_batch, 40);
}

/* As a program has it that is being started: its descriptors are closed after who starts it goes on. */
static void fail_while_another_has_the_lock(void)
{
    char path[600];
    int lock;

    (void)small_written("one", "one");
    snprintf(path, sizeof path, "%s/manifest", small_numbered(".new-one"));
    lock = open(path, O_RDWR);
    CHECK(sys_lock(lock, false) == 0);
    fault_say("something else");
}

TEST(a_run_that_fails_removes_its_draft_though_another_process_has_its_lock)
{
    assert_ends(fail_while_another_has_the_lock(), "bigshuf: something else\n");
    assert_int_equal(scratch_count("store"), 1);
}

/* Whenever the folder of the draft is to go, the other thread has made one more pile. */
static struct draft *drafted;
static atomic_uint made;

static void make_a_pile(void)
{
    char byte[] = "x";
    unsigned pile = atomic_fetch_add(&made, 1);

    if (pile >= SMALL_PILES_MAX)
        return;
    small_append(drafted, pile, byte, 1);
    faulty_meet("rmdir_at", make_a_pile);
}

static void *fail_elsewhere(void *context)
{
    (void)context;
    fault_say("something else");
}

static void fail_while_piles_are_made(void)
{
    pthread_t thread;

    drafted = small_begin("one");
    make_a_pile();
    CHECK(pthread_create(&thread, NULL, fail_elsewhere, NULL) == 0);
    pthread_join(thread, NULL);
}

TEST(a_run_that_fails_in_any_thread_removes_its_draft_while_others_write_it)
{
    small_reopen(SMALL_PILES_MAX, NULL);
    assert_ends(fail_while_piles_are_made(), "bigshuf: something else\n");
    assert_int_equal(scratch_count("store"), 1);
}

/* ---- Two at once ---- */

static void make_two_that_differ(void)
{
    struct draft *first, *second;

    first = small_written("one", "one");
    second = small_written("one", "two");
    CHECK(small_commit(first, "one", ""));
    (void)small_commit(second, "two", "");
}

TEST(of_two_at_once_who_differ_the_first_wins)
{
    assert_ends(make_two_that_differ(),
                "bigshuf: store/one: a batch of this name is there already, made of other data\n");
    assert_true(small_is_whole("one", "one"));
    assert_int_equal(scratch_count("store"), 2);
}

/* ---- Somebody who sweeps ---- */

static void sweep_as_another(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

        CHECK(null >= 0 && dup2(null, STDOUT_FILENO) >= 0);
        sweep_all(&small.store);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Make batches, each with a sweep before another call. If they `may_fail`, a batch is there or not. Returns how many
 * calls there are. */
static unsigned sweep_everywhere(bool may_fail)
{
    unsigned at = 1;
    int outcome;

    for (;; at += scratch_is_tiny() ? 7 : 1) {
        faulty_fail(NULL, at, EIO);
        faulty.meet = sweep_as_another;
        outcome = folders_try(make_batch);
        assert_true(may_fail || outcome != FOLDERS_ENDED);
        judge_batch(outcome == FOLDERS_ENDED);
        if (outcome == FOLDERS_OVER)
            return at;
    }
}

TEST(no_sweep_at_any_moment_takes_a_living_draft)
{
    assert_true(sweep_everywhere(false) > 30);
}

/* As after an hour at any moment, and without locks. */
TEST(a_draft_that_is_taken_for_dead_at_any_moment_is_a_failure_and_no_part_of_a_batch)
{
    layer.later = 7200;
    (void)sweep_everywhere(true);
}

static void take_the_name(void)
{
    assert_true(scratch_put("store/one", "precious\n", 0644));
}

TEST(a_name_that_is_taken_at_the_last_moment_is_a_failure)
{
    faulty_meet("rename_at", take_the_name);
    assert_ends(small_add("one"), "bigshuf: store/one: Not a directory\n");
    assert_true(scratch_holds("store/one", "precious\n"));
    assert_int_equal(scratch_count("store"), 2);
}

/* ---- Network file systems ---- */

TEST(a_rename_that_is_heard_twice_is_a_success)
{
    layer.heard_twice = true;
    small_add("one");
    assert_true(small_is_whole("one", "one"));
    assert_int_equal(scratch_count("store/one"), SMALL_PILES + 1);
}

static void make_two_alike(void)
{
    struct draft *draft = small_written("one", "one");

    small_add("one");
    (void)small_commit(draft, "one", "");
}

TEST(a_draft_goes_also_where_open_files_stay_in_their_folders)
{
    layer.network = true;
    scratch_listen();
    make_two_alike();
    (void)scratch_heard();
    assert_int_equal(scratch_count("store"), 2);
}

TEST(where_there_are_no_locks_a_batch_is_made_or_given_up_without)
{
    faulty_fail_all("lock", ENOTSUP);
    scratch_listen();
    make_two_alike();
    assert_string_equal(scratch_heard(), "bigshuf: batch one is in store already: nothing was added\n");
    assert_true(small_is_whole("one", "one"));
    assert_int_equal(scratch_count("store"), 2);
}
