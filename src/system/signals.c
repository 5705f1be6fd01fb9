/*
 * A name is registered and its file made in two steps, and other threads go on while the handler runs: it would miss
 * files that they make meanwhile. So it waits until nobody is between these steps, and lets nobody in again:
 *
 *     thread     holders++, dying?  no: go on ... holders--     yes: holders--, wait for the end
 *     handler    dying = true, wait for holders == 0, unlink
 *
 * In one order of all these operations (C11's default for atomics) either the handler sees the holder or the holder
 * sees that the process is dying. A holder blocks the signals, so that the handler does not wait for the thread that it
 * has interrupted. From then on the list stays as it is, and so do the names in it. So it is with child processes,
 * which are started and then put into the list. Only holders change it, one after another, so the handler needs no lock
 * to read it. It is not of the heap, whose lock the thread that the handler waits for may have.
 */

#include "system/signals.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tunable.h"
#include "system/sys.h"

static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2, "a signal handler takes no lock");

/* A name to be unlinked, or a process whose group is to be told, at the end. Of a slot that is free both are 0. */
struct entry {
    const char *name;
    pid_t process;
};

TUNABLE(ROOM_FIRST, 256, 1, 256); /* doubled as needed: ten thousand shards have as many names */

static struct entry *entries; /* changed by holders with the mutex */
static int room;              /* slots */
static int lowest_free;       /* where to look first: without it, n names would take n^2 / 2 looks */
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static atomic_uint holders;      /* threads that hold death off */
static _Thread_local bool holds; /* is this thread one of them? */
static atomic_bool dying;        /* has the handler begun? */
static atomic_bool succeeded;

static const int caught[] = {
    SIGHUP,  SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU,
#ifdef SIGPOLL
    SIGPOLL,
#endif
};

static atomic_bool line_drawn; /* on standard error, and it is to be erased */

/* Caught too, but blocked only by those who hold death off: it comes to the thread that writes, and at once. */
static const int caught_always = SIGPIPE;

static _Atomic(const struct signals_guard *) guarded;

