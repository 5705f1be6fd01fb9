/*
 * A program has two pipes. Our ends of them do not block: a thread gives what the pipe takes, takes what is there, and
 * waits only if it could do neither. So nobody waits in a circle, and feeding a program takes no second thread.
 *
 *     in_bytes -> [in ... held] -> program -> [out] -> out_bytes
 *
 * The end that the program reads from is held open here as well. Without a reader, a write would raise SIGPIPE, which
 * must stay deadly for standard output; with it, a pipe that nobody reads any more is just full, and that the program
 * has died shows as the end of its output.
 */

#include "temporary/compress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

/* Compressed bytes on their way. */
enum { BUFFER_BYTES = 32 << 10 };

/* What the compressed form of a short text may take. */
enum { TRIAL_BYTES = 4096 };

struct process {
    const struct compress *compress;
    const char *option; /* "-d", or NULL */
    pid_t number;       /* 0: it has been waited for */
    int slot;           /* of the signals */
    int in;
    int held;
    int out;
};

/* What goes in and what comes out: both move on as bytes are moved. */
struct flow {
    const uint8_t *in;
    size_t in_bytes; /* 0: there will be no more */
    uint8_t *out;
    size_t out_bytes;
};

struct compress_reader {
    struct process process;
    struct flow flow;
    compress_get *get;
    void *context;
    uint8_t data[BUFFER_BYTES];
};

void compress_init(struct compress *compress, const char *program, struct fault *fault)
{
    *compress = (struct compress){.program = program, .fault = fault};
    pthread_mutex_init(&compress->mutex, NULL);
}

void compress_release(struct compress *compress)
{
    pthread_mutex_destroy(&compress->mutex);
}

/* ---- Processes ---- */

static int report(const struct process *process, const char *cause)
{
    return fault_say(process->compress->fault, "compress program '%s%s%s': %s", process->compress->program,
                     process->option == NULL ? "" : " ", process->option == NULL ? "" : process->option, cause);
}

static int report_error(const struct process *process, int error)
{
    char cause[FAULT_CAUSE_BYTES];

    return report(process, fault_cause(error, cause));
}

/* Options would go to the program if a shell read its name. */
static int report_start(const struct process *process, int error)
{
    if (error == ENOENT && strchr(process->compress->program, ' ') != NULL)
        return report(process, "there is no such program: it is one name, and options go into a script of that name");
    return report_error(process, error);
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        (void)io_close(*fd);
    *fd = -1;
}

static int start(struct process *process, const struct compress *compress, const char *option)
{
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    struct signals_child child;
    int status = -1;

    *process = (struct process){.compress = compress, .option = option};
    if (sys_pipe(in) != 0 || sys_pipe(out) != 0 || sys_set_nonblocking(in[1]) != 0 || sys_set_nonblocking(out[0]) != 0)
        goto out;
    sys_widen_pipe(in[1]);
    sys_widen_pipe(out[0]);
    signals_child_starts(&child);
    process->number = sys_spawn(compress->program, option, in[0], out[1], &child.mask);
    process->slot = signals_child_started(&child, process->number);
    if (process->number > 0)
        status = 0;

out:
    if (status != 0) {
        report_start(process, errno);
        process->number = 0;
        close_end(&in[0]);
        close_end(&in[1]);
        close_end(&out[0]);
    }
    close_end(&out[1]);
    process->in = in[1];
    process->held = in[0];
    process->out = out[0];
    return status;
}

/* Close the pipes, wait, and return the status as waitpid gives it, or -1 with errno. */
static int await_end(struct process *process)
{
    int status = -1;
    pid_t ended;

    close_end(&process->in);
    close_end(&process->held);
    close_end(&process->out);
    do
        ended = sys_wait(process->number, &status, 0);
    while (ended < 0 && errno == EINTR);
    process->number = 0;
    signals_child_ended(process->slot);
    return ended < 0 ? -1 : status;
}

