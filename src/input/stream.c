/*
 * A file's beginning may be taken off (header.c) and something added at its end (tail.c): both leave bytes that are
 * delivered before anything else is read, so that neither depends on the sizes of the reader's buffers. All that was
 * read is shown to the tail, which knows at a file's end what its last record lacks.
 */

#include "input/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/counter.h"
#include "input/hints.h"
#include "input/operand.h"
#include "record/header.h"
#include "record/tail.h"
#include "system/io.h"
#include "system/sys.h"

/* What a pipe holds on Linux unless told otherwise: a read that gets as much has found it full, and the writer waiting.
 */
enum { PIPE_BYTES = 65536 };

struct stream {
    const char *const *names;
    size_t count, next;   /* the file being read is the one before `next` */
    uint64_t known_bytes; /* of regular files, as they were looked at */
    bool known;           /* are all regular? */
    bool seen;            /* were the beginnings of all so far looked at? */
    off_t start;          /* of standard input, if it is a regular file */
    uint64_t *end;        /* of each file that has been read, in the stream */
    counter read;         /* bytes of the stream */
    struct fault *fault;
    int fd;     /* of the file being read, -1 between files */
    off_t size; /* of that file when it was opened, 0 if it has none */
    struct stream_layout layout;
    struct header header;
    struct tail tail;
    struct hints hints;
    bool seen_beginning; /* of the file being read: were the hints shown it? */
    const uint8_t *rest; /* to be delivered before anything is read */
    size_t rest_bytes;
    struct lender lender;    /* of all files, if they are lent; of the one that is lent: */
    const uint8_t *followed; /* the next byte that the tail is to see */
};

/* Is a regular file of this size what it should be? Takes the header off what counts as known. */
static int check_size(struct stream *stream, const char *name, uint64_t *bytes)
{
    const struct header *header = &stream->header;
    uint64_t records_bytes = *bytes > header->bytes ? *bytes - header->bytes : 0;

    *bytes = *bytes > header->text_bytes ? *bytes - header->text_bytes : 0;
    return tail_check_size(&stream->tail, name, records_bytes);
}

/* A header that was not seen before is only kept if all files before were seen: then it is that of the first. */
static int look_into(struct stream *stream, const char *name, uint64_t *bytes)
{
    int fd = io_open(name, O_RDONLY, 0);
    int status = 0;

    if (fd < 0)
        return fault_report(stream->fault, name, errno);
    tail_begin(&stream->tail);
    if (stream->seen || stream->header.known)
        status = header_take(&stream->header, fd, name, &stream->tail);
    (void)io_close(fd);
    return status == 0 ? check_size(stream, name, bytes) : -1;
}

/* Can the file be read, as far as that can be known without side effects? Returns 0, with the bytes that a regular file
 * has for records in *bytes, or -1 after a report. */
static int look_at(struct stream *stream, const char *name, uint64_t *bytes)
{
    struct stat status;

    if (io_look(name, &status) != 0)
        return fault_report(stream->fault, name, errno);
    if (!S_ISREG(status.st_mode)) {
        stream->known = false;
        stream->seen = false;
        return 0;
    }
    *bytes = (uint64_t)status.st_size;
    return look_into(stream, name, bytes);
}

/* The same of standard input, of which a regular file has what is left. */
static int look_at_standard_input(struct stream *stream, const char *name, uint64_t *bytes)
{
    int mode = sys_access_mode(STDIN_FILENO);
    struct stat status;
    off_t position;

    if (mode < 0 || sys_fstat(STDIN_FILENO, &status) != 0)
        return fault_report(stream->fault, name, errno);
    if (mode == O_WRONLY || S_ISDIR(status.st_mode))
        return fault_report(stream->fault, name, mode == O_WRONLY ? EBADF : EISDIR);
    stream->seen = false;
    if (!S_ISREG(status.st_mode)) {
        stream->known = false;
        return 0;
    }
    position = sys_seek(STDIN_FILENO, 0, SEEK_CUR);
    stream->start = position;
    if (position >= 0 && position < status.st_size)
        *bytes = (uint64_t)(status.st_size - position);
    return check_size(stream, name, bytes);
}

/* The header of standard input is not looked at, so that of a later file is not taken for the first one's. */
static int look_at_all(struct stream *stream)
{
    const struct tail fresh = stream->tail;
    bool standard_input_counted = false;

    stream->known = true;
    stream->seen = true;
    for (size_t i = 0; i < stream->count; i++) {
        uint64_t bytes = 0;
        int status = 0;

        if (!operand_is_standard_input(stream->names[i])) {
            status = look_at(stream, stream->names[i], &bytes);
        } else if (!standard_input_counted) {
            status = look_at_standard_input(stream, stream->names[i], &bytes);
            standard_input_counted = true;
        }
        if (status != 0)
            return -1;
        stream->known_bytes += bytes;
    }
    stream->tail = fresh; /* of the files as a stream, nothing has been seen */
    return 0;
}

