#pragma once

/*
 * The one way to fail. A run that cannot go on ends in the function that finds that out: it prints the message, tidies
 * up, and exits with EXIT_FAILURE. No failure has to be passed on, so none can be lost. Any thread may end the run. The
 * first one wins, also when several fail at the same moment (a full disk hurts them all): its message is the only one,
 * and the others wait for the end.
 *
 *     die, die_errno  ->  message  ->  duty  ->  signals_end
 *
 * signals_end tells child programs to end, and removes the names that are registered. A failure after the run has
 * succeeded (signals_succeed) is a warning, and the run ends with EXIT_SUCCESS.
 *
 * A function returns a failure only to a caller who does something else about it: who tries another disk, or can do
 * without.
 */

#include <stdbool.h>
#include <stddef.h>

/* Something about `name` failed with the error number `error`: "bigshuf: NAME: strerror(error)". 0 stands for a file
 * that ended too early, as in io.h. */
_Noreturn void die_errno(const char *name, int error);

/* The same, followed by `advice`, what to do about it, if that is not NULL. */
_Noreturn void die_advising(const char *name, int error, const char *advice);

/* The same with another message, in printf's manner, after "bigshuf: ". All messages are one line: control characters
 * in a name (C0, DEL, C1) show as \r, \t, \n or \x1b, an empty name as ''. */
_Noreturn __attribute__((format(printf, 1, 2))) void die(const char *format, ...);

/* The run ends if the input, read a second time, is not the `same` as the first time. */
void fault_same_input(bool same);

/* `count` times `bytes` of memory, zeroed, for free(). Without it the run ends; who can do with less calls
 * sys_allocate. */
void *fault_allocate(size_t count, size_t bytes);
void *fault_reallocate(void *memory, size_t count, size_t bytes); /* as realloc: new memory is not zeroed */
void *fault_memory(void *memory); /* returns it; if it is NULL, the run ends, with errno as its cause */

/* What printf would write, as a string for free(). */
char *fault_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

const char *fault_name(const char *name); /* for a message: '' if it is empty */

/* strerror of an error number, for other messages. The string lasts until this thread calls fault_cause again. */
const char *fault_cause(int error);

/* What the thread that fails does after its message, while other threads still run; a signal that ends the run skips
 * it. There is one duty at a time, set by the main thread; NULL: none. `duty` must last until another one is set. If
 * the duty fails, the run ends at once. */
struct fault_duty {
    void (*act)(void *context);
    void *context;
};
void fault_set_duty(const struct fault_duty *duty);

/* Lines on standard error that are no failure: "bigshuf: warning: ...", or just "bigshuf: ...". */
__attribute__((format(printf, 1, 2))) void fault_warn(const char *format, ...);
__attribute__((format(printf, 1, 2))) void fault_note(const char *format, ...);
