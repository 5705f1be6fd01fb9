/*
 * A scheduler for the threads of one process. One of them has the turn, and the others wait until they get it, so that
 * a run is a function of its seed: BIGSHUF_HOSTILE=SEED. Who has the turn comes by here at every lock, condition,
 * atomic access, thread and system call: there it may lose it. Without a seed all calls are the system's.
 *
 * Half of the seeds give turns as Burckhardt et al. do (A randomized scheduler with probabilistic guarantees of finding
 * bugs, ASPLOS 2010): each thread has a random priority, the highest one runs, and at a few moments that were drawn
 * before, the one that runs becomes the lowest. That finds a bug that needs d such moments among k with a probability
 * of at least 1 / (n * k^(d - 1)) for n threads. Since nobody knows k, it is drawn too, from 32 to 2^18, and after k
 * moments new ones are drawn. The other seeds give each turn to anybody, once in 1 to 64 moments, and less
 * often in a run of millions, which would take minutes.
 *
 * A thread that waits for another process, at a pipe or for its end, is outside meanwhile: the others go on, and when
 * it comes back depends on that process. Only so far is a run not repeated by its seed. If every thread waits for
 * another one, the run is aborted. Waking up for no reason, as pthread_cond_wait may, is drawn too.
 *
 * BIGSHUF_OTHERS=1 has the process wait for up to 3 ms at some moments when no other thread is ready, so that other
 * processes go on.
 *
 * BIGSHUF_SIGNAL=N has the process send itself that signal, at a moment that the seed draws. The main thread, which
 * takes it, comes first then. When a handler begins, the next points are near.
 *
 * This file is compiled without sanitizers, and turns change by bare system calls: so the thread sanitizer sees only
 * what the program itself does to order its accesses, and not that its threads run one after another.
 */

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS_MOST = 64, POINTS_MOST = 4, NEAR = 64, SLOWER = 1 << 16 };

/* Outside are those that nobody here can wake. */
enum state { NONE, RUNS, READY, WAITS, OUTSIDE, ENDED };

struct thread {
    volatile enum state state;
    atomic_int turns;   /* what it waits at for its turn */
    const void *awaits; /* a mutex, a condition or a thread; NULL once it is there */
    int64_t priority;
    pthread_t id;
    void *(*body)(void *);
    void *argument;
};

static struct thread threads[THREADS_MOST];
static _Thread_local struct thread *self;
static struct thread *_Atomic runs; /* NULL: all are outside */
static atomic_flag changing;        /* guards what is above */

static const char *seed; /* NULL: this file does nothing */
static uint64_t state;   /* of the generator */
static uint64_t steps;
static uint64_t patience; /* a turn is given away in one of so many moments; 0: by priorities */
static bool startles;     /* does anybody wake up for no reason? */
static uint64_t others;   /* other processes have time in one of so many moments; 0: never */
static int64_t lowest;
static uint64_t length, begun, point[POINTS_MOST]; /* k, and of these moments the first one, and those chosen */
static unsigned points;
static uint64_t signal_in; /* so many moments, */
static bool beside;        /* of other threads than the main one? */
static int signal_number;  /* 0: none */

/* SplitMix64. */
static uint64_t draw(uint64_t bound)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % bound;
}

static void draw_points(uint64_t within)
{
    length = within;
    begun = steps;
    for (unsigned i = 0; i < points; i++)
        point[i] = steps + 1 + draw(length);
}

static struct thread *add_thread(enum state as)
{
    struct thread *thread = threads;

    while (thread->state != NONE)
        if (++thread == threads + THREADS_MOST)
            abort();
    *thread = (struct thread){.state = as, .priority = (int64_t)draw(INT64_MAX)};
    return thread;
}

/* Done before main. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *number = getenv("BIGSHUF_SIGNAL");

    seed = getenv("BIGSHUF_MOMENTS");
    if (seed == NULL)
        seed = getenv("BIGSHUF_HOSTILE");
    if (seed == NULL)
        return;
    for (const char *at = seed; *at != '\0'; at++)
        state = (state ^ (unsigned char)*at) * 0x100000001b3;
    patience = draw(2) == 0 ? 0 : (uint64_t)1 << draw(7);
    startles = draw(2) == 0;
    points = 1 + (unsigned)draw(POINTS_MOST);
    signal_in = draw((uint64_t)1 << (6 + draw(9)));
    beside = draw(2) == 0;
    others = (uint64_t)1 << draw(7);
    if (getenv("BIGSHUF_OTHERS") == NULL)
        others = 0;
    signal_number = number != NULL ? atoi(number) : 0;
    draw_points((uint64_t)1 << (5 + draw(14)));
    self = add_thread(RUNS);
    runs = self;
}

/* ---- Turns ---- */

static void lock_list(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    while (atomic_flag_test_and_set(&changing))
        sched_yield();
}

