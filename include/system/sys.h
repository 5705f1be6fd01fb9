#ifndef BIGSHUF_SYSTEM_SYS_H
#define BIGSHUF_SYSTEM_SYS_H

/*
 * Every system call that can fail, each in a function that decides nothing: the layer that tests replace by linking
 * their own. What one system has and another lacks is settled here too: a refinement that is missing fails with
 * ENOTSUP. All return what the call of the same name returns and leave errno; none retries (see io.h).
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

/* ---- Open files ---- */

int sys_open(const char *path, int flags, mode_t mode); /* adds O_CLOEXEC */
int sys_close(int fd);
int sys_fstat(int fd, struct stat *status);
uint64_t sys_modified(const struct stat *status); /* when the contents were changed, in nanoseconds since 1970 */
uint64_t sys_changed(const struct stat *status);  /* when these or what is known of the file were */
int sys_fchmod(int fd, mode_t mode);
int sys_fchown(int fd, uid_t owner, gid_t group);
int sys_ftruncate(int fd, off_t length);
int sys_sync(int fd);  /* fsync */
int sys_touch(int fd); /* it was changed now, by the clock of its file system */

/* Lock an open file until it is closed, without waiting: EWOULDBLOCK. An exclusive lock takes a descriptor that may
 * write (EBADF), where systems have such locks, so that who may only read cannot shut others out: fcntl, else flock. */
int sys_lock(int fd, bool exclusive);

off_t sys_seek(int fd, off_t offset, int whence); /* lseek */
int sys_access_mode(int fd);                      /* O_RDONLY, O_WRONLY or O_RDWR, as the descriptor was opened */
bool sys_is_appended(int fd);                     /* was it opened with O_APPEND? */
int sys_punch_hole(int fd, off_t offset, off_t bytes);

/* A file's access control list, in the system's own form: how long it is, or with `bytes` above 0 the list itself. 0 if
 * there is none besides the mode, or where there are no such lists. Setting one of 0 bytes takes away what is there. */
ssize_t sys_get_acl(int fd, void *list, size_t bytes);
int sys_set_acl(int fd, const void *list, size_t bytes);

/* What the user may still write to the file system of a file or directory that is open. Fails with ENOTSUP
 * where that tells little, since the file system may compress what it is given. */
int sys_free_space(int fd, uint64_t *bytes);
bool sys_is_memory_file_system(int fd); /* tmpfs or ramfs */

/* ---- Files by name ---- */

int sys_stat(const char *path, struct stat *status);
int sys_unlink(const char *path);
char *sys_realpath(const char *path); /* malloc'd */
int sys_readable(const char *path);   /* faccessat: 0 if the effective user may read it; opens nothing */
int sys_executable(const char *path); /* the same for running it */
int sys_mkstemp(char *pattern);       /* close-on-exec */

/* ---- Names in a directory ---- */

/* A directory whose names are to be used with the functions below; it need not be readable (O_PATH). */
int sys_open_directory(const char *path);

/* Names in a directory that is open; links are not followed. AT_FDCWD stands for the current directory. */
int sys_open_at(int directory, const char *name, int flags, mode_t mode); /* adds O_CLOEXEC and O_NOFOLLOW */
int sys_stat_at(int directory, const char *name, struct stat *status);
int sys_open_anonymous(int directory, const char *name, mode_t mode); /* O_TMPFILE in that one; ENOTSUP if unknown */
bool sys_can_link_descriptor(int fd); /* is /proc there, so that sys_link_descriptor can work? */
int sys_link_descriptor(int fd, int directory, const char *name); /* gives an anonymous file a name */
ssize_t sys_readlink(int directory, const char *name, char *target, size_t bytes);
bool sys_is_mount_point(int directory, const char *name); /* as far as the system tells: such a file can be neither
                                                             replaced nor unlinked */
int sys_mkdir_at(int directory, const char *name, mode_t mode);
int sys_link_at(int directory, const char *from, const char *to);
int sys_rename_at(int directory, const char *from, const char *to);
int sys_unlink_at(int directory, const char *name);
int sys_rmdir_at(int directory, const char *name);

/* The names in a directory that is open, one after another; NULL at the end, with errno 0, or on failure. */
void *sys_list_open(int directory);
const char *sys_list_next(void *list);
void sys_list_close(void *list);

/* ---- Reading and writing ---- */

