/*
 * Our ends of the pipes do not block: a thread gives what the pipe takes, takes what is there, and waits only if it
 * could do neither. So nobody waits in a circle, and feeding a program takes no second thread.
 *
 * The end that the program reads from is held open here as well. Without a reader, a write would raise SIGPIPE, which
 * must stay deadly for standard output; with it, a pipe that nobody reads any more is just full, and that the program
 * has died shows as the end of its output.
 */

#include "system/pump.h"

#include <errno.h>

#include "system/io.h"
#include "system/sys.h"

static void close_end(int *fd)
{
    if (*fd >= 0)
        (void)io_close(*fd);
    *fd = -1;
}

static void close_pipes(struct pump *pump)
{
    close_end(&pump->in);
    close_end(&pump->held);
    close_end(&pump->out);
}

/* Our end of a pipe, which does not block, and the other one. */
static int make_pipe(int *ours, int *other, int which)
{
    int ends[2];

    if (sys_pipe(ends) != 0)
        return -1;
    *ours = ends[which];
    *other = ends[1 - which];
    sys_widen_pipe(*ours);
    return sys_set_nonblocking(*ours);
}

int pump_start(struct pump *pump, const char *const *arguments, const char *const *variables, int input)
{
    int other = -1;
    int status = -1, error;

    *pump = (struct pump){.in = -1, .held = -1, .out = -1};
    if ((input >= 0 || make_pipe(&pump->in, &pump->held, 1) == 0) && make_pipe(&pump->out, &other, 0) == 0)
        status = program_start(&pump->program, arguments, variables, input >= 0 ? input : pump->held, other);
    error = errno;
    close_end(&other);
    if (status != 0)
        close_pipes(pump);
    errno = error;
    return status;
}

static bool waits(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

/* Give what the pipe takes; at the end of the input close it. The bytes given, 0 also if it is full, or -1 with errno.
 */
static ssize_t give(struct pump *pump, struct flow *flow)
{
    ssize_t given;

    if (flow->in_bytes == 0 || pump->in < 0) {
        close_end(&pump->in);
        return 0;
    }
    do
        given = sys_write(pump->in, flow->in, flow->in_bytes);
    while (given < 0 && errno == EINTR);
    if (given < 0)
        return waits() ? 0 : -1;
    flow->in += given;
    flow->in_bytes -= (size_t)given;
    return given;
}

/* Take what is there. The bytes taken, or -1 with errno: 0 at the end, EAGAIN if there is nothing yet. */
static ssize_t take(struct pump *pump, struct flow *flow)
{
    ssize_t taken;

    do
        taken = sys_read(pump->out, flow->out, flow->out_bytes);
    while (taken < 0 && errno == EINTR);
    if (taken > 0) {
        flow->out += taken;
        flow->out_bytes -= (size_t)taken;
    }
    return taken;
}

enum pump_moved pump_try(struct pump *pump, struct flow *flow)
{
    const ssize_t given = give(pump, flow);
    const ssize_t taken = given < 0 ? -1 : take(pump, flow);

    if (taken == 0)
        return PUMP_ENDED;
    if (taken > 0 || given > 0)
        return PUMP_MOVED;
    return given == 0 && waits() ? PUMP_WAITS : PUMP_FAILED;
}

int pump_end(struct pump *pump, int *status)
{
    close_pipes(pump);
    return program_wait(&pump->program, 0, status) > 0 ? 0 : -1;
}

void pump_abandon(struct pump *pump)
{
    if (pump->program.process == 0)
        return;
    program_kill(&pump->program);
    close_pipes(pump);
}
