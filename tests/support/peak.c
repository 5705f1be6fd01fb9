/*
 * Measure from outside how much memory a program had: `peak FILE COMMAND [ARGUMENT]...` runs the command, writes to
 * FILE the peak of its resident memory in KiB, and ends as the command did.
 */

#ifdef __linux__
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier)
#else
#undef _POSIX_C_SOURCE /* the BSDs hide ru_maxrss from programs that ask for POSIX alone */
#undef _XOPEN_SOURCE
#define _DARWIN_C_SOURCE
#endif

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __APPLE__
static const long UNITS_PER_KIB = 1024;
#else
static const long UNITS_PER_KIB = 1;
#endif

int main(int argc, char **argv)
{
    struct rusage usage;
    FILE *file = argc > 2 ? fopen(argv[1], "w") : NULL;
    int status;
    pid_t child;

    if (file == NULL) {
        fputs("usage: peak FILE COMMAND [ARGUMENT]...\n", stderr);
        return 125;
    }
    child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &usage) != 0) {
        perror("peak");
        return 125;
    }
    fprintf(file, "%ld\n", usage.ru_maxrss / UNITS_PER_KIB);
    if (fclose(file) != 0)
        return 125;
    if (WIFSIGNALED(status))
        raise(WTERMSIG(status));
    return WEXITSTATUS(status);
}