ssize_t sys_read(int fd, void *data, size_t bytes);
ssize_t sys_write(int fd, const void *data, size_t bytes);
ssize_t sys_preadv(int fd, const struct iovec *pieces, int count, off_t offset);
ssize_t sys_pwritev(int fd, const struct iovec *pieces, int count, off_t offset);
int sys_pipe(int ends[2]);   /* close-on-exec */
void sys_widen_pipe(int fd); /* advice only: if it is a pipe, let it hold 1 MiB */
int sys_set_nonblocking(int fd);
int sys_poll(int fd, short events); /* waits without limit */
bool sys_is_writable(int fd);       /* can it take some bytes now, and is anybody there to read them? */
int sys_poll_all(struct pollfd *waits, unsigned count); /* waits for any of them without limit */
void sys_write_back(int fd);                            /* advice only: what was written should begin to go to disk */
/* advice only: wait until that part of a file is on the disk */
void sys_await_disk(int fd, off_t offset, off_t length);
void sys_sequential(int fd); /* advice only: will be read from front to back */

/* ---- Descriptors ---- */

/* Open those of the descriptors 0 to 2 that are closed on /dev/null, in the direction that makes their use fail with
 * EBADF as before, so that no file opened later takes their place. 0, or -1 with errno. */
int sys_fill_standard(void);

rlim_t sys_descriptor_limit(void); /* the soft one; 0 if it is not known */

/* How many more descriptors may be opened, after raising the soft limit to `wanted` as far as the hard limit allows. An
 * estimate: it takes all those below the first free one to be open, and no other. */
unsigned sys_free_descriptors(unsigned wanted);

/* ---- Terminals ---- */

bool sys_is_terminal(int fd);        /* isatty */
unsigned sys_terminal_width(int fd); /* in columns; 0 if it is not known */
bool sys_is_in_background(int fd);   /* does another process group have the terminal? */

/* ---- Processes and threads ---- */

pid_t sys_process(void);                     /* getpid */
uid_t sys_user(void);                        /* geteuid */
int sys_host_name(char *name, size_t bytes); /* gethostname, ended by NUL */

/* What a process is to have that will lead a process group of its own: `variables` up to a NULL, each "NAME=value" in
 * its environment or "NAME" that is not to be in it (NULL: none); standard input and output from and to descriptors
 * above 2, or this program's if they are -1; and `mask` of signals blocked. What this program has set signals to is not
 * passed on. 0, or -1 with errno. */
struct sys_spawning {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char **environment; /* NULL: this program's */
};
int sys_spawn_prepare(struct sys_spawning *spawning, const char *const *variables, int input, int output,
                      const sigset_t *mask);
void sys_spawn_release(struct sys_spawning *spawning);

/* Start it: the program arguments[0], found as execvp does, with these arguments, the last one NULL. Takes no lock, and
 * no memory from the heap. Its process number, or -1 with errno. */
pid_t sys_spawn(const struct sys_spawning *spawning, const char *const *arguments);
pid_t sys_wait(pid_t child, int *status, int options); /* waitpid */
int sys_kill(pid_t process, int signal);               /* below 0: a process group */

/* pthread_create on *(pthread_t *)thread, with a stack of `stack_bytes` or the least the system takes; -1 and
 * errno. */
int sys_thread(void *(*body)(void *), void *argument, size_t stack_bytes, void *thread);

void sys_exit(int status); /* _exit: at once */
void sys_nap(void);        /* a millisecond, or until a signal comes; may be called by a signal handler */

/* ---- Memory ---- */

void *sys_map(size_t bytes); /* private, anonymous, zeroed; NULL with errno */
void sys_unmap(void *memory, size_t bytes);
size_t sys_page_bytes(void);

/* Over whole pages of what is mapped there: a part of a file from a page on, private and read-only. */
int sys_map_file(void *place, size_t bytes, int fd, off_t offset);
void sys_forget(void *memory, size_t bytes); /* advice only: whole pages; those of a file come back when looked at */

void *sys_allocate(size_t count, size_t bytes); /* calloc */

/* A line of the cache; and what threads write stands so far apart, as a processor that fetches a line may fetch its
 * neighbour with it, out of the cache of another one. */
enum { SYS_LINE_BYTES = 64, SYS_APART_BYTES = 2 * SYS_LINE_BYTES };

void *sys_allocate_apart(size_t count, size_t bytes); /* calloc at a multiple of SYS_APART_BYTES */

/* ---- Clocks and chance ---- */

uint64_t sys_milliseconds(void);       /* of a clock that only goes forward */
uint64_t sys_thread_nanoseconds(void); /* processor time that the calling thread has taken */

/* Of a clock that stands still while the calling thread could go on, but has no processor. It may go back a little.
 * False where there is none, and if it cannot be read just now. */
bool sys_own_nanoseconds(uint64_t *nanoseconds);

int sys_random(void *data, size_t bytes); /* getentropy, bytes <= 256 */

#endif
