#ifndef BIGSHUF_TESTS_FOLDERS_H
#define BIGSHUF_TESTS_FOLDERS_H

/*
 * For tests of what works on folders: a system layer whose calls fail on demand, or end the process, and proof at the
 * end that every descriptor was given back. The true one (sys.c) is below it: some of its functions have got other
 * names. To be included before all else.
 */

#define sys_open      real_open
#define sys_open_at   real_open_at
#define sys_close     real_close
#define sys_fstat     real_fstat
#define sys_stat_at   real_stat_at
#define sys_mkdir_at  real_mkdir_at
#define sys_link_at   real_link_at
#define sys_rename_at real_rename_at
#define sys_unlink_at real_unlink_at
#define sys_rmdir_at  real_rmdir_at
#define sys_sync      real_sync
#define sys_lock      real_lock
#define sys_list_open real_list_open
#define sys_list_next real_list_next
#define sys_read      real_read
#define sys_write     real_write
#define sys_allocate  real_allocate
#define sys_host_name real_host_name
#include "src/system/sys.c" /* NOLINT(bugprone-suspicious-include) */
#include <string.h>
#undef sys_open
#undef sys_open_at
#undef sys_close
#undef sys_fstat
#undef sys_stat_at
#undef sys_mkdir_at
#undef sys_link_at
#undef sys_rename_at
#undef sys_unlink_at
#undef sys_rmdir_at
#undef sys_sync
#undef sys_lock
#undef sys_list_open
#undef sys_list_next
#undef sys_read
#undef sys_write
#undef sys_allocate
#undef sys_host_name

int sys_open(const char *path, int flags, mode_t mode);
int sys_open_at(int directory, const char *name, int flags, mode_t mode);
int sys_close(int fd);
int sys_fstat(int fd, struct stat *status);
int sys_stat_at(int directory, const char *name, struct stat *status);
int sys_mkdir_at(int directory, const char *name, mode_t mode);
int sys_link_at(int directory, const char *from, const char *to);
int sys_rename_at(int directory, const char *from, const char *to);
int sys_unlink_at(int directory, const char *name);
int sys_rmdir_at(int directory, const char *name);
int sys_sync(int fd);
int sys_lock(int fd, bool exclusive);
void *sys_list_open(int directory);
const char *sys_list_next(void *list);
ssize_t sys_read(int fd, void *data, size_t bytes);
ssize_t sys_write(int fd, const void *data, size_t bytes);
void *sys_allocate(size_t count, size_t bytes);
int sys_host_name(char *name, size_t bytes);

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "support/scratch.h"
#include "system/fault.h"

/* What goes wrong, and what has been seen. */
static struct {
    unsigned fail_at;     /* the call of this number fails with `error`; 0: none */
    int error;            /* of that call; negative: the process ends instead */
    const char *failed;   /* which call it was; NULL if none was */
    unsigned calls;       /* so far; messages do not count */
    const char *only;     /* if not NULL, only calls of this name count */
    bool all;             /* so do all calls after it */
    const char *host;     /* instead of this host's name */
    size_t most_written;  /* by one call, if not 0 */
    char trail[512];      /* the names of the calls since folders_forgive or folders_fail, each with a blank after it */
    int open;             /* descriptors, so far as opened here */
    void (*before)(void); /* done once, before the call that would fail, which is made then */
} folders;

static struct fault folders_fault;

/* Nothing fails, and nothing has been reported. */
static inline void folders_forgive(void)
{
    int open_now = folders.open;

    memset(&folders, 0, sizeof folders);
    folders.open = open_now;
    fault_release(&folders_fault);
    fault_init(&folders_fault);
}

static inline int folders_setup(void **state)
{
    fault_init(&folders_fault);
    memset(&folders, 0, sizeof folders);
    return scratch_setup(state);
}

static inline int folders_teardown(void **state)
{
    fault_release(&folders_fault);
    return scratch_teardown(state) == 0 && folders.open == 0 ? 0 : -1;
}

/* The call of this number fails, from now on. */
static inline void folders_fail(unsigned at, int error)
{
    folders.fail_at = at;
    folders.error = error;
    folders.calls = 0;
    folders.failed = NULL;
    folders.trail[0] = '\0';
}

/* Every call of this name fails. */
static inline void folders_fail_all(const char *name, int error)
{
    folders_fail(1, error);
    folders.only = name;
    folders.all = true;
}

