/*
 * A file keeps its old content until rename puts a complete new one in its place, in one step. The new file has to be
 * in the same directory for that, so the path is followed to where the file really is (target.h). Each step looks
 * whether it is still the same directory, and the last one whether it is still the same file. Where O_TMPFILE works,
 * the new file has no name until it is complete; elsewhere it has a temporary one from the beginning. A temporary name
 * is made known to the signal handler in one step with its file: between them, and while it goes, death is held off.
 *
 * Several files that belong together appear together: each is published in a way that can be taken back. Where two
 * names can be exchanged in one step, the temporary name holds the old file until sink_free unlinks it.
 *
 * Rename must not fail after hours of work, so sink_open looks for the reasons it might: they make it write in place.
 */

#include "output/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/target.h"
#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

enum {
    NAME_PART_BYTES = 128, /* of FILE's name in the temporary one; encrypted names may have 143 bytes, others 255 */
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
    int old;      /* the file that will be replaced, so that no other gets its number; -1 if there is none */
    bool existed; /* was there a file before? Then `before` is about it. */
    bool begun;   /* has a file that is written in place been emptied? */
    bool named;   /* does the new file bear the temporary name? */
    int slot;     /* of the temporary name, or -1 */
    struct target target;
    char *temporary; /* the temporary name, beside the target; its end changes */
    struct stat before;
    void *list; /* its access control list, of so many bytes */
    size_t list_bytes;
    mode_t new_mode; /* of a file that did not exist: what the process's umask and the directory make of 0666 */
};

static int fail(const struct sink *sink)
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
    room_bytes = strlen(target->directory) + strlen(target->name) + sizeof "/..0123456789";
    sink->temporary = sys_allocate(room_bytes, 1);
    if (sink->temporary == NULL)
        return -1;
    snprintf(sink->temporary, room_bytes, "%s/.%.*s.%0*d", target->directory, NAME_PART_BYTES, target->name,
             RANDOM_LETTERS, 0);
    return 0;
}

