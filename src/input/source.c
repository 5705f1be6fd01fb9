/*
 * A file's beginning may be taken off (header.c) and something added at its end (tail.c): both leave bytes that are
 * delivered before anything else is read, so that neither depends on the sizes of the reader's buffers. All that was
 * read is shown to the tail, which knows at a file's end what its last record lacks.
 */

#include "input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/counter.h"
#include "input/lender.h"
#include "record/header.h"
#include "record/tail.h"
#include "system/io.h"
#include "system/sys.h"

/* What a pipe holds on Linux unless told otherwise: a read that gets as much has found it full, and the writer waiting.
 */
enum { PIPE_BYTES = 65536 };

struct source {
    source_function *read;
    void *context;
    void (*release)(void *context);
    const uint8_t *unread;
    size_t unread_bytes;
    uint64_t known_bytes;
    counter delivered_bytes;
    bool known;          /* is that all that will come? */
    struct files *files; /* the context of a source over files, else NULL */
};

struct files {
    const char *const *names;
    size_t count, next; /* the file being read is the one before `next` */
    bool known;         /* are all regular? Only while they are looked at. */
    bool seen;          /* were the beginnings of all so far looked at? */
    off_t start;        /* of standard input, if it is a regular file */
    uint64_t *end;      /* of each file that has been read, in the stream */
    uint64_t read;      /* bytes of the stream */
    struct fault *fault;
    int fd;     /* of the file being read, -1 between files */
    off_t size; /* of that file when it was opened, 0 if it has none */
    struct source_layout layout;
    struct header header;
    struct tail tail;
    const uint8_t *rest; /* to be delivered before anything is read */
    size_t rest_bytes;
    struct lender lender;    /* of all files, if they are lent; of the one that is lent: */
    const uint8_t *followed; /* the next byte that the tail is to see */
};

static bool is_standard_input(const char *name)
{
    return strcmp(name, "-") == 0;
}

static int open_input(const char *name)
{
    int fd = is_standard_input(name) ? STDIN_FILENO : io_open(name, O_RDONLY | O_NOCTTY, 0);

    if (fd >= 0)
        sys_sequential(fd);
    return fd;
}

/* Nothing was written, so what close says of an input does not matter. Standard input stays open, lest the next file
 * that is opened take its place. */
static void close_input(int fd)
{
    if (fd > STDIN_FILENO)
        (void)io_close(fd);
}

/* Is a regular file of this size what it should be? Takes the header off what counts as known. */
static int check_size(struct files *files, const char *name, uint64_t *bytes)
{
    const struct header *header = &files->header;
    uint64_t records_bytes = *bytes > header->bytes ? *bytes - header->bytes : 0;

    *bytes = *bytes > header->text_bytes ? *bytes - header->text_bytes : 0;
    return tail_check_size(&files->tail, name, records_bytes);
}

/* A header that was not seen before is only kept if all files before were seen: then it is that of the first. */
static int look_into(struct files *files, const char *name, uint64_t *bytes)
{
    int fd = io_open(name, O_RDONLY, 0);
    int status = 0;

    if (fd < 0)
        return fault_report(files->fault, name, errno);
    tail_begin(&files->tail);
    if (files->seen || files->header.known)
        status = header_take(&files->header, fd, name, &files->tail);
    (void)io_close(fd);
    return status == 0 ? check_size(files, name, bytes) : -1;
}

/* Can the file be read, as far as that can be known without side effects? Returns 0, with the bytes that a regular file
 * has for records in *bytes, or -1 after a report. */
static int look_at(struct files *files, const char *name, uint64_t *bytes)
{
    struct stat status;

    if (io_look(name, &status) != 0)
        return fault_report(files->fault, name, errno);
    if (!S_ISREG(status.st_mode)) {
        files->known = false;
        files->seen = false;
        return 0;
    }
    *bytes = (uint64_t)status.st_size;
    return look_into(files, name, bytes);
}

/* The same of standard input, of which a regular file has what is left. */
static int look_at_standard_input(struct files *files, const char *name, uint64_t *bytes)
{
    int mode = sys_access_mode(STDIN_FILENO);
    struct stat status;
    off_t position;

    if (mode < 0 || sys_fstat(STDIN_FILENO, &status) != 0)
        return fault_report(files->fault, name, errno);
    if (mode == O_WRONLY || S_ISDIR(status.st_mode))
        return fault_report(files->fault, name, mode == O_WRONLY ? EBADF : EISDIR);
    files->seen = false;
    files->known = files->known && S_ISREG(status.st_mode);
    if (S_ISREG(status.st_mode)) {
        position = sys_seek(STDIN_FILENO, 0, SEEK_CUR);
        files->start = position;
        if (position >= 0 && position < status.st_size)
            *bytes = (uint64_t)(status.st_size - position);
    }
    return check_size(files, name, bytes);
}

