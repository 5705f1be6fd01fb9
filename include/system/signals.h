#pragma once

/*
 * Death by signal leaves no file behind and shows the parent its true cause: the handler tells the child processes,
 * unlinks the registered names, restores the default action and raises the signal again. The list of both, and what
 * keeps it still, are the program's one mutable global, with the line of progress.
 *
 * Every signal is caught that can be and usually ends a process, unless the parent had ignored it, or something that
 * was there before (a sanitizer, a profiler) catches it. A fault of the program's own (SEGV, ILL, FPE, ...) is none
 * that others have sent: it ends the process at once, with a core as usual. SIGXFSZ is ignored, so that a write over
 * the limit fails with EFBIG and a message, and SIGCHLD has its default, without which the status of a child would be
 * lost. SIGPIPE is as deadly as the others, but for writes to pipes of one's own. What comes when the run has succeeded
 * comes too late: it ends the process at once, but with EXIT_SUCCESS, so that the parent never sees a failure beside a
 * complete output.
 *
 * What is in the list and what is in the directories changes together, with death held off:
 *
 *     signals_hold, signals_register, make the file, signals_release ... signals_remove, or
 *     signals_hold, rename it, signals_forget, signals_release
 *
 * So the handler never sees a name that is about to be made.
 */

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* A run begins. What ends a program is caught, and unblocked: who started the run from a thread that blocks signals has
 * passed that on. */
void signals_install(void);

/* Between these two, which any thread may call, the process cannot be ended by a signal: the handler waits for all who
 * hold it off. Once it has begun, signals_hold does not return. In between, a thread takes no lock, as the one in which
 * the handler waits may have it: no malloc and no message, unless there is no other thread. Not to be nested. */
void signals_hold(sigset_t *before);
void signals_release(const sigset_t *before);

/* The end of a run, for fault.h, which leaves as little behind as death by signal does. A thread that holds death off
 * gives that up; one that comes second waits. `kept` is called for what cannot be removed, with its path. */
void signals_give_up_hold(void);
bool signals_is_dying(void); /* has death by signal, or such an end, begun? What fails then may fail because of it */
_Noreturn void signals_wait_for_end(void);
_Noreturn void signals_end(int status, void (*kept)(const char *path, int error));

/* Nothing that follows makes the run a failure: not a signal, and not a fault. From what made it so until here, death
 * is to be held off. */
void signals_succeed(void);
bool signals_has_succeeded(void);

/* What is to go when the process ends: a file, or a folder, which goes after the files. */
struct signals_name {
    int directory; /* in which the name is looked up; it may be closed afterwards. AT_FDCWD: the name is a path */
    const char *name;
    const char *path; /* for `kept`; NULL: nothing is said */
    bool is_folder;
};

/* Register a name, with death held off. The strings must stay until signals_forget. Returns a slot number, or -1 with
 * errno when there are too few descriptors, or too little memory, for more of them. */
int signals_register(const struct signals_name *name);
void signals_forget(int slot); /* -1 is fine; death must be held off; errno stays */

/* Remove what is registered, and forget it. Death is held off here. 0, or -1 with errno. */
int signals_remove(int slot);

/* Only block the caught signals in the calling thread, up to signals_release: around thread creation, so that workers
 * do not run the handler, but for faults, and for what others send in their place. */
void signals_block(sigset_t *before);

/* What a child process is to have. Blocked is what the calling thread has, without the caught signals, even if it is a
 * worker; and those that stop who uses the terminal from another group: its calls fail or, if it writes, succeed. */
struct signals_child {
    sigset_t mask;
    sigset_t before; /* what the calling thread had */
};
void signals_child_prepare(struct signals_child *child);

/* Around its start, which is to make it lead a process group of its own: death by signal waits for it to have started,
 * and from then on sends SIGTERM to the group before the child's pipes end, so that their end is not taken for that of
 * a file. Between the two calls all signals are blocked, and death by signal is held off, as by signals_hold. */
void signals_child_starts(struct signals_child *child);

/* `process` below 0: it has not started. Returns a slot, to be forgotten while it is waited for, with death held off;
 * or -1 if no signal is to be sent, also when there is no memory to note it. */
int signals_child_started(const struct signals_child *child, pid_t process);
