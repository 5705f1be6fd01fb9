/*
 * The handler may run between any two instructions, so the table is made of atomic pointers that are always either NULL
 * or a name that its owner promised to keep, and the handler calls nothing but unlink, sigaction and raise. The raised
 * signal is blocked while the handler runs; it strikes, with its default action, the moment the handler returns and
 * before the interrupted code goes on.
 */

#include "signals.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "sys.h"

static_assert(ATOMIC_POINTER_LOCK_FREE == 2, "a signal handler needs pointers that are read and written in one step");

/* A slot for every output file that can be open at a time where temporary files have names from the start. */
enum { SLOTS = 1024 };

static _Atomic(const char *) names[SLOTS];

static const int caught[] = {
    SIGHUP,  SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU,
#ifdef SIGPOLL
    SIGPOLL,
#endif
};

static void caught_set(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        sigaddset(set, caught[i]);
}

static void die(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};

    for (size_t slot = 0; slot < SLOTS; slot++) {
        const char *name = atomic_load(&names[slot]);

        if (name != NULL)
            (void)sys_unlink(name);
    }
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
    raise(signal);
}

void signals_install(void)
{
    struct sigaction deadly = {.sa_handler = die}, ignored = {.sa_handler = SIG_IGN};

    caught_set(&deadly.sa_mask);
    sigemptyset(&ignored.sa_mask);
    sigaction(SIGXFSZ, &ignored, NULL);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        struct sigaction inherited;

        if (sigaction(caught[i], NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN)
            sigaction(caught[i], &deadly, NULL);
    }
}

int signals_register(const char *name)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        const char *none = NULL;

        if (atomic_compare_exchange_strong(&names[slot], &none, name))
            return slot;
    }
    errno = ENOMEM;
    return -1;
}

void signals_forget(int slot)
{
    if (slot >= 0)
        atomic_store(&names[slot], NULL);
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
