/*
 * A file keeps its old content until rename puts a complete new one in its place, in one step. The new file has to be
 * in the same directory for that, so the path is followed to where the file really is. Where O_TMPFILE works, the new
 * file has no name until it is complete; elsewhere it has a temporary one from the beginning. A temporary name is
 * registered with the signal handler before it exists and forgotten after it is gone.
 *
 * Several files that belong together appear together: each is published in a way that can be taken back. Where two
 * names can be exchanged in one step, the temporary name holds the old file until sink_free unlinks it.
 *
 * Rename must not fail after hours of work, so sink_open looks for the reasons it might: they make it write in place.
 */

#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "signals.h"
#include "sys.h"
#include "target.h"

enum {
    NAME_PART_BYTES = 200, /* of FILE's name in the temporary one, which must stay below NAME_MAX, 255 */
    RANDOM_LETTERS = 6,
    STICKY = 01000, /* S_ISVTX, which POSIX alone does not name */
    ATTEMPTS = 100, /* to find a temporary name that is free: 62^6 of them make a second attempt rare */
};

enum manner { DIRECT, IN_PLACE, REPLACED };

/* What stands under the final name. */
enum progress {
    UNFINISHED, /* what stood there before; also in FINISHED */
    FINISHED,   /* the new file is complete, under the temporary name, and closed */
    EXCHANGED,  /* the new file; the old one has the temporary name */
    RENAMED,    /* the new file; there is no temporary name */
};

struct sink {
    const char *path; /* as the user gave it; NULL: standard output */
    struct fault *fault;
    enum manner manner;
    enum progress progress;
    int fd;
    bool existed; /* was there a file before? Then `before` is about it. */
    bool begun;   /* has a file that is written in place been emptied? */
    bool named;   /* does the new file bear the temporary name? */
    int slot;     /* of the temporary name, or -1 */
    struct target target;
    char *temporary; /* the temporary name, beside the target; its end changes */
    struct stat before;
    mode_t new_mode; /* of a file that did not exist: what the process's umask and the directory make of 0666 */
};

static int fail(struct sink *sink)
{
    return fault_report(sink->fault, sink->path != NULL ? sink->path : "write error", errno);
}

/* Learn where the file really is and prepare its temporary name there. 0, or -1 with errno. */
static int find_target(struct sink *sink)
{
    const struct target *target = &sink->target;
    size_t room_bytes;

    if (target_find(&sink->target, sink->path) != 0)
        return -1;
    room_bytes = strlen(target->path) + sizeof "/..0123456789";
    sink->temporary = sys_allocate(room_bytes, 1);
    if (sink->temporary == NULL)
        return -1;
    snprintf(sink->temporary, room_bytes, "%s/.%.*s.%0*d", target->directory, NAME_PART_BYTES, target->name,
             RANDOM_LETTERS, 0);
    return 0;
}

/* Put fresh random letters at the end of the temporary name. */
static int draw_letters(struct sink *sink)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    char *end = sink->temporary + strlen(sink->temporary);
    uint8_t bytes[RANDOM_LETTERS];

    if (sys_random(bytes, sizeof bytes) != 0)
        return -1;
    for (int i = 0; i < RANDOM_LETTERS; i++)
        end[i - RANDOM_LETTERS] = letters[bytes[i] % (sizeof letters - 1)];
    return 0;
}

/* Give the new file a temporary name: link sink->fd to it, or, if that is -1, create the file with it. 0, or -1 with
 * errno. */
