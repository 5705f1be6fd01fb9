/*
 * The kernel opens the directory; the last part of the path, which need not be there, is followed here, link by link,
 * each in the directory that has been opened. realpath only tells whether the path leads through /dev or /proc.
 */

#include "output/target.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/xxh64.h"
#include "system/fault.h"
#include "system/file_mark.h"
#include "system/io.h"
#include "system/sys.h"

enum {
    LINKS = 40,        /* symbolic links in a row before they are taken for a circle, as on Linux */
    LINK_BYTES = 4096, /* the longest link that is followed: PATH_MAX where there is one */
    STICKY = 01000,    /* S_ISVTX, which POSIX without XSI does not name */
};

_Noreturn void target_fail(const char *path)
{
    if (errno == EISDIR)
        die("%s: %s; name a file in it", path, strerror(EISDIR));
    if (errno == ENOENT && strstr(path, "://") != NULL)
        die_advising(path, errno, "bigshuf writes files, not URLs; leave -o out, and write bigshuf FILE | COMMAND");
    die_errno(path, errno);
}

/* The path of a directory, without links, malloc'd. `path` is for messages. */
static char *real_path(const char *directory, const char *path)
{
    char *real = sys_realpath(directory);

    if (real == NULL && errno == ENOENT && strstr(path, "://") == NULL)
        die_advising(path, errno, "make its folder first");
    if (real == NULL)
        target_fail(path);
    return real;
}

/* Is the path that of the directory or of a file in it, at any depth? */
static bool is_within(const char *path, const char *directory)
{
    const size_t length = strlen(directory);

    return strncmp(path, directory, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* Names in /dev and /proc may stand for something else, such as an open descriptor, whose file a rename would not
 * reach. /dev/shm is an ordinary directory. */
static bool is_special(const char *directory)
{
    return (is_within(directory, "/dev") && !is_within(directory, "/dev/shm")) || is_within(directory, "/proc");
}

/* The descriptor of this process that a name in a special directory stands for on Linux, or -1. Opening the name would
 * begin at the beginning of the file. */
static int own_descriptor(const char *directory, const char *name)
{
    char *own = sys_realpath("/proc/self/fd");
    uint64_t number = UINT64_MAX;

    if (own != NULL && strcmp(own, directory) == 0)
        (void)number_parse(name, &number);
    free(own);
    return number <= INT_MAX ? (int)number : -1;
}

/* Divide `at`, to which the path has led so far, into a directory and the name in it, whose file need not exist. */
static void locate(struct target *target, const char *at)
{
    const char *slash = strrchr(at, '/');
    const char *name = slash == NULL ? at : slash + 1;
    const int parent_length = slash == at ? 1 : (int)(slash - at);
    char *real;

    if (*name == '\0') {
        errno = slash == NULL ? ENOENT : EISDIR;
        target_fail(target->path);
    }
    target->directory = slash == NULL ? fault_text(".") : fault_text("%.*s", parent_length, at);
    target->name = fault_text("%s", name);
    real = real_path(target->directory, target->path);
    target->special = is_special(real);
    target->in_proc = is_within(real, "/proc");
    target->descriptor = target->in_proc ? own_descriptor(real, target->name) : -1;
    free(real);
}

/* May a link be followed? Not if it is somebody else's, in a directory where everybody may make files. */
static bool is_trusted(const struct stat *directory, const struct stat *link)
{
    bool is_public = (directory->st_mode & STICKY) && (directory->st_mode & S_IWOTH);

    return !is_public || link->st_uid == sys_user() || link->st_uid == directory->st_uid;
}

/* Where the name in the open directory leads, if it is a symbolic link: malloc'd, or NULL. The link's owner is checked
 * before it is read: only its owner, or the directory's, can replace it. */
static char *follow_link(const struct target *target, int directory, const struct stat *of_directory)
{
    char link[LINK_BYTES];
    struct stat status;
    ssize_t length;

    if (target->in_proc)
        return NULL;
    if (sys_stat_at(directory, target->name, &status) != 0) {
        if (errno != ENOENT)
            target_fail(target->path);
        return NULL;
    }
    if (!S_ISLNK(status.st_mode))
        return NULL;
    if (!is_trusted(of_directory, &status)) {
        errno = EACCES;
        target_fail(target->path);
    }
    length = sys_readlink(directory, target->name, link, sizeof link);
    if (length < 0)
        target_fail(target->path);
    return link[0] == '/' ? fault_text("%.*s", (int)length, link)
                          : fault_text("%s/%.*s", target->directory, (int)length, link);
}

void target_find(struct target *target, const char *path)
{
    char *at, *next = fault_text("%s", path);
    struct stat status;
    int directory, links = 0;

    *target = (struct target){.path = path};
    do {
        at = next;
        if (links++ > LINKS) {
            errno = ELOOP;
            target_fail(path);
        }
        target_release(target);
        target->path = path;
        locate(target, at);
        IO_REPEAT(directory, sys_open_directory(target->directory));
        if (directory < 0 || sys_fstat(directory, &status) != 0)
            target_fail(path);
        target->device = status.st_dev;
        target->inode = status.st_ino;
        next = follow_link(target, directory, &status);
        io_drop(directory);
        free(at);
    } while (next != NULL);
}

int target_enter(const struct target *target)
{
    struct stat status;
    int fd;

    IO_REPEAT(fd, sys_open_directory(target->directory));
    if (fd < 0)
        return -1;
    if (sys_fstat(fd, &status) == 0) {
        if (status.st_dev == target->device && status.st_ino == target->inode)
            return fd;
        errno = ESTALE;
    }
    io_drop(fd);
    return -1;
}

int target_enter_or_fail(const struct target *target)
{
    int directory = target_enter(target);

    if (directory < 0 && errno == ESTALE)
        die("%s: %s", target->path, TARGET_STALE);
    if (directory < 0)
        target_fail(target->path);
    return directory;
}

void target_release(struct target *target)
{
    free(target->directory);
    free(target->name);
    *target = (struct target){0};
}

uint64_t target_number(const struct target *target)
{
    struct stat status;
    struct xxh64 hash;
    uint64_t number;

    if (sys_stat(target->path, &status) == 0)
        return file_mark_of(&status).file;
    xxh64_init(&hash, (uint64_t)target->inode);
    xxh64_update(&hash, &target->device, sizeof target->device);
    xxh64_update(&hash, target->name, strlen(target->name));
    number = xxh64_value(&hash);
    return number > 0 ? number : 1;
}
