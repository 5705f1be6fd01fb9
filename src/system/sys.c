/*
 * Each function adds as little as possible to its system call, so that little can go wrong here, and tests can make
 * calls fail for all code above. Refinements are tested for by feature, not by system, where the headers allow it.
 */

#ifdef __linux__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#else
#undef _POSIX_C_SOURCE /* the BSDs hide preadv and getentropy from programs that ask for POSIX alone */
#undef _XOPEN_SOURCE
#define _DARWIN_C_SOURCE
#define _NETBSD_SOURCE
#endif

#include "system/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h> /* for calls that musl has late: that of Debian 12 has neither renameat2 nor statx */
#include <sys/vfs.h>
#include <sys/xattr.h>
#endif
#ifdef __APPLE__
#include <sys/random.h>
#define st_mtim st_mtimespec
#endif

#ifdef __linux__
#define ACL "system.posix_acl_access"
#else
extern char **environ; /* unistd.h has it on Linux alone */
#define fgetxattr(fd, name, list, bytes)      0
#define fremovexattr(fd, name)                0
#define fsetxattr(fd, name, list, bytes, how) refuse(fd, list)
#ifndef ENODATA
#define ENODATA ENOSYS
#endif
#endif

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#ifndef O_PATH
#define O_PATH O_RDONLY
#endif
#ifndef F_SETPIPE_SZ
#define F_SETPIPE_SZ (-1) /* no command */
#endif
#ifndef FALLOC_FL_PUNCH_HOLE
#define fallocate(fd, how, offset, bytes) refuse(fd, offset, bytes)
#endif
#ifndef SYNC_FILE_RANGE_WRITE
#define sync_file_range(fd, offset, bytes, how) refuse(fd)
#endif
#ifndef POSIX_FADV_SEQUENTIAL
#define posix_fadvise(fd, offset, bytes, how) refuse(fd)
#endif

/* Stands for a refinement that this system lacks, with any parameters. */
static int refuse(int unused, ...)
{
    (void)unused;
    errno = ENOTSUP;
    return -1;
}

/* Differs whenever the times differ, even for years that do not fit. */
static uint64_t nanoseconds(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t clock_nanoseconds(clockid_t clock)
{
    struct timespec time = {0};

    (void)clock_gettime(clock, &time);
    return nanoseconds(time);
}

/* Put an error number, as some calls return it, into errno. True if it is 0. */
static bool succeeds(int error)
{
    if (error != 0)
        errno = error;
    return error == 0;
}

/* The result of a call on a list; but 0 if there is none, or the system has no such lists. */
static ssize_t none_if_missing(ssize_t result)
{
    return result < 0 && (errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS) ? 0 : result;
}

/* Is the file system one of these types, as linux/magic.h has them? The list ends with 0. */
static bool is_on(int fd, const uint32_t *types)
{
#ifdef __linux__
    struct statfs status;

    if (fstatfs(fd, &status) != 0)
        return false;
    while (*types != 0 && *types != (uint32_t)status.f_type)
        types++;
    return *types != 0;
#else
    return refuse(fd, types) == 0;
#endif
}

/* Attributes and masks are those of linux/stat.h. */
static bool has_attribute(int directory, const char *name, uint64_t attribute)
{
#ifdef SYS_statx
    struct {
        uint32_t mask, block_bytes;
        uint64_t attributes, others[30];
    } status;

    return syscall(SYS_statx, directory, name, AT_SYMLINK_NOFOLLOW, 0, &status) == 0 &&
           (status.attributes & attribute) != 0;
#else
    return refuse(directory, name, attribute) == 0;
#endif
}

/* ---- Calls that are the system's own ---- */

#define CALL(type, name, failure, parameters, arguments)
#define SAME(type, name, failure, parameters, arguments, does)                                                         \
    type sys_##name parameters                                                                                         \
    {                                                                                                                  \
        return does;                                                                                                   \
    }
#define PLAIN(type, name, parameters, does) SAME(type, name, , parameters, , does)
#define DOES(name, parameters, does)                                                                                   \
    void sys_##name parameters                                                                                         \
    {                                                                                                                  \
        (void)(does);                                                                                                  \
    }
#include "system/sys_calls.def"

/* ---- Open files ---- */

int sys_lock(int fd, bool exclusive)
{
#if defined F_OFD_SETLK
    struct flock lock = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_SETLK, &lock);
#elif defined LOCK_NB
    return flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
#else
    return refuse(fd, exclusive);
#endif
}

