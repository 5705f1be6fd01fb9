#include "faulty_sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "system/sys.h"

#define WEAK __attribute__((weak))

static const char *const interruptible =
    "open open_at open_anonymous open_directory mkstemp list_open close read write "
    "preadv pwritev poll poll_all wait reap lock sync";

struct faulty faulty = {.error = EIO};

/* Those of rows, and those that are written out below. */
#define CALL(type, name, failure, parameters, arguments)       #name,
#define SAME(type, name, failure, parameters, arguments, does) #name,
#define PLAIN(type, name, parameters, does)
#define DOES(name, parameters, does)
const char *const faulty_names[] = {
#include "system/sys_calls.def"
    "fill_standard", "forget", "close", "read", "write", "preadv", "pwritev", NULL};
#undef CALL
#undef SAME
#undef PLAIN
#undef DOES

void faulty_reset(void)
{
    memset(&faulty, 0, sizeof faulty);
    faulty.error = EIO;
}

/* Abort if one of these is no call. */
static void check_names(const char *only)
{
    for (size_t length; only && *(only += strspn(only, " ,")); only += length) {
        size_t i = 0;

        length = strcspn(only, " ,");
        while (faulty_names[i] && (strncmp(faulty_names[i], only, length) != 0 || faulty_names[i][length] != '\0'))
            i++;
        if (!faulty_names[i]) {
            fprintf(stderr, "no call that can fail has the name %.*s\n", (int)length, only);
            abort();
        }
    }
}

void faulty_fail(const char *only, unsigned at, int error)
{
    check_names(only);
    faulty.only = only;
    faulty.at = at;
    faulty.stays = false;
    faulty.error = error;
    faulty.meet = (void (*)(void))0;
    faulty.calls = 0;
}

void faulty_fail_all(const char *names, int error)
{
    faulty_fail(names, 1, error);
    faulty.stays = true;
}

bool faulty_is_among(const char *names, const char *name)
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

    if (!faulty.interrupts || !faulty_is_among(interruptible, name))
        return false;
    just_interrupted = !just_interrupted;
    return just_interrupted;
}

/* Count the call, if it counts. Is it its turn to fail? */
static bool is_its_turn(const char *name)
{
    const unsigned at = atomic_load(&faulty.at);
    unsigned call;
    bool now;

    if (faulty.only && !faulty_is_among(faulty.only, name))
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
    if (!faulty_is_among(faulty.never, name)) {
        if (!is_its_turn(name))
            return false;
        if (faulty.meet) {
            meet();
            return false;
        }
        if (faulty.dies)
            _exit(0);
    }
    errno = faulty.error;
    return true;
}

/* ---- Calls that fail without having done anything ---- */

#define CALL(type, name, failure, parameters, arguments)                                                               \
    type real_sys_##name parameters;                                                                                   \
    WEAK type sys_##name parameters                                                                                    \
    {                                                                                                                  \
        return faulty_fails(#name) ? (failure) : real_sys_##name arguments;                                            \
    }
#define SAME(type, name, failure, parameters, arguments, does) CALL(type, name, failure, parameters, arguments)
#define PLAIN(type, name, parameters, does)
#define DOES(name, parameters, does)
#include "system/sys_calls.def"

int real_sys_fill_standard(void);

WEAK int sys_fill_standard(void)
{
    return faulty_fails("fill_standard") ? -1 : real_sys_fill_standard();
}

/* ---- Calls that cannot fail, but that tests want to see or to answer ---- */

#define ANSWER(type, name, parameters, arguments)                                                                      \
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
ANSWER(bool, own_nanoseconds, (uint64_t *nanoseconds), (nanoseconds))
ADVICE(nap, (void), ())
ADVICE(exit, (int status), (status))
ADVICE(await_disk, (int fd), (fd))
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

/* The disk keeps recent idle time as credit: a waiting thread is woken up late, by a millisecond on some machines, so
 * without credit the disk would be slower for small writes. */
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

/* All pieces at once, or the first half of their bytes. */
static ssize_t transfer(ssize_t (*call)(int, const struct iovec *, int, off_t), int fd, const struct iovec *pieces,
                        int count, off_t offset)
{
    struct iovec halves[PIECES];
    ssize_t done;

    if (faulty.is_short)
        done = call(fd, halves, half_of_pieces(pieces, count, halves, PIECES), offset);
    else
        done = call(fd, pieces, count, offset);
    take_time(done);
    return done;
}

WEAK ssize_t sys_preadv(int fd, const struct iovec *pieces, int count, off_t offset)
{
    return faulty_fails("preadv") ? read_spoilt(fd, pieces, count, offset)
                                  : transfer(real_sys_preadv, fd, pieces, count, offset);
}

WEAK ssize_t sys_pwritev(int fd, const struct iovec *pieces, int count, off_t offset)
{
    return faulty_fails("pwritev") ? -1 : transfer(real_sys_pwritev, fd, pieces, count, offset);
}
