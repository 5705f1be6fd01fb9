#ifndef BIGSHUF_TESTS_FOLDERS_H
#define BIGSHUF_TESTS_FOLDERS_H

/*
 * For tests of what works on folders: a scratch directory, a disk that is never waited for, a host's name at will, the
 * calls that were made, and proof at the end that every descriptor was given back.
 */

#include <errno.h>

#include "support/reports.h"
#include "system/sys.h"

enum { FOLDERS_SYNCS_MAX = 1024 };

static struct {
    const char *host;                /* instead of this host's name */
    char trail[512];                 /* the names of the calls since folders_forgive, each with a blank after it */
    ino_t synced[FOLDERS_SYNCS_MAX]; /* what was synced */
    unsigned syncs;
    int descriptors; /* that were open at the beginning of the test; -1 if that is not known */
} folders;

static inline void folders_log(const char *name)
{
    size_t length = strlen(folders.trail);

    snprintf(folders.trail + length, sizeof folders.trail - length, "%s ", name);
}

/* Nothing fails, and nothing has been reported. */
static inline void folders_forgive(void)
{
    faulty_reset();
    faulty.log = folders_log;
    folders.host = NULL;
    folders.trail[0] = '\0';
}

static inline int folders_setup(void **state)
{
    memset(&folders, 0, sizeof folders);
    folders_forgive();
    folders.descriptors = scratch_count("/proc/self/fd");
    return scratch_setup(state);
}

static inline int folders_teardown(void **state)
{
    folders_forgive();
    return scratch_teardown(state) == 0 && scratch_count("/proc/self/fd") == folders.descriptors ? 0 : -1;
}

/* No test takes the power away, and a disk takes its time: whether there is something to be synced is enough. */
int sys_sync(int fd)
{
    struct stat status;

    if (faulty_fails("sync") || fstat(fd, &status) != 0)
        return -1;
    if (folders.syncs < FOLDERS_SYNCS_MAX)
        folders.synced[folders.syncs++] = status.st_ino;
    return 0;
}

int real_sys_host_name(char *name, size_t bytes);

int sys_host_name(char *name, size_t bytes)
{
    if (faulty_fails("host_name"))
        return -1;
    if (folders.host == NULL)
        return real_sys_host_name(name, bytes);
    snprintf(name, bytes, "%s", folders.host);
    return 0;
}

enum { FOLDERS_RACERS = 8, FOLDERS_ROUNDS = 20 };

/* Let processes, numbered from 0 on, do `race` at the same time. Leaves in `result` what each of them returned. */
static inline void folders_race(int (*race)(int racer), int result[FOLDERS_RACERS])
{
    pid_t child[FOLDERS_RACERS];
    int ends[2];
    char byte;

    assert_int_equal(pipe(ends), 0);
    for (int i = 0; i < FOLDERS_RACERS; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            close(ends[1]);
            CHECK(read(ends[0], &byte, 1) == 0); /* all start when the pipe is closed */
            _exit(race(i));
        }
        assert_true(child[i] > 0);
    }
    close(ends[1]);
    for (int i = 0; i < FOLDERS_RACERS; i++) {
        int status;

        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status));
        result[i] = WEXITSTATUS(status);
    }
    close(ends[0]);
}

/* Do the task in a child, in which something happens at the call `faulty` names (faulty_fail, faulty_meet). A run that
 * ends says one line, one that does not end nothing. */
enum { FOLDERS_THROUGH, FOLDERS_ENDED = EXIT_FAILURE, FOLDERS_OVER = 98 /* the task makes fewer calls */ };
static inline int folders_try(void (*task)(void))
{
    const unsigned at = faulty.at;
    const char *heard;
    pid_t child;
    int status;

    fflush(NULL);
    scratch_listen();
    child = fork();
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1);
        task();
        _exit(faulty.calls < at ? FOLDERS_OVER : FOLDERS_THROUGH);
    }
    faulty_fail(NULL, 0, EIO);
    faulty.dies = false;
    assert_int_equal(waitpid(child, &status, 0), child);
    heard = scratch_heard();
    if (!WIFEXITED(status) || (heard[0] != '\0') != (WEXITSTATUS(status) == FOLDERS_ENDED) ||
        (heard[0] != '\0' && strchr(heard, '\n') != heard + strlen(heard) - 1))
        fail_msg("call %u: status %#x: %s", at, (unsigned)status, heard);
    return WEXITSTATUS(status);
}

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
