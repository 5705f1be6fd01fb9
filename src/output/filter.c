/*
 * The programs that have not been waited for are a queue, oldest first; the last one is being fed. When the queue is
 * full, a new one waits for the oldest. That may be a little late if a younger one is done, but never wrong.
 *
 * A program that has stopped reading may have failed. Instead of each write to it, the filter checks whether it still
 * runs. So a run does not go on for hours in vain, or wait for a program that sleeps.
 */

#include "output/filter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/tunable.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/program.h"
#include "system/sys.h"

/* More at a time would not help, and take descriptors. */
TUNABLE(FILTERS_MAX, 256, 1, 256);

struct filter {
    struct program program;
    const char *file;
    bool deaf;      /* has it stopped reading? */
    bool is_packer; /* is it a program that compresses? */
    struct packer_command packer;
};

struct filters {
    const char *command;
    const char *first_file; /* of all started commands */
    const char *last_file;
    bool told; /* has the user been told that a command stopped reading? */
    unsigned most;
    unsigned count;
    unsigned oldest;
    struct fault_duty duty; /* warns of incomplete files, until all have finished well */
    struct filter queue[];  /* a ring of `most` */
};

/* For a run that fails. */
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
    filters->duty = (struct fault_duty){warn_of_incomplete, filters};
    if (command != NULL)
        fault_set_duty(&filters->duty);
    return filters;
}

static struct filter *at(struct filters *filters, unsigned number)
{
    return &filters->queue[(filters->oldest + number) % filters->most];
}

/* The program has ended with this status: end the run if that is a failure. A command need not read all. */
static void judge(const struct filters *filters, const struct filter *filter, int status)
{
    const bool is_lost = filter->is_packer && status == 0 && filter->deaf;

    program_judge(status, is_lost ? "did not read all that it was given" : NULL, filter->file,
                  filter->is_packer ? filter->packer.text : filters->command);
}

/*
 * A filter has succeeded. Warn if it stopped reading while there was more for it; what its pipe still holds is unknown.
 * The warning comes as the filter leaves the queue, so that it names the first such file, not the one whose program
 * ended first.
 */
static void warn_of_rest(struct filters *filters, const struct filter *filter)
{
    if (filter->deaf && !filters->told)
        fault_warn("with FILE=%s, the command did not read all of its records", filter->file);
    filters->told = filters->told || filter->deaf;
}

/* If the filter has ended, judge it. */
static void look_at(const struct filters *filters, struct filter *filter)
{
    int status;

    if (filter->program.process > 0 && program_has_ended(&filter->program, filter->file, &status))
        judge(filters, filter, status);
}

static void wait_for(const struct filters *filters, struct filter *filter)
{
    int status;

    if (filter->program.process == 0)
        return;
    program_wait(&filter->program, filter->file, &status);
    judge(filters, filter, status);
}

static void wait_for_oldest(struct filters *filters)
{
    wait_for(filters, at(filters, 0));
    warn_of_rest(filters, at(filters, 0));
    filters->oldest = (filters->oldest + 1) % filters->most;
    filters->count--;
}

/* Add a program to the queue, after waiting for room in it. */
static struct filter *next(struct filters *filters, const char *file)
{
    struct filter *filter;

    if (filters->count == filters->most)
        wait_for_oldest(filters);
    filter = at(filters, filters->count);
    *filter = (struct filter){.file = file};
    return filter;
}

void filters_start(struct filters *filters, const char *file)
{
    const char *const arguments[] = {"/bin/sh", "-c", filters->command, NULL};
    char *variable = fault_text("FILE=%s", file);
    struct filter *filter = next(filters, file);

    if (program_start(&filter->program, arguments, (const char *[]){variable, NULL}, PROGRAM_PIPE, -1) != 0)
        die_errno(file, errno);
    free(variable);
    filters->count++;
    filters->first_file = filters->first_file == NULL ? file : filters->first_file;
    filters->last_file = file;
}

void filters_start_packer(struct filters *filters, const char *file, const struct packer *packer, int output)
{
    struct filter *filter = next(filters, file);

    packer_pack(&filter->packer, packer, filters->most);
    if (program_start(&filter->program, filter->packer.arguments, NULL, PROGRAM_PIPE, output) != 0)
        packer_report(&filter->packer, file);
    sys_widen_pipe(filter->program.in); /* so that the rest fits when the next one begins */
    filter->is_packer = true;
    filters->count++;
}

void filters_write(struct filters *filters, const void *data, size_t bytes)
{
    struct filter *filter = at(filters, filters->count - 1);

    if (!filter->deaf && io_write_pipe(filter->program.in, data, bytes) != 0) {
        if (errno != EPIPE)
            die_errno(filter->file, errno);
        filter->deaf = true;
    }
    if (filter->deaf && filter->is_packer)
        wait_for(filters, filter);
    else if (filter->deaf)
        look_at(filters, filter);
}

void filters_end(struct filters *filters)
{
    struct filter *filter = at(filters, filters->count - 1);

    if (program_close(&filter->program) != 0)
        die_errno(filter->file, errno);
}

void filters_wait(struct filters *filters)
{
    while (filters->count > 0)
        wait_for_oldest(filters);
    fault_set_duty(NULL);
}

void filters_free(struct filters *filters)
{
    fault_set_duty(NULL);
    free(filters);
}