static void catch_unless_ignored(int number, const struct sigaction *action)
{
    struct sigaction inherited;

    if (sigaction(number, NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN)
        sigaction(number, action, NULL);
}

/* `change` is sigaddset or sigdelset. */
static void change_caught(sigset_t *set, int (*change)(sigset_t *set, int signal))
{
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        change(set, caught[i]);
}

static void caught_set(sigset_t *set)
{
    sigemptyset(set);
    change_caught(set, sigaddset);
}

/* A terminal may stop who writes to it from the background. */
void signals_say(const char *text, size_t bytes)
{
    sigset_t stop, before;

    if (!sys_is_writable(STDERR_FILENO))
        return;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stop, &before);
    (void)!sys_write(STDERR_FILENO, text, bytes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Once the process is dying, only tidy_up writes, and erases what was drawn before. */
void signals_draw(const char *line, size_t bytes)
{
    atomic_store(&line_drawn, true);
    if (!atomic_load(&dying))
        signals_say(line, bytes);
}

void signals_erase(void)
{
    if (atomic_exchange(&line_drawn, false) && !sys_is_in_background(STDERR_FILENO))
        signals_say(SIGNALS_ERASE, strlen(SIGNALS_ERASE));
}

bool signals_is_line_drawn(void)
{
    return atomic_load(&line_drawn);
}

/* Leave nothing behind. `kept` may be NULL. */
static void tidy_up(void (*kept)(const char *name, int error))
{
    atomic_store(&dying, true);
    while (atomic_load(&holders) > 0)
        sys_nap();
    for (int i = 0; i < room; i++)
        if (entries[i].process > 0)
            (void)sys_kill(-entries[i].process, SIGTERM);
    for (int i = 0; i < room; i++)
        if (entries[i].name != NULL && sys_unlink(entries[i].name) != 0 && kept != NULL)
            kept(entries[i].name, errno);
    signals_erase();
}

static void die(int number)
{
    sigset_t raised;

    tidy_up(NULL);
    if (atomic_load(&succeeded))
        sys_exit(EXIT_SUCCESS);
    sigemptyset(&raised);
    sigaddset(&raised, number);
    for (;;) { /* once is enough, unless another thread ignores SIGPIPE in that moment */
        signal(number, SIG_DFL);
        raise(number);
        pthread_sigmask(SIG_UNBLOCK, &raised, NULL);
    }
}

void signals_install(void)
{
    struct sigaction deadly = {.sa_handler = die};

    atomic_store(&succeeded, false);
    caught_set(&deadly.sa_mask);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        catch_unless_ignored(caught[i], &deadly);
    catch_unless_ignored(caught_always, &deadly);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    sigaddset(&deadly.sa_mask, caught_always);
    sigaddset(&deadly.sa_mask, SIGBUS); /* blocked, it would end the process instead of calling fail_access */
    pthread_sigmask(SIG_UNBLOCK, &deadly.sa_mask, NULL);
}

/* This thread's own access has failed, outside of any function that must not be interrupted: so any function may be
 * called here. Back from the handler, a deadly signal comes again. */
static void fail_access(int number, siginfo_t *information, void *unused)
{
    const struct signals_guard *guard = atomic_load(&guarded);
    const uint8_t *address = information->si_addr;

    (void)unused;
    if (guard == NULL || address < guard->memory || address >= guard->memory + guard->bytes) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    guard->failed(guard->context, address);
}

void signals_guard(const struct signals_guard *guard)
{
    struct sigaction action = {.sa_sigaction = fail_access, .sa_flags = SA_SIGINFO};

    atomic_store(&guarded, guard);
    caught_set(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

/* Twice as many slots. -1 with errno: there is no memory for them. */
static int widen(void)
{
    const int more = room > 0 ? 2 * room : ROOM_FIRST;
    struct entry *wider = sys_map((size_t)more * sizeof *wider);

    if (wider == NULL)
        return -1;
    if (room > 0) {
        memcpy(wider, entries, (size_t)room * sizeof *wider);
        sys_unmap(entries, (size_t)room * sizeof *entries);
    }
    entries = wider;
    room = more;
    return 0;
}

/* Returns the slot, or -1 with errno. */
static int add_entry(struct entry entry)
{
    int slot;

    pthread_mutex_lock(&changing);
    slot = lowest_free;
    while (slot < room && (entries[slot].name != NULL || entries[slot].process != 0))
        slot++;
    if (slot == room && widen() != 0) {
        slot = -1;
    } else {
        entries[slot] = entry;
        lowest_free = slot + 1;
    }
    pthread_mutex_unlock(&changing);
    return slot;
}

int signals_register(const char *name)
{
    return add_entry((struct entry){.name = name});
}

void signals_forget(int slot)
{
    if (slot < 0)
        return;
    pthread_mutex_lock(&changing);
    entries[slot] = (struct entry){.name = NULL};
    lowest_free = slot < lowest_free ? slot : lowest_free;
    pthread_mutex_unlock(&changing);
}

void signals_block(sigset_t *before)
{
    sigset_t set;

    caught_set(&set);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

void signals_restore(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void signals_give_up_hold(void)
{
    if (holds)
        atomic_fetch_sub(&holders, 1);
    holds = false;
}

bool signals_is_dying(void)
{
    return atomic_load(&dying);
}

void signals_wait_for_end(void)
{
    signals_give_up_hold();
    for (;;)
        sys_nap();
}

void signals_end(int status, void (*kept)(const char *name, int error))
{
    signals_give_up_hold();
    tidy_up(kept);
    sys_exit(status);
    signals_wait_for_end(); /* which only a test can come to */
}

/* Death is held off by a thread that has blocked the signals. */
static void hold(void)
{
    holds = true;
    atomic_fetch_add(&holders, 1);
    if (atomic_load(&dying))
        signals_wait_for_end();
}

void signals_hold(sigset_t *before)
{
    sigset_t set;

    caught_set(&set);
    sigaddset(&set, caught_always);
    pthread_sigmask(SIG_BLOCK, &set, before);
    hold();
}

void signals_release(const sigset_t *before)
{
    signals_give_up_hold();
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void signals_succeed(void)
{
    atomic_store(&succeeded, true);
}

void signals_child_prepare(struct signals_child *child)
{
    pthread_sigmask(SIG_SETMASK, NULL, &child->mask);
    change_caught(&child->mask, sigdelset);
    sigaddset(&child->mask, SIGTTIN);
    sigaddset(&child->mask, SIGTTOU);
}

void signals_child_starts(struct signals_child *child)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &child->before);
    hold();
}

int signals_child_started(const struct signals_child *child, pid_t process)
{
    const int slot = process > 0 ? add_entry((struct entry){.process = process}) : -1;

    signals_release(&child->before);
    return slot;
}

/* The number of a process is not given out again within the few instructions after it was waited for. */
void signals_child_ended(int slot)
{
    sigset_t before;

    signals_hold(&before);
    signals_forget(slot);
    signals_release(&before);
}

void signals_ignore_pipe(struct sigaction *before)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};

    sigemptyset(&ignored.sa_mask);
    sigaction(SIGPIPE, &ignored, before);
}

void signals_restore_pipe(const struct sigaction *before)
{
    sigaction(SIGPIPE, before, NULL);
}
