/*
 * A name is registered and its file made in two steps, and other threads go on while the handler runs: it would miss
 * files that they make meanwhile. So it waits until no thread is between these steps, and lets none in again:
 *
 *     thread     holders++, dying?  no: go on ... holders--     yes: holders--, wait for the end
 *     handler    dying = true, wait for holders == 0, unlink
 *
 * In one order of all these operations (C11's default for atomics) either the handler sees the holder or the holder
 * sees that the process is dying. A holder blocks the signals, so that the handler does not wait for the thread that it
 * has interrupted. From then on the list stays as it is, and so do the names in it. So it is with child processes,
 * which are started and then put into the list. Only holders change the list, one after another, so the handler needs
 * no lock to read it. It is not on the heap, whose lock may be held by the thread that the handler interrupted.
 *
 * Names are looked up in descriptors of their directories, which are the list's own: whoever renames a directory, or
 * puts another one in its place, changes nothing. Thousands of names mostly stand in one directory, so each of these is
 * open once.
 */

#include "system/signals.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/tunable.h"
#include "system/progress_line.h"
#include "system/sys.h"

static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2, "a signal handler takes no lock");

#ifdef SIGRTMAX
#define LAST_SIGNAL SIGRTMAX
#else
#define LAST_SIGNAL 31
#endif

/* A name to be removed, or a process whose group is to be told, at the end. In a free slot both are 0. */
struct entry {
    struct signals_name name;
    pid_t process;
};

/* A directory with `names` names in the list; 0: the place is free. */
struct place {
    int fd;
    unsigned names;
    dev_t device;
    ino_t inode;
};

TUNABLE(ROOM_FIRST, 256, 1, 256); /* doubled as needed: ten thousand shards have as many names */
enum { PLACES = 64 };

static struct entry *entries; /* changed by holders with the mutex, as all of these */
static int room;              /* slots */
static int lowest_free;       /* where to look first: without it, n names would take n^2 / 2 looks */
static struct place places[PLACES];
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static atomic_uint holders;      /* threads that hold death off */
static _Thread_local bool holds; /* is this thread one of them? */
static atomic_bool dying;        /* has the handler begun? */
static atomic_bool succeeded;

/* ---- Which signals ---- */

/* Neither caught nor blocked: they do not end a process, or cannot be caught. */
static const int spared[] = {
    SIGKILL,  SIGSTOP,  SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGURG, SIGXFSZ,
#ifdef SIGWINCH
    SIGWINCH,
#endif
#ifdef SIGINFO
    SIGINFO,
#endif
#ifdef SIGTHR
    SIGTHR,   SIGLIBRT,
#endif
};

/* A fault comes to the thread that does it, at once, or, if it is blocked, ends the process. */
static const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool is_among(int number, const int *numbers, size_t count)
{
    size_t i = 0;

    while (i < count && numbers[i] != number)
        i++;
    return i < count;
}

static void remove_all(sigset_t *set, const int *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sigdelset(set, numbers[i]);
}

/* All that are caught. */
static void caught_set(sigset_t *set)
{
    sigfillset(set);
    remove_all(set, spared, COUNT(spared));
}

/* ---- The end ---- */

static int remove_name(const struct signals_name *name)
{
    return name->is_folder ? sys_rmdir_at(name->directory, name->name) : sys_unlink_at(name->directory, name->name);
}

/* Tell all programs of the list to end, and remove its files and folders. `kept` may be NULL. */
static void tidy_up(void (*kept)(const char *path, int error))
{
    atomic_store(&dying, true);
    while (atomic_load(&holders) > 0)
        sys_nap();
    for (int i = 0; i < room; i++)
        if (entries[i].process > 0)
            (void)sys_kill(-entries[i].process, SIGTERM);
    for (int folders = 0; folders <= 1; folders++)
        for (int i = 0; i < room; i++) {
            const struct signals_name *name = &entries[i].name;

            if (name->name != NULL && name->is_folder == folders && remove_name(name) != 0 && kept != NULL &&
                name->path != NULL)
                kept(name->path, errno);
        }
    progress_line_end();
}

