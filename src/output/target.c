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

/* A file, in words that no other has: device and number, or its name in a directory if it is yet to be made; "" for
 * what may be written to several times. Malloc'd, or NULL with errno. */
static char *identify(const char *path, bool by_name)
{
    struct target target = {0};
    struct stat status;
    char *identity = NULL;

    if (by_name)
        return text("%s", path);
    if (sys_stat(path, &status) == 0)
        return S_ISREG(status.st_mode)
                   ? text("%llu:%llu", (unsigned long long)status.st_dev, (unsigned long long)status.st_ino)
                   : text("%s", "");
    if (target_find(&target, path) == 0)
        identity =
            text("%llu:%llu/%s", (unsigned long long)target.device, (unsigned long long)target.inode, target.name);
    target_release(&target);
    return identity;
}

struct identified {
    char *identity;
    const char *path;
};

static int compare(const void *a, const void *b)
{
    const struct identified *one = a, *other = b;

    return strcmp(one->identity, other->identity);
}

_Noreturn static void report_same(const char *one, const char *other)
{
    fault_say("%s and %s: the same output file", one, other);
}

void target_set_init(struct target_set *set, const char *const *paths, size_t count, bool by_name)
{
    *set = (struct target_set){.by_name = by_name};
    set->file = fault_allocate(count > 0 ? count : 1, sizeof *set->file);
    for (size_t i = 0; i < count; i++) {
        struct identified *file = &set->file[set->count];

        if (paths[i] == NULL)
            continue;
        file->path = paths[i];
        file->identity = identify(paths[i], by_name);
        if (file->identity == NULL)
            fault_report(paths[i], errno);
        set->count++;
    }
    qsort(set->file, set->count, sizeof *set->file, compare);
    for (size_t i = 1; i < set->count; i++)
        if (set->file[i].identity[0] != '\0' && compare(&set->file[i - 1], &set->file[i]) == 0)
            report_same(set->file[i - 1].path, set->file[i].path);
}

void target_set_check(const struct target_set *set, const char *path)
{
    const struct identified file = {.path = path, .identity = identify(path, set->by_name)};
    const struct identified *same = NULL;

    if (file.identity == NULL)
        fault_report(path, errno);
    if (file.identity[0] != '\0' && set->count > 0)
        same = bsearch(&file, set->file, set->count, sizeof file, compare);
    free(file.identity);
    if (same != NULL)
        report_same(same->path, path);
}

void target_set_release(struct target_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->file[i].identity);
    free(set->file);
    *set = (struct target_set){.count = 0};
}
