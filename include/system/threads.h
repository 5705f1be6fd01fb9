#ifndef BIGSHUF_SYSTEM_THREADS_H
#define BIGSHUF_SYSTEM_THREADS_H

/* Several threads at one job. */

#include <pthread.h>

/* Run body(context, 0) in the calling thread and body(context, 1 ... workers - 1) in threads of their own, and return
 * when all have returned: 0, or -1 if one of them did. The job must get done by any number of workers from 1 up: where
 * the system gives fewer threads, fewer run.
 *
 * When one has returned -1, the others are not left to wait for a pipe that nobody writes to or reads from: their calls
 * of io.h fail. What they wait for among themselves they must have been told by then. One team at a time. */
int threads_run(unsigned workers, int (*body)(void *context, unsigned worker), void *context);

/* A condition to be waited for, for so long at most. That somebody sets the clock does not matter, where the system has
 * one that nobody can set. */
void threads_condition_init(pthread_cond_t *condition);
void threads_await(pthread_cond_t *condition, pthread_mutex_t *mutex, long nanoseconds);

#endif
