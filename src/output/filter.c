/*
 * The programs are a queue: those that have not been waited for, oldest first, the last one being fed. A new one waits
 * for the oldest when the queue is full. That may be a little late when a younger one is done, but never wrong.
 *
 * A program that has stopped reading may have failed. It is asked whether it still runs whenever there would have been
 * something to write, so that the run does not go on for hours for nothing, and nobody waits for one that sleeps.
 */

#include "output/filter.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "system/fault.h"
#include "system/io.h"
#include "system/program.h"
#include "system/signals.h"
#include "system/sys.h"

/* More at a time would be of no use, and take descriptors. */
enum { FILTERS_MAX = 256 };

struct filter {
    struct program program;
    const char *file;
    bool deaf;                    /* it does not read any more */
    char text[PACKER_TEXT_BYTES]; /* of a program that compresses: what messages call it; else "" */
};

struct filters {
    const char *command;
    const char *first_file; /* of all commands that were started */
    const char *last_file;
    bool told; /* that one was content with less than it got */
    int fd;    /* to the one that is being fed, or -1 */
    unsigned most;
    unsigned count;
    unsigned oldest;
    struct fault_duty duty; /* to say what may be incomplete, until all have finished well */
    struct filter queue[];  /* a ring of `most` */
};

/* The run fails. */
static void warn_of_incomplete(void *context)
{
    const struct filters *filters = context;

    if (filters->first_file != NULL && filters->first_file == filters->last_file)
        fault_warn("what was made with FILE=%s may be incomplete", filters->first_file);
    else if (filters->first_file != NULL)
        fault_warn("what was made with FILE=%s to FILE=%s may be incomplete", filters->first_file, filters->last_file);
}

struct filters *filters_new(const char *command, unsigned most)
{
    struct filters *filters;

    if (most > FILTERS_MAX)
        most = FILTERS_MAX;
    filters = fault_allocate(1, sizeof *filters + most * sizeof filters->queue[0]);
    filters->command = command;
    filters->most = most;
    filters->fd = -1;
    fault_add_duty(&filters->duty, warn_of_incomplete, filters);
    return filters;
}

static struct filter *at(struct filters *filters, unsigned number)
{
    return &filters->queue[(filters->oldest + number) % filters->most];
}

/* Without the SIG that all have; NULL for those that have a number only. */
static const char *signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGHUP, "HUP"},   {SIGINT, "INT"},   {SIGQUIT, "QUIT"}, {SIGILL, "ILL"},       {SIGTRAP, "TRAP"},
        {SIGABRT, "ABRT"}, {SIGBUS, "BUS"},   {SIGFPE, "FPE"},   {SIGKILL, "KILL"},     {SIGUSR1, "USR1"},
        {SIGSEGV, "SEGV"}, {SIGUSR2, "USR2"}, {SIGALRM, "ALRM"}, {SIGTERM, "TERM"},     {SIGXCPU, "XCPU"},
        {SIGXFSZ, "XFSZ"}, {SIGSYS, "SYS"},   {SIGPROF, "PROF"}, {SIGVTALRM, "VTALRM"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == number)
            return names[i].name;
    return NULL;
}

static bool is_packer(const struct filter *filter)
{
    return filter->text[0] != '\0';
}

static void judge_packer(const struct filter *filter, int status)
{
    char text[PROGRAM_FAILURE_BYTES];
    const char *failure = program_failure(status, text);

    if (failure == NULL && filter->deaf)
        failure = "did not read all that it was given";
    if (failure != NULL)
        fault_say("%s: '%s' failed: %s", filter->file, filter->text, failure);
}

/* The command has ended so: is that a failure? */
static void judge_command(const struct filters *filters, const struct filter *filter, int status)
{
    char cause[sizeof "signal " + 16];

    if (WIFEXITED(status)) {
        if (WEXITSTATUS(status) == 0)
            return;
        snprintf(cause, sizeof cause, "exit %d", WEXITSTATUS(status));
    } else {
        int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        const char *name = signal_name(number);

        if (number == SIGPIPE)
            return;
        if (name != NULL)
            snprintf(cause, sizeof cause, "signal %s", name);
        else
            snprintf(cause, sizeof cause, "signal %d", number);
    }
    fault_say("with FILE=%s, %s from command: %s", filter->file, cause, filters->command);
}

