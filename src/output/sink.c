/*
 * A file keeps its old content until rename puts a complete new one in its place, in one step. The new file has to be
 * in the same directory for that, which is where the path really leads (target.h); each step looks whether it is still
 * the same directory. Where O_TMPFILE works it has no name until it is complete; elsewhere it has its temporary name
 * from the beginning: .NAME.XXXXXX, with six random letters. The list of names to unlink and the directory change
 * together, with death held off.
 *
 * An existing file is opened at once, so that the kernel says whether it may be written. A file that is written
 * directly stays open: a FIFO that is closed and opened again would show its reader an end.
 *
 * Renaming a new file must not fail after hours of work, so sink_open tries what rename will need. Before rmdir finds
 * that a file is no directory, the kernel makes all its checks for removing a name: the permissions of the directory,
 * the owner of the file in a sticky one, attributes such as append-only. So rmdir of the file does nothing, and tells
 * whether rename could replace it. Only mount points must be looked for. For a new file, a name is made and unlinked.
 */

#include "output/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tunable.h"
#include "output/target.h"
#include "system/fault.h"
#include "system/hardware.h"
#include "system/io.h"
#include "system/signals.h"
#include "system/standard.h"
#include "system/sys.h"

enum {
    NAME_PART_BYTES = 128, /* of the target's name: encrypted names may have 143 bytes, others 255 */
    RANDOM_LETTERS = 6,
    ATTEMPTS = 100, /* to find a free name: a second one is rare among 62^6 names */
};

/* A call for less takes longer than it saves, as the last page of each may have to be written to disk once more. */
TUNABLE(BEHIND_BYTES, 1 << 20, 1, 1 << 20);

struct sink {
    const char *path; /* as the user gave it; NULL: standard output */
    int refused;      /* the errno why an existing file cannot be replaced; else 0 */
    struct sink_state state;
    bool durable;        /* must it be on disk before it gets its name? */
    const bool *behind;  /* as for sink_open */
    size_t behind_bytes; /* written, but not yet sent to disk */
    struct target target;

    /* Of a new file: */
    int slot;      /* of its temporary name in the list of signals.h; -1: not in it */
    bool inherits; /* does it get owner, group and access control list of an old one? */
    uid_t owner;
    gid_t group;
    mode_t mode;
    void *list; /* [list_bytes]; NULL: none */
    size_t list_bytes;
};

/* errno says why. */
_Noreturn static void fail(const struct sink *sink)
{
    if (sink->path != NULL)
        target_fail(sink->path);
    die_errno("write error", errno);
}

/* ---- The temporary name ---- */

/* The temporary name in the directory. */
static const char *name_of(const struct sink *sink)
{
    return strrchr(sink->state.temporary, '/') + 1;
}

/* Put fresh random letters at the end. */
static int draw_letters(struct sink *sink)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    char *end = sink->state.temporary + strlen(sink->state.temporary);
    uint8_t bytes[RANDOM_LETTERS];

    if (sys_random(bytes, sizeof bytes) != 0)
        return -1;
    for (int i = 0; i < RANDOM_LETTERS; i++)
        end[i - RANDOM_LETTERS] = letters[bytes[i] % (sizeof letters - 1)];
    return 0;
}

void sink_keep(struct sink *sink)
{
    signals_forget(sink->slot);
    sink->slot = -1;
}

/* Give the file its temporary name, or make the file under that name if there is none yet. 0, or -1 with errno. */
static int take_temporary_name(struct sink *sink, int directory, mode_t mode)
{
    bool taken = false;
    sigset_t before;

    for (int attempt = 0; !taken && attempt < ATTEMPTS; attempt++) {
        if (draw_letters(sink) != 0)
            return -1;
        signals_hold(&before);
        sink->slot = signals_register(
            &(struct signals_name){.directory = directory, .name = name_of(sink), .path = sink->state.temporary});
        if (sink->slot < 0) /* by its path, if descriptors run out */
            sink->slot = signals_register(&(struct signals_name){
                .directory = AT_FDCWD, .name = sink->state.temporary, .path = sink->state.temporary});
        if (sink->slot >= 0 && sink->state.fd >= 0) {
            taken = sys_link_descriptor(sink->state.fd, directory, name_of(sink)) == 0;
        } else if (sink->slot >= 0) {
            sink->state.fd = io_open_at(directory, name_of(sink), O_WRONLY | O_CREAT | O_EXCL, mode);
            taken = sink->state.fd >= 0;
        }
        if (!taken)
            sink_keep(sink);
        signals_release(&before);
        if (!taken && errno != EEXIST)
            return -1;
    }
    return taken ? 0 : -1;
}

