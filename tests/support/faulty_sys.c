#include "faulty_sys.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "system/sys.h"

#define WEAK __attribute__((weak))

static const char *const interruptible = "open close read write preadv pwritev poll poll_all wait";

struct faulty faulty = {.error = EIO};

void faulty_reset(void)
{
    memset(&faulty, 0, sizeof faulty);
    faulty.error = EIO;
}

void faulty_fail(const char *only, unsigned at, int error)
{
    faulty.only = only;
    faulty.at = at;
    faulty.stays = false;
    faulty.error = error;
    faulty.meet = (void (*)(void))0;
    faulty.calls = 0;
    faulty.failed = NULL;
}

void faulty_fail_all(const char *names, int error)
{
    faulty_fail(names, 1, error);
    faulty.stays = true;
}

void faulty_meet(const char *name, void (*meet)(void))
{
    faulty_fail(name, 1, EIO);
    faulty.meet = meet;
}

bool faulty_stop(void)
{
    faulty.at = 0;
    return faulty.failed;
}

/* Is the name one of these? */
static bool is_among(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = names; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, name, length) == 0 && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* Is it this call's turn to be interrupted? */
static bool is_interrupted(const char *name)
{
    static _Thread_local bool just_interrupted;

    if (!faulty.interrupts || !is_among(interruptible, name))
        return false;
    just_interrupted = !just_interrupted;
    return just_interrupted;
}

/* Count the call, if it counts. Is it its turn to fail? */
static bool is_its_turn(const char *name)
{
    const unsigned at = faulty.at;
    unsigned call;
    bool now;

    if (faulty.only && !is_among(faulty.only, name))
        return false;
    call = atomic_fetch_add(&faulty.calls, 1) + 1;
    now = at > 0 && (call == at || (faulty.stays && call > at));
    if (faulty.log && (now || at == 0))
        faulty.log(name);
    return now;
}

static void meet(void)
{
    void (*const others)(void) = faulty.meet;

    faulty.meet = (void (*)(void))0;
    faulty.at = 0;
    others();
}

bool faulty_fails(const char *name)
{
    if (is_interrupted(name)) {
        errno = EINTR;
        return true;
    }
    if (!is_among(faulty.never, name)) {
        if (!is_its_turn(name))
            return false;
        if (faulty.meet) {
            meet();
            return false;
        }
        if (faulty.dies)
            _exit(0);
        faulty.failed = name;
    }
    errno = faulty.error;
    return true;
}

/* ---- Calls that fail without having done anything ---- */