/* The header of standard input is not looked at, so that of a later file is not taken for the first one's. */
static int look_at_all(struct files *files, uint64_t *known_bytes)
{
    const struct tail fresh = files->tail;
    bool standard_input_counted = false;

    *known_bytes = 0;
    files->known = true;
    files->seen = true;
    for (size_t i = 0; i < files->count; i++) {
        uint64_t bytes = 0;
        int status = 0;

        if (!is_standard_input(files->names[i])) {
            status = look_at(files, files->names[i], &bytes);
        } else if (!standard_input_counted) {
            status = look_at_standard_input(files, files->names[i], &bytes);
            standard_input_counted = true;
        }
        if (status != 0)
            return -1;
        *known_bytes += bytes;
    }
    files->tail = fresh; /* of the files as a stream, nothing has been seen */
    return 0;
}

static size_t take_unread(struct source *source, uint8_t *data, size_t bytes)
{
    size_t taken = bytes < source->unread_bytes ? bytes : source->unread_bytes;

    if (taken > 0) {
        memcpy(data, source->unread, taken);
        source->unread += taken;
        source->unread_bytes -= taken;
    }
    return taken;
}

/* The size that a regular file has now, 0 of any other. */
static off_t size_of(int fd)
{
    struct stat status;

    return sys_fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

static int begin_file(struct files *files)
{
    const char *name = files->names[files->next++];

    files->fd = open_input(name);
    if (files->fd < 0)
        return fault_report(files->fault, name, errno);
    files->size = size_of(files->fd);
    tail_begin(&files->tail);
    if (header_take(&files->header, files->fd, name, &files->tail) != 0)
        return -1;
    files->rest = files->header.rest;
    files->rest_bytes = files->header.rest_bytes;
    return 0;
}

static int end_file(struct files *files)
{
    const char *name = files->names[files->next - 1];

    if (size_of(files->fd) < files->size)
        return fault_say(files->fault, "%s: file has shrunk while it was read", name);
    close_input(files->fd);
    files->fd = -1;
    if (tail_end(&files->tail, name, &files->rest, &files->rest_bytes) != 0)
        return -1;
    files->end[files->next - 1] = files->read + files->rest_bytes;
    if (files->next == files->count && files->end[files->next - 1] == 0 && files->header.text_bytes > 0)
        header_warn_alone(&files->header);
    return 0;
}

static size_t take_rest(struct files *files, uint8_t *data, size_t bytes)
{
    size_t taken = bytes < files->rest_bytes ? bytes : files->rest_bytes;

    memcpy(data, files->rest, taken);
    files->rest += taken;
    files->rest_bytes -= taken;
    return taken;
}

/* Do one thing: deliver from the rest, turn to the next file, or read once. Returns the number of bytes added, which
 * may be 0, or -1 after a report. */
static ssize_t read_on(struct files *files, uint8_t *data, size_t bytes)
{
    ssize_t got;

    if (files->rest_bytes > 0)
        return (ssize_t)take_rest(files, data, bytes);
    if (files->fd < 0)
        return begin_file(files);
    got = io_read(files->fd, data, bytes);
    if (got < 0)
        return fault_report(files->fault, files->names[files->next - 1], errno);
    if (got == 0)
        return end_file(files);
    if (got == PIPE_BYTES)
        sys_widen_pipe(files->fd);
    tail_follow(&files->tail, data, (size_t)got);
    return got;
}

static ssize_t read_files(void *context, uint8_t *data, size_t bytes)
{
    struct files *files = context;
    size_t done = 0;

    while (done < bytes && (files->rest_bytes > 0 || files->fd >= 0 || files->next < files->count)) {
        ssize_t got = read_on(files, data + done, bytes - done);

        if (got < 0)
            return -1;
        done += (size_t)got;
        files->read += (size_t)got;
    }
    return (ssize_t)done;
}

static void free_files(void *context)
{
    struct files *files = context;

    close_input(files->fd);
    lender_close(&files->lender);
    free(files->end);
    header_release(&files->header);
    free(files);
}

struct source *source_open(const char *const *names, size_t count, const struct source_layout *layout,
                           struct fault *fault)
{
    struct files *files = sys_allocate(1, sizeof *files);
    struct source *source = NULL;
    uint64_t known_bytes;

    if (files == NULL) {
        fault_report(fault, "memory", errno);
        return NULL;
    }
    *files = (struct files){.names = names, .count = count, .fault = fault, .fd = -1, .layout = *layout};
    tail_init(&files->tail, &files->layout.format, layout->header_bytes > 0 || layout->header_lines > 0, fault);
    files->end = sys_allocate(count + 1, sizeof *files->end);
    if (files->end == NULL ||
        header_init(&files->header, &files->layout.format, layout->header_bytes, layout->header_lines, fault) != 0)
        fault_report(fault, "memory", errno);
    else if (look_at_all(files, &known_bytes) == 0) {
        source = source_over(read_files, files, free_files);
        if (source == NULL)
            fault_report(fault, "memory", errno);
    }
    if (source == NULL) {
        free_files(files);
        return NULL;
    }
    source->known_bytes = known_bytes;
    source->known = files->known;
    source->files = files;
    return source;
}

const uint8_t *source_header(const struct source *source, size_t *bytes)
{
    *bytes = source->files != NULL ? source->files->header.text_bytes : 0;
    return source->files != NULL ? source->files->header.text : NULL;
}

struct source *source_over(source_function *read, void *context, void (*release)(void *context))
{
    struct source *source = sys_allocate(1, sizeof *source);

    if (source != NULL)
        *source = (struct source){.read = read, .context = context, .release = release};
    return source;
}

ssize_t source_read(struct source *source, uint8_t *data, size_t bytes)
{
    size_t done = take_unread(source, data, bytes);

    if (done < bytes) {
        ssize_t got = source->read(source->context, data + done, bytes - done);

        if (got < 0)
            return -1;
        done += (size_t)got;
    }
    counter_add(&source->delivered_bytes, done);
    return (ssize_t)done;
}

void source_unread(struct source *source, const uint8_t *data, size_t bytes)
{
    source->unread = data;
    source->unread_bytes = bytes;
    counter_set(&source->delivered_bytes, counter_get(&source->delivered_bytes) - bytes);
}

/* ---- Lending ---- */

/* A file's header is no known byte. */
bool source_map(struct source *source, uint64_t *bytes)
{
    struct files *files = source->files;
    uint64_t room;

    if (files == NULL || !source->known || files->next > 0)
        return false;
    room = mapping_room(files->header.text_bytes) + sys_page_bytes();
    room = source->known_bytes + files->count * room;
    if (lender_open(&files->lender, files->names, files->count, files->start, room, files->fault) != 0)
        return false;
    *bytes = files->lender.mapping.used;
    return true;
}

const uint8_t *source_base(const struct source *source)
{
    return source->files != NULL ? source->files->lender.mapping.base : NULL;
}

size_t source_space(const struct source *source)
{
    return source->files != NULL ? source->files->lender.mapping.bytes : 0;
}

/* All of a file has been lent. What completes its last record is put behind it. */
static int end_lending(struct files *files)
{
    if (end_file(files) != 0)
        return -1;
    lender_append(&files->lender, files->rest, files->rest_bytes);
    files->rest_bytes = 0;
    return 0;
}

/* The tail has seen what was read beyond the header. */
static int begin_lending(struct files *files)
{
    struct lender *lender = &files->lender;

    if (begin_file(files) != 0 || lender_begin(lender, files->next - 1, files->fd, files->rest_bytes) != 0)
        return -1;
    files->followed = lender->at + files->rest_bytes;
    files->rest_bytes = 0;
    return lender->at == lender->last ? end_lending(files) : 0;
}

/* The next bytes of the file, which is open, are shown to the tail. */
static void follow(struct files *files, size_t bytes)
{
    const uint8_t *end = files->lender.at + bytes;

    lender_fetch(&files->lender, bytes);
    if (end > files->followed) {
        tail_follow(&files->tail, files->followed, (size_t)(end - files->followed));
        files->followed = end;
    }
}

static void take(struct files *files, size_t bytes)
{
    files->lender.at += bytes;
    files->read += bytes;
}

/* The file is completed before its last bytes are lent, so that nothing is written when others may look. */
static int lend(struct files *files, size_t bytes)
{
    struct lender *lender = &files->lender;
    const bool open = files->fd >= 0;
    const size_t lent = lender_next(lender, bytes);

    if (open)
        follow(files, lent);
    take(files, lent);
    if (!open || lender->at < lender->last)
        return 0;
    if (end_lending(files) != 0)
        return -1;
    take(files, lender_next(lender, bytes - lent));
    return 0;
}

ssize_t source_lend(struct source *source, const uint8_t **data, size_t bytes)
{
    struct files *files = source->files;
    const struct lender *lender = &files->lender;

    while (lender->at == lender->last) {
        if (files->next == files->count)
            return 0;
        if (begin_lending(files) != 0)
            return -1;
    }
    *data = lender->at;
    if (lend(files, bytes) != 0)
        return -1;
    counter_add(&source->delivered_bytes, (uint64_t)(lender->at - *data));
    return lender->at - *data;
}

void source_forget(struct source *source, const uint8_t *end)
{
    lender_forget(&source->files->lender, end);
}

int source_check(const struct source *source)
{
    return source->files != NULL ? lender_check(&source->files->lender) : 0;
}

/* ---- What is known ---- */

const char *source_name_at(const struct source *source, uint64_t offset, uint64_t *end)
{
    const struct files *files = source->files;
    size_t i = 0;

    *end = UINT64_MAX;
    if (files == NULL)
        return "input";
    for (i = files->next - 1; i > 0 && files->end[i - 1] > offset; i--)
        continue;
    if (i + 1 < files->next || files->fd < 0)
        *end = files->end[i];
    return files->names[i];
}

void source_expect(struct source *source, uint64_t bytes)
{
    source->known_bytes = bytes;
    source->known = true;
}

uint64_t source_known_bytes(const struct source *source)
{
    return source->known_bytes;
}

bool source_is_known(const struct source *source)
{
    return source->known;
}

int source_rewind(struct source *source)
{
    struct files *files = source->files;

    close_input(files->fd);
    files->fd = -1;
    files->next = 0;
    files->read = 0;
    files->rest_bytes = 0;
    tail_init(&files->tail, &files->layout.format, files->tail.after_header, files->fault);
    lender_restart(&files->lender);
    source->unread_bytes = 0;
    counter_set(&source->delivered_bytes, 0);
    for (size_t i = 0; i < files->count; i++)
        if (is_standard_input(files->names[i]) && sys_seek(STDIN_FILENO, files->start, SEEK_SET) < 0)
            return fault_report(files->fault, files->names[i], errno);
    return 0;
}

bool source_is_from(const struct source *source, const struct stat *file)
{
    const struct files *files = source->files;
    struct stat status;

    for (size_t i = 0; files != NULL && i < files->count; i++) {
        int found =
            is_standard_input(files->names[i]) ? sys_fstat(STDIN_FILENO, &status) : sys_stat(files->names[i], &status);

        if (found == 0 && io_same_file(&status, file))
            return true;
    }
    return false;
}

uint64_t source_delivered_bytes(const struct source *source)
{
    return counter_get(&source->delivered_bytes);
}

void source_free(struct source *source)
{
    if (source == NULL)
        return;
    source->release(source->context);
    free(source);
}

/* Names in data[0, bytes): as many as there are NUL bytes, and one more if something follows the last of them. */
static size_t count_names(const char *data, size_t bytes)
{
    size_t count = bytes > 0 && data[bytes - 1] != '\0';

    for (size_t i = 0; i < bytes; i++)
        count += data[i] == '\0';
    return count;
}

static int report_names(const char *from, uint64_t memory, struct fault *fault)
{
    if (errno != EFBIG)
        return fault_report(fault, from, errno);
    return fault_say(fault, "%s: its names take more than %llu MiB: use a larger -S", from,
                     (unsigned long long)memory >> 20);
}

int source_names(const char *from, uint64_t *memory, const char ***names, size_t *count, char **data,
                 struct fault *fault)
{
    const char **found = NULL;
    char *text = NULL, *name;
    size_t bytes, found_count;
    int result = -1, fd = open_input(from);

    *names = NULL;
    *data = NULL;
    *count = 0;
    if (fd < 0 || (text = io_read_whole(fd, *memory, &bytes)) == NULL) {
        report_names(from, *memory, fault);
        goto out;
    }
    found_count = count_names(text, bytes);
    if (found_count > (*memory - bytes) / SOURCE_NAME_BYTES) {
        errno = EFBIG;
        report_names(from, *memory, fault);
        goto out;
    }
    if (found_count == 0) {
        fault_say(fault, "no input from '%s'", from);
        goto out;
    }
    found = sys_allocate(found_count, sizeof *found);
    if (found == NULL) {
        fault_report(fault, from, errno);
        goto out;
    }
    name = text;
    for (size_t i = 0; i < found_count; i++, name += strlen(name) + 1) {
        if (is_standard_input(from) && is_standard_input(name)) {
            fault_say(fault, "when reading file names from stdin, no file name of '-' allowed");
            goto out;
        }
        if (name[0] == '\0') {
            fault_say(fault, "%s:%zu: invalid zero-length file name", from, i + 1);
            goto out;
        }
        found[i] = name;
    }
    *names = found;
    *data = text;
    *count = found_count;
    *memory = bytes + found_count * SOURCE_NAME_BYTES;
    found = NULL;
    text = NULL;
    result = 0;
out:
    free(found);
    free(text);
    close_input(fd);
    return result;
}