/* Does this call fail? */
static inline bool folders_fails(const char *name)
{
    size_t length = strlen(folders.trail);

    snprintf(folders.trail + length, sizeof folders.trail - length, "%s ", name);
    if (folders.fail_at == 0 || (folders.only != NULL && strcmp(folders.only, name) != 0))
        return false;
    folders.calls++;
    if (folders.calls != folders.fail_at && !(folders.all && folders.calls > folders.fail_at))
        return false;
    if (folders.before != NULL) {
        void (*before)(void) = folders.before;

        folders.before = NULL;
        folders.fail_at = 0;
        before();
        return false;
    }
    if (folders.error < 0)
        _exit(0);
    folders.failed = name;
    errno = folders.error;
    return true;
}

int sys_open(const char *path, int flags, mode_t mode)
{
    int fd = folders_fails("open") ? -1 : real_open(path, flags, mode);

    folders.open += fd >= 0;
    return fd;
}

int sys_open_at(int directory, const char *name, int flags, mode_t mode)
{
    int fd = folders_fails("open_at") ? -1 : real_open_at(directory, name, flags, mode);

    folders.open += fd >= 0;
    return fd;
}

/* Closes in any case, as close does. */
int sys_close(int fd)
{
    bool fails = folders_fails("close");
    int error = errno;
    int result = real_close(fd);

    folders.open -= result == 0;
    if (fails)
        errno = error;
    return fails ? -1 : result;
}

int sys_fstat(int fd, struct stat *status)
{
    return folders_fails("fstat") ? -1 : real_fstat(fd, status);
}

int sys_stat_at(int directory, const char *name, struct stat *status)
{
    return folders_fails("stat_at") ? -1 : real_stat_at(directory, name, status);
}

int sys_mkdir_at(int directory, const char *name, mode_t mode)
{
    return folders_fails("mkdir_at") ? -1 : real_mkdir_at(directory, name, mode);
}

int sys_link_at(int directory, const char *from, const char *to)
{
    return folders_fails("link_at") ? -1 : real_link_at(directory, from, to);
}

int sys_rename_at(int directory, const char *from, const char *to)
{
    return folders_fails("rename_at") ? -1 : real_rename_at(directory, from, to);
}

int sys_unlink_at(int directory, const char *name)
{
    return folders_fails("unlink_at") ? -1 : real_unlink_at(directory, name);
}

int sys_rmdir_at(int directory, const char *name)
{
    return folders_fails("rmdir_at") ? -1 : real_rmdir_at(directory, name);
}

/* No test takes the power away, and a disk takes its time: whether there is something to be synced is enough. */
int sys_sync(int fd)
{
    struct stat status;

    return folders_fails("sync") ? -1 : real_fstat(fd, &status);
}

int sys_lock(int fd, bool exclusive)
{
    return folders_fails("lock") ? -1 : real_lock(fd, exclusive);
}

void *sys_list_open(int directory)
{
    return folders_fails("list_open") ? NULL : real_list_open(directory);
}

const char *sys_list_next(void *list)
{
    return folders_fails("list_next") ? NULL : real_list_next(list);
}

ssize_t sys_read(int fd, void *data, size_t bytes)
{
    return folders_fails("read") ? -1 : real_read(fd, data, bytes);
}

ssize_t sys_write(int fd, const void *data, size_t bytes)
{
    if (fd <= STDERR_FILENO)
        return real_write(fd, data, bytes);
    if (folders.most_written > 0 && bytes > folders.most_written)
        bytes = folders.most_written;
    return folders_fails("write") ? -1 : real_write(fd, data, bytes);
}

void *sys_allocate(size_t count, size_t bytes)
{
    return folders_fails("allocate") ? NULL : real_allocate(count, bytes);
}

int sys_host_name(char *name, size_t bytes)
{
    if (folders_fails("host_name"))
        return -1;
    if (folders.host == NULL)
        return real_host_name(name, bytes);
    snprintf(name, bytes, "%s", folders.host);
    return 0;
}

/* What is said on standard error after this ... */
static inline void folders_listen(void)
{
    fault_release(&folders_fault);
    fault_init(&folders_fault);
    scratch_listen();
}

/* ... is just this. */
static inline void folders_assert_heard(const char *message)
{
    assert_string_equal(scratch_heard(), message);
}

/* This is what is returned, and just this is said on standard error; failures before it are forgotten. */
#define folders_assert_says(call, result, message)                                                                     \
    do {                                                                                                               \
        folders_listen();                                                                                              \
        assert_int_equal(call, result);                                                                                \
        folders_assert_heard(message);                                                                                 \
    } while (0)

/* Make a file of these bytes. A file that is there goes: to empty it would take longer, since ext4 writes it out then.
 */
static inline void folders_put(const char *name, const void *data, size_t bytes)
{
    int fd;

    (void)unlink(name);
    fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    assert_true(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes && close(fd) == 0);
}

/* Is there anything of this name, a link included? */
static inline bool folders_exists(const char *name)
{
    struct stat status;

    return lstat(name, &status) == 0;
}

#endif
