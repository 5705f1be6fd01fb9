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

/* Have the same program started by a shell with so many descriptors: there is no other way to lower a limit before it
 * runs without lowering our own meanwhile. Malloc'd, NULL with errno. */
static const char **with_limit(const char *const *arguments, const char *descriptors)
{
    const char *const shell[] = {"/bin/sh", "-c", "ulimit -S -n \"$0\"; exec \"$@\"", descriptors};
    const size_t before = sizeof shell / sizeof shell[0];
    const char **words;
    size_t count = 0;

    while (arguments[count] != NULL)
        count++;
    words = sys_allocate(before + count + 1, sizeof *words);
    if (words == NULL)
        return NULL;
    memcpy(words, shell, sizeof shell);
    memcpy(words + before, arguments, count * sizeof *words);
    return words;
}

/* Some programs go through all descriptors that there could be. */
static pid_t spawn(const struct signals_child *child, const char *const *arguments, const char *variable, int input,
                   int output)
{
    char descriptors[NUMBER_BYTES];
    const char **limited;
    pid_t process;

    if (child->descriptors == 0)
        return sys_spawn(arguments, variable, input, output, &child->mask);
    snprintf(descriptors, sizeof descriptors, "%llu", (unsigned long long)child->descriptors);
    limited = with_limit(arguments, descriptors);
    if (limited == NULL)
        return -1;
    process = sys_spawn(limited, variable, input, output, &child->mask);
    free(limited);
    return process;
}

int program_start(struct program *program, const char *const *arguments, const char *variable, int input, int output)
{
    struct signals_child child;
    pid_t process;

    signals_child_starts(&child);
    process = spawn(&child, arguments, variable, input, output);
    program->slot = signals_child_started(&child, process);
    program->process = process > 0 ? process : 0;
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
    while (ended < 0 && io_again());
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

/* The run may have failed; even so this waits, as it is not for long. */
void program_kill(struct program *program)
{
    int status;
    pid_t ended;

    if (program->process == 0)
        return;
    program_tell(program, SIGKILL);
    do
        ended = sys_wait(program->process, &status, 0);
    while (ended < 0 && errno == EINTR);
    forget(program);
}
