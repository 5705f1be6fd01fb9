#pragma once

/* Child programs, with pipes to feed and to read them: each leads a process group of its own, which death by signal
 * tells to end (signals.h). */

#include <stdbool.h>
#include <sys/types.h>

enum { PROGRAM_PIPE = -2 };

struct program {
    pid_t process; /* 0: there is none, or it has been waited for */
    int slot;      /* in the list of signals.h */
    int in, out;   /* our ends of the pipes that it reads and writes; -1: none, or closed */
};

/* Is there a program of this name for sys_spawn to find? */
bool program_is_there(const char *name);

/* As sys_spawn_prepare and sys_spawn say; input, output or both may be PROGRAM_PIPE. `variables` ends with NULL:
 * "NAME=value" sets one in the program's environment, "NAME" removes it; NULL: no changes. 0, or -1 with errno: then
 * nothing is open. */
int program_start(struct program *program, const char *const *arguments, const char *const *variables, int input,
                  int output);

/* Close its input, which is complete. 0, or -1 with errno. */
int program_close(struct program *program);

/* Has it ended? Then *status is that of waitpid. program_wait waits until it has. If waiting fails, the run ends with a
 * message about the file `name`. */
bool program_has_ended(struct program *program, const char *name, int *status);
void program_wait(struct program *program, const char *name, int *status);

/* If the program `text`, which was to make or read the file `name`, has failed, the run ends; `why` is the cause (NULL:
 * `status` tells it). */
void program_judge(int status, const char *why, const char *name, const char *text);

/* Kill it, unless it has been waited for: its work is no longer wanted. */
void program_kill(struct program *program);
