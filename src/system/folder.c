/*
 * Everything goes by the descriptor of the directory and a name in it, so a directory that is renamed meanwhile stays
 * the one that was opened, and no link that somebody puts in the way leads out of it.
 *
 * A file that must appear whole is written under another name and linked: link never replaces anything, and unlike
 * renames that do not either, it is there on every system and works between machines that share a file system.
 */

#include "system/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

enum { MESSAGE_BYTES = 2400 }; /* room for a message about a file */

/* "PATH/NAME", malloc'd; "PATH" if there is no name. */
static char *join(const char *path, const char *name)
{
    const size_t length = strlen(path);

    if (name == NULL)
        return fault_text("%s", path);
    return fault_text("%s%s%s", path, length > 0 && path[length - 1] == '/' ? "" : "/", name);
}

void folder_report(const struct folder *folder, const char *name, int error)
{
    if (error == FOLDER_NOT_REGULAR)
        folder_say(folder, name, "not a regular file");
    die_errno(join(folder->path, name), error);
}

void folder_say(const struct folder *folder, const char *name, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    die("%s: %s", join(folder->path, name), message);
}

/* The errno of a call that has just failed. ESTALE: another machine has removed it. */
static int failure(void)
{
    return errno == ESTALE ? ENOENT : errno;
}

/* ---- Folders ---- */

bool folder_open(struct folder *folder, const char *path)
{
    int fd = io_open(path, O_RDONLY | O_DIRECTORY, 0);

    *folder = (struct folder){.fd = -1};
    if (fd < 0 && errno == ENOENT)
        return false;
    if (fd < 0)
        die_errno(path, errno);
    *folder = (struct folder){.fd = fd, .path = join(path, NULL)};
    return true;
}

/* Register the name, and make the file or folder. Returns the slot, or -1 with errno. */
static int make(const struct signals_name *name, int *fd)
{
    sigset_t before;
    int slot;

    signals_hold(&before);
    slot = signals_register(name);
    if (slot >= 0 && name->is_folder)
        *fd = sys_mkdir_at(name->directory, name->name, 0777);
    else if (slot >= 0)
        *fd = io_open_at(name->directory, name->name, O_RDWR | O_CREAT | O_EXCL | O_NOCTTY, 0666);
    if (slot >= 0 && *fd < 0) {
        signals_forget(slot);
        slot = -1;
    }
    signals_release(&before);
    return slot;
}

int folder_make_path(const char *path)
{
    int made;
    const int slot = make(&(struct signals_name){.directory = AT_FDCWD, .name = path, .is_folder = true}, &made);

    if (slot < 0 && errno != EEXIST)
        die_errno(path, errno);
    return slot;
}

void folder_close(struct folder *folder)
{
    if (folder->path == NULL)
        return;
    io_drop(folder->fd);
    free(folder->path);
    *folder = (struct folder){.fd = -1};
}

/* ---- The names in it ---- */

void folder_names_release(struct folder_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    *names = (struct folder_names){0};
}

/* The list has room for `*room` names. It grows, since libc would touch room for all where that was used before. */
static void add_name(struct folder_names *names, size_t *room, const char *name)
{
    if (names->count == *room) {
        *room = *room < 64 ? 64 : *room * 2;
        names->name = fault_reallocate(names->name, *room, sizeof *names->name);
    }
    names->name[names->count++] = join(name, NULL);
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other); /* which compares unsigned bytes */
}

/* And drop repeated ones: a name that is changed while the list is read may come twice. */
static void sort_names(struct folder_names *names)
{
    size_t kept = 1;

    qsort(names->name, names->count, sizeof *names->name, compare_names);
    for (size_t i = 1; i < names->count; i++) {
        if (strcmp(names->name[i], names->name[kept - 1]) == 0)
            free(names->name[i]);
        else
            names->name[kept++] = names->name[i];
    }
    names->count = kept;
}

void folder_list(const struct folder *folder, struct folder_names *names)
{
    const char *name;
    size_t room = 0;
    void *list;

    *names = (struct folder_names){0};
    do
        list = sys_list_open(folder->fd);
    while (list == NULL && errno == EINTR);
    if (list == NULL)
        folder_report(folder, NULL, errno);
    while ((name = sys_list_next(list)) != NULL) {
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (names->count == FOLDER_NAMES_MAX)
            folder_say(folder, NULL, "there are more than %d names in it", FOLDER_NAMES_MAX);
        add_name(names, &room, name);
    }
    if (errno != 0)
        folder_report(folder, NULL, errno);
    sys_list_close(list);
    if (names->count > 1)
        sort_names(names);
}