/* The size that a regular file has now, 0 of any other. */
static off_t size_of(int fd)
{
    struct stat status;

    return sys_fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

/* The tail has been shown these bytes of the file. */
static void give_hints(struct stream *stream, const uint8_t *data, size_t bytes)
{
    const char *name = stream->names[stream->next - 1];

    if (!stream->seen_beginning)
        hints_look(&stream->hints, &stream->layout.format, name, data, bytes);
    stream->seen_beginning = true;
    hints_look_at_quotes(&stream->hints, &stream->tail, name);
}

static int begin_file(struct stream *stream)
{
    const char *name = stream->names[stream->next++];

    stream->fd = operand_open(name);
    if (stream->fd < 0)
        return fault_report(stream->fault, name, errno);
    stream->size = size_of(stream->fd);
    tail_begin(&stream->tail);
    if (header_take(&stream->header, stream->fd, name, &stream->tail) != 0)
        return -1;
    stream->rest = stream->header.rest;
    stream->rest_bytes = stream->header.rest_bytes;
    stream->seen_beginning = false;
    if (stream->header.taken_bytes > 0)
        give_hints(stream, stream->header.buffer, stream->header.taken_bytes);
    return 0;
}

static int end_file(struct stream *stream)
{
    const char *name = stream->names[stream->next - 1];

    if (size_of(stream->fd) < stream->size)
        return fault_say(stream->fault, "%s: file has shrunk while it was read", name);
    operand_close(stream->fd);
    stream->fd = -1;
    if (tail_end(&stream->tail, name, &stream->rest, &stream->rest_bytes) != 0)
        return -1;
    stream->end[stream->next - 1] = counter_get(&stream->read) + stream->rest_bytes;
    if (stream->next == stream->count && stream->end[stream->next - 1] == 0 && stream->header.text_bytes > 0)
        header_warn_alone(&stream->header);
    return 0;
}

static size_t take_rest(struct stream *stream, uint8_t *data, size_t bytes)
{
    size_t taken = bytes < stream->rest_bytes ? bytes : stream->rest_bytes;

    memcpy(data, stream->rest, taken);
    stream->rest += taken;
    stream->rest_bytes -= taken;
    return taken;
}

/* Do one thing: deliver from the rest, turn to the next file, or read once. Returns the number of bytes added, which
 * may be 0, or -1 after a report. */
static ssize_t read_on(struct stream *stream, uint8_t *data, size_t bytes)
{
    ssize_t got;

    if (stream->rest_bytes > 0)
        return (ssize_t)take_rest(stream, data, bytes);
    if (stream->fd < 0)
        return begin_file(stream);
    got = io_read(stream->fd, data, bytes);
    if (got < 0)
        return fault_report(stream->fault, stream->names[stream->next - 1], errno);
    if (got == 0)
        return end_file(stream);
    if (got == PIPE_BYTES)
        sys_widen_pipe(stream->fd);
    tail_follow(&stream->tail, data, (size_t)got);
    give_hints(stream, data, (size_t)got);
    return got;
}

ssize_t stream_read(void *context, uint8_t *data, size_t bytes)
{
    struct stream *stream = context;
    size_t done = 0;

    while (done < bytes && (stream->rest_bytes > 0 || stream->fd >= 0 || stream->next < stream->count)) {
        ssize_t got = read_on(stream, data + done, bytes - done);

        if (got < 0)
            return -1;
        done += (size_t)got;
        counter_add(&stream->read, (uint64_t)got);
    }
    return (ssize_t)done;
}

void stream_free(void *context)
{
    struct stream *stream = context;

    operand_close(stream->fd);
    lender_close(&stream->lender);
    free(stream->end);
    header_release(&stream->header);
    free(stream);
}

struct stream *stream_open(const char *const *names, size_t count, const struct stream_layout *layout,
                           struct fault *fault)
{
    struct stream *stream = sys_allocate(1, sizeof *stream);

    if (stream == NULL) {
        fault_report(fault, "memory", errno);
        return NULL;
    }
    *stream = (struct stream){.names = names, .count = count, .fault = fault, .fd = -1, .layout = *layout};
    tail_init(&stream->tail, &stream->layout.format, layout->header_bytes > 0 || layout->header_lines > 0, fault);
    stream->end = sys_allocate(count + 1, sizeof *stream->end);
    if (stream->end == NULL ||
        header_init(&stream->header, &stream->layout.format, layout->header_bytes, layout->header_lines, fault) != 0)
        fault_report(fault, "memory", errno);
    else if (look_at_all(stream) == 0)
        return stream;
    stream_free(stream);
    return NULL;
}

uint64_t stream_known_bytes(const struct stream *stream)
{
    return stream->known_bytes;
}

bool stream_is_known(const struct stream *stream)
{
    return stream->known;
}

uint64_t stream_arrived_bytes(const struct stream *stream)
{
    return counter_get(&stream->read);
}

const uint8_t *stream_header(const struct stream *stream, size_t *bytes)
{
    *bytes = stream->header.text_bytes;
    return stream->header.text;
}

/* ---- Lending ---- */

/* A file's header is no known byte. */
bool stream_map(struct stream *stream, uint64_t *bytes)
{
    const uint64_t room = mapping_room(stream->header.text_bytes) + sys_page_bytes();

    if (!stream->known || stream->next > 0)
        return false;
    if (lender_open(&stream->lender, stream->names, stream->count, stream->start,
                    stream->known_bytes + stream->count * room, stream->fault) != 0)
        return false;
    *bytes = stream->lender.mapping.used;
    return true;
}

struct lender *stream_lender(struct stream *stream)
{
    return &stream->lender;
}

/* All of a file has been lent. What completes its last record is put behind it. */
static int end_lending(struct stream *stream)
{
    if (end_file(stream) != 0)
        return -1;
    lender_append(&stream->lender, stream->rest, stream->rest_bytes);
    stream->rest_bytes = 0;
    return 0;
}

/* The tail has seen what was read beyond the header. */
static int begin_lending(struct stream *stream)
{
    struct lender *lender = &stream->lender;

    if (begin_file(stream) != 0 || lender_begin(lender, stream->next - 1, stream->fd, stream->rest_bytes) != 0)
        return -1;
    stream->followed = lender->at + stream->rest_bytes;
    stream->rest_bytes = 0;
    return lender->at == lender->last ? end_lending(stream) : 0;
}

/* The next bytes of the file, which is open, are shown to the tail. */
static void follow(struct stream *stream, size_t bytes)
{
    const uint8_t *end = stream->lender.at + bytes;

    lender_fetch(&stream->lender, bytes);
    if (end > stream->followed) {
        tail_follow(&stream->tail, stream->followed, (size_t)(end - stream->followed));
        give_hints(stream, stream->followed, (size_t)(end - stream->followed));
        stream->followed = end;
    }
}

static void take(struct stream *stream, size_t bytes)
{
    stream->lender.at += bytes;
    counter_add(&stream->read, bytes);
}

/* The file is completed before its last bytes are lent, so that nothing is written when others may look. */
static int lend(struct stream *stream, size_t bytes)
{
    struct lender *lender = &stream->lender;
    const bool open = stream->fd >= 0;
    const size_t lent = lender_next(lender, bytes);

    if (open)
        follow(stream, lent);
    take(stream, lent);
    if (!open || lender->at < lender->last)
        return 0;
    if (end_lending(stream) != 0)
        return -1;
    take(stream, lender_next(lender, bytes - lent));
    return 0;
}

ssize_t stream_lend(struct stream *stream, const uint8_t **data, size_t bytes)
{
    const struct lender *lender = &stream->lender;

    while (lender->at == lender->last) {
        if (stream->next == stream->count)
            return 0;
        if (begin_lending(stream) != 0)
            return -1;
    }
    *data = lender->at;
    return lend(stream, bytes) == 0 ? lender->at - *data : -1;
}

int stream_rewind(struct stream *stream)
{
    operand_close(stream->fd);
    stream->fd = -1;
    stream->next = 0;
    counter_set(&stream->read, 0);
    stream->rest_bytes = 0;
    tail_init(&stream->tail, &stream->layout.format, stream->tail.after_header, stream->fault);
    lender_restart(&stream->lender);
    for (size_t i = 0; i < stream->count; i++)
        if (operand_is_standard_input(stream->names[i]) && sys_seek(STDIN_FILENO, stream->start, SEEK_SET) < 0)
            return fault_report(stream->fault, stream->names[i], errno);
    return 0;
}

/* ---- Its files ---- */

const char *stream_name_at(const struct stream *stream, uint64_t offset, uint64_t *end)
{
    size_t i = stream->next - 1;

    for (; i > 0 && stream->end[i - 1] > offset; i--)
        continue;
    *end = i + 1 < stream->next || stream->fd < 0 ? stream->end[i] : UINT64_MAX;
    return stream->names[i];
}

bool stream_is_from(const struct stream *stream, const struct stat *file)
{
    struct stat status;

    for (size_t i = 0; i < stream->count; i++)
        if (operand_stat(stream->names[i], &status) == 0 && io_same_file(&status, file))
            return true;
    return false;
}
