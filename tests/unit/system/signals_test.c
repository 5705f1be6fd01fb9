/* Death by signal: nothing is left behind, and the parent sees what it was. */

/* tags: threads */

#include "support/scratch.h"
#include "support/unit.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>

#include "system/fault.h"
#include "system/progress_line.h"
#include "system/signals.h"
#include "system/sys.h"

void real_sys_nap(void);

static int signal_to_raise;

static void *wait_for_ever(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static void no_core(void)
{
    struct rlimit none = {0, 0};

    CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
}

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

/* ---- The line of progress ---- */

static void say_to_somebody_busy(void)
{
    static char much[4096];
    int wire[2];

    CHECK(pipe(wire) == 0 && dup2(wire[1], STDERR_FILENO) >= 0 && fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK) == 0);
    while (write(STDERR_FILENO, much, sizeof much) > 0)
        continue;
    CHECK(fcntl(STDERR_FILENO, F_SETFL, 0) == 0);
    alarm(120);
    progress_line_say("a\n", 2);
}

TEST(nobody_waits_for_a_reader)
{
    assert_int_equal(scratch_child(say_to_somebody_busy), 0);
}

/* ---- Other threads make files while the handler runs ---- */

static sem_t napped, looked; /* somebody waits for others; the handler has come to unlink a file */
static bool wait_for_nap;    /* does the handler let others go on, until one of them waits, before it unlinks? */

int real_sys_unlink_at(int directory, const char *name);

void sys_nap(void)
{
    sem_post(&napped);
    real_sys_nap();
}

int sys_unlink_at(int directory, const char *name)
{
    sem_post(&looked);
    if (wait_for_nap)
        while (sem_wait(&napped) != 0)
            continue;
    return real_sys_unlink_at(directory, name);
}

static void die_with_worker(void *(*body)(void *))
{
    pthread_t worker;
    sigset_t before;

    no_core();
    CHECK(sem_init(&napped, 0, 0) == 0 && sem_init(&looked, 0, 0) == 0);
    signals_install();
    signals_block(&before);
    CHECK(pthread_create(&worker, NULL, body, NULL) == 0);
    signals_release(&before);
    for (;;)
        pause();
}

/* The signal comes between the two steps: the handler has begun, and has nothing to unlink but what is yet to come. */
static void *make_file_while_the_handler_waits(void *argument)
{
    sigset_t before;

    signals_hold(&before);
    kill(getpid(), SIGTERM);
    while (sem_wait(&napped) != 0)
        continue;
    CHECK(scratch_register("temporary") >= 0 && scratch_put("temporary", "x", 0600));
    signals_release(&before);
    return wait_for_ever(argument);
}

static void die_while_a_file_is_made(void)
{
    die_with_worker(make_file_while_the_handler_waits);
}

TEST(a_file_that_is_just_being_made_is_not_missed)
{
    assert_int_equal(WTERMSIG(scratch_child(die_while_a_file_is_made)), SIGTERM);
    assert_int_equal(scratch_count("."), 0);
}

/* The signal has come, and the handler is at its first name. */
static void *make_file_behind_the_handler(void *argument)
{
    sigset_t before;

    signals_hold(&before);
    CHECK(scratch_register("first") >= 0);
    signals_release(&before);
    kill(getpid(), SIGTERM);
    while (sem_wait(&looked) != 0)
        continue;
    signals_hold(&before);
    CHECK(scratch_register("second") >= 0 && scratch_put("second", "x", 0600));
    signals_release(&before);
    sem_post(&napped);
    return wait_for_ever(argument);
}

static void die_before_a_file_is_made(void)
{
    wait_for_nap = true;
    die_with_worker(make_file_behind_the_handler);
}

TEST(no_file_is_made_behind_the_handlers_back)
{
    assert_int_equal(WTERMSIG(scratch_child(die_before_a_file_is_made)), SIGTERM);
    assert_int_equal(scratch_count("."), 0);
}

static void hold_off_and_die_later(void)
{
    sigset_t before;

    no_core();
    signals_install();
    signals_hold(&before);
    raise(signal_to_raise);
    CHECK(scratch_put("still alive", "", 0600));
    signals_release(&before);
    CHECK(scratch_put("survived", "", 0600));
}