/* 0, or the errno of a failure, after a warning. If the folder is gone, so is the name. */
static int unlink_name(struct sink *sink)
{
    const int error = signals_remove(sink->slot) == 0 ? 0 : errno;

    sink->slot = -1;
    if (error == 0 || error == ENOENT || error == ENOTDIR)
        return 0;
    fault_warn("%s: cannot be removed: %s", sink->state.temporary, fault_cause(error));
    return error;
}

/* ---- The attributes ---- */

/* Note the attributes of the old file, open as `old`, for the new one. */
static void inherit(struct sink *sink, int old, const struct stat *status)
{
    ssize_t bytes = sys_get_acl(old, NULL, 0);

    sink->inherits = true;
    sink->state.has_links = status->st_nlink > 1;
    sink->owner = status->st_uid;
    sink->group = status->st_gid;
    sink->mode = status->st_mode & 01777;
    if (bytes > 0) {
        sink->list = fault_allocate((size_t)bytes, 1);
        bytes = sys_get_acl(old, sink->list, (size_t)bytes);
    }
    if (bytes < 0)
        fail(sink);
    sink->list_bytes = (size_t)bytes;
}

/* If the group cannot be kept, neither the group nor others get more than both had before; if an access control list is
 * lost, nobody but the owner gets anything. */
static mode_t safe_mode(mode_t mode, bool group_kept, bool list_kept)
{
    const mode_t shared = mode >> 3 & mode & 07;

    if (!list_kept)
        return mode & ~(mode_t)077;
    return group_kept ? mode : (mode_t)((mode & ~(mode_t)077) | shared << 3 | shared);
}

/* Give the file the old list, or none, even if the directory has given it one. True if it has the right list. */
static bool give_list(const struct sink *sink, bool group_kept)
{
    if (group_kept || sink->list_bytes == 0) {
        if (sys_set_acl(sink->state.fd, sink->list, sink->list_bytes) == 0)
            return true;
    } else {
        errno = EPERM; /* its entry for the group would be another group's */
    }
    fault_warn("%s: cannot keep its access control list: %s", sink->path, fault_cause(errno));
    (void)sys_set_acl(sink->state.fd, NULL, 0);
    return false;
}

/* Give the file the group and the owner, as far as the user may. Not owners that the user namespace does not know: they
 * look like "nobody", who must not get the file. True if it has the group. */
static bool give_owners(struct sink *sink)
{
    bool group_kept = hardware_is_known_user(sink->group), owner_kept = hardware_is_known_user(sink->owner);
    struct stat now = {.st_uid = (uid_t)-1, .st_gid = (gid_t)-1};

    if (group_kept)
        (void)sys_fchown(sink->state.fd, (uid_t)-1, sink->group);
    if (owner_kept)
        (void)sys_fchown(sink->state.fd, sink->owner, (gid_t)-1);
    (void)sys_fstat(sink->state.fd, &now);
    group_kept = group_kept && now.st_gid == sink->group;
    owner_kept = owner_kept && now.st_uid == sink->owner;
    sink->state.lost = !group_kept || !owner_kept;
    return group_kept;
}

/* Owner and group come first, since changing them may clear bits of the mode; then the list; then the mode, which is a
 * part of the list. Some file systems have no owners or modes and refuse; the contents are the same, and the file is no
 * less private. */
static void give_attributes(struct sink *sink)
{
    mode_t mode = sink->mode;

    if (sink->inherits) {
        bool group_kept = give_owners(sink);
        bool list_kept = give_list(sink, group_kept);

        mode = safe_mode(mode, group_kept, list_kept);
    }
    if (sys_fchmod(sink->state.fd, mode) != 0)
        fault_warn("%s: cannot set its mode: %s", sink->path, fault_cause(errno));
}