/* The temporary name in the directory. */
static const char *temporary_name(const struct sink *sink)
{
    return strrchr(sink->temporary, '/') + 1;
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

/* The same for one name: EEXIST if it is taken. */
static int take_name(struct sink *sink, int directory, mode_t mode)
{
    sigset_t before;

    signals_hold(&before);
    sink->slot = signals_register(sink->temporary);
    if (sink->slot >= 0 && sink->fd >= 0) {
        sink->named = sys_link_descriptor(sink->fd, directory, temporary_name(sink)) == 0;
    } else if (sink->slot >= 0) {
        sink->fd = io_open_at(directory, temporary_name(sink), O_WRONLY | O_CREAT | O_EXCL, mode);
        sink->named = sink->fd >= 0;
    }
    if (!sink->named) {
        signals_forget(sink->slot);
        sink->slot = -1;
    }
    signals_release(&before);
    return sink->named ? 0 : -1;
}

/* Give the new file a temporary name: link sink->fd to it, or, if that is -1, create the file with it. 0, or -1 with
 * errno. */
static int take_temporary_name(struct sink *sink, int directory, mode_t mode)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (draw_letters(sink) != 0)
            return -1;
        if (take_name(sink, directory, mode) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* By its path, as the signal handler does. Should that lead elsewhere by now, there is nothing of that name. */
static void drop_name(struct sink *sink)
{
    sigset_t before;

    signals_hold(&before);
    if (sink->named)
        (void)sys_unlink(sink->temporary);
    signals_forget(sink->slot);
    signals_release(&before);
    sink->slot = -1;
    sink->named = false;
}

static void drop_new_file(struct sink *sink)
{
    if (sink->fd >= 0)
        (void)io_close(sink->fd);
    sink->fd = -1;
    if (sink->slot >= 0)
        drop_name(sink);
}

/* In a directory with the sticky bit only a file's owner, or the directory's, may replace it. 0, or -1 with errno. */
static int check_sticky(const struct sink *sink, int directory)
{
    uid_t user = sys_user();
    struct stat status;

    if (!sink->existed || user == 0 || sink->before.st_uid == user)
        return 0;
    if (sys_fstat(directory, &status) != 0)
        return -1;
    if (!(status.st_mode & STICKY) || status.st_uid == user)
        return 0;
    errno = EPERM;
    return -1;
}

/* Create the new file in the directory of the target. It is private until it is complete; a file that is made where
 * there was none is created with 0666 first, to learn what mode the system gives it. 0, or -1 with errno. */
static int create_new_file(struct sink *sink, int directory)
{
    mode_t mode = sink->existed ? S_IRUSR | S_IWUSR : 0666;
    struct stat created;

    if (check_sticky(sink, directory) != 0)
        return -1;
    sink->fd = sys_open_anonymous(directory, ".", mode);
    if (sink->fd >= 0 && !sys_can_link_descriptor(sink->fd))
        drop_new_file(sink);
    if (sink->fd < 0 && take_temporary_name(sink, directory, mode) != 0)
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

static int open_missing(struct sink *sink, int directory)
{
    sink->manner = REPLACED;
    return create_new_file(sink, directory) == 0 ? 0 : fail(sink);
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

/* The access control list of the existing file. 0, or -1 with errno. */
static int read_list(struct sink *sink, int fd)
{
    ssize_t bytes = sys_get_acl(fd, NULL, 0);

    if (bytes > 0) {
        sink->list = sys_allocate((size_t)bytes, 1);
        if (sink->list == NULL)
            return -1;
        bytes = sys_get_acl(fd, sink->list, (size_t)bytes);
    }
    sink->list_bytes = bytes > 0 ? (size_t)bytes : 0;
    return bytes < 0 ? -1 : 0;
}

/* How is the existing regular file to be written? 0, or -1 with errno. */
static int choose_manner(struct sink *sink, int directory, int fd)
{
    sink->manner = IN_PLACE;
    if (sink->before.st_nlink > 1 || sink->target.special ||
        sys_is_mount_point(directory, sink->target.name)) /* of which rename would say EBUSY */
        return 0;
    if (create_new_file(sink, directory) != 0)
        return is_forbidden(errno) ? 0 : -1;
    sink->manner = REPLACED;
    return read_list(sink, fd);
}

/* `fd` is the existing file, opened for writing and otherwise untouched. It is kept: a FIFO that is closed and opened
 * again would show its reader an end. */
static int open_existing(struct sink *sink, int directory, int fd)
{
    sink->existed = true;
    if (sys_fstat(fd, &sink->before) != 0)
        goto out;
    sink->manner = DIRECT;
    if (S_ISREG(sink->before.st_mode) && choose_manner(sink, directory, fd) != 0)
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

/* The directory of the target. A descriptor, or -1 after a report. */
static int enter(const struct sink *sink)
{
    int directory = target_enter(&sink->target);

    if (directory < 0 && errno == ESTALE)
        return fault_say(sink->fault, "%s: its directory has been replaced meanwhile", sink->path);
    return directory < 0 ? fail(sink) : directory;
}

/* What is opened is what stands in the directory under this name and no other, as it is what will be replaced. */
static int open_path(struct sink *sink)
{
    const int flags = O_WRONLY | O_NOCTTY;
    int directory;
    int fd;
    int result;

    if (find_target(sink) != 0)
        return fail(sink);
    directory = enter(sink);
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
    sink->fd = sink->old = sink->slot = -1;
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
 * more than both had before; where a list of what some users may not do is lost, nobody else gets anything. */
static mode_t final_mode(const struct sink *sink, bool group_kept, bool list_kept)
{
    mode_t mode = sink->before.st_mode & 01777, shared = mode >> 3 & mode & 07;

    if (!sink->existed)
        return sink->new_mode;
    if (!list_kept)
        return mode & ~(mode_t)077;
    return group_kept ? mode : (mode & ~(mode_t)077) | shared << 3 | shared;
}

/* Give the new file the old one's list, or none, also if the directory has given it one. */
static bool keep_list(const struct sink *sink, bool group_kept)
{
    if (!sink->existed)
        return true;
    if (group_kept || sink->list_bytes == 0) {
        if (sys_set_acl(sink->fd, sink->list, sink->list_bytes) == 0)
            return true;
    } else {
        errno = EPERM; /* what it says of the group would be said of another one */
    }
    fault_warn("%s: cannot keep its access control list: %s", sink->path, strerror(errno));
    (void)sys_set_acl(sink->fd, NULL, 0);
    return false;
}

/* Owner and group first, since a change of them may clear bits of the mode, and the list before the mode, which is a
 * part of it. Some file systems know no owners or modes of their own and refuse; the content is as good, and the file
 * no less private. */
static void give_attributes(const struct sink *sink)
{
    const struct stat *before = &sink->before;
    bool group_kept = !sink->existed || sys_fchown(sink->fd, before->st_uid, before->st_gid) == 0 ||
                      sys_fchown(sink->fd, (uid_t)-1, before->st_gid) == 0;
    bool list_kept = keep_list(sink, group_kept);
    char cause[FAULT_CAUSE_BYTES];

    if (sys_fchmod(sink->fd, final_mode(sink, group_kept, list_kept)) != 0)
        fault_warn("%s: cannot set its mode: %s", sink->path, fault_cause(errno, cause));
}

/* A descriptor counts as closed even if close fails; what it says must be heard, as it may tell of a lost write. */
static int close_output(struct sink *sink)
{
    int fd = sink->fd;

    sink->fd = -1;
    return io_close(fd);
}

/* The new file is complete. 0, or -1 after a report. */
static int name_new_file(struct sink *sink)
{
    int directory;
    int status;

    give_attributes(sink);
    if (sink->named)
        return 0;
    directory = enter(sink);
    if (directory < 0)
        return -1;
    status = take_temporary_name(sink, directory, 0) == 0 ? 0 : fail(sink);
    (void)io_close(directory);
    return status;
}

/* 0, or -1 after a report. */
static int complete(struct sink *sink)
{
    if (sink->progress != UNFINISHED)
        return 0;
    if (begin(sink) != 0)
        return fail(sink);
    if (sink->manner == REPLACED && name_new_file(sink) != 0)
        return -1;
    if (close_output(sink) != 0)
        return fail(sink);
    sink->progress = FINISHED;
    return 0;
}

/* Nothing was written to it, so nothing is lost if this fails. */
static void close_old(struct sink *sink)
{
    if (sink->old >= 0)
        (void)io_close(sink->old);
    sink->old = -1;
}

int sink_finish(struct sink *sink)
{
    if (complete(sink) != 0)
        return -1;
    close_old(sink);
    return 0;
}

/* While a file is open that settles it. One that has not been, as its sink was finished long ago, may have got another
 * number from file systems that make numbers up (FAT, FUSE): then its size and times tell. */
static bool is_same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && S_ISREG(other->st_mode) &&
           (io_same_file(one, other) ||
            (one->st_size == other->st_size && one->st_mtime == other->st_mtime && one->st_ctime == other->st_ctime));
}

/* Is what stands under the name what stood there when the sink was opened, or nothing? Whoever puts something there
 * between this look and the rename, in the same directory, loses it. 0, or -1 after a report. */
static int check_place(const struct sink *sink, int directory)
{
    struct stat now;

    if (sys_stat_at(directory, sink->target.name, &now) != 0)
        return errno == ENOENT ? 0 : fail(sink);
    if (sink->existed && is_same_file(&sink->before, &now))
        return 0;
    return fault_say(sink->fault, "%s: has been %s by others meanwhile, and stays as it is", sink->path,
                     sink->existed ? "replaced" : "made");
}

/* Give the new file its name; `reversibly` if others may yet fail. 0, or -1 after a report. */
static int put_in_place(struct sink *sink, bool reversibly)
{
    const char *from = temporary_name(sink);
    const char *to = sink->target.name;
    int directory = enter(sink);
    int status = -1;

    if (directory < 0)
        return -1;
    if (check_place(sink, directory) != 0)
        goto out;
    if (reversibly && sink->existed && sys_exchange(directory, from, to) == 0) {
        sink->progress = EXCHANGED;
    } else if (sys_rename_at(directory, from, to) == 0) {
        sink->named = false; /* the slot is forgotten by sink_free: there is nothing left to unlink */
        sink->progress = RENAMED;
    } else {
        fail(sink);
        goto out;
    }
    status = 0;
out:
    (void)io_close(directory);
    return status;
}

int sink_commit(struct sink *sink)
{
    if (complete(sink) != 0)
        return -1;
    return sink->manner == REPLACED ? put_in_place(sink, false) : 0;
}

int sink_publish(struct sink *sink)
{
    return sink->manner == REPLACED ? put_in_place(sink, true) : 0;
}

/* 0, or -1: what has been done stays done. */
static int undo(const struct sink *sink)
{
    int directory = target_enter(&sink->target);
    int status = -1;

    if (directory < 0)
        return -1;
    if (sink->progress == EXCHANGED)
        status = sys_exchange(directory, temporary_name(sink), sink->target.name);
    else if (!sink->existed)
        status = sys_unlink_at(directory, sink->target.name);
    (void)io_close(directory);
    return status;
}

void sink_retract(struct sink *sink)
{
    if (sink->progress < EXCHANGED || undo(sink) == 0)
        return;
    if (sink->progress == EXCHANGED) {
        sink->named = false; /* so that the old file is not unlinked, */
        signals_forget(sink->slot);
        sink->slot = -1; /* nor by the signal handler */
        fault_warn("%s: has been replaced; the old file is now %s", sink->path, sink->temporary);
    } else {
        fault_warn("%s: has been %s", sink->path, sink->existed ? "replaced" : "made");
    }
}

bool sink_disk(const struct sink *sink, dev_t *device, uint64_t *free_bytes)
{
    struct stat status;

    if (sink->manner == IN_PLACE || sys_fstat(sink->fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > 0)
        return false;
    *device = status.st_dev;
    return sys_free_space(sink->fd, free_bytes) == 0;
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
    close_old(sink);
    target_release(&sink->target);
    free(sink->temporary);
    free(sink->list);
    free(sink);
}