/*
 * A filter has finished well. Did it stop reading while there was more for it? What a pipe still holds is not known.
 * Said as it leaves the queue, so that the file is the first one and not that of the program which ended first.
 */
static void warn_of_rest(struct filters *filters, const struct filter *filter)
{
    if (filter->deaf && !filters->told)
        fault_warn("with FILE=%s, the command did not read all of its records", filter->file);
    filters->told = filters->told || filter->deaf;
}

/* Wait for a filter, or with WNOHANG have a look at it. */
static void reap(struct filters *filters, struct filter *filter, int options)
{
    int status = 0, ended;

    if (filter->program.process == 0)
        return;
    ended = program_wait(&filter->program, options, &status);
    if (ended < 0)
        fault_report(is_packer(filter) ? filter->file : "sh", errno);
    if (ended == 0)
        return;
    if (is_packer(filter))
        judge_packer(filter, status);
    else
        judge_command(filters, filter, status);
}

static void wait_for_oldest(struct filters *filters)
{
    reap(filters, at(filters, 0), 0);
    warn_of_rest(filters, at(filters, 0));
    filters->oldest = (filters->oldest + 1) % filters->most;
    filters->count--;
}

/* Have the next program of the queue, in which there is room, fed from now on. 0, or -1 with errno. */
static int start(struct filters *filters, const char *file, const char *const *arguments, const char *const *variables,
                 int output)
{
    struct filter *filter = at(filters, filters->count);
    int ends[2];

    *filter = (struct filter){.file = file};
    if (sys_pipe(ends) != 0 || program_start(&filter->program, arguments, variables, ends[0], output) != 0)
        return -1;
    (void)io_close(ends[0]);
    filters->count++;
    filters->fd = ends[1];
    return 0;
}

static void make_room(struct filters *filters)
{
    if (filters->count == filters->most)
        wait_for_oldest(filters);
}

void filters_start(struct filters *filters, const char *file)
{
    const char *const arguments[] = {"/bin/sh", "-c", filters->command, NULL};
    const size_t room = strlen(file) + sizeof "FILE=";
    char *variable = fault_allocate(room, 1);

    make_room(filters);
    snprintf(variable, room, "FILE=%s", file);
    if (start(filters, file, arguments, (const char *[]){variable, NULL}, -1) != 0)
        fault_report(file, errno);
    free(variable);
    filters->first_file = filters->first_file == NULL ? file : filters->first_file;
    filters->last_file = file;
}

void filters_start_packer(struct filters *filters, const char *file, const struct packer *packer, int output)
{
    struct packer_command command;

    make_room(filters);
    if (packer_pack(&command, packer, filters->most) != 0 || start(filters, file, command.arguments, NULL, output) != 0)
        packer_report(&command, file);
    sys_widen_pipe(filters->fd); /* for what is left when the next one begins */
    memcpy(at(filters, filters->count - 1)->text, command.text, sizeof command.text);
}

/* io_write that lives to see EPIPE. */
static int write_to_pipe(int fd, const void *data, size_t bytes)
{
    struct sigaction before;
    int result, error;

    signals_ignore_pipe(&before);
    result = io_write(fd, data, bytes);
    error = errno;
    signals_restore_pipe(&before);
    errno = error;
    return result;
}

void filters_write(struct filters *filters, const void *data, size_t bytes)
{
    struct filter *filter = at(filters, filters->count - 1);

    if (!filter->deaf && write_to_pipe(filters->fd, data, bytes) != 0) {
        if (errno != EPIPE)
            fault_report(filter->file, errno);
        filter->deaf = true;
    }
    if (filter->deaf)
        reap(filters, filter, is_packer(filter) ? 0 : WNOHANG);
}

void filters_end(struct filters *filters)
{
    int fd = filters->fd;

    filters->fd = -1;
    if (io_close(fd) != 0)
        fault_report(at(filters, filters->count - 1)->file, errno);
}

void filters_wait(struct filters *filters)
{
    while (filters->count > 0)
        wait_for_oldest(filters);
    fault_remove_duty(&filters->duty);
}

void filters_free(struct filters *filters)
{
    if (filters != NULL)
        fault_remove_duty(&filters->duty);
    free(filters);
}
