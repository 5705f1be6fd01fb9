#pragma once

/*
 * The one way to fail. A run that cannot go on ends where that is known: the message is printed, what was begun is
 * tidied up, and the process exits with EXIT_FAILURE. No failure has to be passed on, so none can be lost. Any thread
 * may end the run. The first one wins, also when several fail at the same moment (a full disk hurts them all): its
 * message is the only one, and the others wait for the end.
 *
 *     die, die_errno  ->  message  ->  duty  ->  signals_end
 *
 * signals_end tells child programs to end, and removes the names that are registered. What fails when the run has
 * succeeded (signals_succeed) is a warning, and ends it with EXIT_SUCCESS.
 *
 * A function returns a failure only to a caller who does something else about it: who tries another disk, or can do
 * without.
 */

#include <stdbool.h>
#include <stddef.h>

/* Something about `name` failed with the error number `error`: "bigshuf: NAME: strerror(error)". 0 stands for a file
 * that ended too early, as in io.h. */
_Noreturn void die_errno(const char *name, int error);

/* The same with what to do about it after it, or NULL. */
_Noreturn void die_advising(const char *name, int error, const char *advice);

/* The same with a message of one's own, in printf's manner, put after "bigshuf: ". All messages are one line: control
 * characters in a name (C0, DEL, C1) show as \r, \t, \n or \x1b, an empty name as ''. */
_Noreturn __attribute__((format(printf, 1, 2))) void die(const char *format, ...);

/* What came of the input a second time must be what came the first time: the run ends if it is not the `same`. */
void fault_same_input(bool same);

/* `count` times `bytes` of memory, zeroed, for free(). A run that does not get it ends. Who can do with less asks
 * sys_allocate. */
void *fault_allocate(size_t count, size_t bytes);
void *fault_reallocate(void *memory, size_t count, size_t bytes); /* as realloc: what is new is not zeroed */
void *fault_memory(void *memory); /* which was asked for elsewhere: the same if it is NULL, as errno says */

/* What printf would write, in such memory. */
char *fault_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

const char *fault_name(const char *name); /* for a message: '' if it is empty */

/* What strerror says of an error number, for messages of one's own; it stays until the same thread asks again. */
const char *fault_cause(int error);

/* What is to be done when a run fails, but not when a signal ends it: in the thread that fails, after its message,
 * while other threads still run. There is one duty at a time. The main thread sets it, and `duty` stays until another
 * one is set; NULL: none. A duty that fails itself ends, and so does the run. */
struct fault_duty {
    void (*act)(void *context);
    void *context;
};
void fault_set_duty(const struct fault_duty *duty);

/* Lines on standard error that are no failure: "bigshuf: warning: ...", or just "bigshuf: ...". */
__attribute__((format(printf, 1, 2))) void fault_warn(const char *format, ...);
__attribute__((format(printf, 1, 2))) void fault_note(const char *format, ...);