int sys_free_space(int fd, uint64_t *bytes)
{
    static const uint32_t compressing[] = {0x9123683e, 0x2fc12fc1, 0xca451a4e, 0}; /* Btrfs, ZFS, bcachefs */
    struct statvfs status;

    if (is_on(fd, compressing))
        return refuse(fd);
    if (fstatvfs(fd, &status) != 0)
        return -1;
    *bytes = (uint64_t)status.f_bavail * (uint64_t)status.f_frsize;
    return 0;
}

/* ---- Names in a directory ---- */

int sys_open_anonymous(int directory, const char *name, mode_t mode)
{
#ifdef O_TMPFILE
    int fd = openat(directory, name, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);

    /* A kernel before 3.11 sees an attempt to open the directory itself for writing. */
    if (fd < 0 && errno == EISDIR)
        errno = ENOTSUP;
    return fd;
#else
    return refuse(directory, name, mode);
#endif
}

enum { LINK_BYTES = sizeof "/proc/self/fd/" + 3 * sizeof(int) };

static const char *link_of(int fd, char link[LINK_BYTES])
{
    snprintf(link, LINK_BYTES, "/proc/self/fd/%d", fd);
    return link;
}

bool sys_can_link_descriptor(int fd)
{
    char link[LINK_BYTES];
    struct stat status;

    return lstat(link_of(fd, link), &status) == 0;
}

int sys_link_descriptor(int fd, int directory, const char *name)
{
#ifdef __linux__
    char link[LINK_BYTES];

    return linkat(AT_FDCWD, link_of(fd, link), directory, name, AT_SYMLINK_FOLLOW);
#else
    return refuse(fd, directory, name);
#endif
}

void *sys_list_open(int directory)
{
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && list == NULL)
        (void)close(fd);
    return list;
}

const char *sys_list_next(void *list)
{
    const struct dirent *entry;

    errno = 0;
    entry = readdir(list);
    return entry == NULL ? NULL : entry->d_name;
}

int sys_pipe(int ends[2])
{
#ifdef __APPLE__
    if (pipe(ends) != 0)
        return -1;
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
#else
    return pipe2(ends, O_CLOEXEC);
#endif
}

bool sys_is_writable(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLOUT};

    return poll(&look, 1, 0) == 1 && look.revents == POLLOUT;
}

/* ---- Descriptors ---- */

int sys_access_mode(int fd)
{
    const int flags = fcntl(fd, F_GETFL);

    if (flags >= 0 && (flags & O_PATH) == 0)
        return flags & O_ACCMODE;
    errno = EBADF;
    return -1;
}

/* On Linux, /dev/stdout opens the descriptor's file once more, in any direction: with /dev/null there, output would be
 * lost, and input be empty. A link that is itself open cannot be opened (ELOOP). */
int sys_fill_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/proc/self", O_PATH | O_NOFOLLOW) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return -1;
    return 0;
}

/* How many numbers below the limit are free, up to `wanted`: the parent may have opened any. Many are asked for in one
 * call, since where calls are slow, a call for each of 1,000 would be seen. */
enum { ASKED_DESCRIPTORS = 256 };

static unsigned count_free(rlim_t limit, unsigned wanted)
{
    struct pollfd asked[ASKED_DESCRIPTORS];
    unsigned count = 0;

    for (rlim_t fd = 0; fd < limit && count < wanted; fd += ASKED_DESCRIPTORS) {
        const nfds_t some = limit - fd < ASKED_DESCRIPTORS ? (nfds_t)(limit - fd) : ASKED_DESCRIPTORS;

        for (nfds_t i = 0; i < some; i++)
            asked[i] = (struct pollfd){.fd = (int)(fd + i)};
        if (poll(asked, some, 0) < 0)
            break;
        for (nfds_t i = 0; i < some; i++)
            count += (asked[i].revents & POLLNVAL) != 0;
    }
    return count < wanted ? count : wanted;
}

unsigned sys_free_descriptors(unsigned wanted)
{
    struct rlimit limit;
    unsigned count;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return _POSIX_OPEN_MAX;
    while ((count = count_free(limit.rlim_cur, wanted)) < wanted && limit.rlim_cur < limit.rlim_max) {
        const rlim_t missing = wanted - count, most = limit.rlim_max - limit.rlim_cur;

        limit.rlim_cur += missing < most ? missing : most; /* RLIM_INFINITY is the largest number */
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
            break;
    }
    return count;
}

/* ---- Terminals ---- */

