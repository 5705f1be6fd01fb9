#ifndef BIGSHUF_SYSTEM_PROGRAM_H
#define BIGSHUF_SYSTEM_PROGRAM_H

/* Child processes: each leads a process group of its own, which death by signal tells to end (signals.h). */

#include <stdbool.h>
#include <sys/types.h>

struct program {
    pid_t process; /* 0: there is none, or it has been waited for */
    int slot;      /* of the signals */
};

/* Is there a program of this name for sys_spawn to find? */
bool program_is_there(const char *name);

/* As sys_spawn says. 0, or -1 with errno. */
int program_start(struct program *program, const char *const *arguments, const char *const *variables, int input,
                  int output);

/* Wait for its end, or with WNOHANG have a look. 1 if it has ended, with *status as waitpid gives it; 0 if it runs; -1
 * with errno. */
int program_wait(struct program *program, int options, int *status);

/* What is wrong with a program that has ended so: "exit status 1", "killed by signal 9". NULL if nothing is. */
enum { PROGRAM_FAILURE_BYTES = 64 };
const char *program_failure(int status, char text[PROGRAM_FAILURE_BYTES]);

/* Send the signal to its group, unless it has been waited for. */
void program_tell(const struct program *program, int signal);

/* End it, if it has not been waited for: what it still does is of no use. */
void program_kill(struct program *program);

#endif
