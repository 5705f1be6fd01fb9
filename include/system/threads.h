#pragma once

/* The most memory that a thread's stack takes; 25 KiB were measured. */
enum { THREADS_STACK_BYTES = 32 << 10 };

/* Several threads at one job. */

/* Run body(context, 0) in the calling thread and body(context, 1 ... workers - 1) in threads of their own, and return
 * when all have returned. If the system refuses threads, fewer run; even one worker must get the job done. */
void threads_run(unsigned workers, void (*body)(void *context, unsigned worker), void *context);
