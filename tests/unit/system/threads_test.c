#include "support/disk.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

#include "system/threads.h"

enum { WORKERS_MAX = 8 };

static struct {
    pthread_t caller;
    atomic_uint calls[WORKERS_MAX];
    atomic_uint by_caller;
    atomic_uint with_signals;
} seen;

static int reset(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    seen.caller = pthread_self();
    return disk_reset();
}

static void note(void *context, unsigned worker)
{
    sigset_t blocked;

    if (context == &seen)
        atomic_fetch_add(&seen.calls[worker], 1);
    atomic_fetch_add(&seen.by_caller, pthread_equal(pthread_self(), seen.caller) != 0);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    atomic_fetch_add(&seen.with_signals, sigismember(&blocked, SIGTERM) == 0);
}

static void every_worker_runs_once_the_first_in_the_calling_thread(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= WORKERS_MAX; workers++) {
        reset(state);
        threads_run(workers, note, &seen);
        for (unsigned i = 0; i < WORKERS_MAX; i++)
            assert_int_equal(seen.calls[i], i < workers);
        assert_int_equal(seen.by_caller, 1);
    }
}

static void signals_are_for_the_calling_thread_alone(void **state)
{
    sigset_t blocked;

    (void)state;
    threads_run(WORKERS_MAX, note, &seen);
    assert_int_equal(seen.with_signals, 1);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_int_equal(sigismember(&blocked, SIGTERM), 0);
}

static void a_team_of_one_starts_no_thread_and_asks_for_no_memory(void **state)
{
    (void)state;
    disk.threads = 0;
    disk.fail_allocation = 1;
    threads_run(1, note, &seen);
    assert_int_equal(seen.calls[0], 1);
    assert_int_equal(disk.fail_allocation, 1);
}

static void where_fewer_threads_are_given_fewer_run(void **state)
{
    (void)state;
    for (unsigned threads = 0; threads < 5; threads++) {
        reset(state);
        disk.threads = threads;
        threads_run(WORKERS_MAX, note, &seen);
        for (unsigned i = 0; i < WORKERS_MAX; i++)
            assert_int_equal(seen.calls[i], i <= threads);
    }
    reset(state);
    disk.fail_allocation = 1;
    threads_run(WORKERS_MAX, note, &seen);
    assert_int_equal(seen.calls[0], 1);
    assert_int_equal(seen.by_caller, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_worker_runs_once_the_first_in_the_calling_thread, reset),
        cmocka_unit_test_setup(signals_are_for_the_calling_thread_alone, reset),
        cmocka_unit_test_setup(a_team_of_one_starts_no_thread_and_asks_for_no_memory, reset),
        cmocka_unit_test_setup(where_fewer_threads_are_given_fewer_run, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
