/*
 * The files are written one after another: where one ends and the next begins is told by boundary.h, what each has
 * besides its records by framing.h, and its bytes go to a sink or to a filter. The first few files stay open, without a
 * name, until all are complete; later ones are finished at once and have temporary names.
 */

#include "output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "output/boundary.h"
#include "output/files.h"
#include "output/filter.h"
#include "output/held_back.h"
#include "output/overlap.h"
#include "output/sides.h"
#include "output/target.h"
#include "system/fault.h"

struct output {
    struct output_plan plan;
    struct files files;
    const char *const *inputs; /* their names */
    size_t input_count;
    struct file_set seen; /* of the inputs: overlap_check_last */
    size_t begun;         /* files that have been begun; the last one is in work if `in_work` */
    bool in_work;
    uint64_t records; /* of all files */
    counter written_bytes;
    struct filters *filters;
    struct boundary boundary;
    struct held_back held;
    struct framing_file framing;
    struct sides *sides; /* of the splits, if these are filled side by side; else NULL */
};

/* ---- Opening ---- */

/* What the shell makes of "... $FILE" in double quotes writes all files to one. */
static void warn_of_quotes(const struct output *output)
{
    size_t filtered = output_plan_is_open_ended(&output->plan);

    for (size_t i = 0; i < output->files.count; i++)
        filtered += files_is_filtered(&output->files, i);
    if (filtered > 1 && strstr(output->plan.filter, "FILE") == NULL)
        fault_warn("--filter='%s' does not mention FILE, by which files differ: put it in single quotes, so that the "
                   "shell leaves $FILE as it is",
                   output->plan.filter);
}

struct output *output_open(const struct output_plan *plan)
{
    struct output *output = fault_allocate(1, sizeof *output);

    output->plan = *plan;
    output->boundary.format = &output->plan.format;
    output->held.place = plan->place;
    output_plan_check(plan);
    files_open(&output->files, &output->plan);
    if (plan->filter != NULL || plan->packs)
        output->filters = filters_new(plan->filter, plan->filters);
    if (plan->filter != NULL)
        warn_of_quotes(output);
    return output;
}

void output_check_room(const struct output *output, uint64_t bytes)
{
    const struct files *files = &output->files;
    const char *first = files->file[0].path;

    if (files->free_bytes < bytes)
        fault_say("%s%s: %s: about %llu MiB are needed, %llu MiB are free: write to another disk",
                  first != NULL ? first : "write error", files->count > 1 ? " and the other files" : "",
                  strerror(ENOSPC), number_mebibytes(bytes), (unsigned long long)(files->free_bytes >> 20));
}

void output_check_records(const struct output *output, uint64_t records)
{
    output_plan_check_records(&output->plan, records);
}

void output_check_inputs(struct output *output, const char *const *inputs, size_t count)
{
    output->inputs = inputs;
    output->input_count = count;
    overlap_check(&output->files, inputs, count);
    files_warn_of_names(&output->files);
}

void output_check_outside(const struct output *output, const char *directory)
{
    for (size_t i = 0; i < output->files.count; i++) {
        const char *path = output->files.file[i].path;

        if (path != NULL && output->plan.filter == NULL && target_is_within(path, directory))
            fault_say("%s: in the store %s, where nothing else belongs: write to another folder", path, directory);
    }
    files_warn_of_names(&output->files);
}

/* ---- One file ---- */

/* Is the file written to a program? */
static bool is_fed(const struct output *output, size_t number)
{
    return files_is_filtered(&output->files, number) || files_packer(&output->files, number) != NULL;
}

static void put_in_file(void *context, const void *data, size_t bytes)
{
    struct output *output = context;
    size_t number = output->begun - 1;

    if (is_fed(output, number))
        filters_write(output->filters, data, bytes);
    else
        sink_write(output->files.file[number].sink, data, bytes);
}

static void begin_file(struct output *output)
{
    size_t number = output->begun;

    if (number == output->files.count) {
        if (!output_plan_is_open_ended(&output->plan))
            fault_say("there are more records to write than were counted");
        files_add(&output->files);
        overlap_check_last(&output->seen, &output->files, output->inputs, output->input_count);
    }
    files_begin(&output->files, number, output->filters);
    output->begun++;
    output->in_work = true;
    output->boundary.limit_bytes = output_plan_limit_bytes(&output->plan, number);
    boundary_begin(&output->boundary, output_plan_quota(&output->plan, number, output->records));
    framing_begin(&output->framing, &output->plan.framing, put_in_file, output);
}

