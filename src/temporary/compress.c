/*
 * A program is fed and its output taken by one thread, through two pipes (pump.h), so that neither side waits for the
 * other. A short text is compressed and decompressed first: a program that does not give it back is no compressor.
 */

#include "temporary/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system/pump.h"
#include "system/sys.h"

/* Compressed bytes on their way. */
enum { BUFFER_BYTES = 32 << 10 };

/* What the compressed form of a short text may take. */
enum { TRIAL_BYTES = 4096 };

struct process {
    const struct compress *compress;
    const char *option; /* "-d", or NULL */
    struct pump pump;
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

static int start(struct process *process, const struct compress *compress, const char *option)
{
    const char *const arguments[] = {compress->program, option, NULL};

    *process = (struct process){.compress = compress, .option = option};
    return pump_start(&process->pump, arguments, -1) == 0 ? 0 : report_start(process, errno);
}

/* The output has ended. Has the program, and well? */
static int finish(struct process *process)
{
    char text[PROGRAM_FAILURE_BYTES];
    const char *failure;
    int status;

    if (pump_end(&process->pump, &status) != 0)
        return report_error(process, errno);
    failure = program_failure(status, text);
    return failure == NULL ? 0 : report(process, failure);
}

/* Move bytes in either direction, at least one. 1; 0 at the end of the output; -1 after a report. */
static int move(struct process *process, struct flow *flow)
{
    const enum pump_moved moved = pump_move(&process->pump, flow);

    if (moved == PUMP_FAILED)
        return report_error(process, errno);
    return moved == PUMP_MOVED;
}

/* ---- Compressing ---- */

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
    if (moved == 0 && finish(&process) == 0)
        return flow.in_bytes == 0 && count == 0 ? 0 : report(&process, "did not read all that it was given");
    pump_abandon(&process.pump);
    return -1;
}

/* ---- Decompressing ---- */

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
        pump_abandon(&reader->process.pump);
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
