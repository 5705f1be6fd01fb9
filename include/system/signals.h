#ifndef BIGSHUF_SYSTEM_SIGNALS_H
#define BIGSHUF_SYSTEM_SIGNALS_H

/*
 * Death by signal leaves no file behind and shows the parent its true cause: the handler unlinks the registered
 * temporary names, restores the default action and raises the signal again. The list of names, and what is needed to
 * keep it still, is the program's one mutable global. Signals that the parent had ignored stay ignored. SIGXFSZ is
 * ignored, so that a write over the limit fails with EFBIG and a message, and SIGCHLD has its default, without which
 * the status of a child would be lost. SIGPIPE is caught like those that signals_install names, but for writes to pipes
 * of one's own.
 *
 * What is in the list and what is in the directories changes together, with death held off:
 *
 *     signals_hold, signals_register, make the file, signals_release ... signals_hold, unlink it, signals_forget,
 *     signals_release
 *
 * So the handler never sees a name that is about to be made.
 */

#include <signal.h>

/* Catch what usually ends a program: HUP, INT, QUIT, TERM, ALRM, USR1, USR2, VTALRM, PROF, XCPU, POLL. */
void signals_install(void);

/* Between these two, which any thread may call, nobody dies: the handler waits for all who hold it off. Once it has
 * begun, signals_hold does not return. In between, a thread must take no lock, as the one in which the handler waits
 * may have it: so no malloc and no message, unless there is no other thread. Not to be nested. */
void signals_hold(sigset_t *before);
void signals_release(const sigset_t *before);

/* Register a name to be unlinked on death by signal, which must be held off. `name` must stay as it is until
 * signals_forget. Returns a slot number, or -1 (errno ENOMEM) when all slots, about a million, are taken or there is no
 * memory for more of them. */
int signals_register(const char *name);
void signals_forget(int slot); /* -1 is fine */

/* Block the caught signals in the calling thread, and set them back: used around thread creation, so that workers never
 * run the handler. */
void signals_block(sigset_t *before);
void signals_restore(const sigset_t *before);

/* What a child process is to have blocked: what the calling thread has, without the caught signals, even if it is a
 * worker. */
void signals_child_mask(sigset_t *mask);

/* For the whole process, until restored: a write to a pipe without a reader fails with EPIPE. Only around a single
 * write, and by one thread at a time. */
void signals_ignore_pipe(struct sigaction *before);
void signals_restore_pipe(const struct sigaction *before);

#endif
