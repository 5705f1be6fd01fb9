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
    size_t bytes = strlen(text) + 1;
    char *result = sys_allocate(bytes, 1);

    return result == NULL ? NULL : memcpy(result, text, bytes);
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
    char *result = sys_allocate(bytes, 1);

    if (result != NULL)
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

int folder_report(const struct folder *folder, const char *name, int error)
{
    char where[WHERE_BYTES];

    if (folder->lenient)
        return -1;
    describe(folder, name, where);
    return fault_report(where, error);
}

int folder_say(const struct folder *folder, const char *name, const char *format, ...)
{
    char where[WHERE_BYTES], message[MESSAGE_BYTES];
    va_list arguments;

    if (folder->lenient)
        return -1;
    describe(folder, name, where);
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fault_say("%s: %s", where, message);
}

/* The verdict on a call that has just failed. */
static enum folder_verdict fail(const struct folder *folder, const char *name)
{
    folder_report(folder, name, errno);
    return FOLDER_FAILED;
}

/* ESTALE: another machine has removed it. */
static enum folder_verdict fail_unless_missing(const struct folder *folder, const char *name)
{
    return errno == ENOENT || errno == ESTALE ? FOLDER_MISSING : fail(folder, name);
}

static enum folder_verdict fail_unless_exists(const struct folder *folder, const char *name)
{
    return errno == EEXIST ? FOLDER_EXISTS : fail(folder, name);
}

/* What is given up after a failure, whose errno stays. */
static void give_up_descriptor(int fd)
{
    int error = errno;

    if (fd >= 0)
        (void)io_close(fd);
    errno = error;
}

static void give_up_file(const struct folder *folder, const char *name)
{
    int error = errno;

    (void)sys_unlink_at(folder->fd, name);
    errno = error;
}

/* How systems refuse to open a link: ELOOP by POSIX, EMLINK on FreeBSD. */
static bool is_link_error(int error)
{
    return error == ELOOP || error == EMLINK;
}

/* ---- Folders ---- */

enum folder_verdict folder_open(struct folder *folder, const char *path)
{
    enum folder_verdict verdict = FOLDER_FAILED;
    int fd = io_open(path, O_RDONLY | O_DIRECTORY, 0);

    *folder = (struct folder){.fd = -1};
    if (fd < 0) {
        if (errno == ENOENT)
            return FOLDER_MISSING;
        fault_report(path, errno);
        return FOLDER_FAILED;
    }
    folder->path = copy(path);
    if (folder->path == NULL) {
        fault_report(path, errno);
        goto out;
    }
    folder->fd = fd;
    fd = -1;
    verdict = FOLDER_OK;
out:
    give_up_descriptor(fd);
    return verdict;
}

enum folder_verdict folder_enter(struct folder *inner, const struct folder *outer, const char *name)
{
    enum folder_verdict verdict = FOLDER_FAILED;
    int fd = io_open_at(outer->fd, name, O_RDONLY | O_DIRECTORY, 0);

    *inner = (struct folder){.fd = -1, .lenient = outer->lenient};
    if (fd < 0) {
        if (is_link_error(errno))
            errno = ENOTDIR;
        return fail_unless_missing(outer, name);
    }
    inner->path = join(outer->path, name);
    if (inner->path == NULL) {
        folder_report(outer, name, errno);
        goto out;
    }
    inner->fd = fd;
    fd = -1;
    verdict = FOLDER_OK;
out:
    give_up_descriptor(fd);
    return verdict;
}

enum folder_verdict folder_make(struct folder *inner, const struct folder *outer, const char *name)
{
    enum folder_verdict verdict;

    *inner = (struct folder){.fd = -1, .lenient = outer->lenient};
    if (sys_mkdir_at(outer->fd, name, 0777) != 0)
        return fail_unless_exists(outer, name);
    verdict = folder_enter(inner, outer, name);
    if (verdict == FOLDER_FAILED) {
        int error = errno;

        (void)sys_rmdir_at(outer->fd, name);
        errno = error;
    }
    return verdict;
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

/* 0, or -1 with errno. The list has room for `*room` names. */
static int add_name(struct folder_names *names, size_t *room, const char *name)
{
    char *added;

    if (names->count == *room) {
        size_t larger = *room < 64 ? 64 : *room * 2;
        char **moved = sys_allocate(larger, sizeof *moved);

        if (moved == NULL)
            return -1;
        if (names->count > 0)
            memcpy(moved, names->name, names->count * sizeof *moved);
        free(names->name);
        names->name = moved;
        *room = larger;
    }
    added = copy(name);
    if (added == NULL)
        return -1;
    names->name[names->count++] = added;
    return 0;
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

static enum folder_verdict refuse_number(const struct folder *folder)
{
    folder_say(folder, NULL, "there are more than %d names in it", FOLDER_NAMES_MAX);
    errno = EFBIG;
    return FOLDER_FAILED;
}

enum folder_verdict folder_list(const struct folder *folder, struct folder_names *names)
{
    void *list = sys_list_open(folder->fd);
    enum folder_verdict verdict = FOLDER_OK;
    const char *name;
    size_t room = 0;
    int error;

    *names = (struct folder_names){0};
    if (list == NULL)
        return fail(folder, NULL);
    while ((name = sys_list_next(list)) != NULL) {
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (names->count == FOLDER_NAMES_MAX)
            errno = EFBIG;
        else if (add_name(names, &room, name) == 0)
            continue;
        break;
    }
    if (errno != 0) {
        verdict = errno == EFBIG ? refuse_number(folder) : fail(folder, NULL);
        folder_names_release(names);
    }
    error = errno;
    sys_list_close(list);
    errno = error;
    if (names->count > 1)
        sort_names(names);
    return verdict;
}

/* ---- Files ---- */

/* How systems refuse to open what is no regular file: links, directories, and FIFOs or sockets without another end. */
static bool is_kind_error(int error)
{
    return is_link_error(error) || error == EISDIR || error == ENXIO || error == EOPNOTSUPP;
}

static enum folder_verdict refuse_kind(const struct folder *folder, const char *name)
{
    errno = EINVAL;
    folder_say(folder, name, "not a regular file");
    return FOLDER_FAILED;
}

/* O_NONBLOCK keeps a FIFO from waiting for its other end; regular files do not mind it. */
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
    if (sys_fstat(*fd, &status) != 0)
        verdict = fail(folder, name);
    else if (!S_ISREG(status.st_mode))
        verdict = refuse_kind(folder, name);
    else
        return FOLDER_OK;
    give_up_descriptor(*fd);
    *fd = -1;
    if ((flags & O_CREAT) != 0)
        give_up_file(folder, name);
    return verdict;
}

enum folder_verdict folder_open_file(const struct folder *folder, const char *name, int *fd)
{
    return open_regular(folder, name, O_RDONLY, fd);
}

enum folder_verdict folder_edit_file(const struct folder *folder, const char *name, bool make, int *fd)
{
    return open_regular(folder, name, O_RDWR | (make ? O_CREAT | O_EXCL : 0), fd);
}

enum folder_verdict folder_read(const struct folder *folder, const char *name, size_t most, char **data, size_t *bytes)
{
    enum folder_verdict verdict;
    struct stat status;
    char *text = NULL;
    size_t got;
    int fd;

