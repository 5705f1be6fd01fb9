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
#include "system/sys.h"

/* Room for a path that can be opened and a name in it, and for what is said of a file. */
enum { WHERE_BYTES = 4096 + 256, MESSAGE_BYTES = 2400 };

static char *copy(const char *text)
{
    const size_t bytes = strlen(text) + 1;

    return memcpy(fault_allocate(bytes, 1), text, bytes);
}

/* What stands between a path and a name in it. */
static const char *separator(const char *path)
{
    size_t length = strlen(path);

    return length > 0 && path[length - 1] == '/' ? "" : "/";
}

static char *join(const char *path, const char *name)
{
    const size_t bytes = strlen(path) + 1 + strlen(name) + 1;
    char *result = fault_allocate(bytes, 1);

    snprintf(result, bytes, "%s%s%s", path, separator(path), name);
    return result;
}

static void describe(const struct folder *folder, const char *name, char where[WHERE_BYTES])
{
    if (name == NULL)
        snprintf(where, WHERE_BYTES, "%s", folder->path);
    else
        snprintf(where, WHERE_BYTES, "%s%s%s", folder->path, separator(folder->path), name);
}

void folder_report(const struct folder *folder, const char *name, int error)
{
    char where[WHERE_BYTES];

    describe(folder, name, where);
    fault_report(where, error);
}

void folder_say(const struct folder *folder, const char *name, const char *format, ...)
{
    char where[WHERE_BYTES], message[MESSAGE_BYTES];
    va_list arguments;

    describe(folder, name, where);
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fault_say("%s: %s", where, message);
}

/* The verdict on a call that has just failed, if the folder is lenient; else the run ends. */
static enum folder_verdict fail(const struct folder *folder, const char *name)
{
    if (!folder->lenient)
        folder_report(folder, name, errno);
    return FOLDER_FAILED;
}

/* ESTALE: another machine has removed it. */
static enum folder_verdict fail_unless_missing(const struct folder *folder, const char *name)
{
    return errno == ENOENT || errno == ESTALE ? FOLDER_MISSING : fail(folder, name);
}

/* Close it after a failure, whose errno stays. */
static void give_up_descriptor(int fd)
{
    int error = errno;

    (void)io_close(fd);
    errno = error;
}

/* How systems refuse to open a link: ELOOP by POSIX, EMLINK on FreeBSD. */
static bool is_link_error(int error)
{
    return error == ELOOP || error == EMLINK;
}

/* ---- Folders ---- */

bool folder_open(struct folder *folder, const char *path)
{
    int fd = io_open(path, O_RDONLY | O_DIRECTORY, 0);

    *folder = (struct folder){.fd = -1};
    if (fd < 0 && errno == ENOENT)
        return false;
    if (fd < 0)
        fault_report(path, errno);
    *folder = (struct folder){.fd = fd, .path = copy(path)};
    return true;
}

enum folder_verdict folder_enter(struct folder *inner, const struct folder *outer, const char *name)
{
    int fd = io_open_at(outer->fd, name, O_RDONLY | O_DIRECTORY, 0);

    *inner = (struct folder){.fd = -1, .lenient = outer->lenient};
    if (fd < 0) {
        if (is_link_error(errno))
            errno = ENOTDIR;
        return fail_unless_missing(outer, name);
    }
    inner->fd = fd;
    inner->path = join(outer->path, name);
    return FOLDER_OK;
}

/* What cannot be opened is not left there. */
void folder_make(struct folder *inner, const struct folder *outer, const char *name)
{
    char *path = join(outer->path, name);
    int error;

    if (sys_mkdir_at(outer->fd, name, 0777) != 0)
        folder_report(outer, name, errno);
    *inner = (struct folder){.fd = io_open_at(outer->fd, name, O_RDONLY | O_DIRECTORY, 0), .path = path};
    if (inner->fd >= 0)
        return;
    error = errno;
    (void)sys_rmdir_at(outer->fd, name);
    folder_report(outer, name, error);
}

void folder_close(struct folder *folder)
{
    if (folder->path == NULL)
        return;
    (void)io_close(folder->fd);
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

/* The list has room for `*room` names. */
static void add_name(struct folder_names *names, size_t *room, const char *name)
{
    if (names->count == *room) {
        size_t larger = *room < 64 ? 64 : *room * 2;
        char **moved = fault_allocate(larger, sizeof *moved);

        if (names->count > 0)
            memcpy(moved, names->name, names->count * sizeof *moved);
        free(names->name);
        names->name = moved;
        *room = larger;
    }
    names->name[names->count++] = copy(name);
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other); /* which compares unsigned bytes */
}

/* And drop what stands twice among them, as names may that were changed while the list was read. */
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

/* Read the names of an open list. 0, or -1 with errno. */
static int read_names(void *list, struct folder_names *names)
{
    const char *name;
    size_t room = 0;

    while ((name = sys_list_next(list)) != NULL) {
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (names->count == FOLDER_NAMES_MAX) {
            errno = EFBIG;
            return -1;
        }
        add_name(names, &room, name);
    }
    return errno == 0 ? 0 : -1;
}

enum folder_verdict folder_list(const struct folder *folder, struct folder_names *names)
{
    void *list = sys_list_open(folder->fd);
    int status, error;

