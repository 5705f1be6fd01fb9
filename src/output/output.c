/*
 * The files are written one after another, each through its form, into its sink or filter. While the number of files is
 * small, a file that is complete stays open, without a name; later ones are finished at once, and those that come later
 * still are opened, for the check, closed, and opened again in their turn.
 */

#include "output/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/boundary.h"
#include "output/filter.h"
#include "output/held_back.h"
#include "output/pattern.h"
#include "output/sink.h"
#include "output/target.h"
#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

/* Files that stay open until the commit. Each takes two descriptors if it replaces another one, together fewer than
 * those that spill.c leaves to others. */
enum { KEPT_OPEN = 4 };

/* File systems among which output may be divided, and still be compared with the room that they have. */
enum { DISKS = 16 };

struct file {
    const char *path; /* NULL: standard output; for free if it was made from a pattern */
    struct sink *sink;
};

struct output {
    struct output_plan plan;
    struct fault *fault;
    struct file *file;
    size_t files;
    size_t room;
    size_t begun; /* files that have been; the last one is in work if `in_work` */
    bool in_work;
    bool is_in_place;  /* is any file written in place, which may be one of the inputs? */
    uint64_t records;  /* of all files */
    dev_t disk[DISKS]; /* all that the files are on, */
    size_t disks;
    uint64_t room_bytes; /* and what can be written to them together; UINT64_MAX if that is not known */
    struct filters *filters;
    struct boundary cut;
    struct held_back hold;
    struct framing_file form;
};

static bool has_shards(const struct output_plan *plan)
{
    return plan->shards > 0 || plan->shard_records > 0 || plan->shard_bytes > 0;
}

/* Is the number of files known only in the end? */
static bool is_open_ended(const struct output *output)
{
    return output->plan.shard_records > 0 || output->plan.shard_bytes > 0;
}

/* Shards come after the splits. */
static bool is_shard(const struct output *output, size_t number)
{
    return has_shards(&output->plan) && number >= output->plan.splits;
}

static bool is_filtered(const struct output *output, size_t number)
{
    return output->plan.filter != NULL && output->file[number].path != NULL;
}

/* ---- The list of files ---- */

static int report_memory(const struct output *output)
{
    return fault_report(output->fault, "memory", errno);
}

/* Make room for one more. */
static int grow(struct output *output)
{
    size_t room = output->room == 0 ? 1 : 2 * output->room;
    struct file *file = sys_allocate(room, sizeof *file);

    if (file == NULL)
        return report_memory(output);
    if (output->files > 0)
        memcpy(file, output->file, output->files * sizeof *file);
    free(output->file);
    output->file = file;
    output->room = room;
    return 0;
}

/* Add the next file to the list. */
static int add_file(struct output *output)
{
    const struct output_plan *plan = &output->plan;
    size_t number = output->files;

    if (number == OUTPUT_FILES_MAX)
        return fault_say(output->fault, "%s: more than %d files", plan->path, OUTPUT_FILES_MAX);
    if (number == output->room && grow(output) != 0)
        return -1;
    if (!is_shard(output, number)) {
        output->file[number].path = number < plan->splits ? plan->split[number].path : plan->path;
    } else {
        output->file[number].path = pattern_name(plan->path, number - plan->splits);
        if (output->file[number].path == NULL)
            return report_memory(output);
    }
    output->files++;
    return 0;
}

/* The files that will be; of those whose number is not known, the ones that are there, and one more. */
static int list_files(struct output *output)
{
    const struct output_plan *plan = &output->plan;
    uint64_t wanted = plan->splits + plan->shards + !has_shards(plan);
    struct stat status;

    while (output->files < wanted)
        if (add_file(output) != 0)
            return -1;
    if (is_open_ended(output)) {
        do
            if (add_file(output) != 0)
                return -1;
        while (plan->filter == NULL && sys_stat(output->file[output->files - 1].path, &status) == 0);
    }
    return 0;
}

static int check_distinct(const struct output *output)
{
    const char **path = sys_allocate(output->files, sizeof *path);
    int status;

    if (path == NULL)
        return report_memory(output);
    for (size_t i = 0; i < output->files; i++)
        path[i] = output->file[i].path;
    status = target_check_distinct(path, output->files, output->plan.filter != NULL, output->fault);
    free(path);
    return status;
}

/* A shard that is found late must be none of the splits' files; shards differ by their numbers. */
static int check_late(const struct output *output, size_t number)
{
    const char **path = sys_allocate(output->plan.splits + 1, sizeof *path);
    int status;

    if (path == NULL)
        return report_memory(output);
    for (size_t i = 0; i < output->plan.splits; i++)
        path[i] = output->file[i].path;
    path[output->plan.splits] = output->file[number].path;
    status = target_check_distinct(path, output->plan.splits + 1, output->plan.filter != NULL, output->fault);
    free(path);
    return status;
}