    *data = NULL;
    *bytes = 0;
    verdict = folder_open_file(folder, name, &fd);
    if (verdict != FOLDER_OK)
        return verdict;
    verdict = FOLDER_FAILED;
    if (sys_fstat(fd, &status) != 0) {
        folder_report(folder, name, errno);
        goto out;
    }
    if ((uintmax_t)status.st_size > most) {
        errno = EFBIG;
        folder_say(folder, name, "larger than %llu bytes", (unsigned long long)most);
        goto out;
    }
    *bytes = (size_t)status.st_size;
    text = io_read_whole(fd, *bytes, &got);
    if (text == NULL && errno != EFBIG) {
        folder_report(folder, name, errno);
        goto out;
    }
    if (got != *bytes) {
        errno = EBUSY;
        folder_say(folder, name, "changes while it is read");
        goto out;
    }
    *data = text;
    text = NULL;
    verdict = FOLDER_OK;
out:
    free(text);
    give_up_descriptor(fd);
    return verdict;
}

/* Make a file of these bytes, on disk. 0, or after a report -1, and it is gone. */
static int write_new(const struct folder *folder, const char *name, const void *data, size_t bytes)
{
    enum folder_verdict verdict;
    int fd;

    verdict = folder_edit_file(folder, name, true, &fd);
    if (verdict == FOLDER_FAILED)
        return -1;
    if (verdict != FOLDER_OK)
        return folder_report(folder, name, verdict == FOLDER_EXISTS ? EEXIST : ENOENT);
    if (io_write(fd, data, bytes) == 0 && io_sync(fd) == 0) {
        if (io_close(fd) == 0)
            return 0;
    } else {
        give_up_descriptor(fd);
    }
    give_up_file(folder, name);
    return folder_report(folder, name, errno);
}

/* Give the file `by` its name. It has `by` still. */
static enum folder_verdict link_name(const struct folder *folder, const char *by, const char *name)
{
    if (sys_link_at(folder->fd, by, name) == 0)
        return FOLDER_OK;
    switch (errno) {
    case EPERM:
    case EMLINK:
    case ENOSYS:
    case ENOTSUP:
#if EOPNOTSUPP != ENOTSUP
    case EOPNOTSUPP:
#endif
        folder_say(folder, name, "cannot be made in one step: the file system has no hard links");
        return FOLDER_FAILED;
    default:
        return fail_unless_exists(folder, name);
    }
}

enum folder_verdict folder_publish(const struct folder *folder, const char *name, const char *by, const void *data,
                                   size_t bytes)
{
    enum folder_verdict verdict;

    if (write_new(folder, by, data, bytes) != 0)
        return FOLDER_FAILED;
    verdict = link_name(folder, by, name);
    if (folder_unlink(folder, by) == FOLDER_FAILED || (verdict == FOLDER_OK && folder_sync(folder) != 0))
        verdict = FOLDER_FAILED;
    return verdict;
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

int folder_sync(const struct folder *folder)
{
    /* Where a directory cannot be synced, EINVAL says so, and there is nothing to be done. */
    return io_sync(folder->fd) == 0 || errno == EINVAL ? 0 : folder_report(folder, NULL, errno);
}

enum folder_verdict folder_unlink(const struct folder *folder, const char *name)
{
    return sys_unlink_at(folder->fd, name) == 0 ? FOLDER_OK : fail_unless_missing(folder, name);
}

int folder_stands(const struct folder *folder, const char *name, int fd)
{
    struct stat open_one, named;

    if (sys_fstat(fd, &open_one) != 0)
        return -1;
    if (sys_stat_at(folder->fd, name, &named) != 0)
        return errno == ENOENT ? 0 : -1;
    return io_same_file(&open_one, &named);
}
