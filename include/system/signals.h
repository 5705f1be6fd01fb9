#ifndef BIGSHUF_SYSTEM_SIGNALS_H
#define BIGSHUF_SYSTEM_SIGNALS_H

/*
 * Death by signal leaves no file behind and shows the parent its true cause: the handler tells the child processes,
 * unlinks the registered temporary names, restores the default action and raises the signal again. The list of both,
 * what keeps it still, and what the end of this file is about are the program's one mutable global. Signals that the
 * parent had ignored stay ignored. SIGXFSZ is ignored, so that a write over the limit fails with EFBIG and a message,
 * and SIGCHLD has its default, without which the status of a child would be lost. SIGPIPE is as deadly as the others,
 * but for writes to pipes of one's own. What comes when the run has succeeded comes too late: it ends the process at
 * once, but with EXIT_SUCCESS, so that the parent never sees a failure beside a complete output.
 *
 * What is in the list and what is in the directories changes together, with death held off:
 *
 *     signals_hold, signals_register, make the file, signals_release ... signals_hold, unlink it, signals_forget,
 *     signals_release
 *
 * So the handler never sees a name that is about to be made.
 */

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A run begins. Catch what usually ends a program: HUP, INT, QUIT, TERM, ALRM, USR1, USR2, VTALRM, PROF, XCPU, POLL,
 * PIPE. These, and BUS for signals_guard, are unblocked: who started the run from a thread that blocks signals has
 * passed that on. What is ignored stays so. */
void signals_install(void);

/* Between these two, which any thread may call, nobody dies: the handler waits for all who hold it off. Once it has
 * begun, signals_hold does not return. In between, a thread takes no lock, as the one in which the handler waits may
 * have it: no malloc and no message, unless there is no other thread. Not to be nested. */
void signals_hold(sigset_t *before);
void signals_release(const sigset_t *before);

/* The end of a run, for fault.h, which leaves as little behind as death by signal does. A thread that holds death off
 * gives that up; one that comes second waits. `kept` is called for a name that cannot be unlinked. */
void signals_give_up_hold(void);
bool signals_is_dying(void); /* has death by signal, or such an end, begun? What fails then may fail because of it */
_Noreturn void signals_wait_for_end(void);
_Noreturn void signals_end(int status, void (*kept)(const char *name, int error));

/* Nothing that follows can fail. From what made it so until here, death is to be held off. */
void signals_succeed(void);

/* Register a name to be unlinked on death by signal, which must be held off. `name` must stay as it is until
 * signals_forget. Returns a slot number, or -1 with errno when there is no memory for more of them. */
int signals_register(const char *name);
void signals_forget(int slot); /* -1 is fine; death must be held off */

/* Block the caught signals in the calling thread, and set them back: around thread creation, so that workers never run
 * the handler. */
void signals_block(sigset_t *before);
void signals_restore(const sigset_t *before);

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

/* `process` below 0: it has not started. A slot for signals_child_ended, or -1 if no signal is to be sent, also when
 * there is no memory to note it. */
int signals_child_started(const struct signals_child *child, pid_t process);
void signals_child_ended(int slot); /* it has been waited for; -1 is fine */

/* For the whole process, until restored: a write to a pipe without a reader fails with EPIPE. Only around a single
 * write, and by one thread at a time. */
void signals_ignore_pipe(struct sigaction *before);
void signals_restore_pipe(const struct sigaction *before);

/* Memory in which files are mapped. Reading it fails (SIGBUS) when a file has become shorter or its disk cannot be
 * read: then `failed` is called, in the thread that reads, and ends the run. Elsewhere the signal is as deadly as
 * ever. */
struct signals_guard {
    const uint8_t *memory;
    size_t bytes;
    void (*failed)(void *context, const uint8_t *address);
    void *context;
};
void signals_guard(const struct signals_guard *guard); /* must stay until the next call; NULL: there is none any more */

/* Write lines to standard error if it takes them at once: the run neither waits for a reader of its progress, nor ends
 * because there is none. */
void signals_say(const char *text, size_t bytes);

/* Draw a line on standard error, a terminal, and later draw it again in the same place, until signals_erase or death.
 * Other lines that are written meanwhile must begin with SIGNALS_ERASE, in the same write. */
#define SIGNALS_ERASE "\r\033[K"
void signals_draw(const char *line, size_t bytes);
void signals_erase(void); /* by who draws, when no more will be drawn */
bool signals_is_line_drawn(void);

#endif
