#ifndef BIGSHUF_SYSTEM_FAULT_H
#define BIGSHUF_SYSTEM_FAULT_H

/*
 * The first thing that went wrong in a run.
 *
 * Whoever knows the name of the file at fault reports it here, once, and returns -1; everyone above passes the failure
 * on. Several threads may fail at the same moment (a full disk hurts them all), yet the user gets one message: the
 * first caller's is printed on standard error at once, as "bigshuf: NAME: cause", the others' are dropped.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct fault {
    pthread_mutex_t mutex;
    atomic_bool reported;
};

void fault_init(struct fault *fault);
void fault_release(struct fault *fault);

/* Report that something about `name` failed with the error number `error`: "bigshuf: NAME: strerror(error)". 0 stands
 * for a file that ended too early, as in io.h. If it is a path in a folder that is not there, that folder is named as
 * well. errno stays as it was. Returns -1, so that a caller can say `return fault_report(...)`. */
int fault_report(struct fault *fault, const char *name, int error);

/* The same with a message of one's own, in printf's manner, put after "bigshuf: ". Returns -1. All messages are one
 * line: control characters in a name (C0, DEL, C1) show as \r, \t, \n or \x1b, an empty name as ''. */
__attribute__((format(printf, 2, 3))) int fault_say(struct fault *fault, const char *format, ...);

/* A name for a message: '' if it is empty. */
const char *fault_name(const char *name);

/* What strerror says of an error number, for messages of one's own; any thread may ask. Returns `text`. */
enum { FAULT_CAUSE_BYTES = 256 };
const char *fault_cause(int error, char text[FAULT_CAUSE_BYTES]);

/* Has anything been reported? May be asked at any time by any thread. */
bool fault_any(struct fault *fault);

/* A line on standard error that is no failure: "bigshuf: warning: ...". */
__attribute__((format(printf, 1, 2))) void fault_warn(const char *format, ...);

/* A line on standard error that is neither: "bigshuf: ...". */
__attribute__((format(printf, 1, 2))) void fault_note(const char *format, ...);

#endif
