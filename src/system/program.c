#include "system/program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

/* Where programs are if $PATH does not say. */
static const char USUAL_PATH[] = "/bin:/usr/bin";

enum { PATH_BYTES = 4096, NUMBER_BYTES = 24 };

bool program_is_there(const char *name)
{
    const char *at = getenv("PATH");
    char path[PATH_BYTES];
    bool found = false;

    at = at != NULL ? at : USUAL_PATH;
    for (bool more = true; more && !found;) {
        const size_t length = strcspn(at, ":");

        snprintf(path, sizeof path, "%.*s%s%s", (int)length, at, length > 0 ? "/" : "", name);
        found = sys_executable(path) == 0;
        more = at[length] == ':';
        at += length + more;
    }
    return found;
}

/* The arguments of a program that has a limit of its own to descriptors, if it is not 0: a shell sets it before the
 * program runs, as there is no other way that does not lower our own meanwhile. For free; NULL with errno. */
static const char **with_limit(const char *const *arguments, uint64_t descriptors, char text[NUMBER_BYTES])
{
    const char *const shell[] = {"/bin/sh", "-c", "ulimit -S -n \"$0\"; exec \"$@\"", text};
    const size_t before = descriptors > 0 ? sizeof shell / sizeof shell[0] : 0;
    const char **words;
    size_t count = 0;

    while (arguments[count] != NULL)
        count++;
    words = sys_allocate(before + count + 1, sizeof *words);
    if (words == NULL)
        return NULL;
    snprintf(text, NUMBER_BYTES, "%llu", (unsigned long long)descriptors);
    memcpy(words, shell, before * sizeof *words);
    memcpy(words + before, arguments, count * sizeof *words);
    return words;
}

/* What needs the heap is done before death by signal is held off, and after it. */
int program_start(struct program *program, const char *const *arguments, const char *const *variables, int input,
                  int output)
{
    struct signals_child child;
    struct sys_spawning spawning;
    char descriptors[NUMBER_BYTES];
    const char **words;
    pid_t process;
    int error;

    *program = (struct program){.process = 0, .slot = -1};
    signals_child_prepare(&child);
    words = with_limit(arguments, child.descriptors, descriptors);
    if (words == NULL || sys_spawn_prepare(&spawning, variables, input, output, &child.mask) != 0) {
        error = errno;
        free(words);
        errno = error;
        return -1;
    }
    signals_child_starts(&child);
    process = sys_spawn(&spawning, words);
    error = errno;
    program->slot = signals_child_started(&child, process);
    program->process = process > 0 ? process : 0;
    sys_spawn_release(&spawning);
    free(words);
    errno = error;
    return process > 0 ? 0 : -1;
}

static void forget(struct program *program)
{
    program->process = 0;
    signals_child_ended(program->slot);
}

int program_wait(struct program *program, int options, int *status)
{
    pid_t ended;

    do
        ended = sys_wait(program->process, status, options);
    while (ended < 0 && errno == EINTR);
    if (ended <= 0)
        return (int)ended;
    forget(program);
    return 1;
}

const char *program_failure(int status, char text[PROGRAM_FAILURE_BYTES])
{
    if (status == 0)
        return NULL;
    if (WIFEXITED(status))
        snprintf(text, PROGRAM_FAILURE_BYTES, "exit status %d", WEXITSTATUS(status));
    else
        snprintf(text, PROGRAM_FAILURE_BYTES, "killed by signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return text;
}

void program_tell(const struct program *program, int signal)
{
    if (program->process > 0)
        (void)sys_kill(-program->process, signal);
}

void program_kill(struct program *program)
{
    int status;

    if (program->process == 0)
        return;
    program_tell(program, SIGKILL);
    (void)program_wait(program, 0, &status);
}
