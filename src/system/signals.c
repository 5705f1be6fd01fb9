/*
 * A name is registered and its file made in two steps, and other threads go on while the handler runs: it would miss
 * what they make behind its back. So it waits until nobody is between these steps, and lets nobody in again:
 *
 *     thread     holders++, dying?  no: go on ... holders--     yes: holders--, wait for the end
 *     handler    dying = true, wait for holders == 0, unlink
 *
 * In one order of all these operations (C11's default for atomics) either the handler sees the holder or the holder
 * sees that the process is dying. A holder blocks the signals, so that the handler does not wait for the thread that it
 * has interrupted. From then on the table stays as it is, and so do the names in it. So it is with child processes,
 * which are started and then put into a table of their own.
 *
 * The table of names grows by chunks that are never moved nor freed; any thread may add one. Ten thousand shards take
 * ten of them; a run that needs few names maps nothing. (Not from the heap, whose lock the interrupted thread may
 * have.)
 */

#include "system/signals.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/sys.h"

static_assert(ATOMIC_POINTER_LOCK_FREE == 2, "a signal handler needs pointers that are read and written in one step");

enum { CHUNK_SLOTS = 1024, CHUNKS = 1024, SLOTS = CHUNK_SLOTS * CHUNKS };

typedef _Atomic(const char *) slot_name;

static slot_name first_chunk[CHUNK_SLOTS];
static _Atomic(slot_name *) chunks[CHUNKS]; /* but for the first, which is above */
static atomic_uint holders;                 /* threads that hold death off */
static _Thread_local bool holds;            /* is this thread one of them? */
static atomic_bool dying;                   /* has the handler begun? */
static atomic_bool succeeded;
static atomic_int lowest_free; /* where to look first: without it, n names would take n^2 / 2 looks */

static_assert(ATOMIC_INT_LOCK_FREE == 2 && sizeof(pid_t) <= sizeof(int), "and numbers of processes too");

/* Two programs for each of a thousand threads, and filters. */
enum { CHILDREN = 4096 };

static atomic_int child_process[CHILDREN]; /* 0: free */
static rlim_t descriptors_at_first;        /* 0: not known */

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

static void catch_unless_ignored(int signal, const struct sigaction *action)
{
    struct sigaction inherited;

    if (sigaction(signal, NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN)
        sigaction(signal, action, NULL);
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

static slot_name *find_chunk(int chunk)
{
    return chunk == 0 ? first_chunk : atomic_load(&chunks[chunk]);
}

static void tell_children(void)
{
    for (int i = 0; i < CHILDREN; i++) {
        pid_t process = atomic_load(&child_process[i]);

        if (process > 0)
            (void)sys_kill(-process, SIGTERM);
    }
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
    tell_children();
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        slot_name *names = find_chunk(chunk);

        for (size_t i = 0; names != NULL && i < CHUNK_SLOTS; i++) {
            const char *name = atomic_load(&names[i]);

            if (name != NULL && sys_unlink(name) != 0 && kept != NULL)
                kept(name, errno);
        }
    }
    signals_erase();
}

static void die(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t raised;

    tidy_up(NULL);
    if (atomic_load(&succeeded))
        sys_exit(EXIT_SUCCESS);
    sigemptyset(&action.sa_mask);
    sigemptyset(&raised);
    sigaddset(&raised, signal);
    for (;;) { /* once is enough, unless another thread ignores SIGPIPE in that moment */
        sigaction(signal, &action, NULL);
        raise(signal);
        pthread_sigmask(SIG_UNBLOCK, &raised, NULL);
    }
}

void signals_install(void)
{
    struct sigaction deadly = {.sa_handler = die}, ignored = {.sa_handler = SIG_IGN}, usual = {.sa_handler = SIG_DFL};

    atomic_store(&succeeded, false);
    descriptors_at_first = sys_descriptor_limit();
    caught_set(&deadly.sa_mask);
    sigemptyset(&ignored.sa_mask);
    sigaction(SIGXFSZ, &ignored, NULL);
    sigemptyset(&usual.sa_mask);
    sigaction(SIGCHLD, &usual, NULL);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        catch_unless_ignored(caught[i], &deadly);
    catch_unless_ignored(caught_always, &deadly);
}

/* It is this thread's own access that has failed, and none in a function that must not be interrupted: so anything may
 * be called here. Back from the handler, a deadly signal comes again. */
static void fail_access(int signal, siginfo_t *information, void *unused)
{
    const struct signals_guard *guard = atomic_load(&guarded);
    const uint8_t *address = information->si_addr;
    struct sigaction usual = {.sa_handler = SIG_DFL};

    (void)unused;
    if (guard == NULL || address < guard->memory || address >= guard->memory + guard->bytes) {
        sigemptyset(&usual.sa_mask);
        sigaction(signal, &usual, NULL);
        raise(signal);
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

/* The chunk, made if it is not there yet. NULL with errno. */
static slot_name *take_chunk(int chunk)
{
    slot_name *names = find_chunk(chunk), *none = NULL;

    if (names != NULL)
        return names;
    names = sys_map(CHUNK_SLOTS * sizeof *names);
    if (names != NULL && !atomic_compare_exchange_strong(&chunks[chunk], &none, names)) {
        sys_unmap(names, CHUNK_SLOTS * sizeof *names); /* another thread was faster */
        names = none;
    }
    return names;
}

int signals_register(const char *name)
{
    int start = atomic_load(&lowest_free);

    for (int i = 0; i < SLOTS; i++) {
        int slot = (start + i) % SLOTS;
        slot_name *names = take_chunk(slot / CHUNK_SLOTS);
        const char *none = NULL;

        if (names == NULL)
            return -1;
        if (atomic_compare_exchange_strong(&names[slot % CHUNK_SLOTS], &none, name)) {
            atomic_store(&lowest_free, (slot + 1) % SLOTS);
            return slot;
        }
    }
    errno = ENOMEM;
    return -1;
}

void signals_forget(int slot)
{
    int lowest = atomic_load(&lowest_free);

    if (slot < 0)
        return;
    atomic_store(&find_chunk(slot / CHUNK_SLOTS)[slot % CHUNK_SLOTS], NULL);
    while (slot < lowest && !atomic_compare_exchange_weak(&lowest_free, &lowest, slot))
        ;
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
    child->descriptors = sys_descriptor_limit() != descriptors_at_first ? descriptors_at_first : 0;
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
    int slot = process < 0 ? CHILDREN : 0, none = 0;

    while (slot < CHILDREN && !atomic_compare_exchange_strong(&child_process[slot], &none, process)) {
        none = 0;
        slot++;
    }
    signals_release(&child->before);
    return slot < CHILDREN ? slot : -1;
}

/* The number of a process is not given out again within the few instructions after it was waited for. */
void signals_child_ended(int slot)
{
    if (slot >= 0)
        atomic_store(&child_process[slot], 0);
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