static int take_temporary_name(struct sink *sink, mode_t mode)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (draw_letters(sink) != 0)
            return -1;
        sink->slot = signals_register(sink->temporary);
        if (sink->slot < 0)
            return -1;
        if (sink->fd >= 0) {
            sink->named = sys_link_descriptor(sink->fd, sink->temporary) == 0;
        } else {
            sink->fd = io_open(sink->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
            sink->named = sink->fd >= 0;
        }
        if (sink->named)
            return 0;
        signals_forget(sink->slot);
        sink->slot = -1;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static void drop_new_file(struct sink *sink)
{
    if (sink->fd >= 0)
        (void)io_close(sink->fd);
    if (sink->named)
        (void)sys_unlink(sink->temporary);
    signals_forget(sink->slot);
    sink->fd = sink->slot = -1;
    sink->named = false;
}

/* In a directory with the sticky bit only a file's owner, or the directory's, may replace it. */
static bool may_rename_over(const struct sink *sink)
{
    struct stat directory;
    uid_t user = sys_user();

    if (!sink->existed || user == 0 || sink->before.st_uid == user)
        return true;
    return sys_stat(sink->target.directory, &directory) == 0 &&
           (!(directory.st_mode & STICKY) || directory.st_uid == user);
}

/* Create the new file in the directory of the target. It is private until it is complete; a file that is made where
 * there was none is created with 0666 first, to learn what mode the system gives it. 0, or -1 with errno. */
static int create_new_file(struct sink *sink)
{
    mode_t mode = sink->existed ? S_IRUSR | S_IWUSR : 0666;
    struct stat created;

    if (!may_rename_over(sink)) {
        errno = EPERM;
        return -1;
    }
    sink->fd = sys_open_anonymous(sink->target.directory, mode);
    if (sink->fd >= 0 && !sys_can_link_descriptor(sink->fd))
        drop_new_file(sink);
    if (sink->fd < 0 && take_temporary_name(sink, mode) != 0)
        return -1;
    if (sys_fstat(sink->fd, &created) != 0)
        goto out;
    if (sink->existed && created.st_dev != sink->before.st_dev) { /* a single file with something mounted over it */
        errno = EXDEV;
        goto out;
    }
    sink->new_mode = created.st_mode & 0777;
    if (!sink->existed)
        (void)sys_fchmod(sink->fd, S_IRUSR | S_IWUSR);
    return 0;
out:
    drop_new_file(sink);
    return -1;
}

static int open_missing(struct sink *sink)
{
    sink->manner = REPLACED;
    if (find_target(sink) != 0 || create_new_file(sink) != 0)
        return fail(sink);
    return 0;
}

/* Prepare to replace the existing file. 0, or -1 with errno. */
static int replace_existing(struct sink *sink)
{
    if (sink->before.st_nlink != 1) {
        errno = EMLINK;
        return -1;
    }
    if (find_target(sink) != 0)
        return -1;
    if (sink->target.special || sys_is_mount_point(sink->target.path)) { /* of which rename would say EBUSY */
        errno = ENOTSUP;
        return -1;
    }
    return create_new_file(sink);
}

/* Is it the state of the system, rather than the place of the file, that makes a call fail? Then no other way of
 * writing is tried: it would be less safe without need. */
static bool is_shortage(int error)
{
    return error == ENOMEM || error == EMFILE || error == ENFILE || error == EIO;
}

/* `fd` is the existing file, opened for writing and otherwise untouched. It is kept unless the file is replaced: a FIFO
 * that is closed and opened again would show its reader an end. */
static int open_existing(struct sink *sink, int fd)
{
    int result = -1;

    sink->existed = true;
    if (sys_fstat(fd, &sink->before) != 0) {
        fail(sink);
        goto out;
    }
    if (!S_ISREG(sink->before.st_mode)) {
        sink->manner = DIRECT;
    } else if (replace_existing(sink) == 0) {
        sink->manner = REPLACED;
    } else if (is_shortage(errno)) {
        fail(sink);
        goto out;
    } else {
        sink->manner = IN_PLACE;
    }
    if (sink->manner != REPLACED) {
        sink->fd = fd;
        fd = -1;
    }
    result = 0;
out:
    if (fd >= 0)
        (void)io_close(fd);
    return result;
}

static int open_path(struct sink *sink)
{
    int fd = io_open(sink->path, O_WRONLY | O_NOCTTY, 0);

    if (fd >= 0)
        return open_existing(sink, fd);
    return errno == ENOENT ? open_missing(sink) : fail(sink);
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
    sink->fd = sink->slot = -1;
    if ((path == NULL ? open_standard_output(sink) : open_path(sink)) != 0) {
        sink_free(sink);
        return NULL;
    }
    return sink;
}

/* Output begins: what is written in place loses its old content now. */
static int begin(struct sink *sink)
{
    if (sink->manner == IN_PLACE && !sink->begun && sys_ftruncate(sink->fd, 0) != 0)
        return -1;
    sink->begun = true;
    return 0;
}

bool sink_is_in_place(const struct sink *sink)
{
    return sink->manner == IN_PLACE;
}

int sink_write(struct sink *sink, const void *data, size_t bytes)
{
    if (begin(sink) != 0 || io_write(sink->fd, data, bytes) != 0)
        return fail(sink);
    return 0;
}

/* The mode of the complete file. Where the group stays another than it was, neither that group nor the others get
 * more than both had before. */
static mode_t final_mode(const struct sink *sink, bool group_kept)
{
    mode_t mode = sink->before.st_mode & 01777, shared = mode >> 3 & mode & 07;

    if (!sink->existed)
        return sink->new_mode;
    return group_kept ? mode : (mode & ~(mode_t)077) | shared << 3 | shared;
}

/* Owner and group first, since a change of them may clear bits of the mode. Some file systems know no owners or modes
 * of their own and refuse; the content is as good, and the file no less private. */
static void give_attributes(const struct sink *sink)
{
    const struct stat *before = &sink->before;
    bool group_kept = !sink->existed || sys_fchown(sink->fd, before->st_uid, before->st_gid) == 0 ||
                      sys_fchown(sink->fd, (uid_t)-1, before->st_gid) == 0;

    if (sys_fchmod(sink->fd, final_mode(sink, group_kept)) != 0)
        fault_warn("%s: cannot set its mode: %s", sink->path, strerror(errno));
}

/* A descriptor counts as closed even if close fails; what it says must be heard, as it may tell of a lost write. */
static int close_output(struct sink *sink)
{
    int fd = sink->fd;

    sink->fd = -1;
    return io_close(fd);
}

static int finish_new_file(struct sink *sink)
{
    give_attributes(sink);
    if (!sink->named && take_temporary_name(sink, 0) != 0)
        return -1;
    return close_output(sink);
}

int sink_finish(struct sink *sink)
{
    if (sink->progress != UNFINISHED)
        return 0;
    if (begin(sink) != 0 || (sink->manner == REPLACED ? finish_new_file(sink) : close_output(sink)) != 0)
        return fail(sink);
    sink->progress = FINISHED;
    free(sink->target.directory); /* it may be large, and ten thousand sinks may wait for their commit */
    sink->target.directory = NULL;
    return 0;
}

/* 0, or -1 with errno. */
static int rename_new_file(struct sink *sink)
{
    if (sys_rename(sink->temporary, sink->target.path) != 0)
        return -1;
    sink->named = false; /* the slot is forgotten by sink_free: there is nothing left to unlink */
    sink->progress = RENAMED;
    return 0;
}

int sink_commit(struct sink *sink)
{
    if (sink_finish(sink) != 0)
        return -1;
    if (sink->manner == REPLACED && rename_new_file(sink) != 0)
        return fail(sink);
    return 0;
}

int sink_publish(struct sink *sink)
{
    if (sink->manner != REPLACED)
        return 0;
    if (sink->existed && sys_exchange(sink->temporary, sink->target.path) == 0) {
        sink->progress = EXCHANGED;
        return 0;
    }
    return rename_new_file(sink) == 0 ? 0 : fail(sink);
}

void sink_retract(struct sink *sink)
{
    if (sink->progress == EXCHANGED) {
        if (sys_exchange(sink->temporary, sink->target.path) == 0)
            return;
        sink->named = false; /* so that the old file is not unlinked */
        fault_warn("%s: has been replaced; the old file is now %s", sink->path, sink->temporary);
    } else if (sink->progress == RENAMED && sink->existed) {
        fault_warn("%s: has been replaced", sink->path);
    } else if (sink->progress == RENAMED && sys_unlink(sink->target.path) != 0) {
        fault_warn("%s: has been made", sink->path);
    }
}

bool sink_is_direct(const struct sink *sink)
{
    return sink->manner == DIRECT;
}

void sink_free(struct sink *sink)
{
    if (sink == NULL)
        return;
    if (sink->manner == REPLACED)
        drop_new_file(sink);
    else if (sink->fd > STDERR_FILENO)
        (void)io_close(sink->fd);
    target_release(&sink->target);
    free(sink->temporary);
    free(sink);
}
