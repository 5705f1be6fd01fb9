#pragma once

/*
 * Every system call that can fail, each in a function that decides nothing: the layer that tests replace by linking
 * their own. What one system has and another lacks is settled here too: a refinement that is missing fails with
 * ENOTSUP. All return what the call of the same name returns and leave errno; none retries (see io.h).
 *
 * Most of them stand in sys_calls.def; those that cannot fail and are more than one expression stand here.
 */

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

/* How a process is to be started. */
struct sys_spawning {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

#define CALL(type, name, failure, parameters, arguments)       type sys_##name parameters;
#define SAME(type, name, failure, parameters, arguments, does) type sys_##name parameters;
#define PLAIN(type, name, parameters, does)                    type sys_##name parameters;
#define DOES(name, parameters, does)                           void sys_##name parameters;
#include "system/sys_calls.def"
#undef CALL
#undef SAME
#undef PLAIN
#undef DOES

/* ---- Descriptors and terminals ---- */

/* If one of the descriptors 0 to 2 is closed, open it on something whose every use fails with EBADF, as before, so that
 * no file opened later takes its number. 0, or -1 with errno. */
int sys_fill_standard(void);

/* How many more descriptors may be opened, counted up to about `wanted`, after raising the soft limit for that as far
 * as the hard limit allows. */
unsigned sys_free_descriptors(unsigned wanted);

bool sys_is_writable(int fd);        /* can it take some bytes now, and is anybody there to read them? */
unsigned sys_terminal_width(int fd); /* in columns; 0 if it is not known */

/* ---- Processes ---- */

void sys_spawn_release(struct sys_spawning *spawning);
void sys_exit(int status); /* _exit: at once */

/* ---- Memory ---- */

/* A line of the cache; and how far apart memory is that different threads write, since a processor that fetches a line
 * may take its neighbour, too, out of another one's cache. */
enum { SYS_LINE_BYTES = 64, SYS_APART_BYTES = 2 * SYS_LINE_BYTES };

/* A clock that stands still while the calling thread waits for a processor. It may go back a little. False if the
 * system has none, or it cannot be read just now. */
bool sys_own_nanoseconds(uint64_t *nanoseconds);
