/*
 * Others may share standard output, so it is not set to O_NONBLOCK. But a pipe that poll calls writable takes PIPE_BUF
 * bytes at once; between two such writes, lines can be read.
 */

#include "sample/dialogue.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/tunable.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/standard.h"
#include "system/sys.h"

TUNABLE(READ_BYTES, 256 << 10, 1, 256 << 10); /* at a time */

void dialogue_open(struct dialogue *dialogue, size_t lines_bytes, uint8_t *out, size_t out_bytes)
{
    struct stat status;

    *dialogue = (struct dialogue){.in = fault_memory(sys_map(lines_bytes)), .in_room = lines_bytes};
    dialogue->keeps = sys_fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode);
    output_buffer_init(&dialogue->out, out, out_bytes, false, dialogue_flush, dialogue);
    sys_widen_pipe(STDIN_FILENO);
    sys_widen_pipe(STDOUT_FILENO);
}

/* Read once. */
static void read_more(struct dialogue *dialogue)
{
    const ssize_t got =
        io_read(STDIN_FILENO, dialogue->in + dialogue->end, least_size(READ_BYTES, dialogue->in_room - dialogue->end));

    if (got < 0)
        die_errno("standard input", errno);
    dialogue->end += (size_t)got;
    dialogue->ended = got == 0;
}

/* Move the bytes read to the front. */
static void compact(struct dialogue *dialogue)
{
    memmove(dialogue->in, dialogue->in + dialogue->begin, dialogue->end - dialogue->begin);
    dialogue->searched -= dialogue->begin;
    dialogue->end -= dialogue->begin;
    dialogue->begin = 0;
}

/* Read lines while nothing can be written. Moving many lines to make room for a few would cost more than it gains. */
static void keep_lines(struct dialogue *dialogue, bool ended)
{
    char room[32];

    if (dialogue->end == dialogue->in_room && dialogue->begin > dialogue->in_room / 2)
        compact(dialogue);
    if (dialogue->end == dialogue->in_room && !ended)
        die("standard output: nobody reads the answers, and %s of requests wait; read, or use a larger -S",
            number_format_size(dialogue->end - dialogue->begin, room));
    read_more(dialogue);
}

static void await_reader(struct dialogue *dialogue)
{
    struct pollfd waits[] = {{.fd = STDOUT_FILENO, .events = POLLOUT}, {.fd = STDIN_FILENO, .events = POLLIN}};

    while (waits[0].revents == 0) {
        if (sys_poll_all(waits, dialogue->keeps && !dialogue->ended ? 2 : 1) < 0) {
            if (errno != EINTR)
                die_errno("standard output", errno);
        } else if (waits[0].revents == 0) {
            keep_lines(dialogue, (waits[1].revents & POLLIN) == 0);
        }
    }
}

void dialogue_flush(void *context)
{
    struct dialogue *dialogue = context;
    struct output_buffer *out = &dialogue->out;

    for (const uint8_t *from = out->buffer; from < out->at;) {
        const size_t bytes = least_size(PIPE_BUF, (size_t)(out->at - from));

        await_reader(dialogue);
        standard_write(from, bytes);
        from += bytes;
    }
    out->at = out->buffer;
}

size_t dialogue_line(struct dialogue *dialogue, const char **line)
{
    const uint8_t *end;
    size_t bytes;

    for (;;) {
        end = memchr(dialogue->in + dialogue->searched, '\n', dialogue->end - dialogue->searched);
        dialogue->searched = end != NULL ? (size_t)(end - dialogue->in) + 1 : dialogue->end;
        if (end != NULL || dialogue->ended || dialogue->end - dialogue->begin > DIALOGUE_LINE_BYTES)
            break;
        dialogue_flush(dialogue);
        if (dialogue->searched == dialogue->end && !dialogue->ended) { /* nothing was read meanwhile */
            compact(dialogue);
            read_more(dialogue);
        }
    }
    bytes = dialogue->searched - dialogue->begin;
    *line = (const char *)dialogue->in + dialogue->begin;
    dialogue->begin = dialogue->searched;
    return bytes;
}
