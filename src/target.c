/*
 * realpath cannot be asked about a file that is yet to be made, nor does it say which way it took. So it is asked about
 * the directory only, and the last part of the path is followed here, link by link.
 */

#include "target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys.h"

enum {
    LINKS = 40,        /* symbolic links in a row before they are taken for a circle, as on Linux */
    LINK_BYTES = 4096, /* the longest link that is followed: PATH_MAX where there is one */
};

/* printf into memory of its own. NULL with errno. */
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

/* Resolve the directory of `path`, but not its last part. */
static int locate(struct target *target, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    size_t parent_length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    char *parent = NULL;
    int result = -1;

    if (*name == '\0') {
        errno = slash == NULL ? ENOENT : EISDIR;
        goto out;
    }
    parent = slash == NULL ? text(".") : text("%.*s", (int)parent_length, path);
    if (parent == NULL)
        goto out;
    target->directory = sys_realpath(parent);
    if (target->directory == NULL)
        goto out;
    target->path = text("%s/%s", strcmp(target->directory, "/") == 0 ? "" : target->directory, name);
    if (target->path == NULL)
        goto out;
    target->name = strrchr(target->path, '/') + 1;
    target->special = is_special(target->path);
    result = 0;
out:
    free(parent);
    return result;
}

/* If the target is a symbolic link: where it leads, in *next, which is malloc'd; else NULL. 0, or -1 with errno. */
static int read_link(const struct target *target, char **next)
{
    char link[LINK_BYTES];
    ssize_t length = sys_readlink(target->path, link, sizeof link);

    *next = NULL;
    if (length < 0)
        return errno == EINVAL || errno == ENOENT ? 0 : -1; /* no link; nothing */
    if (link[0] == '/')
        *next = text("%.*s", (int)length, link);
    else
        *next = text("%s/%.*s", target->directory, (int)length, link);
    return *next == NULL ? -1 : 0;
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
        if (!target->special && read_link(target, &next) != 0)
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

void target_release(struct target *target)
{
    free(target->directory);
    free(target->path);
    *target = (struct target){0};
}

/* A file, in words that no other has: device and number, or its path if it is yet to be made; "" for what may be
 * written to several times. For free, or NULL with errno. */
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
        identity = text("%s", target.path);
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

int target_check_distinct(const char *const *paths, size_t count, bool by_name, struct fault *fault)
{
    struct identified *files = sys_allocate(count > 0 ? count : 1, sizeof *files);
    size_t known = 0;
    int status = -1;

    if (files == NULL)
        return fault_report(fault, "memory", errno);
    for (size_t i = 0; i < count; i++) {
        if (paths[i] == NULL)
            continue;
        files[known].path = paths[i];
        files[known].identity = identify(paths[i], by_name);
        if (files[known].identity == NULL) {
            fault_report(fault, paths[i], errno);
            goto out;
        }
        known++;
    }
    qsort(files, known, sizeof *files, compare);
    for (size_t i = 1; i < known; i++)
        if (files[i].identity[0] != '\0' && compare(&files[i - 1], &files[i]) == 0) {
            fault_say(fault, "%s and %s: the same output file", files[i - 1].path, files[i].path);
            goto out;
        }
    status = 0;
out:
    for (size_t i = 0; i < known; i++)
        free(files[i].identity);
    free(files);
    return status;
}
