/*
 * A file keeps its old content until rename puts a complete new one in its place, in one step (new_file.h). The new
 * file has to be in the same directory for that, which is where the path really leads (target.h); each step looks
 * whether it is still the same directory.
 *
 * An existing file is opened at once, so that the kernel says whether it may be written. What is written directly stays
 * open: a FIFO that is closed and opened again would show its reader an end.
 *
 * Renaming a new file to its place must not fail after hours of work, so sink_open looks for the reasons it might: they
 * make it write in place.
 */

#include "output/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "output/new_file.h"
#include "output/target.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

/* A call for less takes longer than it saves, as the last page of each may have to be written to disk once more. */
static const size_t BEHIND_BYTES = (size_t)1 << 20;

enum { STICKY = 01000 }; /* S_ISVTX, which POSIX alone does not name */

struct sink {
    const char *path; /* as the user gave it; NULL: standard output */
    enum sink_manner manner;
    int fd;              /* to be written to; -1 once all has been written */
    bool begun;          /* has a file that is written in place been emptied? */
    bool behind;         /* is what is written to go to disk at once? */
    bool has_links;      /* has the file that is replaced other names? */
    bool is_locked;      /* has another descriptor of the file been locked? */
    size_t behind_bytes; /* that were written since it was last told to go to disk */
    struct target target;
    struct new_file file; /* if it is replaced */
};

/* errno says why. */
_Noreturn static void fail(const struct sink *sink)
{
    if (sink->path != NULL)
        target_fail(sink->path);
    fault_report("write error", errno);
}

/* ---- Opening ---- */

/* 0, or -1 with errno. */
static int make_file(struct sink *sink, int directory, mode_t mode)
{
    const int status = new_file_make(&sink->file, &sink->target, directory, mode);

    sink->fd = sink->file.fd;
    return status;
}

/* A file that replaces none is created with 0666 first, to learn what mode the process's umask and the directory make
 * of that. */
static void open_missing(struct sink *sink, int directory)
{
    sink->manner = SINK_REPLACED;
    if (make_file(sink, directory, 0666) != 0)
        fail(sink);
    new_file_start(&sink->file);
}

/* Does the place of a file forbid that it be replaced? Writing in place is less safe, so this is a closed list: a lack
 * of space, of descriptors or of memory, or a disk that fails, is a failure. */
static bool is_forbidden(int error)
{
    static const int forbidding[] = {EACCES, EPERM, EROFS, ENOTSUP, EOPNOTSUPP, ENOSYS};

    for (size_t i = 0; i < sizeof forbidding / sizeof forbidding[0]; i++)
        if (error == forbidding[i])
            return true;
    return false;
}

/* In a directory with the sticky bit only a file's owner, or the directory's, may replace it. 0, or -1 with errno. */
static int check_sticky(int directory, const struct stat *file)
{
    uid_t user = sys_user();
    struct stat status;

    if (user == 0 || file->st_uid == user)
        return 0;
    if (sys_fstat(directory, &status) != 0)
        return -1;
    if (!(status.st_mode & STICKY) || status.st_uid == user)
        return 0;
    errno = EPERM;
    return -1;
}

/* How is the existing regular file, which is open as `old`, to be written? */
static void choose_manner(struct sink *sink, int directory, int old, const struct stat *status)
{
    sink->manner = SINK_IN_PLACE;
    if (sink->target.special || sys_is_mount_point(directory, sink->target.name)) /* of which rename would say EBUSY */
        return;
    if (check_sticky(directory, status) != 0 || make_file(sink, directory, S_IRUSR | S_IWUSR) != 0) {
        if (!is_forbidden(errno))
            fail(sink);
        return;
    }
    sink->manner = SINK_REPLACED;
    sink->has_links = status->st_nlink > 1;
    new_file_inherit(&sink->file, old, status);
}

/* `fd` is the existing file, opened for writing and otherwise untouched. */
static void open_existing(struct sink *sink, int directory, int fd)
{
    struct stat status;

    if (sys_fstat(fd, &status) != 0)
        fail(sink);
    sink->manner = SINK_DIRECT;
    if (S_ISREG(status.st_mode))
        choose_manner(sink, directory, fd, &status);
    if (sink->manner == SINK_REPLACED)
        (void)io_close(fd); /* nothing was written to it, so nothing is lost if this fails */
    else
        sink->fd = fd;
}