/* ---- Opening ---- */

/* Make the new file under its temporary name, and before that another one, to see that names can be removed: only a try
 * tells for file systems of other machines or of programs. 0, or -1 with errno. */
static int make_named(struct sink *sink, int directory, mode_t mode)
{
    if (take_temporary_name(sink, directory, mode) != 0)
        return -1;
    io_drop(sink->state.fd); /* NFS does not unlink open files */
    sink->state.fd = -1;
    errno = unlink_name(sink);
    return errno == 0 ? take_temporary_name(sink, directory, mode) : -1;
}

/* Make the new file. 0, or -1 with errno. */
static int make_new_file(struct sink *sink, int directory, mode_t mode)
{
    const struct target *target = &sink->target;

    sink->state.temporary =
        fault_text("%s/.%.*s.%0*d", target->directory, NAME_PART_BYTES, target->name, RANDOM_LETTERS, 0);
    IO_REPEAT(sink->state.fd, sys_open_anonymous(directory, ".", mode));
    if (sink->state.fd >= 0 && !sys_can_link_descriptor(sink->state.fd)) {
        io_drop(sink->state.fd);
        sink->state.fd = -1;
    }
    return sink->state.fd >= 0 ? 0 : make_named(sink, directory, mode);
}

/* A file that replaces none is created with 0666 first, to learn its mode by the umask and the directory. */
static void open_missing(struct sink *sink, int directory)
{
    struct stat made;

    if (sys_is_append_only(directory)) { /* its files cannot be renamed */
        sink->refused = EPERM;
        return;
    }
    if (make_new_file(sink, directory, 0666) != 0 || sys_fstat(sink->state.fd, &made) != 0)
        fail(sink);
    sink->mode = made.st_mode & 0777;
    (void)sys_fchmod(sink->state.fd, S_IRUSR | S_IWUSR);
}

/* `fd` is the existing file, opened for writing and otherwise untouched. How is it to be written? */
static void open_existing(struct sink *sink, int directory, int fd)
{
    struct stat status;

    if (sys_fstat(fd, &status) != 0)
        fail(sink);
    if (!S_ISREG(status.st_mode) || sink->target.special) {
        sink->state.fd = fd;
        return;
    }
    errno = EBUSY; /* as rename of a mount point fails */
    if (sys_is_mount_point(directory, sink->target.name) || sys_rmdir_at(directory, sink->target.name) == 0 ||
        (errno != ENOTDIR && errno != ENOENT) || make_new_file(sink, directory, S_IRUSR | S_IWUSR) != 0) {
        if (errno != EPERM && errno != EACCES && errno != EROFS && errno != EBUSY)
            fail(sink); /* no space, memory or descriptors */
        sink->refused = errno;
    } else {
        inherit(sink, fd, &status);
    }
    io_drop(fd); /* nothing was written, so a failure does not matter */
}

/* A descriptor of this process is written to as standard output is: from its offset on, or at the end. */
static void open_descriptor(struct sink *sink, int number)
{
    int mode = sys_access_mode(number);

    if (mode == O_RDONLY)
        errno = EBADF;
    if (mode >= 0 && mode != O_RDONLY)
        sink->state.fd = sink->path == NULL ? number : sys_duplicate(number);
    if (sink->state.fd < 0)
        fail(sink);
}

/* Open the file that has this name in the directory, and no other, since it is the one that will be replaced.
 * In a special directory no file is made or emptied: a missing one may be the target of a link, such as /dev/stdout
 * without /proc, and an existing one may be open elsewhere. */
static void open_path(struct sink *sink)
{
    const int flags = O_WRONLY | O_NOCTTY;
    int directory, fd;

    target_find(&sink->target, sink->path);
    if (sink->target.descriptor >= 0) {
        open_descriptor(sink, sink->target.descriptor);
        return;
    }
    directory = target_enter_or_fail(&sink->target);
    fd = sink->target.special ? io_open(sink->path, flags | O_APPEND, 0)
                              : io_open_at(directory, sink->target.name, flags, 0);
    if (fd >= 0)
        open_existing(sink, directory, fd);
    else if (errno == ENOENT && !sink->target.special)
        open_missing(sink, directory);
    else
        fail(sink);
    io_drop(directory);
}