/* A thread that holds death off comes here only if it has failed itself (abort). */
static void end_by(int number)
{
    sigset_t raised;

    signals_give_up_hold();
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

/* Was it sent by kill, sigqueue, raise or the like? abort counts, too. */
static bool is_sent(const siginfo_t *information)
{
    return information->si_code <= 0 || information->si_code == SI_USER || information->si_code == SI_QUEUE;
}

/* A fault comes again when the handler returns, and then meets its default. */
static void handle(int number, siginfo_t *information, void *unused)
{
    (void)unused;
    if (!is_among(number, faults, COUNT(faults)) || is_sent(information)) {
        end_by(number);
        return;
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Numbers that the system keeps for itself cannot be caught, which is no harm. */
static void catch (int number, const struct sigaction *action)
{
    struct sigaction inherited;

    if (sigaction(number, action, &inherited) == 0 && inherited.sa_handler != SIG_DFL)
        sigaction(number, &inherited, NULL);
}

void signals_install(void)
{
    struct sigaction deadly = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

    atomic_store(&succeeded, false);
    caught_set(&deadly.sa_mask);
    for (int number = 1; number <= LAST_SIGNAL; number++)
        if (!is_among(number, spared, COUNT(spared)))
            catch (number, &deadly);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &deadly.sa_mask, NULL);
}

/* ---- The list ---- */

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

/* Find the place of an open directory, or give it one. Returns its descriptor, or -1 with errno. */
static int enter_place(int directory)
{
    struct place *place = NULL;
    struct stat status;

    if (directory == AT_FDCWD)
        return AT_FDCWD;
    if (sys_fstat(directory, &status) != 0)
        return -1;
    for (int i = 0; i < PLACES; i++) {
        if (places[i].names == 0) {
            place = &places[i];
        } else if (places[i].device == status.st_dev && places[i].inode == status.st_ino) {
            places[i].names++;
            return places[i].fd;
        }
    }
    errno = EMFILE;
    if (place == NULL)
        return -1;
    *place = (struct place){.fd = sys_duplicate(directory), .device = status.st_dev, .inode = status.st_ino};
    place->names = place->fd >= 0;
    return place->fd;
}

static void leave_place(int fd)
{
    const int error = errno;

    for (int i = 0; i < PLACES; i++)
        if (places[i].names > 0 && places[i].fd == fd && --places[i].names == 0)
            (void)sys_close(fd);
    errno = error;
}

/* Returns the slot, or -1 with errno. */
static int add_entry(struct entry entry)
{
    int slot;

    pthread_mutex_lock(&changing);
    slot = lowest_free;
    while (slot < room && (entries[slot].name.name != NULL || entries[slot].process != 0))
        slot++;
    if (slot == room && widen() != 0)
        slot = -1;
    if (slot >= 0 && entry.name.name != NULL && (entry.name.directory = enter_place(entry.name.directory)) == -1)
        slot = -1;
    if (slot >= 0) {
        entries[slot] = entry;
        lowest_free = slot + 1;
    }
    pthread_mutex_unlock(&changing);
    return slot;
}

int signals_register(const struct signals_name *name)
{
    return add_entry((struct entry){.name = *name});
}

void signals_forget(int slot)
{
    if (slot < 0)
        return;
    pthread_mutex_lock(&changing);
    if (entries[slot].name.name != NULL)
        leave_place(entries[slot].name.directory);
    entries[slot] = (struct entry){.process = 0};
    lowest_free = slot < lowest_free ? slot : lowest_free;
    pthread_mutex_unlock(&changing);
}

int signals_remove(int slot)
{
    struct signals_name name;
    sigset_t before;
    int result;

    signals_hold(&before);
    pthread_mutex_lock(&changing); /* the list may move */
    name = entries[slot].name;
    pthread_mutex_unlock(&changing);
    result = remove_name(&name);
    signals_forget(slot);
    signals_release(&before);
    return result;
}

/* ---- Holding death off ---- */

void signals_block(sigset_t *before)
{
    sigset_t set;

    caught_set(&set);
    remove_all(&set, faults, COUNT(faults));
    sigdelset(&set, SIGPIPE); /* it comes to the thread that writes, and at once */
    pthread_sigmask(SIG_BLOCK, &set, before);
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

void signals_end(int status, void (*kept)(const char *path, int error))
{
    signals_give_up_hold();
    tidy_up(kept);
    sys_exit(status);
    signals_wait_for_end(); /* reached only in tests */
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

bool signals_has_succeeded(void)
{
    return atomic_load(&succeeded);
}

/* ---- Child processes ---- */

void signals_child_prepare(struct signals_child *child)
{
    sigset_t caught;

    pthread_sigmask(SIG_SETMASK, NULL, &child->mask);
    caught_set(&caught);
    for (int number = 1; number <= LAST_SIGNAL; number++)
        if (sigismember(&caught, number) == 1)
            sigdelset(&child->mask, number);
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