/* What is opened is what stands in the directory under this name and no other, as it is what will be replaced. */
static void open_path(struct sink *sink)
{
    const int flags = O_WRONLY | O_NOCTTY;
    int directory, fd;

    target_find(&sink->target, sink->path);
    directory = target_enter_or_fail(&sink->target);
    fd = sink->target.special ? io_open(sink->path, flags, 0) : io_open_at(directory, sink->target.name, flags, 0);
    if (fd >= 0)
        open_existing(sink, directory, fd);
    else if (errno == ENOENT)
        open_missing(sink, directory);
    else
        fail(sink);
    (void)io_close(directory);
}

static void open_standard_output(struct sink *sink)
{
    int mode = sys_access_mode(STDOUT_FILENO);

    if (mode == O_RDONLY)
        errno = EBADF;
    if (mode < 0 || mode == O_RDONLY)
        fail(sink);
    sink->manner = SINK_DIRECT;
    sink->fd = STDOUT_FILENO;
}

struct sink *sink_open(const char *path)
{
    struct sink *sink = fault_allocate(1, sizeof *sink);

    sink->path = path;
    sink->fd = -1;
    if (path == NULL)
        open_standard_output(sink);
    else
        open_path(sink);
    return sink;
}

/* ---- Writing ---- */

/* What is written in place loses its old content now, unless others are about to do the same: locked, it is ours. */
static void empty(const struct sink *sink)
{
    if (!sink->is_locked && io_lock(sink->fd, true) != 0 && errno == EWOULDBLOCK)
        fault_say("%s: another run is writing to it", sink->path);
    if (sys_ftruncate(sink->fd, 0) != 0)
        fail(sink);
}

void sink_set_locked(struct sink *sink)
{
    sink->is_locked = true;
}

/* Output begins. */
static void begin(struct sink *sink)
{
    if (sink->manner == SINK_IN_PLACE && !sink->begun)
        empty(sink);
    sink->begun = true;
}

enum sink_manner sink_manner(const struct sink *sink)
{
    return sink->manner;
}

bool sink_has_links(const struct sink *sink)
{
    return sink->has_links;
}

static void write_back(struct sink *sink)
{
    sys_write_back(sink->fd);
    sink->behind_bytes = 0;
}

void sink_write(struct sink *sink, const void *data, size_t bytes)
{
    begin(sink);
    if (io_write(sink->fd, data, bytes) != 0)
        fail(sink);
    sink->behind_bytes += bytes;
    if (sink->behind && sink->behind_bytes >= BEHIND_BYTES)
        write_back(sink);
}

void sink_write_behind(struct sink *sink)
{
    sink->behind = true;
}

int sink_descriptor(struct sink *sink)
{
    begin(sink);
    return sink->fd;
}

/* ---- The end ---- */

/* A descriptor counts as closed even if close fails; what it says must be heard, as it may tell of a lost write. */
void sink_complete(struct sink *sink)
{
    const int fd = sink->fd;

    if (fd < 0)
        return;
    begin(sink);
    if (sink->behind && sink->behind_bytes > 0)
        write_back(sink);
    if (sink->manner == SINK_REPLACED)
        new_file_complete(&sink->file);
    sink->fd = -1;
    if (io_close(fd) != 0)
        fail(sink);
}

void sink_keep(struct sink *sink)
{
    if (sink->manner == SINK_REPLACED)
        new_file_keep(&sink->file);
}

int sink_publish(const struct sink *sink)
{
    return sink->manner == SINK_REPLACED ? new_file_publish(&sink->file) : 0;
}

const char *sink_temporary_name(const struct sink *sink)
{
    return sink->manner == SINK_REPLACED ? sink->file.path : NULL;
}

bool sink_disk(const struct sink *sink, dev_t *device, uint64_t *free_bytes)
{
    struct stat status;

    if (sink->manner == SINK_IN_PLACE || sys_fstat(sink->fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > 0)
        return false;
    *device = status.st_dev;
    return sys_free_space(sink->fd, free_bytes) == 0;
}

void sink_free(struct sink *sink)
{
    if (sink == NULL)
        return;
    if (sink->fd > STDERR_FILENO)
        (void)io_close(sink->fd);
    new_file_release(&sink->file);
    target_release(&sink->target);
    free(sink);
}