struct sink *sink_open(const char *path, const bool *behind)
{
    struct sink *sink = fault_allocate(1, sizeof *sink);

    sink->path = path;
    sink->behind = behind;
    sink->state.fd = sink->slot = -1;
    if (path == NULL)
        open_descriptor(sink, STDOUT_FILENO);
    else
        open_path(sink);
    errno = sink->refused;
    return sink->refused == 0 ? sink : NULL;
}

const struct sink_state *sink_state(const struct sink *sink)
{
    return &sink->state;
}

const char *sink_folder(const struct sink *sink)
{
    return sink->target.directory;
}

uint64_t sink_number(const struct sink *sink)
{
    return target_number(&sink->target);
}

bool sink_disk(const struct sink *sink, dev_t *device, uint64_t *free_bytes)
{
    struct stat status;

    if (sys_fstat(sink->state.fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > 0)
        return false;
    *device = status.st_dev;
    return sys_free_space(sink->state.fd, free_bytes) == 0;
}

/* ---- Writing ---- */

void sink_make_durable(struct sink *sink)
{
    sink->durable = true;
}

/* Send the bytes written to disk if there are `least` or more. */
static void write_back(struct sink *sink, size_t least)
{
    if (!*sink->behind || sink->behind_bytes < least)
        return;
    sys_write_back(sink->state.fd);
    sink->behind_bytes = 0;
}

void sink_write(struct sink *sink, const void *data, size_t bytes)
{
    if (io_write(sink->state.fd, data, bytes) != 0)
        fail(sink);
    sink->behind_bytes += bytes;
    write_back(sink, BEHIND_BYTES);
}

/* ---- The end ---- */

/* Sync the names in the directory, if it can be read and the file system does that (EINVAL). If it is another directory
 * by now, rename will fail. 0, or -1 with errno. */
static int sync_names(const struct sink *sink)
{
    const int fd = io_open(sink->target.directory, O_RDONLY | O_DIRECTORY, 0);
    const bool synced = fd >= 0 && io_sync(fd) == 0;

    io_drop(fd);
    return synced || errno == EACCES || errno == EINVAL ? 0 : -1;
}

/* Give the new file its attributes and its temporary name. */
static void complete_new(struct sink *sink)
{
    int directory;

    give_attributes(sink);
    if (sink->slot < 0) {
        directory = target_enter_or_fail(&sink->target);
        if (take_temporary_name(sink, directory, 0) != 0)
            fail(sink);
        io_drop(directory);
    }
    if (sink->durable && (io_sync(sink->state.fd) != 0 || sync_names(sink) != 0))
        fail(sink);
}

/* A descriptor counts as closed even if close fails; its error counts, since it may report a lost write. */
void sink_complete(struct sink *sink)
{
    const int fd = sink->state.fd;

    if (fd < 0)
        return;
    write_back(sink, 1);
    if (sink->state.temporary != NULL)
        complete_new(sink);
    sink->state.fd = -1;
    if (sink->path == NULL)
        standard_close();
    else if (io_close(fd) != 0)
        fail(sink);
}

int sink_publish(const struct sink *sink)
{
    int directory, status;

    if (sink->state.temporary == NULL)
        return 0;
    directory = target_enter(&sink->target);
    if (directory < 0)
        return -1;
    status = sys_rename_at(directory, name_of(sink), sink->target.name);
    if (status == 0 && sink->durable && sync_names(sink) != 0)
        fault_warn("%s: may be the old file after a power failure: %s", sink->path, fault_cause(errno));
    io_drop(directory);
    return status;
}

void sink_free(struct sink *sink)
{
    if (sink == NULL)
        return;
    if (sink->state.fd > STDERR_FILENO)
        io_drop(sink->state.fd);
    if (sink->slot >= 0)
        (void)unlink_name(sink);
    free(sink->state.temporary);
    free(sink->list);
    target_release(&sink->target);
    free(sink);
}
