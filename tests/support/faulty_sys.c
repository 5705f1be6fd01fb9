/*
 * A system layer that fails on demand, for sweeps: fail the first call, the second, the third, until the program gets
 * through, and look at what each run says and leaves. It takes the place of sys.c in bigshuf-faulty and passes every
 * call on to the true one, which is compiled once more with its names changed from sys_X to real_sys_X. A function of
 * sys.h that has no row below makes the link fail, since the linker then takes the library's sys.o as well.
 *
 * From the environment:
 *
 *     FAULT_AT=N         the N-th call fails (from 1 on)
 *     FAULT_STAYS=1      and so do all calls after it
 *     FAULT_CALL=NAME    count and fail calls of this name only: "read" stands for sys_read; or of several, with a
 *                        space between
 *     FAULT_ERRNO=NAME   with this error: EIO if not given
 *     FAULT_LOG=FILE     add a line with the call's name to FILE when a call is made to fail: a sweep is over when a
 *                        run leaves FILE as it was. Without FAULT_AT, whenever a call is made that could fail
 *     FAULT_DAMAGE=1     a preadv whose turn it is to fail succeeds instead, with one byte changed
 *     FAULT_END=1        a preadv whose turn it is to fail finds the end of the file instead
 *     FAULT_RUN=COMMAND  a call whose turn it is to fail does not, but before it the shell runs this
 *     FAULT_SHORT=1      every read and write transfers at most half of what is asked for
 *     FAULT_EINTR=1      a thread's every second call of those that signals interrupt fails with EINTR
 */