/* A row each: what it returns, its name, what it returns on failure, its parameters, and those passed on. */
#define CALL(type, name, failure, parameters, arguments)                                                               \
    type real_sys_##name parameters;                                                                                   \
    WEAK type sys_##name parameters                                                                                    \
    {                                                                                                                  \
        return faulty_fails(#name) ? (failure) : real_sys_##name arguments;                                            \
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
CALL(bool, can_link_descriptor, false, (int fd), (fd))
CALL(int, link_descriptor, -1, (int fd, int directory, const char *name), (fd, directory, name))
CALL(int, unlink, -1, (const char *path), (path))
CALL(char *, realpath, NULL, (const char *path), (path))
CALL(ssize_t, readlink, -1, (int directory, const char *name, char *target, size_t bytes),
     (directory, name, target, bytes))
CALL(int, readable, -1, (const char *path), (path))
CALL(int, executable, -1, (const char *path), (path))
CALL(int, mkstemp, -1, (char *pattern), (pattern))
CALL(int, open_at, -1, (int directory, const char *name, int flags, mode_t mode), (directory, name, flags, mode))
CALL(int, stat_at, -1, (int directory, const char *name, struct stat *status), (directory, name, status))
CALL(int, mkdir_at, -1, (int directory, const char *name, mode_t mode), (directory, name, mode))
CALL(int, link_at, -1, (int directory, const char *from, const char *to), (directory, from, to))
CALL(int, rename_at, -1, (int directory, const char *from, const char *to), (directory, from, to))
CALL(int, unlink_at, -1, (int directory, const char *name), (directory, name))
CALL(int, rmdir_at, -1, (int directory, const char *name), (directory, name))
CALL(int, sync, -1, (int fd), (fd))
CALL(int, touch, -1, (int fd), (fd))
CALL(int, lock, -1, (int fd, bool exclusive), (fd, exclusive))
CALL(void *, list_open, NULL, (int directory), (directory))
CALL(const char *, list_next, NULL, (void *list), (list))
CALL(int, host_name, -1, (char *name, size_t bytes), (name, bytes))
CALL(off_t, seek, -1, (int fd, off_t offset, int whence), (fd, offset, whence))
CALL(int, pipe, -1, (int ends[2]), (ends))
CALL(int, set_nonblocking, -1, (int fd), (fd))
CALL(int, poll, -1, (int fd, short events), (fd, events))
CALL(int, poll_all, -1, (struct pollfd * waits, unsigned count), (waits, count))
CALL(int, punch_hole, -1, (int fd, off_t offset, off_t bytes), (fd, offset, bytes))
CALL(int, spawn_prepare, -1,
     (struct sys_spawning * spawning, const char *const *variables, int input, int output, const sigset_t *mask),
     (spawning, variables, input, output, mask))
CALL(pid_t, spawn, -1, (const struct sys_spawning *spawning, const char *const *arguments), (spawning, arguments))
CALL(pid_t, wait, -1, (pid_t child, int *status, int options), (child, status, options))
CALL(void *, map, NULL, (size_t bytes), (bytes))
CALL(int, map_file, -1, (void *place, size_t bytes, int fd, off_t offset), (place, bytes, fd, offset))
CALL(void *, allocate, NULL, (size_t count, size_t bytes), (count, bytes))
CALL(void *, allocate_apart, NULL, (size_t count, size_t bytes), (count, bytes))
CALL(int, random, -1, (void *data, size_t bytes), (data, bytes))
CALL(int, free_space, -1, (int fd, uint64_t *bytes), (fd, bytes))
CALL(ssize_t, get_acl, -1, (int fd, void *list, size_t bytes), (fd, list, bytes))
CALL(int, set_acl, -1, (int fd, const void *list, size_t bytes), (fd, list, bytes))
CALL(int, thread, -1, (void *(*body)(void *), void *argument, size_t stack_bytes, void *thread),
     (body, argument, stack_bytes, thread))
CALL(int, access_mode, -1, (int fd), (fd))
/* clang-format on */

/* No weak symbol, for the sake of all others: if a function of sys.h were missing here, the linker would take the
 * library's sys.o for it, whose functions would stand before these. So it finds this one twice, and fails. */

int real_sys_fill_standard(void);

int sys_fill_standard(void)
{
    return faulty_fails("fill_standard") ? -1 : real_sys_fill_standard();
}

/* ---- Calls that cannot fail ---- */

#define QUESTION(type, name, parameters, arguments)                                                                    \
    type real_sys_##name parameters;                                                                                   \
    WEAK type sys_##name parameters                                                                                    \
    {                                                                                                                  \
        return real_sys_##name arguments;                                                                              \
    }

#define ADVICE(name, parameters, arguments)                                                                            \
    void real_sys_##name parameters;                                                                                   \
    WEAK void sys_##name parameters                                                                                    \
    {                                                                                                                  \
        real_sys_##name arguments;                                                                                     \
    }

/* clang-format off */
QUESTION(int, kill, (pid_t process, int signal), (process, signal))
QUESTION(bool, is_writable, (int fd), (fd))
QUESTION(bool, is_appended, (int fd), (fd))
QUESTION(bool, is_terminal, (int fd), (fd))
QUESTION(unsigned, terminal_width, (int fd), (fd))
QUESTION(bool, is_in_background, (int fd), (fd))
QUESTION(bool, is_memory_file_system, (int fd), (fd))
QUESTION(bool, is_mount_point, (int directory, const char *name), (directory, name))
QUESTION(pid_t, process, (void), ())
QUESTION(uid_t, user, (void), ())
QUESTION(unsigned, free_descriptors, (unsigned wanted), (wanted))
ADVICE(nap, (void), ())
ADVICE(await_disk, (int fd, off_t offset, off_t length), (fd, offset, length))
ADVICE(sequential, (int fd), (fd))
ADVICE(list_close, (void *list), (list))
ADVICE(widen_pipe, (int fd), (fd))
ADVICE(spawn_release, (struct sys_spawning * spawning), (spawning))
QUESTION(rlim_t, descriptor_limit, (void), ())
ADVICE(unmap, (void *memory, size_t bytes), (memory, bytes))
QUESTION(uint64_t, thread_nanoseconds, (void), ())
QUESTION(bool, own_nanoseconds, (uint64_t *nanoseconds), (nanoseconds))
ADVICE(exit, (int status), (status))
QUESTION(uint64_t, modified, (const struct stat *status), (status))
QUESTION(uint64_t, changed, (const struct stat *status), (status))
QUESTION(size_t, page_bytes, (void), ())
/* clang-format on */

/* ---- Time ---- */

uint64_t real_sys_milliseconds(void);

WEAK uint64_t sys_milliseconds(void)
{
    return real_sys_milliseconds() * (faulty.hurry > 0 ? faulty.hurry : 1);
}

/* ---- Advice that is counted ---- */

void real_sys_write_back(int fd);

WEAK void sys_write_back(int fd)
{
    faulty.write_backs++;
    real_sys_write_back(fd);
}

/* ---- Advice that may not be taken ---- */

void real_sys_forget(void *memory, size_t bytes);

WEAK void sys_forget(void *memory, size_t bytes)
{
    if (!faulty_fails("forget"))
        real_sys_forget(memory, bytes);
}

/* ---- A descriptor is closed even when close fails ---- */

int real_sys_close(int fd);

WEAK int sys_close(int fd)
{
    bool fail = faulty_fails("close");
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
    return faulty.is_short ? (bytes + 1) / 2 : bytes;
}

WEAK ssize_t sys_read(int fd, void *data, size_t bytes)
{
    return faulty_fails("read") ? -1 : real_sys_read(fd, data, half(bytes));
}

/* Messages get through, since tests want to read them. */
WEAK ssize_t sys_write(int fd, const void *data, size_t bytes)
{
    return fd != STDERR_FILENO && faulty_fails("write") ? -1 : real_sys_write(fd, data, half(bytes));
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

static uint64_t nanoseconds(void)
{
    struct timespec time = {0};

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* What a disk of this rate could have done lately is not lost: whoever waits for it is woken up late, by a millisecond
 * on some machines, and would otherwise have a slower disk the less it writes at a time. */
static const uint64_t LATELY_NANOSECONDS = 20000000;

/* Wait for as long as the disk takes for these bytes, after all that it was given before. */
static void take_time(ssize_t bytes)
{
    static atomic_uint_least64_t idle; /* from then on the disk has nothing more to do */
    uint64_t before = atomic_load(&idle), end;
    struct timespec time;

    if (faulty.rate == 0 || bytes <= 0)
        return;
    do {
        const uint64_t earliest = nanoseconds() - LATELY_NANOSECONDS;

        end = (before > earliest ? before : earliest) + (uint64_t)((double)bytes * 1e9 / (double)faulty.rate);
    } while (!atomic_compare_exchange_weak(&idle, &before, end));
    time = (struct timespec){.tv_sec = (time_t)(end / 1000000000), .tv_nsec = (long)(end % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        ;
}

enum { PIECES = 16 };

/* What a file that was changed or cut short would deliver. */
static ssize_t read_spoilt(int fd, const struct iovec *pieces, int count, off_t offset)
{
    ssize_t got = faulty.ends ? 0 : faulty.damages ? real_sys_preadv(fd, pieces, count, offset) : -1;

    if (got > 0)
        *(unsigned char *)pieces[0].iov_base ^= 1;
    return got;
}

WEAK ssize_t sys_preadv(int fd, const struct iovec *pieces, int count, off_t offset)
{
    struct iovec halves[PIECES];
    ssize_t got;

    if (faulty_fails("preadv"))
        return read_spoilt(fd, pieces, count, offset);
    if (!faulty.is_short)
        got = real_sys_preadv(fd, pieces, count, offset);
    else
        got = real_sys_preadv(fd, halves, half_of_pieces(pieces, count, halves, PIECES), offset);
    take_time(got);
    return got;
}

WEAK ssize_t sys_pwritev(int fd, const struct iovec *pieces, int count, off_t offset)
{
    struct iovec halves[PIECES];
    ssize_t put;

    if (faulty_fails("pwritev"))
        return -1;
    if (!faulty.is_short)
        put = real_sys_pwritev(fd, pieces, count, offset);
    else
        put = real_sys_pwritev(fd, halves, half_of_pieces(pieces, count, halves, PIECES), offset);
    take_time(put);
    return put;
}
