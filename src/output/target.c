/*
 * The kernel opens the directory; the last part of the path, which need not be there, is followed here, link by link,
 * each in the directory that has been opened. realpath is asked only whether the way leads through /dev or /proc.
 */

#include "output/target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/xxh64.h"
#include "system/file_mark.h"
#include "system/io.h"
#include "system/sys.h"

enum {
    LINKS = 40,        /* symbolic links in a row before they are taken for a circle, as on Linux */
    LINK_BYTES = 4096, /* the longest link that is followed: PATH_MAX where there is one */
    STICKY = 01000,    /* S_ISVTX, which POSIX alone does not name */
};

/* As printf, into memory that is malloc'd. NULL with errno. */
__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...)
{
    va_list arguments;
    char *result;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return NULL;
    result = sys_allocate((size_t)length + 1, 1);
    if (result != NULL) {
        va_start(arguments, format);
        vsnprintf(result, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return result;
}

static bool starts_with(const char *string, const char *start)
{
    return strncmp(string, start, strlen(start)) == 0;
}

/* Names in these directories stand for something else, such as an open descriptor, whose file a rename would not
 * reach. /dev/shm is an ordinary directory. */
static bool is_special(const char *path)
{
    return (starts_with(path, "/dev/") && !starts_with(path, "/dev/shm/")) || starts_with(path, "/proc/");
}

/* See whether the target is special. 0, or -1 with errno. */
static int look_for_special(struct target *target)
{
    char *directory = sys_realpath(target->directory);
    char *path = directory == NULL ? NULL : text("%s/%s", directory, target->name);

    if (path != NULL)
        target->special = is_special(path);
    free(directory);
    free(path);
    return path == NULL ? -1 : 0;
}

/* Divide `path` into a directory and the name in it, which need not be there and is not looked at. 0, or -1 with errno.
 */
static int locate(struct target *target, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    int parent_length = slash == path ? 1 : (int)(slash - path);

    if (*name == '\0') {
        errno = slash == NULL ? ENOENT : EISDIR;
        return -1;
    }
    target->directory = slash == NULL ? text(".") : text("%.*s", parent_length, path);
    target->name = text("%s", name);
    return target->directory == NULL || target->name == NULL ? -1 : look_for_special(target);
}

/* May a link be followed? Not if it is in a directory where everybody may put something, and is somebody else's. */
static bool is_trusted(const struct stat *directory, const struct stat *link)
{
    bool is_public = (directory->st_mode & STICKY) && (directory->st_mode & S_IWOTH);

    return !is_public || link->st_uid == sys_user() || link->st_uid == directory->st_uid;
}

/* Open the directory and look whether the name in it is a symbolic link: if so, *next, which is malloc'd, is where it
 * leads. The link's owner is looked at before it is read: who may put another in its place is its owner, or the
 * directory's. 0, or -1 with errno. */
static int follow(struct target *target, char **next)
{
    int fd = sys_open_directory(target->directory);
    struct stat directory;
    struct stat status;
    char link[LINK_BYTES];
    ssize_t length;
    int result = -1;

    if (fd < 0)
        return -1;
    if (sys_fstat(fd, &directory) != 0)
        goto out;
    target->device = directory.st_dev;
    target->inode = directory.st_ino;
    if (target->special || sys_stat_at(fd, target->name, &status) != 0) {
        result = target->special || errno == ENOENT ? 0 : -1;
        goto out;
    }
    if (!S_ISLNK(status.st_mode)) {
        result = 0;
        goto out;
    }
    if (!is_trusted(&directory, &status)) {
        errno = EACCES;
        goto out;
    }
    length = sys_readlink(fd, target->name, link, sizeof link);
    if (length < 0)
        goto out;
    if (link[0] == '/')
        *next = text("%.*s", (int)length, link);
    else
        *next = text("%s/%.*s", target->directory, (int)length, link);
    result = *next == NULL ? -1 : 0;
out:
    (void)io_close(fd);
    return result;
}

int target_find(struct target *target, const char *path)
{
    char *next = NULL;
    int result = -1;

    *target = (struct target){0};
    for (int links = 0; links <= LINKS; links++) {
        target_release(target);
        if (locate(target, next != NULL ? next : path) != 0)
            goto out;
        free(next);
        next = NULL;
        if (follow(target, &next) != 0)
            goto out;
        if (next == NULL) {
            result = 0;
            goto out;
        }
    }
    errno = ELOOP;
out:
    free(next);
    return result;
}

int target_enter(const struct target *target)
{
    int fd = sys_open_directory(target->directory);
    struct stat status;

    if (fd < 0)
        return -1;
    if (sys_fstat(fd, &status) == 0) {
        if (status.st_dev == target->device && status.st_ino == target->inode)
            return fd;
        errno = ESTALE;
    }
    (void)io_close(fd);
    return -1;
}

int target_enter_or_report(const struct target *target, const char *path)
{
    int directory = target_enter(target);

    if (directory < 0 && errno == ESTALE)
        fault_say("%s: %s", path, TARGET_STALE);
    if (directory < 0)
        fault_report(path, errno);
    return directory;
}

void target_release(struct target *target)
{
    free(target->directory);
    free(target->name);
    *target = (struct target){0};
}

int target_is_within(const char *path, const char *directory)
{
    struct target target = {0};
    char *inner = NULL, *outer = sys_realpath(directory);
    int result = -1;

    if (outer == NULL || target_find(&target, path) != 0 || (inner = sys_realpath(target.directory)) == NULL)
        goto out;
    result = starts_with(inner, outer) && (inner[strlen(outer)] == '\0' || inner[strlen(outer)] == '/');
out:
    free(inner);
    free(outer);
    target_release(&target);
    return result;
}

uint64_t target_number(const char *path)
{
    struct target target = {0};
    struct stat status;
    struct xxh64 hash;
    uint64_t number;

    if (sys_stat(path, &status) == 0)
        return file_mark_of(&status).file;
    if (target_find(&target, path) != 0)
        target_fail(path);
    xxh64_init(&hash, (uint64_t)target.inode);
    xxh64_update(&hash, &target.device, sizeof target.device);
    xxh64_update(&hash, target.name, strlen(target.name));
    number = xxh64_value(&hash);
    target_release(&target);
    return number > 0 ? number : 1;
}

void target_fail(const char *path)
{
    if (errno == EISDIR)
        fault_say("%s: %s: name a file in it", path, strerror(EISDIR));
    fault_report(path, errno);
}