#include "system/sys.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    int number;
} errors[] = {
    {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EFBIG", EFBIG},   {"ENOMEM", ENOMEM},
    {"EACCES", EACCES}, {"EPERM", EPERM},   {"EROFS", EROFS},   {"EMFILE", EMFILE}, {"ENFILE", ENFILE},
    {"ENOENT", ENOENT}, {"EAGAIN", EAGAIN}, {"EPIPE", EPIPE},   {"EXDEV", EXDEV},   {"ENOTSUP", ENOTSUP},
};

static const char *const interruptible[] = {"open",    "close", "read",     "write", "preadv",
                                            "pwritev", "poll",  "poll_two", "wait"};

/* What the environment asks for, and how far it has come. */
static struct {
    pthread_once_t once;
    pthread_mutex_t mutex;
    unsigned long at;
    unsigned long calls; /* so far, of those that count */
    const char *call;
    const char *log;
    const char *run;
    int error;
    bool stays;
    bool damages;
    bool ends;
    bool is_short;
    bool interrupts;
} plan = {.once = PTHREAD_ONCE_INIT, .mutex = PTHREAD_MUTEX_INITIALIZER};

static void read_plan(void)
{
    const char *at = getenv("FAULT_AT");
    const char *error = getenv("FAULT_ERRNO");

    plan.at = at ? strtoul(at, NULL, 10) : 0;
    plan.call = getenv("FAULT_CALL");
    plan.log = getenv("FAULT_LOG");
    plan.run = getenv("FAULT_RUN");
    plan.stays = getenv("FAULT_STAYS") != NULL;
    plan.damages = getenv("FAULT_DAMAGE") != NULL;
    plan.ends = getenv("FAULT_END") != NULL;
    plan.is_short = getenv("FAULT_SHORT") != NULL;
    plan.interrupts = getenv("FAULT_EINTR") != NULL;
    plan.error = error ? 0 : EIO;
    for (size_t i = 0; error && i < sizeof errors / sizeof *errors; i++) {
        if (strcmp(error, errors[i].name) == 0)
            plan.error = errors[i].number;
    }
    if (plan.error == 0) {
        fprintf(stderr, "faulty_sys: no error of the name %s\n", error);
        abort();
    }
}

static void log_fault(const char *name)
{
    FILE *log = plan.log ? fopen(plan.log, "a") : NULL;

    if (log) {
        fprintf(log, "%s\n", name);
        fclose(log);
    }
}

/* Is it this call's turn to be interrupted? */
static bool interrupts(const char *name)
{
    static _Thread_local bool just_interrupted;

    for (size_t i = 0; plan.interrupts && i < sizeof interruptible / sizeof *interruptible; i++) {
        if (strcmp(name, interruptible[i]) == 0) {
            just_interrupted = !just_interrupted;
            return just_interrupted;
        }
    }
    return false;
}

/* Is it one of those that count? */
static bool counts(const char *name)
{
    size_t length = strlen(name);

    for (const char *at = plan.call; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, name, length) == 0 && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return !plan.call;
}

/* Is this call to fail? If so, errno says how. */
static bool fails(const char *name)
{
    bool now = false;

    pthread_once(&plan.once, read_plan);
    if (interrupts(name)) {
        errno = EINTR;
        return true;
    }
    if (counts(name)) {
        pthread_mutex_lock(&plan.mutex);
        plan.calls++;
        now = plan.at > 0 && (plan.calls == plan.at || (plan.stays && plan.calls > plan.at));
        if (now || plan.at == 0)
            log_fault(name);
        pthread_mutex_unlock(&plan.mutex);
    }
    if (now && plan.run && system(plan.run) != 0)
        abort();
    if (now)
        errno = plan.error;
    return now && !plan.run;
}

/* ---- Calls that fail without having done anything ---- */

/* A row each: what it returns, its name, what it returns on failure, its parameters, and those passed on. */
#define CALL(type, name, failure, parameters, arguments)                                                               \
    type real_sys_##name parameters;                                                                                   \
    type sys_##name parameters                                                                                         \
    {                                                                                                                  \
        return fails(#name) ? (failure) : real_sys_##name arguments;                                                   \
    }

/* clang-format off */
CALL(int, open, -1, (const char *path, int flags, mode_t mode), (path, flags, mode))
CALL(int, open_directory, -1, (const char *path), (path))
CALL(int, open_anonymous, -1, (int directory, const char *name, mode_t mode), (directory, name, mode))
CALL(int, stat, -1, (const char *path, struct stat *status), (path, status))
CALL(int, fstat, -1, (int fd, struct stat *status), (fd, status))
CALL(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))
CALL(int, fchown, -1, (int fd, uid_t owner, gid_t group), (fd, owner, group))
CALL(int, ftruncate, -1, (int fd, off_t length), (fd, length))
CALL(int, link_descriptor, -1, (int fd, int directory, const char *name), (fd, directory, name))
CALL(int, exchange, -1, (int directory, const char *one, const char *other), (directory, one, other))
CALL(int, unlink, -1, (const char *path), (path))
CALL(char *, realpath, NULL, (const char *path), (path))
CALL(ssize_t, readlink, -1, (int directory, const char *name, char *target, size_t bytes),
     (directory, name, target, bytes))
CALL(int, readable, -1, (const char *path), (path))
CALL(int, mkstemp, -1, (char *pattern), (pattern))
CALL(int, open_at, -1, (int directory, const char *name, int flags, mode_t mode), (directory, name, flags, mode))
CALL(int, stat_at, -1, (int directory, const char *name, struct stat *status), (directory, name, status))
CALL(int, mkdir_at, -1, (int directory, const char *name, mode_t mode), (directory, name, mode))
CALL(int, link_at, -1, (int directory, const char *from, const char *to), (directory, from, to))
CALL(int, rename_at, -1, (int directory, const char *from, const char *to), (directory, from, to))
CALL(int, unlink_at, -1, (int directory, const char *name), (directory, name))
CALL(int, rmdir_at, -1, (int directory, const char *name), (directory, name))
CALL(int, sync, -1, (int fd), (fd))
CALL(int, lock, -1, (int fd, bool exclusive), (fd, exclusive))
CALL(void *, list_open, NULL, (int directory), (directory))
CALL(const char *, list_next, NULL, (void *list), (list))
CALL(int, host_name, -1, (char *name, size_t bytes), (name, bytes))
CALL(off_t, seek, -1, (int fd, off_t offset, int whence), (fd, offset, whence))
CALL(int, pipe, -1, (int ends[2]), (ends))
CALL(int, set_nonblocking, -1, (int fd), (fd))
CALL(int, poll, -1, (int fd, short events), (fd, events))
CALL(int, poll_two, -1, (int one, short one_events, int other, short other_events),
     (one, one_events, other, other_events))
CALL(int, punch_hole, -1, (int fd, off_t offset, off_t bytes), (fd, offset, bytes))
CALL(pid_t, spawn_shell, -1, (const char *command, const char *variable, int input, const sigset_t *mask),
     (command, variable, input, mask))
CALL(pid_t, spawn, -1, (const char *program, const char *option, int input, int output, const sigset_t *mask),
     (program, option, input, output, mask))
CALL(pid_t, wait, -1, (pid_t child, int *status, int options), (child, status, options))
CALL(void *, map, NULL, (size_t bytes), (bytes))
CALL(int, map_file, -1, (void *place, size_t bytes, int fd, off_t offset), (place, bytes, fd, offset))
CALL(void *, allocate, NULL, (size_t count, size_t bytes), (count, bytes))
CALL(void *, allocate_lines, NULL, (size_t count, size_t bytes), (count, bytes))
CALL(int, random, -1, (void *data, size_t bytes), (data, bytes))
CALL(int, free_space, -1, (int fd, uint64_t *bytes), (fd, bytes))
CALL(ssize_t, get_acl, -1, (int fd, void *list, size_t bytes), (fd, list, bytes))
CALL(int, set_acl, -1, (int fd, const void *list, size_t bytes), (fd, list, bytes))
CALL(int, thread, -1, (void *(*body)(void *), void *argument, size_t stack_bytes, void *thread),
     (body, argument, stack_bytes, thread))
CALL(int, access_mode, -1, (int fd), (fd))
CALL(int, fill_standard, -1, (void), ())
/* clang-format on */

/* ---- Calls that cannot fail ---- */

#define QUESTION(type, name, parameters, arguments)                                                                    \
    type real_sys_##name parameters;                                                                                   \
    type sys_##name parameters                                                                                         \
    {                                                                                                                  \
        return real_sys_##name arguments;                                                                              \
    }

#define ADVICE(name, parameters, arguments)                                                                            \
    void real_sys_##name parameters;                                                                                   \
    void sys_##name parameters                                                                                         \
    {                                                                                                                  \
        real_sys_##name arguments;                                                                                     \
    }

/* clang-format off */
QUESTION(int, kill, (pid_t process, int signal), (process, signal))
QUESTION(bool, can_link_descriptor, (int fd), (fd))
QUESTION(bool, is_memory_file_system, (int fd), (fd))
QUESTION(bool, is_mount_point, (int directory, const char *name), (directory, name))
QUESTION(pid_t, process, (void), ())
QUESTION(uid_t, user, (void), ())
QUESTION(unsigned, free_descriptors, (unsigned wanted), (wanted))
ADVICE(nap, (void), ())
ADVICE(write_back, (int fd), (fd))
ADVICE(sequential, (int fd), (fd))
ADVICE(list_close, (void *list), (list))
ADVICE(widen_pipe, (int fd), (fd))
QUESTION(rlim_t, descriptor_limit, (void), ())
ADVICE(limit_descriptors, (pid_t process, rlim_t descriptors), (process, descriptors))
ADVICE(unmap, (void *memory, size_t bytes), (memory, bytes))
ADVICE(huge_pages, (void *memory, size_t bytes), (memory, bytes))
ADVICE(exit, (int status), (status))
QUESTION(size_t, page_bytes, (void), ())
/* clang-format on */

/* ---- Advice that may not be taken ---- */

void real_sys_populate(void *memory, size_t bytes);
void real_sys_forget(void *memory, size_t bytes);

void sys_populate(void *memory, size_t bytes)
{
    if (!fails("populate"))
        real_sys_populate(memory, bytes);
}

void sys_forget(void *memory, size_t bytes)
{
    if (!fails("forget"))
        real_sys_forget(memory, bytes);
}

/* ---- A descriptor is closed even when close fails ---- */

int real_sys_close(int fd);

int sys_close(int fd)
{
    bool fail = fails("close");
    int error = errno;
    int result = real_sys_close(fd);

    if (fail) {
        errno = error;
        return -1;
    }
    return result;
}

/* ---- Calls that may do half of their work ---- */

ssize_t real_sys_read(int fd, void *data, size_t bytes);
ssize_t real_sys_write(int fd, const void *data, size_t bytes);
ssize_t real_sys_preadv(int fd, const struct iovec *pieces, int count, off_t offset);
ssize_t real_sys_pwritev(int fd, const struct iovec *pieces, int count, off_t offset);

static size_t half(size_t bytes)
{
    return plan.is_short ? (bytes + 1) / 2 : bytes;
}

ssize_t sys_read(int fd, void *data, size_t bytes)
{
    return fails("read") ? -1 : real_sys_read(fd, data, half(bytes));
}

/* Messages get through, since tests want to read them. */
ssize_t sys_write(int fd, const void *data, size_t bytes)
{
    return fd != STDERR_FILENO && fails("write") ? -1 : real_sys_write(fd, data, half(bytes));
}

/* The pieces that hold the first half of the bytes, as far as there is room; returns how many they are. */
static int half_of_pieces(const struct iovec *pieces, int count, struct iovec *halves, int room)
{
    size_t left = 0;
    int used = 0;

    for (int i = 0; i < count; i++)
        left += pieces[i].iov_len;
    left = half(left);
    while (used < count && used < room && left > 0) {
        halves[used] = pieces[used];
        if (halves[used].iov_len > left)
            halves[used].iov_len = left;
        left -= halves[used].iov_len;
        used++;
    }
    return used;
}

enum { PIECES = 16 };

/* What a file that was changed or cut short would deliver. */
static ssize_t read_spoilt(int fd, const struct iovec *pieces, int count, off_t offset)
{
    ssize_t got = plan.ends ? 0 : plan.damages ? real_sys_preadv(fd, pieces, count, offset) : -1;

    if (got > 0)
        *(unsigned char *)pieces[0].iov_base ^= 1;
    return got;
}

ssize_t sys_preadv(int fd, const struct iovec *pieces, int count, off_t offset)
{
    struct iovec halves[PIECES];

    if (fails("preadv"))
        return read_spoilt(fd, pieces, count, offset);
    if (!plan.is_short)
        return real_sys_preadv(fd, pieces, count, offset);
    return real_sys_preadv(fd, halves, half_of_pieces(pieces, count, halves, PIECES), offset);
}

ssize_t sys_pwritev(int fd, const struct iovec *pieces, int count, off_t offset)
{
    struct iovec halves[PIECES];

    if (fails("pwritev"))
        return -1;
    if (!plan.is_short)
        return real_sys_pwritev(fd, pieces, count, offset);
    return real_sys_pwritev(fd, halves, half_of_pieces(pieces, count, halves, PIECES), offset);
}