/* Standard output may be a file, which must be none of the others. */
static int check_standard_output(const struct output *output)
{
    struct stat standard;
    struct stat other;

    if (has_shards(&output->plan) || output->plan.path != NULL || sys_fstat(STDOUT_FILENO, &standard) != 0 ||
        !S_ISREG(standard.st_mode))
        return 0;
    for (size_t i = 0; i < output->plan.splits; i++)
        if (sys_stat(output->file[i].path, &other) == 0 && io_same_file(&other, &standard))
            return fault_say(output->fault, "%s and standard output: the same output file", output->file[i].path);
    return 0;
}

static int open_sink(struct output *output, size_t number)
{
    output->file[number].sink = sink_open(output->file[number].path, output->fault);
    return output->file[number].sink == NULL ? -1 : 0;
}

/* Count the room on the disk of a file, if that is not one that has been seen. */
static void count_room(struct output *output, const struct sink *sink)
{
    uint64_t free_bytes;
    dev_t device;

    if (output->room_bytes == UINT64_MAX)
        return;
    if (!sink_disk(sink, &device, &free_bytes)) {
        output->room_bytes = UINT64_MAX;
        return;
    }
    for (size_t i = 0; i < output->disks; i++)
        if (output->disk[i] == device)
            return;
    if (output->disks == DISKS || free_bytes > UINT64_MAX - output->room_bytes) {
        output->room_bytes = UINT64_MAX;
        return;
    }
    output->disk[output->disks++] = device;
    output->room_bytes += free_bytes;
}

/* Open each file, and close again those for which there are not enough descriptors. */
static int check_files(struct output *output)
{
    for (size_t i = 0; i < output->files; i++) {
        if (is_filtered(output, i)) {
            output->room_bytes = UINT64_MAX;
            continue;
        }
        if (open_sink(output, i) != 0)
            return -1;
        count_room(output, output->file[i].sink);
        output->is_in_place = output->is_in_place || sink_is_in_place(output->file[i].sink);
        if (i >= KEPT_OPEN && !sink_is_direct(output->file[i].sink)) {
            sink_free(output->file[i].sink);
            output->file[i].sink = NULL;
        }
    }
    return 0;
}

/* ---- Opening ---- */

/* What the shell makes of "... $FILE" in double quotes writes all files to one. */
static void warn_of_quotes(const struct output *output)
{
    size_t filtered = is_open_ended(output);

    for (size_t i = 0; i < output->files; i++)
        filtered += is_filtered(output, i);
    if (filtered > 1 && strstr(output->plan.filter, "FILE") == NULL)
        fault_warn("--filter='%s' does not mention FILE, by which files differ: put it in single quotes, so that the "
                   "shell leaves $FILE as it is",
                   output->plan.filter);
}

static int check_plan(const struct output *output)
{
    const struct output_plan *plan = &output->plan;

    if (has_shards(plan) && (plan->path == NULL || !pattern_is_valid(plan->path)))
        return fault_say(output->fault, "%s: no pattern with one %%d, such as part-%%05d",
                         plan->path == NULL ? "standard output" : fault_name(plan->path));
    if (plan->shards > OUTPUT_FILES_MAX)
        return fault_say(output->fault, "%s: more than %d files", plan->path, OUTPUT_FILES_MAX);
    if (split_exceeds_whole(plan->split, plan->splits))
        return fault_say(output->fault, "the splits take more than 100%% of the records");
    return 0;
}

struct output *output_open(const struct output_plan *plan, struct fault *fault)
{
    struct output *output = sys_allocate(1, sizeof *output);

    if (output == NULL) {
        fault_report(fault, "memory", errno);
        return NULL;
    }
    output->plan = *plan;
    output->fault = fault;
    output->cut.format = &output->plan.format;
    output->hold.place = plan->place;
    if (check_plan(output) != 0 || list_files(output) != 0 || (output->files > 1 && check_distinct(output) != 0) ||
        check_standard_output(output) != 0 || check_files(output) != 0)
        goto fail;
    if (plan->filter != NULL) {
        output->filters = filters_new(plan->filter, plan->filters, fault);
        if (output->filters == NULL)
            goto fail;
        warn_of_quotes(output);
    }
    return output;
fail:
    output_free(output);
    return NULL;
}

int output_check_room(const struct output *output, uint64_t bytes)
{
    const char *first = output->file[0].path;

    if (output->room_bytes >= bytes)
        return 0;
    return fault_say(output->fault, "%s%s: %s: about %llu MiB are needed, %llu MiB are free",
                     first != NULL ? first : "write error", output->files > 1 ? " and the other files" : "",
                     strerror(ENOSPC), (unsigned long long)(bytes >> 20),
                     (unsigned long long)(output->room_bytes >> 20));
}

/* ---- One file ---- */

/* How many records the file takes. */
static uint64_t quota(const struct output *output, size_t number)
{
    const struct output_plan *plan = &output->plan;
    uint64_t rest = output->records - split_total(plan->split, plan->splits, output->records);

    if (number < plan->splits)
        return split_records(plan->split, plan->splits, number, output->records);
    if (plan->shards > 0)
        return rest / plan->shards + (number - plan->splits < rest % plan->shards);
    return plan->shard_records > 0 ? plan->shard_records : UINT64_MAX;
}