static void unlock_list(const sigset_t *before)
{
    atomic_flag_clear(&changing);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* A signal handler of the same thread may get the turn meanwhile, and keep it. The thread sanitizer lets handlers run
 * only in calls that it knows, as poll. */
static void await_turn(void)
{
    for (;;) {
        const int before = self->turns;

        if (runs == self)
            return;
        if (syscall(SYS_futex, &self->turns, FUTEX_WAIT_PRIVATE, before, NULL, NULL, 0) != 0 && errno == EINTR)
            (void)poll(NULL, 0, 0);
    }
}

/* Another one that is ready: by priority, or anybody. NULL if there is none. */
static struct thread *choose(void)
{
    struct thread *ready[THREADS_MOST], *best = NULL;
    unsigned count = 0;

    for (struct thread *thread = threads; thread < threads + THREADS_MOST; thread++)
        if (thread->state == READY) {
            ready[count++] = thread;
            if (best == NULL || thread->priority > best->priority)
                best = thread;
        }
    return count > 0 && patience > 0 ? ready[draw(count)] : best;
}

static bool is_any(enum state as)
{
    struct thread *thread = threads;

    while (thread < threads + THREADS_MOST && thread->state != as)
        thread++;
    return thread < threads + THREADS_MOST;
}

static void report_deadlock(void)
{
    char text[256];
    const int bytes =
        snprintf(text, sizeof text, "moments: every thread waits for another: BIGSHUF_HOSTILE=%s\n", seed);

    (void)!write(STDERR_FILENO, text, (size_t)bytes);
    abort();
}

/* Let another one run, and go on as it is said when this one's turn comes: READY, WAITS; or without it: OUTSIDE, ENDED.
 */
static void give_turn(enum state as)
{
    struct thread *next;
    sigset_t before;

    lock_list(&before);
    self->state = as;
    next = choose();
    if (next == NULL && as != OUTSIDE && !is_any(OUTSIDE))
        report_deadlock();
    if (next != NULL)
        next->state = RUNS;
    runs = next;
    unlock_list(&before);
    if (next != NULL && next != self) {
        atomic_fetch_add(&next->turns, 1);
        syscall(SYS_futex, &next->turns, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    if (as == READY || as == WAITS)
        await_turn();
}

/* Come from outside, or into a signal handler. */
static void take_turn(void)
{
    sigset_t before;

    if (runs == self)
        return;
    lock_list(&before);
    if (runs == NULL) {
        runs = self;
        self->state = RUNS;
    } else if (runs != self) {
        if (self->state != OUTSIDE)
            draw_points(NEAR);
        self->state = READY;
    }
    unlock_list(&before);
    await_turn();
}

static bool is_overtaken(void)
{
    for (unsigned i = 0; i < points; i++)
        if (steps == point[i])
            self->priority = --lowest;
    if (steps >= begun + length)
        draw_points(length);
    for (struct thread *thread = threads; thread < threads + THREADS_MOST; thread++)
        if (thread->state == READY && thread->priority > self->priority)
            return true;
    return false;
}

/* The main thread may be waiting. Its handler becomes ready in a few microseconds, unless it holds signals off. */
static void send_signal(void)
{
    threads[0].priority = INT64_MAX;
    (void)kill(getpid(), signal_number);
    for (int i = 0; i < 1000 && (threads[0].state == WAITS || threads[0].state == OUTSIDE); i++)
        usleep(10);
}

void moments_pass(void)
{
    const int error = errno;

    if (seed == NULL)
        return;
    take_turn();
    steps++;
    if (signal_number != 0 && (self != threads || !beside) && signal_in-- == 0)
        send_signal();
    if (others > 0 && !is_any(READY) && draw(others) == 0)
        (void)poll(NULL, 0, (int)draw(4));
    if (patience > 0 ? draw(patience + steps / SLOWER) == 0 && is_any(READY) : is_overtaken())
        give_turn(READY);
    errno = error;
}

/* The others come first; or there is none. */
static void rest(void)
{
    self->priority = --lowest;
    if (is_any(READY)) {
        give_turn(READY);
    } else {
        give_turn(OUTSIDE);
        (void)poll(NULL, 0, 1);
        take_turn();
    }
}

/* Whoever awaits it is ready; or only one of those, anybody. */
static void wake(const void *awaited, bool all)
{
    struct thread *found[THREADS_MOST];
    unsigned count = 0;
    sigset_t before;

    lock_list(&before);
    for (struct thread *thread = threads; thread < threads + THREADS_MOST; thread++)
        if (thread->awaits == awaited)
            found[count++] = thread;
    if (!all && count > 1) {
        found[0] = found[draw(count)];
        count = 1;
    }
    for (unsigned i = 0; i < count; i++) {
        found[i]->awaits = NULL;
        if (found[i]->state == WAITS)
            found[i]->state = READY;
    }
    unlock_list(&before);
}

static void await(const void *awaited)
{
    self->awaits = awaited;
    give_turn(WAITS);
    self->awaits = NULL;
}

/* ---- Locks and conditions ---- */

static int lock(pthread_mutex_t *mutex)
{
    int error;

    while ((error = pthread_mutex_trylock(mutex)) == EBUSY)
        await(mutex);
    return error;
}

static int unlock(pthread_mutex_t *mutex)
{
    const int error = pthread_mutex_unlock(mutex);

    wake(mutex, true);
    return error;
}

int moments_lock(pthread_mutex_t *mutex)
{
    int error;

    if (seed == NULL)
        return pthread_mutex_lock(mutex);
    moments_pass();
    error = lock(mutex);
    moments_pass();
    return error;
}

int moments_unlock(pthread_mutex_t *mutex)
{
    int error;

    if (seed == NULL)
        return pthread_mutex_unlock(mutex);
    moments_pass();
    error = unlock(mutex);
    moments_pass();
    return error;
}

int moments_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    if (seed == NULL)
        return pthread_cond_wait(condition, mutex);
    moments_pass();
    unlock(mutex);
    if (startles && draw(8) == 0)
        give_turn(READY);
    else
        await(condition);
    return lock(mutex);
}

/* The time may be over at any moment. */
int moments_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end)
{
    bool woken;

    if (seed == NULL)
        return pthread_cond_timedwait(condition, mutex, end);
    moments_pass();
    unlock(mutex);
    self->awaits = condition;
    rest();
    woken = self->awaits == NULL;
    self->awaits = NULL;
    lock(mutex);
    return woken ? 0 : ETIMEDOUT;
}

int moments_signal(pthread_cond_t *condition)
{
    if (seed == NULL)
        return pthread_cond_signal(condition);
    moments_pass();
    wake(condition, false);
    return 0;
}

int moments_broadcast(pthread_cond_t *condition)
{
    if (seed == NULL)
        return pthread_cond_broadcast(condition);
    moments_pass();
    wake(condition, true);
    return 0;
}

/* ---- Threads ---- */

static void *run_thread(void *argument)
{
    void *result;

    self = argument;
    await_turn();
    result = self->body(self->argument);
    take_turn();
    wake(self, true);
    give_turn(ENDED);
    return result;
}

int moments_create(pthread_t *id, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    struct thread *thread;
    sigset_t before;
    int error;

    if (seed == NULL)
        return pthread_create(id, attributes, body, argument);
    moments_pass();
    lock_list(&before);
    thread = add_thread(READY);
    unlock_list(&before);
    thread->body = body;
    thread->argument = argument;
    error = pthread_create(id, attributes, run_thread, thread);
    if (error != 0)
        thread->state = NONE;
    thread->id = *id;
    moments_pass();
    return error;
}

int moments_join(pthread_t id, void **result)
{
    struct thread *thread = threads;
    int error;

    if (seed == NULL)
        return pthread_join(id, result);
    moments_pass();
    while (thread->state == NONE || thread == self || !pthread_equal(thread->id, id))
        thread++;
    while (thread->state != ENDED)
        await(thread);
    error = pthread_join(id, result);
    thread->state = NONE;
    return error;
}

/* ---- System calls that wait for others ---- */

/* May others be waited for at this descriptor? */
static bool is_shared(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || isatty(fd) == 1);
}

