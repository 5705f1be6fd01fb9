/* tags: threads */

#include "support/faulty_sys.h"
#include "support/unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

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

static void note(void *context, unsigned worker)
{
    sigset_t blocked;

    if (context == &seen)
        atomic_fetch_add(&seen.calls[worker], 1);
    atomic_fetch_add(&seen.by_caller, pthread_equal(pthread_self(), seen.caller) != 0);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    atomic_fetch_add(&seen.with_signals, sigismember(&blocked, SIGTERM) == 0);
}

#define TEST(name) UNIT_TEST_IN(name, reset, NULL)

TEST(every_worker_runs_once_and_the_first_in_the_calling_thread_which_alone_gets_signals)
{
    for (unsigned workers = 1; workers <= WORKERS_MAX; workers++) {
        reset(NULL);
        threads_run(workers, note, &seen);
        for (unsigned i = 0; i < WORKERS_MAX; i++)
            assert_int_equal(seen.calls[i], i < workers);
        assert_int_equal(seen.by_caller, 1);
        assert_int_equal(seen.with_signals, 1);
    }
}
