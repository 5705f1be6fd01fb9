#pragma once

/* Child programs, with pipes to feed and to read them: each leads a process group of its own, which death by signal
 * tells to end (signals.h). */

#include <stdbool.h>
#include <sys/types.h>

enum { PROGRAM_PIPE = -2 };

struct program {
    pid_t process; /* 0: there is none, or it has been waited for */
    int slot;      /* of the signals */
    int in, out;   /* our ends of the pipes that it reads and writes; -1: none, or closed */
};

/* Is there a program of this name for sys_spawn to find? */
bool program_is_there(const char *name);

/* As sys_spawn_prepare and sys_spawn say; input, output or both may be PROGRAM_PIPE. `variables` up to a NULL: each
 * "NAME=value" in its environment, or "NAME" that is not to be in it; NULL: none. 0, or -1 with errno: then nothing is
 * open. */
int program_start(struct program *program, const char *const *arguments, const char *const *variables, int input,
                  int output);

/* Its input is complete. 0, or -1 with errno. */
int program_close(struct program *program);

/* Has it ended? Then *status is what waitpid gives. program_wait waits until it has. If its end cannot be known, the
 * run ends with a message about the file `name`. */
bool program_has_ended(struct program *program, const char *name, int *status);
void program_wait(struct program *program, const char *name, int *status);

/* The program should have made or read the file `name`. If it has failed, the run ends; `why` is the cause (NULL: as
 * `status` says), and `text` the name of the program. */
void program_judge(int status, const char *why, const char *name, const char *text);

/* Kill it, if it has not been waited for: what it still does is of no use. */
void program_kill(struct program *program);