unsigned sys_terminal_width(int fd)
{
    struct winsize size;

    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* ---- Processes and threads ---- */

/* With no group set, the child leads its own. */
static bool set_child_signals(posix_spawnattr_t *attributes, const sigset_t *mask)
{
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
    sigset_t restored;

    sigemptyset(&restored);
    sigaddset(&restored, SIGXFSZ);
    sigaddset(&restored, SIGPIPE);
    return succeeds(posix_spawnattr_setsigmask(attributes, mask)) &&
           succeeds(posix_spawnattr_setsigdefault(attributes, &restored)) &&
           succeeds(posix_spawnattr_setflags(attributes, (short)flags));
}

static bool set_child_file(posix_spawn_file_actions_t *actions, int fd, int standard)
{
    return fd < 0 || succeeds(posix_spawn_file_actions_adddup2(actions, fd, standard));
}

int sys_spawn_prepare(struct sys_spawning *spawning, int input, int output, const sigset_t *mask)
{
    if (!succeeds(posix_spawn_file_actions_init(&spawning->actions)))
        return -1;
    if (!succeeds(posix_spawnattr_init(&spawning->attributes))) {
        posix_spawn_file_actions_destroy(&spawning->actions);
        return -1;
    }
    if (set_child_signals(&spawning->attributes, mask) && set_child_file(&spawning->actions, input, STDIN_FILENO) &&
        set_child_file(&spawning->actions, output, STDOUT_FILENO))
        return 0;
    sys_spawn_release(spawning);
    return -1;
}

void sys_spawn_release(struct sys_spawning *spawning)
{
    posix_spawnattr_destroy(&spawning->attributes);
    posix_spawn_file_actions_destroy(&spawning->actions);
}

pid_t sys_spawn(const struct sys_spawning *spawning, const char *const *arguments, char **environment)
{
    char *const *words = (char *const *)arguments; /* execvp changes nothing, whatever its prototype */
    pid_t child;

    return succeeds(posix_spawnp(&child, arguments[0], &spawning->actions, &spawning->attributes, words, environment))
               ? child
               : -1;
}

int sys_thread(void *(*body)(void *), void *argument, size_t stack_bytes, void *thread)
{
    pthread_attr_t attributes;
    bool started;

    if (!succeeds(pthread_attr_init(&attributes)))
        return -1;
    started = succeeds(pthread_attr_setstacksize(&attributes, stack_bytes)) &&
              succeeds(pthread_create(thread, &attributes, body, argument));
    pthread_attr_destroy(&attributes);
    return started ? 0 : -1;
}

/* libgcov's, where a program is linked with it (-u __gcov_dump): it writes what was counted, as exit would. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
extern void __gcov_dump(void) __attribute__((weak));

void sys_exit(int status)
{
    if (__gcov_dump)
        __gcov_dump();
    _exit(status);
}

/* ---- Memory ---- */

void *sys_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* More is mapped, so that it can begin at a multiple, and the rest unmapped. Large pages are asked for only where they
 * do not reach beyond its end. */
void *sys_map_large(size_t bytes)
{
    const size_t page = sys_page_bytes(), large = (size_t)2 << 20;
    const size_t whole = (bytes + page - 1) / page * page;
    uint8_t *mapped = sys_map(whole + large);
    const size_t before = (size_t) - (uintptr_t)mapped % large;

    if (mapped == NULL)
        return NULL;
    if (before > 0)
        sys_unmap(mapped, before);
    sys_unmap(mapped + before + whole, large - before);
#ifdef MADV_HUGEPAGE
    (void)madvise(mapped + before, bytes / large * large, MADV_HUGEPAGE);
#endif
    return mapped + before;
}

void *sys_allocate_apart(size_t count, size_t bytes)
{
    size_t whole;
    void *memory;

    if (bytes > 0 && count > (SIZE_MAX - SYS_APART_BYTES) / bytes) {
        errno = ENOMEM;
        return NULL;
    }
    whole = (count * bytes + SYS_APART_BYTES - 1) / SYS_APART_BYTES * SYS_APART_BYTES;
    memory = aligned_alloc(SYS_APART_BYTES, whole);
    return memory == NULL ? NULL : memset(memory, 0, whole);
}

/* ---- Clocks and chance ---- */

/* Linux: the second number is how long the thread has waited. Reading it takes 4 us; if it took very long, the thread
 * waited just then, perhaps after the number was made. */
bool sys_own_nanoseconds(uint64_t *nanoseconds)
{
    enum { LONG_NANOSECONDS = 50000 };
    const uint64_t start = clock_nanoseconds(CLOCK_MONOTONIC);
    const int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    unsigned long long delay;
    char text[128] = "";
    ssize_t bytes = -1;

    if (fd >= 0) {
        bytes = read(fd, text, sizeof text - 1);
        close(fd);
    }
    if (bytes <= 0 || sscanf(text, "%*u %llu", &delay) != 1)
        return false;
    *nanoseconds = clock_nanoseconds(CLOCK_MONOTONIC) - delay;
    return *nanoseconds + delay - start < LONG_NANOSECONDS;
}
