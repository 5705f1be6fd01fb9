/*
 * What is to fail in bigshuf-faulty (faulty_sys.h; sweep.c lets all calls fail in turn). From the environment:
 *
 *     FAULT_AT=N         the N-th call fails (from 1 on)
 *     FAULT_STAYS=1      and so do all calls after it
 *     FAULT_CALL=NAME    count and fail calls of this name only: "read" stands for sys_read; or of several, with a
 *                        space between
 *     FAULT_ERRNO=NAME   with this error: EIO if not given
 *     FAULT_NEVER=NAMES  calls of these names always fail with that error, and do not count
 *     FAULT_LOG=FILE     add a line with the call's name to FILE when a call is made to fail: a sweep is over when a
 *                        run leaves FILE as it was. Without FAULT_AT, whenever a call is made that could fail
 *     FAULT_DAMAGE=1     a preadv whose turn it is to fail succeeds instead, with one byte changed
 *     FAULT_END=1        a preadv whose turn it is to fail finds the end of the file instead
 *     FAULT_RUN=COMMAND  a call whose turn it is to fail does not, but before it the shell runs this
 *     FAULT_KILLS=KILL   a call whose turn it is to fail does not, but before it this signal comes, or TERM
 *     FAULT_SHORT=1      every read and write transfers at most half of what is asked for
 *     FAULT_HURRY=N      the clock goes N times as fast
 *     FAULT_EINTR=1      a thread's every second call of those that signals interrupt fails with EINTR
 *     FAULT_RATE=N       temporary files are read and written at N million bytes a second, both together
 */

#include "faulty_sys.h"
#include "system/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
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
    {"EINVAL", EINVAL}, {"ENOLCK", ENOLCK},
};

static int error_of(const char *name)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(name, errors[i].name) == 0)
            return errors[i].number;
    fprintf(stderr, "bigshuf-faulty: no error of the name %s\n", name);
    abort();
}

/* A line in one write: threads and processes log at the same time. */
static void log_call(const char *name)
{
    char line[64];
    int bytes = snprintf(line, sizeof line, "%s\n", name);
    int fd = open(getenv("FAULT_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

    if (fd < 0)
        return;
    (void)!write(fd, line, (size_t)bytes);
    close(fd);
}

static atomic_uint commands;
static _Thread_local unsigned own; /* of these */

static void run_command(void)
{
    own = 1;
    atomic_fetch_add(&commands, 1);
    if (system(getenv("FAULT_RUN")) != 0)
        abort();
    atomic_fetch_sub(&commands, 1);
    own = 0;
}

static void kill_self(void)
{
    kill(getpid(), strcmp(getenv("FAULT_KILLS"), "TERM") == 0 ? SIGTERM : SIGKILL);
}

void real_sys_exit(int status);

/* Another thread may see what a command does, and end the run: not before all has been done. But a signal that it sends
 * may come to the thread that waits for it. */
void sys_exit(int status)
{
    while (atomic_load(&commands) > own)
        sys_nap();
    real_sys_exit(status);
}

/* Done before main. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *at = getenv("FAULT_AT"), *error = getenv("FAULT_ERRNO"), *rate = getenv("FAULT_RATE");

    faulty_fail(getenv("FAULT_CALL"), at ? (unsigned)strtoul(at, NULL, 10) : 0, error ? error_of(error) : EIO);
    faulty.never = getenv("FAULT_NEVER");
    faulty.stays = getenv("FAULT_STAYS") != NULL;
    faulty.damages = getenv("FAULT_DAMAGE") != NULL;
    faulty.ends = getenv("FAULT_END") != NULL;
    faulty.is_short = getenv("FAULT_SHORT") != NULL;
    faulty.hurry = getenv("FAULT_HURRY") ? (unsigned)strtoul(getenv("FAULT_HURRY"), NULL, 10) : 1;
    faulty.interrupts = getenv("FAULT_EINTR") != NULL;
    faulty.rate = rate != NULL ? strtoull(rate, NULL, 10) * 1000000 : 0;
    faulty.meet = getenv("FAULT_RUN") ? run_command : getenv("FAULT_KILLS") ? kill_self : NULL;
    faulty.log = getenv("FAULT_LOG") != NULL ? log_call : NULL;
}