/* ---- Files ---- */

/* How systems refuse to open a file that is not regular: links (ELOOP by POSIX, EMLINK on FreeBSD), directories, and
 * FIFOs or sockets without another end. */
static bool is_kind_error(int error)
{
    return error == ELOOP || error == EMLINK || error == EISDIR || error == ENXIO || error == EOPNOTSUPP;
}

/* O_NONBLOCK keeps a FIFO from waiting for its other end; regular files do not mind it. */
int folder_open_file(const struct folder *folder, const char *name, int flags, int *fd)
{
    struct stat status;
    int error;

    *fd = io_open_at(folder->fd, name, flags | O_NONBLOCK | O_NOCTTY, 0);
    if (*fd < 0)
        return is_kind_error(errno) ? FOLDER_NOT_REGULAR : failure();
    error = sys_fstat(*fd, &status) != 0 ? errno : S_ISREG(status.st_mode) ? 0 : FOLDER_NOT_REGULAR;
    if (error == 0)
        return 0;
    io_drop(*fd);
    *fd = -1;
    return error;
}

int folder_make_file(const struct folder *folder, const char *name, int *fd, int *slot)
{
    *slot = make(&(struct signals_name){.directory = folder->fd, .name = name}, fd);
    return *slot >= 0 ? 0 : failure();
}

char *folder_read(const struct folder *folder, const char *name, size_t most, size_t *bytes)
{
    struct stat status;
    char *text;
    size_t got;
    int fd;
    const int error = folder_open_file(folder, name, O_RDONLY, &fd);

    *bytes = 0;
    if (error == ENOENT)
        return NULL;
    if (error != 0)
        folder_report(folder, name, error);
    if (sys_fstat(fd, &status) != 0)
        folder_report(folder, name, errno);
    if ((uintmax_t)status.st_size > most)
        folder_say(folder, name, "larger than %llu bytes", (unsigned long long)most);
    *bytes = (size_t)status.st_size;
    text = io_read_whole(fd, *bytes, &got);
    if (text == NULL && errno != EFBIG)
        folder_report(folder, name, errno);
    if (text == NULL || got != *bytes)
        folder_say(folder, name, "changes while it is read");
    io_drop(fd);
    return text;
}

/* ---- Names ---- */

/* Has the file system no hard links? */
static bool is_without_links(int error)
{
    return error == EPERM || error == EMLINK || error == ENOSYS || error == ENOTSUP;
}

/* A network file system may say EEXIST though the name is this file's: when the request was repeated, and the second
 * one met the result of the first. */
bool folder_publish(const struct folder *folder, const char *by, const char *name, int fd, int slot, bool succeeds)
{
    int link_error, unlink_error = 0;
    sigset_t before;

    signals_hold(&before);
    link_error = sys_link_at(folder->fd, by, name) == 0 ? 0 : failure();
    if (link_error == EEXIST && folder_stands(folder, name, fd))
        link_error = 0;
    if (link_error == 0) {
        unlink_error = sys_unlink_at(folder->fd, by) == 0 ? 0 : failure();
        signals_forget(slot);
        folder_sync(folder);
        if (succeeds)
            signals_succeed();
    }
    signals_release(&before);
    if (is_without_links(link_error))
        folder_say(folder, name, "cannot be made in one step: the file system has no hard links");
    if (link_error == ENOENT)
        folder_say(folder, by, "somebody has removed it");
    if (link_error != 0 && link_error != EEXIST)
        folder_report(folder, name, link_error);
    if (unlink_error != 0 && unlink_error != ENOENT)
        folder_say(folder, by, "cannot be removed: %s", fault_cause(unlink_error));
    return link_error == 0;
}

int folder_rename(const struct folder *folder, const char *from, const char *to)
{
    return sys_rename_at(folder->fd, from, to) == 0 ? 0 : failure();
}

void folder_sync(const struct folder *folder)
{
    /* Where a directory cannot be synced, EINVAL says so, and there is nothing to be done. */
    if (io_sync(folder->fd) != 0 && errno != EINVAL)
        folder_report(folder, NULL, errno);
}

bool folder_stands(const struct folder *folder, const char *name, int fd)
{
    struct stat open_one, named;

    if (sys_fstat(fd, &open_one) == 0 && sys_stat_at(folder->fd, name, &named) == 0)
        return io_same_file(&open_one, &named);
    if (failure() != ENOENT)
        folder_report(folder, name, errno);
    return false;
}
