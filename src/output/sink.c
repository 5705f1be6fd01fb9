/*
 * An existing file is opened at once, so that the kernel says whether it may be written, and stays open: a FIFO that is
 * closed and opened again would show its reader an end, and no other file gets the number of one that is open.
 *
 * Renaming a new file to its place must not fail after hours of work, so sink_open looks for the reasons it might: they
 * make it write in place.
 */

#include "output/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/successor.h"
#include "output/target.h"
#include "system/io.h"
#include "system/sys.h"

/* A call for less takes longer than it saves, as the last page of each may have to be written to disk once more. */
static const size_t BEHIND_BYTES = (size_t)1 << 20;

enum manner { DIRECT, IN_PLACE, REPLACED };

struct sink {
    const char *path; /* as the user gave it; NULL: standard output */
    struct fault *fault;
    enum manner manner;
    int fd;              /* to be written to; -1 once it is closed */
    int old;             /* the file that will be replaced; -1 if there is none */
    bool begun;          /* has a file that is written in place been emptied? */
    bool finished;       /* all has been written, and the descriptor closed */
    bool behind;         /* is what is written to go to disk at once? */
    size_t behind_bytes; /* that were written since it was last told to */
    struct target target;
    struct successor successor; /* the new file, if the manner is REPLACED; and what was there before */
};

static int fail(const struct sink *sink)
{
    if (errno == EISDIR && sink->path != NULL)
        return fault_say(sink->fault, "%s: %s: name a file in it", sink->path, strerror(EISDIR));
    return fault_report(sink->fault, sink->path != NULL ? sink->path : "write error", errno);
}

static int open_missing(struct sink *sink, int directory)
{
    sink->manner = REPLACED;
    sink->fd = successor_create(&sink->successor, directory);
    return sink->fd >= 0 ? 0 : fail(sink);
}

/* Does the place of a file forbid that it be replaced? Writing in place is less safe, so this is a closed list: a lack
 * of space, of descriptors or of memory, or a disk that fails, is a failure. */
static bool is_forbidden(int error)
{
    static const int forbidding[] = {EACCES, EPERM, EROFS, EXDEV, ENOTSUP, EOPNOTSUPP, ENOSYS};

    for (size_t i = 0; i < sizeof forbidding / sizeof forbidding[0]; i++)
        if (error == forbidding[i])
            return true;
    return false;
}

/* How is the existing regular file, which is open as `old`, to be written? 0, or -1 with errno. */
static int choose_manner(struct sink *sink, int directory, int old)
{
    struct successor *successor = &sink->successor;

    sink->manner = IN_PLACE;
    if (successor->before.st_nlink > 1 || sink->target.special ||
        sys_is_mount_point(directory, sink->target.name)) /* of which rename would say EBUSY */
        return 0;
    sink->fd = successor_create(successor, directory);
    if (sink->fd < 0)
        return is_forbidden(errno) ? 0 : -1;
    sink->manner = REPLACED;
    return attributes_read(&successor->attributes, old, &successor->before);
}

/* `fd` is the existing file, opened for writing and otherwise untouched. */
static int open_existing(struct sink *sink, int directory, int fd)
{
    struct stat *before = &sink->successor.before;

    sink->successor.existed = true;
    if (sys_fstat(fd, before) != 0)
        goto out;
    sink->manner = DIRECT;
    if (S_ISREG(before->st_mode) && choose_manner(sink, directory, fd) != 0)
        goto out;
    if (sink->manner == REPLACED)
        sink->old = fd;
    else
        sink->fd = fd;
    return 0;
out:
    fail(sink);
    (void)io_close(fd);
    return -1;
}

/* What is opened is what stands in the directory under this name and no other, as it is what will be replaced. */
static int open_path(struct sink *sink)
{
    const int flags = O_WRONLY | O_NOCTTY;
    int directory;
    int fd;
    int result;

    if (target_find(&sink->target, sink->path) != 0)
        return fail(sink);
    directory = target_enter_or_report(&sink->target, sink->path, sink->fault);
    if (directory < 0)
        return -1;
    fd = sink->target.special ? io_open(sink->path, flags, 0) : io_open_at(directory, sink->target.name, flags, 0);
    if (fd >= 0)
        result = open_existing(sink, directory, fd);
    else
        result = errno == ENOENT ? open_missing(sink, directory) : fail(sink);
    (void)io_close(directory);
    return result;
}

static int open_standard_output(struct sink *sink)
{
    int mode = sys_access_mode(STDOUT_FILENO);

    if (mode == O_RDONLY)
        errno = EBADF;
    if (mode < 0 || mode == O_RDONLY)
        return fail(sink);
    sink->manner = DIRECT;
    sink->fd = STDOUT_FILENO;
    return 0;
}

struct sink *sink_open(const char *path, struct fault *fault)
{
    struct sink *sink = sys_allocate(1, sizeof *sink);