static bool is_fifo(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

#define OUTSIDE_IF(waits, type, call)                                                                                  \
    {                                                                                                                  \
        const bool leaves = seed != NULL && (waits);                                                                   \
        type result;                                                                                                   \
        int error;                                                                                                     \
                                                                                                                       \
        if (leaves)                                                                                                    \
            take_turn();                                                                                               \
        if (leaves)                                                                                                    \
            give_turn(OUTSIDE);                                                                                        \
        result = call;                                                                                                 \
        error = errno;                                                                                                 \
        if (leaves)                                                                                                    \
            take_turn();                                                                                               \
        errno = error;                                                                                                 \
        return result;                                                                                                 \
    }

#define TRUE_CALL(type, name, parameters, arguments, waits)                                                            \
    __attribute__((weak)) type true_sys_##name parameters;                                                             \
    type real_sys_##name parameters;                                                                                   \
    type real_sys_##name parameters OUTSIDE_IF(waits, type, true_sys_##name arguments)

TRUE_CALL(ssize_t, read, (int fd, void *data, size_t bytes), (fd, data, bytes), is_shared(fd))
TRUE_CALL(ssize_t, write, (int fd, const void *data, size_t bytes), (fd, data, bytes), is_shared(fd))
TRUE_CALL(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode), is_fifo(path))
TRUE_CALL(int, poll, (int fd, short events), (fd, events), true)
TRUE_CALL(int, poll_all, (struct pollfd * waits, unsigned count), (waits, count), true)
TRUE_CALL(int, wait, (pid_t child), (child), true)

void real_sys_nap(void);
__attribute__((weak)) void true_sys_nap(void);

void real_sys_nap(void)
{
    if (seed == NULL) {
        true_sys_nap();
    } else {
        take_turn();
        rest();
    }
}
