/*
 * A file's end is only seen by a read that has room left and gets nothing, so there is always room for the delimiter
 * that the file may lack: it is added at that moment, and a file that ends where the buffer ends gets it at the
 * beginning of the next one. `last` is what decides; it starts as the delimiter, so that an empty file gets none.
 */

#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "sys.h"

/* What a pipe holds on Linux unless told otherwise: a read that gets as much has found it full, and the writer waiting.
 */
enum { PIPE_BYTES = 65536 };

struct source {
    source_function *read;
    void *context;
    void (*release)(void *context);
    const uint8_t *unread;
    size_t unread_bytes;
    uint64_t known_bytes, delivered_bytes;
    const struct files *files; /* the context of a source over files, else NULL */
};

struct files {
    const char *const *names;
    size_t count, next; /* the file being read is the one before `next` */
    bool known;         /* are all regular? */
    uint64_t *end;      /* of each file that has been read, in the stream */
    uint64_t read;      /* bytes of the stream */
    struct fault *fault;
    int fd;       /* of the file being read, -1 between files */
    off_t size;   /* of that file when it was opened, 0 if it has none */
    uint8_t last; /* byte of the file being read */
    uint8_t delimiter;
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

/* Is standard input a regular file? Then *bytes receives what is left of it. */
static bool look_at_standard_input(uint64_t *bytes)
{
    struct stat status;
    off_t position;

    if (sys_fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    position = sys_seek(STDIN_FILENO, 0, SEEK_CUR);
    if (position >= 0 && position < status.st_size)
        *bytes = (uint64_t)(status.st_size - position);
    return true;
}

/* Can the file be read, as far as that can be known without side effects? Returns 0, with the bytes of a regular file
 * in *bytes, or -1 with errno. */
static int look_at(const char *name, uint64_t *bytes, bool *regular)
{
    struct stat status;
    int fd;

    if (sys_stat(name, &status) != 0)
        return -1;
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    *regular = S_ISREG(status.st_mode);
    if (!*regular)
        return sys_readable(name);
    fd = io_open(name, O_RDONLY, 0);
    if (fd < 0)
        return -1;
    (void)io_close(fd);
    *bytes = (uint64_t)status.st_size;
    return 0;
}

static int look_at_all(struct files *files, uint64_t *known_bytes)
{
    bool standard_input_counted = false;

    *known_bytes = 0;
    files->known = true;
    for (size_t i = 0; i < files->count; i++) {
        uint64_t bytes = 0;
        bool regular = true;

        if (!is_standard_input(files->names[i])) {
            if (look_at(files->names[i], &bytes, &regular) != 0)
                return fault_report(files->fault, files->names[i], errno);
        } else if (!standard_input_counted) {
            regular = look_at_standard_input(&bytes);
            standard_input_counted = true;
        }
        files->known = files->known && regular;
        *known_bytes += bytes;
    }
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

/* Read once from the file being read, or turn to the next one. Returns the number of bytes added, which may be 0
 * between two files, or -1 after a report. */
static ssize_t read_on(struct files *files, uint8_t *data, size_t bytes)
{
    ssize_t got;

    if (files->fd < 0) {
        files->fd = open_input(files->names[files->next++]);
        files->last = files->delimiter;
        if (files->fd < 0)
            return fault_report(files->fault, files->names[files->next - 1], errno);
        files->size = size_of(files->fd);
    }
    got = io_read(files->fd, data, bytes);
    if (got < 0)
        return fault_report(files->fault, files->names[files->next - 1], errno);
    if (got == PIPE_BYTES)
        sys_widen_pipe(files->fd);
    if (got > 0) {
        files->last = data[got - 1];
        return got;
    }
    if (size_of(files->fd) < files->size)
        return fault_say(files->fault, "%s: file has shrunk while it was read", files->names[files->next - 1]);
    close_input(files->fd);
    files->fd = -1;
    files->end[files->next - 1] = files->read + (files->last != files->delimiter);
    if (files->last == files->delimiter)
        return 0;
    data[0] = files->delimiter;
    return 1;
}

static ssize_t read_files(void *context, uint8_t *data, size_t bytes)
{
    struct files *files = context;
    size_t done = 0;

    while (done < bytes && (files->fd >= 0 || files->next < files->count)) {
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
    free(files->end);
    free(files);
}

struct source *source_open(const char *const *names, size_t count, uint8_t delimiter, struct fault *fault)
{
    struct files *files = sys_allocate(1, sizeof *files);
    struct source *source = NULL;
    uint64_t known_bytes;

    if (files == NULL) {
        fault_report(fault, "memory", errno);
        return NULL;
    }
    *files = (struct files){.names = names, .count = count, .fault = fault, .fd = -1, .delimiter = delimiter};
    files->end = sys_allocate(count + 1, sizeof *files->end);
    if (files->end == NULL)
        fault_report(fault, "memory", errno);
    else if (look_at_all(files, &known_bytes) == 0) {
        source = source_over(read_files, files, free_files);
        if (source == NULL)
            fault_report(fault, "memory", errno);
        else
            source->known_bytes = known_bytes;
        if (source != NULL)
            source->files = files;
    }
    if (source == NULL)
        free_files(files);
    return source;
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
    source->delivered_bytes += done;
    return (ssize_t)done;
}

void source_unread(struct source *source, const uint8_t *data, size_t bytes)
{
    source->unread = data;
    source->unread_bytes = bytes;
    source->delivered_bytes -= bytes;
}

const char *source_name_at(const struct source *source, uint64_t offset, uint64_t *end)
{
    const struct files *files = source->files;
    size_t i = 0;

    *end = UINT64_MAX;
    if (files == NULL)
        return "input";
    while (i + 1 < files->next && files->end[i] <= offset)
        i++;
    if (i + 1 < files->next || files->fd < 0)
        *end = files->end[i];
    return files->names[i];
}

uint64_t source_known_bytes(const struct source *source)
{
    return source->known_bytes;
}

bool source_is_known(const struct source *source)
{
    return source->files != NULL && source->files->known;
}

uint64_t source_delivered_bytes(const struct source *source)
{
    return source->delivered_bytes;
}

void source_free(struct source *source)
{
    if (source == NULL)
        return;
    source->release(source->context);
    free(source);
}

/* All of the file, with a NUL byte after it that does not count, malloc'd. NULL with errno. */
static char *read_whole(int fd, size_t *bytes)
{
    size_t room = 4096, used = 0;
    char *data = sys_allocate(room, 1), *result = NULL;

    while (data != NULL) {
        ssize_t got = io_read(fd, data + used, room - used - 1);

        if (got < 0)
            goto out;
        if (got == 0)
            break;
        used += (size_t)got;
        if (used + 1 == room) {
            char *larger = sys_allocate(room, 2);

            if (larger == NULL)
                goto out;
            memcpy(larger, data, used);
            free(data);
            data = larger;
            room *= 2;
        }
    }
    if (data != NULL)
        data[used] = '\0';
    *bytes = used;
    result = data;
    data = NULL;
out:
    free(data);
    return result;
}

/* Names in data[0, bytes): as many as there are NUL bytes, and one more if something follows the last of them. */
static size_t count_names(const char *data, size_t bytes)
{
    size_t count = bytes > 0 && data[bytes - 1] != '\0';

    for (size_t i = 0; i < bytes; i++)
        count += data[i] == '\0';
    return count;
}

int source_names(const char *from, const char ***names, size_t *count, char **data, struct fault *fault)
{
    const char **found = NULL;
    char *text = NULL, *name;
    size_t bytes, found_count;
    int result = -1, fd = open_input(from);

    *names = NULL;
    *data = NULL;
    *count = 0;
    if (fd < 0 || (text = read_whole(fd, &bytes)) == NULL) {
        fault_report(fault, from, errno);
        goto out;
    }
    found_count = count_names(text, bytes);
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
    found = NULL;
    text = NULL;
    result = 0;
out:
    free(found);
    free(text);
    close_input(fd);
    return result;
}