    if (sink == NULL) {
        fault_report(fault, "memory", errno);
        return NULL;
    }
    sink->path = path;
    sink->fault = fault;
    sink->fd = sink->old = -1;
    sink->successor = (struct successor){.path = path, .fault = fault, .target = &sink->target};
    if ((path == NULL ? open_standard_output(sink) : open_path(sink)) != 0) {
        sink_free(sink);
        return NULL;
    }
    return sink;
}

/* What is written in place loses its old content now, unless others are about to do the same: locked, it is ours. */
static int empty(const struct sink *sink)
{
    struct stat now;

    if (io_lock(sink->fd, true) != 0 && errno == EWOULDBLOCK)
        return fault_say(sink->fault, "%s: another run is writing to it", sink->path);
    if (sys_fstat(sink->fd, &now) != 0)
        return fail(sink);
    if (successor_check_old(&sink->successor, &now) != 0)
        return -1;
    return sys_ftruncate(sink->fd, 0) == 0 ? 0 : fail(sink);
}

/* Output begins. 0, or -1 after a report. */
static int begin(struct sink *sink)
{
    if (sink->manner == IN_PLACE && !sink->begun && empty(sink) != 0)
        return -1;
    sink->begun = true;
    return 0;
}

void sink_replaces_input(struct sink *sink)
{
    sink->successor.is_input = true;
}

bool sink_is_in_place(const struct sink *sink)
{
    return sink->manner == IN_PLACE;
}

static void write_back(struct sink *sink)
{
    sys_write_back(sink->fd);
    sink->behind_bytes = 0;
}

int sink_write(struct sink *sink, const void *data, size_t bytes)
{
    if (begin(sink) != 0)
        return -1;
    if (io_write(sink->fd, data, bytes) != 0)
        return fail(sink);
    sink->behind_bytes += bytes;
    if (sink->behind && sink->behind_bytes >= BEHIND_BYTES)
        write_back(sink);
    return 0;
}

void sink_write_behind(struct sink *sink)
{
    sink->behind = true;
}

int sink_descriptor(struct sink *sink)
{
    return begin(sink) == 0 ? sink->fd : -1;
}

/* A descriptor counts as closed even if close fails; what it says must be heard, as it may tell of a lost write. */
static int close_output(struct sink *sink)
{
    int fd = sink->fd;

    sink->fd = -1;
    return io_close(fd);
}

int sink_complete(struct sink *sink)
{
    if (sink->finished)
        return 0;
    if (begin(sink) != 0)
        return -1;
    if (sink->behind && sink->behind_bytes > 0)
        write_back(sink);
    if (sink->manner == REPLACED && successor_complete(&sink->successor, sink->fd) != 0)
        return -1;
    if (close_output(sink) != 0)
        return fail(sink);
    sink->finished = true;
    return 0;
}

/* Nothing was written to it, so nothing is lost if this fails. */
static void close_old(struct sink *sink)
{
    if (sink->old >= 0)
        (void)io_close(sink->old);
    sink->old = -1;
    sink->successor.let_go = true;
}

int sink_finish(struct sink *sink)
{
    if (sink_complete(sink) != 0)
        return -1;
    close_old(sink);
    return 0;
}

int sink_publish(struct sink *sink, bool reversibly)
{
    return sink->manner == REPLACED ? successor_publish(&sink->successor, reversibly) : 0;
}

void sink_retract(struct sink *sink)
{
    successor_retract(&sink->successor);
}

bool sink_disk(const struct sink *sink, dev_t *device, uint64_t *free_bytes)
{
    struct stat status;

    if (sink->manner == IN_PLACE || sys_fstat(sink->fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > 0)
        return false;
    *device = status.st_dev;
    return sys_free_space(sink->fd, free_bytes) == 0;
}

struct sink_sight sink_sight(const struct sink *sink)
{
    return (struct sink_sight){.device = sink->target.device,
                               .inode = sink->target.inode,
                               .before = version_of(&sink->successor.before),
                               .changed = sys_changed(&sink->successor.before)};
}

/* Nobody had the old file open meanwhile, so another one may have got its number: its size and times tell. Where they
 * do not, as clocks tick 250 times a second, the number does, unless the file system makes numbers up. */
static bool is_as_seen(const struct sink_sight *past, const struct stat *now)
{
    return version_is_same(&past->before, now) &&
           (version_is_of(&past->before, now) || past->changed == sys_changed(now));
}

int sink_check_sight(const struct sink *sink, const struct sink_sight *past)
{
    const struct successor *successor = &sink->successor;

    if (sink->target.device != past->device || sink->target.inode != past->inode)
        return target_report_stale(sink->path, sink->fault);
    if (!successor->existed || is_as_seen(past, &successor->before))
        return 0;
    return successor_report_others(successor, version_is_known(&past->before) ? "changed" : "made");
}

bool sink_is_direct(const struct sink *sink)
{
    return sink->manner == DIRECT;
}

void sink_free(struct sink *sink)
{
    if (sink == NULL)
        return;
    if (sink->fd > STDERR_FILENO)
        (void)io_close(sink->fd);
    successor_release(&sink->successor);
    close_old(sink);
    target_release(&sink->target);
    free(sink);
}