static void end_file(struct output *output)
{
    size_t number = output->begun - 1;

    output->in_work = false;
    framing_end(&output->framing);
    if (is_fed(output, number))
        filters_end(output->filters);
    if (number >= FILES_KEPT_OPEN && !files_is_filtered(&output->files, number))
        sink_complete(output->files.file[number].sink);
}

static void next_file(struct output *output)
{
    if (output->in_work)
        end_file(output);
    begin_file(output);
}

/* ---- Writing ---- */

bool output_may_change_inputs(const struct output *output)
{
    return output->files.any_in_place || output->plan.filter != NULL;
}

bool output_changes(const struct output *output, const struct stat *file)
{
    const size_t number = file_set_find(&output->files.set, file_mark_of(file).file);

    return number != FILE_SET_NONE && (output->files.any_in_place || output->files.file[number].path == NULL);
}

bool output_waits(const struct output *output)
{
    return output->files.any_in_place || output_plan_has_shards(&output->plan) || output->plan.splits > 0 ||
           output->plan.filter != NULL;
}

static void write_framed(void *context, uint8_t *data, size_t bytes)
{
    struct output *output = context;

    framing_write(&output->framing, data, bytes);
}

/* Write to the files that are filled one after the other. */
static void write_in_turn(void *context, uint8_t *data, size_t bytes)
{
    struct output *output = context;

    if (bytes > 0 && !output->in_work)
        begin_file(output);
    while (bytes > 0) {
        size_t part = bytes;

        switch (boundary_next(&output->boundary, data, &part)) {
        case BOUNDARY_WRITE:
            held_back_drain(&output->held, write_framed, output);
            write_framed(output, data, part);
            break;
        case BOUNDARY_HOLD:
            held_back_append(&output->held, data, part);
            break;
        case BOUNDARY_NEXT:
            next_file(output);
            break;
        }
        data += part;
        bytes -= part;
    }
}

void output_begin(struct output *output, uint64_t records, const void *header, size_t header_bytes)
{
    const struct output_plan *plan = &output->plan;
    uint64_t empty;

    output_plan_check_records(plan, records);
    empty = output_plan_empty(plan, records);
    if (empty > 0)
        fault_warn("%s: %llu of the %llu shards get no record: --shard-records makes only as many as are needed",
                   plan->path, (unsigned long long)empty, (unsigned long long)plan->shards);
    output->records = records;
    output->plan.framing.header = header;
    output->plan.framing.header_bytes = header_bytes;
    if (output_plan_has_sides(plan)) {
        output->sides = sides_open(plan, &output->files, write_in_turn, output);
        output->begun = plan->splits;
    }
    if (output_plan_files(plan) > output->begun)
        begin_file(output);
}

void output_use_margin(struct output *output, const struct record_margin *margin)
{
    struct output_plan *plan = &output->plan;

    plan->format.margin = margin;
    plan->format.grouped = plan->framing.format.grouped = false;
}

void output_write(struct output *output, uint8_t *data, size_t bytes)
{
    if (output->sides != NULL)
        sides_write(output->sides, data, bytes);
    else
        write_in_turn(output, data, bytes);
    counter_add(&output->written_bytes, bytes);
}

void output_write_behind(struct output *output)
{
    files_write_behind(&output->files);
}

uint64_t output_written_bytes(const struct output *output)
{
    return counter_get(&output->written_bytes);
}

/* ---- Committing ---- */

/* Complete all files, those that get no record included. */
static void complete(struct output *output)
{
    if (output->sides != NULL)
        sides_finish(output->sides);
    while (output->begun < output_plan_files(&output->plan))
        next_file(output);
    if (output->in_work)
        end_file(output);
    if (output->filters != NULL)
        filters_wait(output->filters);
    for (size_t i = 0; i < output->begun; i++)
        if (output->files.file[i].sink != NULL)
            sink_complete(output->files.file[i].sink);
}

void output_commit(struct output *output)
{
    complete(output);
    overlap_check_count(&output->files, output->begun);
    files_publish(&output->files, output->begun);
    files_warn_of_links(&output->files, output->begun);
    files_close_sinks(&output->files);
    files_warn_of_older(&output->files, output->begun);
}

void output_free(struct output *output)
{
    if (output == NULL)
        return;
    sides_free(output->sides);
    filters_free(output->filters);
    files_release(&output->files);
    file_set_release(&output->seen);
    held_back_release(&output->held);
    free(output);
}