TEST(who_holds_death_off_dies_afterwards)
{
    static const int signals[] = {SIGTERM, SIGPIPE};

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        signal_to_raise = signals[i];
        assert_int_equal(WTERMSIG(scratch_child(hold_off_and_die_later)), signals[i]);
        assert_int_equal(access("still alive", F_OK), 0);
        assert_int_equal(access("survived", F_OK), -1);
        assert_int_equal(unlink("still alive"), 0);
    }
}

enum { MANY = 20000, NAME_BYTES = 16 };

static void die_with_many_files(void)
{
    static char names[MANY][NAME_BYTES];
    int slot = -1;

    signals_install();
    for (int i = 0; i < MANY; i++) {
        const int taken = scratch_register(names[i]);

        snprintf(names[i], NAME_BYTES, "t%d", i);
        CHECK(taken >= 0);
        slot = i == MANY / 2 ? taken : slot;
        if (i % 100 == 0)
            CHECK(scratch_put(names[i], "", 0600));
    }
    signals_forget(slot);
    signals_forget(-1);
    raise(SIGTERM);
}

TEST(tens_of_thousands_of_files_are_removed)
{
    assert_int_equal(WTERMSIG(scratch_child(die_with_many_files)), SIGTERM);
    assert_int_equal(scratch_count("."), 1);
    assert_int_equal(access("t10000", F_OK), 0);
}

enum { THREADS = 8, NAMES = 200 };

static atomic_bool is_taken[2 * THREADS * NAMES]; /* by slot */

static void *register_many(void *argument)
{
    for (int round = 0; round < 50; round++) {
        int slots[NAMES];

        for (int i = 0; i < NAMES; i++) {
            slots[i] = scratch_register(argument);
            CHECK(slots[i] >= 0 && slots[i] < 2 * THREADS * NAMES && !atomic_exchange(&is_taken[slots[i]], true));
        }
        for (int i = 0; i < NAMES; i++) {
            atomic_store(&is_taken[slots[i]], false);
            signals_forget(slots[i]);
        }
    }
    return NULL;
}

static void register_from_many_threads(void)
{
    pthread_t thread[THREADS];
    char name[] = "name";

    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, register_many, name) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
}

TEST(threads_do_not_get_in_each_others_way)
{
    assert_int_equal(scratch_child(register_from_many_threads), 0);
}

static void register_beside_a_child(void)
{
    const int first = scratch_register("first");
    struct signals_child child;
    int slot;

    signals_child_prepare(&child);
    signals_child_starts(&child);
    slot = signals_child_started(&child, getpid());
    signals_forget(first);
    CHECK(slot >= 0 && scratch_register("second") != slot && scratch_register("third") != slot);
}

TEST(a_name_does_not_take_the_place_of_a_child)
{
    assert_int_equal(scratch_child(register_beside_a_child), 0);
}

/* A child that notes that it was told, when it is ready to. */
static pid_t fork_child(const struct signals_child *how, const char *name)
{
    pid_t child = fork();

    if (child > 0) {
        (void)setpgid(child, 0);
        return child;
    }
    CHECK(child == 0 && setpgid(0, 0) == 0);
    pthread_sigmask(SIG_SETMASK, &how->mask, NULL);
    execl("/bin/sh", "sh", "-c", "trap 'touch $0; exit' TERM; touch $0.ready; while :; do sleep 0.02; done", name,
          (char *)NULL);
    _exit(1);
}

static void *start_slowly(void *argument)
{
    struct timespec moment = {.tv_nsec = 100000000};
    struct signals_child child;
    pid_t process;

    signals_child_prepare(&child);
    signals_child_starts(&child);
    CHECK(scratch_put("starting", "", 0600));
    nanosleep(&moment, NULL); /* in which the signal comes; if it comes later, that is no harm */
    process = fork_child(&child, "slow");
    scratch_await("slow.ready");
    signals_child_started(&child, process);
    pause();
    return argument;
}

static void die_while_a_child_starts(void)
{
    pthread_t worker;
    sigset_t before;

    signals_install();
    signals_block(&before);
    CHECK(pthread_create(&worker, NULL, start_slowly, NULL) == 0);
    signals_release(&before);
    scratch_await("starting");
    raise(SIGTERM);
}

TEST(death_waits_for_a_child_that_is_being_started)
{
    assert_int_equal(WTERMSIG(scratch_child(die_while_a_child_starts)), SIGTERM);
    scratch_await("slow");
}
