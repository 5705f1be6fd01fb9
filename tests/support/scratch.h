#pragma once

/*
 * For tests that work on files: a directory of their own, which is the current one during a test and gone after it;
 * messages caught; children. A child must not use cmocka's assertions, which would go on with the next test in it: it
 * uses CHECK.
 */

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true in the child: %s\n", __FILE__, __LINE__, #condition);                     \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

/* signals_register, of a file in the current directory. */
#define scratch_register(text)                                                                                         \
    signals_register(&(struct signals_name){.directory = AT_FDCWD, .name = (text), .path = (text)})

struct scratch {
    int former_directory, former_stderr, messages;
    pid_t child;
    char path[64];
    char text[16384];
};

/* The state of the running test; cmocka runs one at a time. */
static struct scratch scratch;

/* The number that belongs to the scale of this run. */
static inline unsigned scratch_scale(unsigned tiny, unsigned small, unsigned full)
{
    const char *scale = getenv("TEST_SCALE");

    if (scale == NULL || strcmp(scale, "small") == 0)
        return small;
    return strcmp(scale, "tiny") == 0 ? tiny : full;
}

static inline int scratch_setup(void **state)
{
    (void)state;
    scratch.former_directory = open(".", O_RDONLY | O_CLOEXEC);
    snprintf(scratch.path, sizeof scratch.path, "/tmp/bigshuf-test-XXXXXX");
    return scratch.former_directory < 0 || mkdtemp(scratch.path) == NULL || chdir(scratch.path) != 0 ? -1 : 0;
}

/* Remove all that is in the directory `fd`, which is closed. */
static inline void scratch_empty(int fd)
{
    DIR *directory = fdopendir(fd);
    struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        const char *name = entry->d_name;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(fd, name, 0) == 0)
            continue;
        (void)fchmodat(fd, name, 0700, 0);
        scratch_empty(openat(fd, name, O_RDONLY | O_DIRECTORY));
        (void)unlinkat(fd, name, AT_REMOVEDIR);
    }
    if (directory != NULL)
        closedir(directory);
}

static inline int scratch_teardown(void **state)
{
    int result;

    (void)state;
    (void)chmod(".", 0700);
    scratch_empty(open(".", O_RDONLY | O_DIRECTORY));
    result = fchdir(scratch.former_directory) == 0 && rmdir(scratch.path) == 0 ? 0 : -1;
    close(scratch.former_directory);
    return result;
}

/* How many names there are in a directory. */
static inline int scratch_count(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;

    while (directory != NULL && readdir(directory) != NULL)
        count++;
    if (directory != NULL)
        closedir(directory);
    return count - 2;
}

static inline bool scratch_put(const char *name, const char *content, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool done = fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content) && fchmod(fd, mode) == 0;

    if (fd >= 0)
        close(fd);
    return done;
}

/* Wait until there is such a file. */
static inline void scratch_await(const char *name)
{
    while (access(name, F_OK) != 0)
        usleep(5000);
}

/* Does the file hold just this? */
static inline bool scratch_holds(const char *name, const char *content)
{
    char data[4096];
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, data, sizeof data) : -1;

    if (fd >= 0)
        close(fd);
    return got == (ssize_t)strlen(content) && memcmp(data, content, (size_t)got) == 0;
}

static inline mode_t scratch_mode(const char *name)
{
    struct stat status;

    return stat(name, &status) == 0 ? status.st_mode & 07777 : (mode_t)-1;
}

/* From now on standard error goes to a pipe ... */
static inline void scratch_listen(void)
{
    int ends[2];

    if (pipe(ends) != 0)
        abort();
    scratch.messages = ends[0];
    scratch.former_stderr = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
}

/* ... and here is what it was told. */
static inline const char *scratch_heard(void)
{
    ssize_t got;

    dup2(scratch.former_stderr, STDERR_FILENO);
    close(scratch.former_stderr);
    got = read(scratch.messages, scratch.text, sizeof scratch.text - 1);
    close(scratch.messages);
    scratch.text[got > 0 ? got : 0] = '\0';
    return scratch.text;
}

/* The statement says just this on standard error. */
#define assert_hears(statement, message)                                                                               \
    do {                                                                                                               \
        scratch_listen();                                                                                              \
        statement;                                                                                                     \
        assert_string_equal(scratch_heard(), message);                                                                 \
    } while (0)

/* Begin a child that ends the run; its messages are caught. True in the child, in which a failed assertion aborts. */
static inline bool scratch_begin_end(void)
{
    pid_t child;

    fflush(NULL);
    scratch_listen();
    child = fork();
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1);
        alarm(120);
        return true;
    }
    scratch.child = child;
    return false;
}

/* It has ended as a run that fails does. Returns what it said. */
static inline const char *scratch_ended(void)
{
    int status = -1;

    waitpid(scratch.child, &status, 0);
    scratch_heard();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_FAILURE)
        fail_msg("the run did not fail, status %#x: %s", (unsigned)status, scratch.text);
    return scratch.text;
}

/* The statement ends the run, which says just this. It is done in a child: here nothing has changed but files. */
#define assert_ends(statement, message)                                                                                \
    do {                                                                                                               \
        if (scratch_begin_end()) {                                                                                     \
            statement;                                                                                                 \
            _exit(99);                                                                                                 \
        }                                                                                                              \
        assert_string_equal(scratch_ended(), message);                                                                 \
    } while (0)

/* Run body in a child. Returns its status as waitpid gives it: 0 when all its checks held. */
static inline int scratch_child(void (*body)(void))
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        body();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}
