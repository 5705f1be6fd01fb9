#include "system/program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "system/fault.h"
#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

/* Where programs are if $PATH does not say. */
static const char USUAL_PATH[] = "/bin:/usr/bin";

enum { PATH_BYTES = 4096 };

static const struct program none = {.slot = -1, .in = -1, .out = -1};

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

/* Is `variable`, of the environment, one of `variables`? */
static bool is_among(const char *const *variables, const char *variable)
{
    const size_t length = strcspn(variable, "=");

    for (; variables != NULL && *variables != NULL; variables++)
        if (strcspn(*variables, "=") == length && strncmp(*variables, variable, length) == 0)
            return true;
    return false;
}

/* The environment as `variables` change it (program.h). An array for free(), or NULL with errno. */
static char **with_variables(const char *const *variables)
{
    char **const own = sys_environment(), **changed;
    size_t count = 0, wanted = 0, kept = 0;

    while (own[count] != NULL)
        count++;
    while (variables != NULL && variables[wanted] != NULL)
        wanted++;
    changed = sys_allocate(count + wanted + 1, sizeof *changed);
    if (changed == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_among(variables, own[i]))
            changed[kept++] = own[i];
    for (size_t i = 0; i < wanted; i++)
        if (strchr(variables[i], '=') != NULL)
            changed[kept++] = (char *)variables[i]; /* execve changes nothing, though its prototype does not say so */
    return changed;
}

/* The heap is used only before death by signal is held off, and after it. */
static int start(struct program *program, const char *const *arguments, const char *const *variables, int input,
                 int output)
{
    struct signals_child child;
    struct sys_spawning spawning;
    char **environment = with_variables(variables);
    pid_t process;

    signals_child_prepare(&child);
    if (environment == NULL || sys_spawn_prepare(&spawning, input, output, &child.mask) != 0) {
        free(environment);
        return -1;
    }
    signals_child_starts(&child);
    process = sys_spawn(&spawning, arguments, environment);
    program->slot = signals_child_started(&child, process);
    sys_spawn_release(&spawning);
    free(environment);
    program->process = process > 0 ? process : 0;
    return process > 0 ? 0 : -1;
}

/* One end of a new pipe is ours, and the other one the program's. */
static int make_pipe(int *ours, int *other, int which)
{
    int ends[2];

    if (sys_pipe(ends) != 0)
        return -1;
    *ours = ends[which];
    *other = ends[1 - which];
    return 0;
}

int program_start(struct program *program, const char *const *arguments, const char *const *variables, int input,
                  int output)
{
    int status = -1, read = -1, write = -1;

    *program = none;
    if ((input != PROGRAM_PIPE || make_pipe(&program->in, &read, 1) == 0) &&
        (output != PROGRAM_PIPE || make_pipe(&program->out, &write, 0) == 0))
        status = start(program, arguments, variables, input != PROGRAM_PIPE ? input : read,
                       output != PROGRAM_PIPE ? output : write);
    io_drop(read);
    io_drop(write);
    if (status != 0) {
        io_drop(program->in);
        io_drop(program->out);
        *program = none;
    }
    return status;
}

int program_close(struct program *program)
{
    const int in = program->in;

    program->in = -1;
    return in >= 0 ? io_close(in) : 0;
}

/* Get the status of a program that has not been waited for, if it has ended. Its number, which the system may give to
 * others from then on, leaves the list at the same time. Returns as sys_reap. */
static pid_t reap(struct program *program, int *status)
{
    sigset_t before;
    pid_t ended;

    signals_hold(&before);
    IO_REPEAT(ended, sys_reap(program->process, status));
    if (ended > 0)
        signals_forget(program->slot);
    signals_release(&before);
    if (ended > 0) {
        program->process = 0;
        io_drop(program->out);
        program->out = -1;
    }
    return ended;
}

bool program_has_ended(struct program *program, const char *name, int *status)
{
    const pid_t ended = reap(program, status);

    if (ended < 0)
        die_errno(name, errno);
    return ended > 0;
}

/* 0, or -1 with errno. */
static int await(const struct program *program)
{
    int result;

    IO_REPEAT(result, sys_wait(program->process));
    return result;
}

void program_wait(struct program *program, const char *name, int *status)
{
    if (await(program) != 0)
        die_errno(name, errno);
    while (!program_has_ended(program, name, status))
        continue;
}

void program_judge(int status, const char *why, const char *name, const char *text)
{
    if (why != NULL)
        die("%s: '%s' failed: %s", name, text, why);
    if (status != 0 && WIFSIGNALED(status))
        die("%s: '%s' failed: killed by signal %d", name, text, WTERMSIG(status));
    if (status != 0)
        die("%s: '%s' failed: exit status %d", name, text, WEXITSTATUS(status));
}

void program_kill(struct program *program)
{
    int status;

    if (program->process == 0)
        return;
    (void)sys_kill(-program->process, SIGKILL);
    if (await(program) == 0)
        (void)reap(program, &status);
}
