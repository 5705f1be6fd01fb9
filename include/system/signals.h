#pragma once

/*
 * Death by signal leaves no file behind and shows the parent its true cause: the handler tells the child processes,
 * unlinks the registered names, restores the default action and raises the signal again. The list of both, with its
 * locks, the line of progress, and the state of a failure (fault.c) are the program's only mutable globals.
 *
 * Every signal is caught that usually ends a process and can be caught, unless the parent ignores it or a sanitizer or
 * profiler catches it already. A fault of the program itself (SEGV, ILL, FPE, ... not sent by others) ends the process
 * at once, with a core as usual. SIGXFSZ is ignored, so that a write over the limit fails with EFBIG and a message, and
 * SIGCHLD has its default, without which the status of a child would be lost. SIGPIPE is as deadly as the others,
 * except for writes to the program's own pipes. A signal after the run has succeeded ends the process at once, but with
 * EXIT_SUCCESS, so that the parent never sees a failure beside a complete output.
 *
 * The list and the directories change together, with death held off:
 *
 *     signals_hold, signals_register, make the file, signals_release ... signals_remove, or
 *     signals_hold, rename it, signals_forget, signals_release
 *
 * So the handler never sees a name that is about to be made.
 */

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Begin a run: catch the signals that end a program, and unblock them, since a parent may pass on a block. */
void signals_install(void);

/* Between these two calls, of any thread, no signal ends the process: the handler waits for all threads that hold death
 * off. Once the handler has begun, signals_hold does not return. In between, a thread takes no lock, since the thread
 * that the handler interrupted may have it: no malloc and no message, unless there is no other thread. They do not
 * nest. */
void signals_hold(sigset_t *before);
void signals_release(const sigset_t *before);

/* The end of a failed run, for fault.h: what death by signal removes is removed. A thread that holds death off gives
 * that up first; a second thread that fails waits. `kept` is called with each path that cannot be removed. */
void signals_give_up_hold(void);
bool signals_is_dying(void); /* has death by signal, or signals_end, begun? A failure may be its effect */
_Noreturn void signals_wait_for_end(void);
_Noreturn void signals_end(int status, void (*kept)(const char *path, int error));

/* From now on neither a signal nor a fault makes the run a failure. The caller holds death off from the step that
 * completed the run until this call. */
void signals_succeed(void);
bool signals_has_succeeded(void);

/* A file to be removed when the process ends, or a folder, which is removed after the files. */
struct signals_name {
    int directory; /* where the name is looked up; may be closed after registering. AT_FDCWD: the name is a path */
    const char *name;
    const char *path; /* for `kept`; NULL: `kept` is not called */
    bool is_folder;
};

/* Register a name, with death held off. The strings must stay until signals_forget. Returns a slot number, or -1 with
 * errno if descriptors or memory run out. */
int signals_register(const struct signals_name *name);
void signals_forget(int slot); /* -1 is fine; death must be held off; errno stays */

/* Remove the file or folder, and forget it. This function itself holds death off. 0, or -1 with errno. */
int signals_remove(int slot);

/* Only block the caught signals in the calling thread, up to signals_release: around thread creation, so that workers
 * run the handler only for faults, and for signals of the same numbers that others send. */
void signals_block(sigset_t *before);

/* The signals that a child process blocks: those of the calling thread without the caught ones, even if it is a worker;
 * and those that stop a process which uses the terminal from another group, so its writes succeed, and other calls
 * fail. */
struct signals_child {
    sigset_t mask;
    sigset_t before; /* the mask of the calling thread */
};
void signals_child_prepare(struct signals_child *child);

/* Around the start of a child that leads its own process group. From then on, death by signal sends SIGTERM to the
 * group before the child's pipes end, so that it does not take their end for that of a file. Between the two calls all
 * signals are blocked, and death is held off, as by signals_hold. */
void signals_child_starts(struct signals_child *child);

/* `process` below 0: the start has failed. Returns a slot, to be forgotten with death held off when the child is waited
 * for; -1 if no signal will be sent: it has not started, or there is no memory to note it. */
int signals_child_started(const struct signals_child *child, pid_t process);
