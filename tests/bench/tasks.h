/*
 * Put before src/shuffle/scatter.c or gather.c (-include), by cores.py: the file's tasks are timed, and the sums are
 * printed at the end of the program. Times are of the processor, so that others on the machine hardly matter.
 */

#ifndef TASKS_H
#define TASKS_H

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "output/output.h"
#include "shuffle/queue.h"
#include "system/threads.h"

/* In seconds, by kind of task (QUEUE_END: none); `all` is what a file's threads took, `drains` what they wrote. */
static double timed[QUEUE_END + 1], all, drains;
static unsigned long tasks[QUEUE_END + 1];
static __thread double since;
static pthread_mutex_t timing = PTHREAD_MUTEX_INITIALIZER;
static struct {
    void (*body)(void *, unsigned);
    void *context;
} team;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void add(double *sum, double seconds)
{
    pthread_mutex_lock(&timing);
    *sum += seconds;
    pthread_mutex_unlock(&timing);
}

__attribute__((unused)) static void timed_next(struct queue *queue, unsigned worker, struct queue_task *task)
{
    add(&timed[task->kind], now() - since);
    queue_next(queue, worker, task);
    tasks[task->kind]++;
    since = now();
}

__attribute__((unused)) static void timed_drain(struct output_buffer *buffer, struct output *output)
{
    const double from = now();

    output_buffer_drain(buffer, output);
    add(&drains, now() - from);
}

static void timed_body(void *unused, unsigned worker)
{
    const double from = since = now();

    (void)unused;
    team.body(team.context, worker);
    add(&all, now() - from);
}

__attribute__((unused)) static void timed_run(unsigned workers, void (*body)(void *, unsigned), void *context)
{
    team.body = body;
    team.context = context;
    threads_run(workers, timed_body, context);
}

__attribute__((destructor)) static void print(void)
{
    fprintf(stderr, "%s %.6f %.6f %.6f %.6f %.6f %.6f %lu\n", __BASE_FILE__, timed[QUEUE_READ], timed[QUEUE_SCAN],
            timed[QUEUE_ROUTE], timed[QUEUE_APPEND], drains, all, tasks[QUEUE_READ]);
}

#define queue_next          timed_next
#define output_buffer_drain timed_drain
#define threads_run         timed_run

#endif
