#pragma once

/* What a thread takes of memory for its stack, at most; 25 KiB were measured. */
enum { THREADS_STACK_BYTES = 32 << 10 };

/* Several threads at one job. */

/* Run body(context, 0) in the calling thread and body(context, 1 ... workers - 1) in threads of their own, and return
 * when all have returned. The job must get done by any number of workers from 1 up: where the system gives fewer
 * threads, fewer run. */
void threads_run(unsigned workers, void (*body)(void *context, unsigned worker), void *context);
