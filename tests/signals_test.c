/* Death by signal: nothing is left behind, and the parent sees what it was. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setgroups, in scratch.h */
#endif

#include "scratch.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

#include "signals.h"

static int signal_to_raise;

static void no_core(void)
{
    struct rlimit none = {0, 0};

    CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
}

static void die_with_a_registered_file(void)
{
    no_core();
    signals_install();
    CHECK(signals_register("temporary") >= 0);
    CHECK(signals_register("not created yet") >= 0);
    CHECK(scratch_put("temporary", "x", 0600));
    CHECK(scratch_put("kept", "x", 0600));
    kill(getpid(), signal_to_raise);
    pause();
}

static void every_deadly_signal_removes_the_files_and_is_seen_by_the_parent(void **state)
{
    static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGALRM, SIGUSR1,
                                  SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGPOLL};

    (void)state;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int status;

        signal_to_raise = signals[i];
        status = scratch_child(die_with_a_registered_file);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_int_equal(access("temporary", F_OK), -1);
        assert_int_equal(access("kept", F_OK), 0);
    }
}

static void die_after_forgetting(void)
{
    int slot;

    signals_install();
    slot = signals_register("finished");
    CHECK(scratch_put("finished", "x", 0600));
    signals_forget(slot);
    signals_forget(-1);
    raise(SIGTERM);
}

static void a_forgotten_file_stays(void **state)
{
    (void)state;
    assert_int_equal(WTERMSIG(scratch_child(die_after_forgetting)), SIGTERM);
    assert_int_equal(access("finished", F_OK), 0);
}

static void live_on(void)
{
    signal(SIGHUP, SIG_IGN);
    signals_install();
    raise(SIGHUP);
}

static void an_ignored_signal_stays_ignored(void **state)
{
    (void)state;
    assert_int_equal(scratch_child(live_on), 0);
}

static void write_over_the_limit(void)
{
    struct rlimit limit = {10, 10};
    int fd = open("limited", O_WRONLY | O_CREAT, 0600);

    signals_install();
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(write(fd, "0123456789", 10) == 10);
    CHECK(write(fd, "x", 1) == -1 && errno == EFBIG);
}

static void a_write_over_the_file_size_limit_fails_instead_of_killing(void **state)
{
    (void)state;
    assert_int_equal(scratch_child(write_over_the_limit), 0);
}

static void write_to_nobody(void)
{
    int ends[2];

    signals_install();
    CHECK(pipe(ends) == 0);
    close(ends[0]);
    (void)!write(ends[1], "x", 1);
}

static void sigpipe_kills_as_it_always_did(void **state)
{
    (void)state;
    assert_int_equal(WTERMSIG(scratch_child(write_to_nobody)), SIGPIPE);
}

static void block_and_die_later(void)
{
    sigset_t before, pending;

    signals_install();
    signals_block(&before);
    raise(SIGTERM);
    sigpending(&pending);
    CHECK(sigismember(&pending, SIGTERM) == 1);
    CHECK(scratch_put("still alive", "", 0600));
    signals_restore(&before);
    CHECK(scratch_put("survived", "", 0600));
}

static void blocked_signals_wait_until_they_are_restored(void **state)
{
    (void)state;
    assert_int_equal(WTERMSIG(scratch_child(block_and_die_later)), SIGTERM);
    assert_int_equal(access("still alive", F_OK), 0);
    assert_int_equal(access("survived", F_OK), -1);
}

static void *wait_for_ever(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static void die_with_workers(void)
{
    pthread_t worker;
    sigset_t before;

    signals_install();
    signals_block(&before);
    CHECK(pthread_create(&worker, NULL, wait_for_ever, NULL) == 0);
    signals_restore(&before);
    CHECK(signals_register("temporary") >= 0 && scratch_put("temporary", "x", 0600));
    kill(getpid(), SIGINT);
    pause();
}

static void a_program_with_threads_dies_the_same_way(void **state)
{
    (void)state;
    assert_int_equal(WTERMSIG(scratch_child(die_with_workers)), SIGINT);
    assert_int_equal(access("temporary", F_OK), -1);
}

static void take_all_slots(void)
{
    int slot, last = -1, count = 0;

    while ((slot = signals_register("name")) >= 0) {
        last = slot;
        count++;
    }
    CHECK(errno == ENOMEM && count >= 600);
    signals_forget(last);
    CHECK(signals_register("other") == last);
}

static void slots_are_many_but_not_endless_and_used_again(void **state)
{
    (void)state;
    assert_int_equal(scratch_child(take_all_slots), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_deadly_signal_removes_the_files_and_is_seen_by_the_parent),
        TEST(a_forgotten_file_stays),
        TEST(an_ignored_signal_stays_ignored),
        TEST(a_write_over_the_file_size_limit_fails_instead_of_killing),
        TEST(sigpipe_kills_as_it_always_did),
        TEST(blocked_signals_wait_until_they_are_restored),
        TEST(a_program_with_threads_dies_the_same_way),
        TEST(slots_are_many_but_not_endless_and_used_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
