#include "support/faulty_sys.h"
#include "support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "system/io.h"
#include "system/signals.h"
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
    faulty_reset();
    return 0;
}

static int note(void *context, unsigned worker)
{
    sigset_t blocked;

    if (context == &seen)
        atomic_fetch_add(&seen.calls[worker], 1);
    atomic_fetch_add(&seen.by_caller, pthread_equal(pthread_self(), seen.caller) != 0);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    atomic_fetch_add(&seen.with_signals, sigismember(&blocked, SIGTERM) == 0);
    return 0;
}

#define TEST(name) UNIT_TEST_IN(name, reset, NULL)

TEST(every_worker_runs_once_the_first_in_the_calling_thread)
{
    for (unsigned workers = 1; workers <= WORKERS_MAX; workers++) {
        reset(NULL);
        threads_run(workers, note, &seen);
        for (unsigned i = 0; i < WORKERS_MAX; i++)
            assert_int_equal(seen.calls[i], i < workers);
        assert_int_equal(seen.by_caller, 1);
    }
}

TEST(signals_are_for_the_calling_thread_alone)
{
    sigset_t blocked;

    threads_run(WORKERS_MAX, note, &seen);
    assert_int_equal(seen.with_signals, 1);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_int_equal(sigismember(&blocked, SIGTERM), 0);
}

TEST(a_team_of_one_starts_no_thread_and_asks_for_no_memory)
{
    faulty_fail_all("thread allocate", ENOMEM);
    threads_run(1, note, &seen);
    assert_int_equal(seen.calls[0], 1);
    assert_int_equal(faulty.calls, 0);
}

TEST(where_fewer_threads_are_given_fewer_run)
{
    for (unsigned threads = 0; threads < 5; threads++) {
        reset(NULL);
        faulty_fail("thread", threads + 1, EAGAIN);
        faulty.stays = true;
        threads_run(WORKERS_MAX, note, &seen);
        for (unsigned i = 0; i < WORKERS_MAX; i++)
            assert_int_equal(seen.calls[i], i <= threads);
    }
    reset(NULL);
    faulty_fail("allocate", 1, ENOMEM);
    threads_run(WORKERS_MAX, note, &seen);
    assert_int_equal(seen.calls[0], 1);
    assert_int_equal(seen.by_caller, 1);
}

/* ---- Failures ---- */

static int fail_if_chosen(void *context, unsigned worker)
{
    return worker == *(unsigned *)context ? -1 : 0;
}

TEST(a_team_fails_if_one_of_it_does)
{
    for (unsigned workers = 1; workers <= 4; workers++)
        for (unsigned chosen = 0; chosen <= workers; chosen++)
            assert_int_equal(threads_run(workers, fail_if_chosen, &chosen), chosen < workers ? -1 : 0);
}

/* A pipe to which nobody writes, and one that is full. */
struct stall {
    int empty[2];
    int full[2];
    unsigned fails; /* the worker that does; the others wait */
};

static int wait_or_fail(void *context, unsigned worker)
{
    const struct stall *stall = context;
    char byte = 0;

    if (worker == stall->fails)
        return -1;
    for (;;) {
        ssize_t moved = worker % 2 == 0 ? read(stall->empty[0], &byte, 1) : write(stall->full[1], &byte, 1);

        if (moved < 0 && !io_again())
            return errno == ECANCELED ? -1 : 0;
    }
}

TEST(who_waits_for_a_pipe_is_interrupted_when_another_fails)
{
    static const char block[4096];

    signals_install();
    for (unsigned fails = 0; fails < 4; fails++) {
        struct stall stall = {.fails = fails};

        assert_int_equal(pipe(stall.empty), 0);
        assert_int_equal(pipe(stall.full), 0);
        assert_int_equal(fcntl(stall.full[1], F_SETFL, O_NONBLOCK), 0);
        while (write(stall.full[1], block, sizeof block) > 0)
            continue;
        assert_int_equal(fcntl(stall.full[1], F_SETFL, 0), 0);
        assert_int_equal(threads_run(4, wait_or_fail, &stall), -1);
        assert_false(signals_interrupted());
        for (int i = 0; i < 2; i++) {
            close(stall.empty[i]);
            close(stall.full[i]);
        }
    }
}
