/*
 * The caller works too, so a team of one starts no thread. Workers are started with signals blocked: the handler runs
 * in the main thread alone.
 *
 * Who fails interrupts the others, again and again until all have ended: a signal that comes just before a call that
 * waits is lost.
 */

#include "system/threads.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "system/signals.h"
#include "system/sys.h"

/* No function of this program keeps more than a few dozen KiB of its own; sanitizers need about four times as much. */
static const size_t STACK_BYTES = (size_t)256 << 10;

/* Between two attempts to interrupt. */
static const long PAUSE_NANOSECONDS = 10000000, SECOND_NANOSECONDS = 1000000000;

struct team {
    int (*body)(void *context, unsigned worker);
    void *context;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned members;    /* those that are still to be started among them */
    unsigned unfinished; /* of these */
    bool failed;
    struct member *member;
};

struct member {
    struct team *team;
    unsigned worker;
    pthread_t created; /* for who created it; the first one's is not used */
    pthread_t thread;  /* for the others, while it works */
    bool works;
};

#if defined(_POSIX_CLOCK_SELECTION) && _POSIX_CLOCK_SELECTION > 0
static const clockid_t WAIT_CLOCK = CLOCK_MONOTONIC;
#else
#define pthread_condattr_setclock(attributes, clock) 0 /* there is no choice */
static const clockid_t WAIT_CLOCK = CLOCK_REALTIME;
#endif

void threads_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, WAIT_CLOCK);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void threads_await(pthread_cond_t *condition, pthread_mutex_t *mutex, long nanoseconds)
{
    struct timespec moment;

    clock_gettime(WAIT_CLOCK, &moment);
    moment.tv_nsec += nanoseconds;
    moment.tv_sec += moment.tv_nsec / SECOND_NANOSECONDS;
    moment.tv_nsec %= SECOND_NANOSECONDS;
    pthread_cond_timedwait(condition, mutex, &moment);
}

static void interrupt_others(struct team *team)
{
    while (team->unfinished > 0) {
        for (unsigned i = 0; i < team->members; i++)
            if (team->member[i].works)
                signals_interrupt(team->member[i].thread);
        threads_await(&team->changed, &team->mutex, PAUSE_NANOSECONDS);
    }
}

/* So many members more will do nothing. */
static void count_off(struct team *team, unsigned members)
{
    team->unfinished -= members;
    if (team->unfinished == 0)
        pthread_cond_broadcast(&team->changed);
}

static void *work(void *argument)
{
    struct member *member = argument;
    struct team *team = member->team;
    int status;

    pthread_mutex_lock(&team->mutex);
    member->thread = pthread_self();
    member->works = true;
    pthread_mutex_unlock(&team->mutex);
    status = team->body(team->context, member->worker);
    pthread_mutex_lock(&team->mutex);
    member->works = false;
    count_off(team, 1);
    if (status != 0) {
        team->failed = true;
        interrupt_others(team);
    }
    pthread_mutex_unlock(&team->mutex);
    return NULL;
}

/* As many of the other members as there can be. Returns how many there are, the first one included. */
static unsigned start_others(struct team *team)
{
    unsigned started = 1;
    sigset_t before;

    signals_block(&before);
    while (started < team->members &&
           sys_thread(work, &team->member[started], STACK_BYTES, &team->member[started].created) == 0)
        started++;
    signals_restore(&before);
    pthread_mutex_lock(&team->mutex);
    count_off(team, team->members - started);
    pthread_mutex_unlock(&team->mutex);
    return started;
}

static int run_together(struct team *team)
{
    unsigned started;

    pthread_mutex_init(&team->mutex, NULL);
    threads_condition_init(&team->changed);
    for (unsigned i = 0; i < team->members; i++)
        team->member[i] = (struct member){.team = team, .worker = i};
    started = start_others(team);
    (void)work(&team->member[0]);
    while (started > 1)
        pthread_join(team->member[--started].created, NULL);
    signals_go_on();
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->mutex);
    return team->failed ? -1 : 0;
}

int threads_run(unsigned workers, int (*body)(void *context, unsigned worker), void *context)
{
    struct team team = {.body = body, .context = context, .members = workers, .unfinished = workers};
    int status;

    if (workers > 1)
        team.member = sys_allocate(workers, sizeof *team.member);
    if (team.member == NULL)
        return body(context, 0);
    status = run_together(&team);
    free(team.member);
    return status;
}