/* The output has ended. Has the program, and well? */
static int finish(struct process *process)
{
    int status = await_end(process);
    char cause[64];

    if (status == 0)
        return 0;
    if (status == -1)
        return report_error(process, errno);
    if (WIFEXITED(status))
        snprintf(cause, sizeof cause, "exit status %d", WEXITSTATUS(status));
    else
        snprintf(cause, sizeof cause, "killed by signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return report(process, cause);
}

/* What it still does is of no use. It is killed, lest it complains about pipes that are closed too early. */
static void abandon(struct process *process)
{
    if (process->number == 0)
        return;
    (void)sys_kill(-process->number, SIGKILL);
    (void)await_end(process);
}

/* Give what the pipe takes; at the end of the input close it. The bytes given, 0 also if it is full, or -1 with errno.
 */
static ssize_t give(struct process *process, struct flow *flow)
{
    ssize_t given;

    if (flow->in_bytes == 0) {
        close_end(&process->in);
        return 0;
    }
    do
        given = sys_write(process->in, flow->in, flow->in_bytes);
    while (given < 0 && errno == EINTR);
    if (given < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
    flow->in += given;
    flow->in_bytes -= (size_t)given;
    return given;
}

/* Take what is there. The bytes taken, or -1 with errno: 0 at the end, EAGAIN if there is nothing yet. */
static ssize_t take(struct process *process, struct flow *flow)
{
    ssize_t taken;

    do
        taken = sys_read(process->out, flow->out, flow->out_bytes);
    while (taken < 0 && errno == EINTR);
    if (taken > 0) {
        flow->out += taken;
        flow->out_bytes -= (size_t)taken;
    }
    return taken;
}

/* Move bytes in either direction, at least one. 1; 0 at the end of the output; -1 after a report. */
static int move(struct process *process, struct flow *flow)
{
    for (;;) {
        ssize_t given = give(process, flow);
        ssize_t taken = given < 0 ? -1 : take(process, flow);

        if (taken == 0)
            return 0;
        if (taken > 0 || given > 0)
            return 1;
        if (given < 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
            break;
        if (sys_poll_two(process->in, POLLOUT, process->out, POLLIN) < 0 && !io_again())
            break;
    }
    return report_error(process, errno);
}

/* ---- There ---- */

int compress_pieces(const struct compress *compress, const struct iovec *pieces, int count, compress_put *put,
                    void *context)
{
    uint8_t data[BUFFER_BYTES];
    struct flow flow = {.out = data, .out_bytes = sizeof data};
    struct process process;
    int moved = 1;

    if (start(&process, compress, NULL) != 0)
        return -1;
    while (moved > 0) {
        for (; flow.in_bytes == 0 && count > 0; pieces++, count--) {
            flow.in = pieces->iov_base;
            flow.in_bytes = pieces->iov_len;
        }
        moved = move(&process, &flow);
        if (flow.out_bytes > 0 && moved != 0)
            continue;
        if (put(context, data, sizeof data - flow.out_bytes) != 0)
            moved = -1;
        flow.out = data;
        flow.out_bytes = sizeof data;
    }
    if (moved < 0) {
        abandon(&process);
        return -1;
    }
    if (finish(&process) != 0)
        return -1;
    return flow.in_bytes == 0 && count == 0 ? 0 : report(&process, "did not read all that it was given");
}

/* ---- And back ---- */

struct compress_reader *compress_open(const struct compress *compress, compress_get *get, void *context)
{
    struct compress_reader *reader = sys_allocate(1, sizeof *reader);

    if (reader == NULL) {
        fault_report(compress->fault, "memory", errno);
        return NULL;
    }
    reader->get = get;
    reader->context = context;
    if (start(&reader->process, compress, "-d") == 0)
        return reader;
    free(reader);
    return NULL;
}

/* As move, with compressed bytes from where they are. */
static int move_back(struct compress_reader *reader)
{
    struct flow *flow = &reader->flow;

    if (flow->in_bytes == 0) {
        ssize_t got = reader->get(reader->context, reader->data, sizeof reader->data);

        if (got < 0)
            return -1;
        flow->in = reader->data;
        flow->in_bytes = (size_t)got;
    }
    return move(&reader->process, flow);
}

int compress_read(struct compress_reader *reader, const struct iovec *pieces, int count)
{
    struct flow *flow = &reader->flow;

    for (int i = 0; i < count; i++) {
        flow->out = pieces[i].iov_base;
        flow->out_bytes = pieces[i].iov_len;
        while (flow->out_bytes > 0) {
            int moved = move_back(reader);

            if (moved < 0)
                return -1;
            if (moved == 0)
                return finish(&reader->process) != 0 ? -1
                                                     : report(&reader->process, "gave fewer bytes than were written");
        }
    }
    return 0;
}

int compress_end(struct compress_reader *reader)
{
    struct flow *flow = &reader->flow;
    uint8_t more;
    int moved = 1;

    flow->out = &more;
    flow->out_bytes = sizeof more;
    while (moved > 0 && flow->out_bytes > 0)
        moved = move_back(reader);
    if (moved < 0)
        return -1;
    return moved == 0 ? finish(&reader->process) : report(&reader->process, "gave more bytes than were written");
}

void compress_free(struct compress_reader *reader)
{
    if (reader != NULL)
        abandon(&reader->process);
    free(reader);
}

/* ---- The trial ---- */

struct trial {
    const struct compress *compress;
    size_t bytes;
    size_t read;
    uint8_t data[TRIAL_BYTES];
};

static int put_trial(void *context, const uint8_t *data, size_t bytes)
{
    struct trial *trial = context;

    if (bytes > sizeof trial->data - trial->bytes)
        return fault_say(trial->compress->fault, "compress program '%s': makes more than %d bytes of a few",
                         trial->compress->program, TRIAL_BYTES);
    memcpy(trial->data + trial->bytes, data, bytes);
    trial->bytes += bytes;
    return 0;
}

static ssize_t get_trial(void *context, uint8_t *data, size_t bytes)
{
    struct trial *trial = context;
    size_t left = trial->bytes - trial->read;

    bytes = bytes < left ? bytes : left;
    memcpy(data, trial->data + trial->read, bytes);
    trial->read += bytes;
    return (ssize_t)bytes;
}

static int try_both(const struct compress *compress)
{
    char text[] = "There and back again.\n";
    char back[sizeof text];
    struct iovec given = {.iov_base = text, .iov_len = sizeof text};
    struct iovec taken = {.iov_base = back, .iov_len = sizeof back};
    struct trial trial = {.compress = compress};
    struct compress_reader *reader = NULL;
    int status = -1;

    if (compress_pieces(compress, &given, 1, put_trial, &trial) != 0)
        return -1;
    reader = compress_open(compress, get_trial, &trial);
    if (reader == NULL || compress_read(reader, &taken, 1) != 0 || compress_end(reader) != 0)
        goto out;
    status = memcmp(text, back, sizeof text) == 0 ? 0 : report(&reader->process, "does not give back what was written");

out:
    compress_free(reader);
    return status;
}

int compress_try(struct compress *compress)
{
    int status;

    pthread_mutex_lock(&compress->mutex);
    status = compress->tried ? 0 : try_both(compress);
    compress->tried = status == 0;
    pthread_mutex_unlock(&compress->mutex);
    return status;
}