    *names = (struct folder_names){0};
    if (list == NULL)
        return fail(folder, NULL);
    status = read_names(list, names);
    error = errno;
    sys_list_close(list);
    errno = error;
    if (status != 0) {
        folder_names_release(names);
        errno = error;
        if (error == EFBIG && !folder->lenient)
            folder_say(folder, NULL, "there are more than %d names in it", FOLDER_NAMES_MAX);
        return fail(folder, NULL);
    }
    if (names->count > 1)
        sort_names(names);
    return FOLDER_OK;
}

/* ---- Files ---- */

/* How systems refuse to open what is no regular file: links, directories, and FIFOs or sockets without another end. */
static bool is_kind_error(int error)
{
    return is_link_error(error) || error == EISDIR || error == ENXIO || error == EOPNOTSUPP;
}

static enum folder_verdict refuse_kind(const struct folder *folder, const char *name)
{
    if (!folder->lenient)
        folder_say(folder, name, "not a regular file");
    errno = EINVAL;
    return FOLDER_FAILED;
}

/* O_NONBLOCK keeps a FIFO from waiting for its other end; regular files do not mind it. What this makes is one. */
static enum folder_verdict open_regular(const struct folder *folder, const char *name, int flags, int *fd)
{
    enum folder_verdict verdict;
    struct stat status;

    *fd = io_open_at(folder->fd, name, flags | O_NONBLOCK | O_NOCTTY, 0666);
    if (*fd < 0) {
        if (is_kind_error(errno))
            return refuse_kind(folder, name);
        return errno == EEXIST ? FOLDER_EXISTS : fail_unless_missing(folder, name);
    }
    if ((flags & O_CREAT) != 0)
        return FOLDER_OK;
    if (sys_fstat(*fd, &status) != 0)
        verdict = fail(folder, name);
    else if (!S_ISREG(status.st_mode))
        verdict = refuse_kind(folder, name);
    else
        return FOLDER_OK;
    give_up_descriptor(*fd);
    *fd = -1;
    return verdict;
}

int folder_open_file(const struct folder *folder, const char *name)
{
    int fd;

    (void)open_regular(folder, name, O_RDONLY, &fd);
    return fd;
}

enum folder_verdict folder_edit_file(const struct folder *folder, const char *name, bool make, int *fd)
{
    return open_regular(folder, name, O_RDWR | (make ? O_CREAT | O_EXCL : 0), fd);
}

char *folder_read(const struct folder *folder, const char *name, size_t most, size_t *bytes)
{
    int fd = folder_open_file(folder, name);
    struct stat status;
    char *text;
    size_t got;

    *bytes = 0;
    if (fd < 0)
        return NULL;
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
    (void)io_close(fd);
    return text;
}

/* Make a file of these bytes, on disk. If the run ends here, it is gone. */
static void write_new(const struct folder *folder, const char *name, const void *data, size_t bytes)
{
    enum folder_verdict verdict;
    int error = 0, fd;

    verdict = folder_edit_file(folder, name, true, &fd);
    if (verdict != FOLDER_OK)
        folder_report(folder, name, verdict == FOLDER_EXISTS ? EEXIST : ENOENT);
    if (io_write(fd, data, bytes) != 0 || io_sync(fd) != 0)
        error = errno;
    if (io_close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0)
        return;
    (void)sys_unlink_at(folder->fd, name);
    folder_report(folder, name, error);
}

/* Has the file system no hard links? */
static bool is_without_links(int error)
{
    switch (error) {
    case EPERM:
    case EMLINK:
    case ENOSYS:
    case ENOTSUP:
#if EOPNOTSUPP != ENOTSUP
    case EOPNOTSUPP:
#endif
        return true;
    default:
        return false;
    }
}

/* Whatever becomes of the link, the file has its first name no more before the run ends. */
bool folder_publish(const struct folder *folder, const char *name, const char *by, const void *data, size_t bytes)
{
    int link_error, unlink_error;

    write_new(folder, by, data, bytes);
    link_error = sys_link_at(folder->fd, by, name) == 0 ? 0 : errno;
    unlink_error = sys_unlink_at(folder->fd, by) == 0 || errno == ENOENT || errno == ESTALE ? 0 : errno;
    if (is_without_links(link_error))
        folder_say(folder, name, "cannot be made in one step: the file system has no hard links");
    if (link_error != 0 && link_error != EEXIST)
        folder_report(folder, name, link_error);
    if (unlink_error != 0)
        folder_report(folder, by, unlink_error);
    if (link_error == EEXIST)
        return false;
    folder_sync(folder);
    return true;
}

/* ---- Names ---- */

enum folder_verdict folder_rename(const struct folder *folder, const char *from, const char *to)
{
    if (sys_rename_at(folder->fd, from, to) == 0)
        return FOLDER_OK;
    switch (errno) {
    case EEXIST:
    case ENOTEMPTY:
    case ENOTDIR:
    case EISDIR:
        return FOLDER_EXISTS;
    default:
        return fail_unless_missing(folder, from);
    }
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

    if (sys_fstat(fd, &open_one) != 0)
        folder_report(folder, name, errno);
    if (sys_stat_at(folder->fd, name, &named) == 0)
        return io_same_file(&open_one, &named);
    if (errno != ENOENT)
        folder_report(folder, name, errno);
    return false;
}