static int put(void *context, const void *data, size_t bytes)
{
    struct output *output = context;
    size_t number = output->begun - 1;

    return is_filtered(output, number) ? filters_write(output->filters, data, bytes)
                                       : sink_write(output->file[number].sink, data, bytes);
}

static int begin_file(struct output *output)
{
    size_t number = output->begun;

    if (number == output->files) {
        if (!is_open_ended(output))
            return fault_say(output->fault, "there are more records to write than were counted");
        if (add_file(output) != 0 || (output->plan.splits > 0 && check_late(output, number) != 0))
            return -1;
    }
    if (is_filtered(output, number)) {
        if (filters_start(output->filters, output->file[number].path) != 0)
            return -1;
    } else if (output->file[number].sink == NULL && open_sink(output, number) != 0) {
        return -1;
    }
    output->begun++;
    output->in_work = true;
    output->cut.limit_bytes =
        output->plan.shard_bytes > 0 && is_shard(output, number) ? output->plan.shard_bytes : UINT64_MAX;
    boundary_begin(&output->cut, quota(output, number));
    return framing_begin(&output->form, &output->plan.form, put, output);
}

static int end_file(struct output *output)
{
    size_t number = output->begun - 1;

    output->in_work = false;
    if (is_filtered(output, number))
        return filters_end(output->filters);
    return number < KEPT_OPEN ? 0 : sink_finish(output->file[number].sink);
}

static int next_file(struct output *output)
{
    if (output->in_work && end_file(output) != 0)
        return -1;
    return begin_file(output);
}

/* ---- Writing ---- */

bool output_waits(const struct output *output)
{
    return output->is_in_place || has_shards(&output->plan) || output->plan.splits > 0 || output->plan.filter != NULL;
}

/* Files that will be there however many records come. */
static size_t sure_files(const struct output *output)
{
    return is_open_ended(output) ? output->plan.splits : output->files;
}

int output_begin(struct output *output, uint64_t records, const void *header, size_t header_bytes)
{
    const struct output_plan *plan = &output->plan;

    if (split_total(plan->split, plan->splits, records) > records)
        return fault_say(output->fault, "the splits take more than the %llu records there are",
                         (unsigned long long)records);
    output->records = records;
    output->plan.form.header = header;
    output->plan.form.header_bytes = header_bytes;
    return sure_files(output) > 0 ? begin_file(output) : 0;
}

static int write_form(void *context, uint8_t *data, size_t bytes)
{
    struct output *output = context;

    return framing_write(&output->form, data, bytes);
}

int output_write(struct output *output, uint8_t *data, size_t bytes)
{
    if (bytes > 0 && !output->in_work && begin_file(output) != 0)
        return -1;
    while (bytes > 0) {
        size_t part = bytes;
        int status = -1;

        switch (boundary_next(&output->cut, data, &part)) {
        case BOUNDARY_WRITE:
            status = held_back_drain(&output->hold, write_form, output);
            if (status == 0)
                status = write_form(output, data, part);
            break;
        case BOUNDARY_HOLD:
            status = held_back_append(&output->hold, data, part);
            break;
        case BOUNDARY_NEXT:
            status = next_file(output);
            break;
        }
        if (status != 0)
            return -1;
        data += part;
        bytes -= part;
    }
    return 0;
}

/* ---- Committing ---- */

/* Complete all files, those that get no record included. */
static int complete(struct output *output)
{
    while (output->begun < sure_files(output))
        if (next_file(output) != 0)
            return -1;
    if (output->in_work && end_file(output) != 0)
        return -1;
    return output->filters == NULL ? 0 : filters_wait(output->filters);
}

/* Every one of the sinks, or none. */
static int publish(struct output *output)
{
    size_t published = 0;
    int status = 0;

    while (status == 0 && published < output->begun) {
        if (output->file[published].sink != NULL)
            status = sink_publish(output->file[published].sink);
        if (status == 0)
            published++;
    }
    while (status != 0 && published > 0) {
        published--;
        if (output->file[published].sink != NULL)
            sink_retract(output->file[published].sink);
    }
    return status;
}

/* Nothing will be taken back any more: old files that have been replaced are unlinked now, or by the signal handler. */
static void free_sinks(struct output *output)
{
    for (size_t i = 0; i < output->files; i++) {
        sink_free(output->file[i].sink);
        output->file[i].sink = NULL;
    }
}

int output_commit(struct output *output)
{
    sigset_t before;
    int status;

    if (complete(output) != 0)
        return -1;
    if (output->begun == 1 && output->file[0].sink != NULL)
        return sink_commit(output->file[0].sink);
    for (size_t i = 0; i < output->begun; i++)
        if (output->file[i].sink != NULL && sink_finish(output->file[i].sink) != 0)
            return -1;
    signals_hold(&before);
    status = publish(output);
    signals_release(&before);
    free_sinks(output);
    return status;
}

void output_free(struct output *output)
{
    if (output == NULL)
        return;
    filters_free(output->filters);
    free_sinks(output);
    for (size_t i = 0; i < output->files; i++)
        if (is_shard(output, i))
            free((char *)output->file[i].path);
    held_back_release(&output->hold);
    free(output->file);
    free(output);
}
