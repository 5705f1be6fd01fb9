/*
 * A stream is a file that is being written. Files that are filled one after another use the last stream in turn; those
 * filled side by side have one each, with a buffer, since each gets short pieces. The first few files stay open,
 * without a name, until all are complete; later ones are finished at once and have temporary names.
 *
 * The next file is always begun already, unless it is unknown whether there is one (division.h). Bytes held back are
 * written before the rest of their unit.
 */

#include "output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "output/by_key.h"
#include "output/files.h"
#include "output/held_back.h"
#include "output/in_turn.h"
#include "output/names.h"
#include "output/overlap.h"
#include "output/strata.h"
#include "output/target.h"
#include "record/group.h"
#include "system/fault.h"

enum { FILE_BYTES = 400, NAMES = 3 }; /* of each file, in memory */

/* All fields are of the thread that opens and completes the output, and in between of those that call output_write, one
 * at a time; but any thread may read `written_bytes`, and output_find reads `splits`. */

struct output_stream {
    struct framing_file framing; /* zeroed: no file */
    uint8_t *buffer;             /* NULL: not needed */
    uint64_t units;              /* written to it, */
    uint64_t bytes;              /* and their bytes */
};

struct output {
    struct output_plan plan;
    struct output_needs needs;
    struct files files;
    struct overlap overlap;
    size_t first; /* file of the current input: not 0 only with --each */
    size_t begun; /* number of files begun */
    counter written_bytes;
    struct filters *filters;

    struct division splits;     /* the division among splits, */
    struct division rest;       /* and of the rest */
    struct held_back held;      /* the beginning of a unit whose file is unknown, */
    bool is_held;               /* is there one? */
    bool is_left;               /* is it known that it goes to no split? */
    struct output_stream *open; /* the stream that has got the beginning of the open unit; or NULL */
    size_t beside;              /* number of streams before the last one, for files filled side by side */
    struct output_stream *stream;
};

/* ---- Opening ---- */

/* Does the command contain the word FILE? $FILENAME is another variable. */
static bool mentions_file(const char *filter)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

    for (const char *found = filter; (found = strstr(found, "FILE")) != NULL; found += strlen("FILE"))
        if ((found == filter || strchr(letters, found[-1]) == NULL) && strspn(found, letters) == strlen("FILE"))
            return true;
    return false;
}

/* If the user's shell has replaced $FILE in double quotes, all files would be written to one. Without $FILE and >, to
 * none. */
static void check_filter(const struct output *output)
{
    const char *filter = output->plan.filter;
    const bool mentioned = mentions_file(filter);
    size_t filtered = division_is(&output->plan, DIVISION_OPEN);

    for (size_t i = 0; i < output->files.count; i++)
        filtered += files_is_filtered(&output->files, i);
    if (filtered > 1 && !mentioned)
        die("--filter='%s': must mention $FILE, which names each file; write it in single quotes, so that the "
            "shell leaves $FILE alone",
            filter);
    if (filtered == 1 && !mentioned && strchr(filter, '>') == NULL)
        fault_warn("--filter='%s': does not mention $FILE, so %s is not written; write '%s > $FILE'", filter,
                   output->files.file[0].path, filter);
}

/* ---- From the plan to the first file ---- */

/* The division of the rest, by the options. */
static const struct division_kind *rest_of(const struct output_plan *plan)
{
    return plan->shards > 0          ? &in_turn_shards
           : plan->shard_records > 0 ? &in_turn_records
           : plan->shard_bytes > 0   ? &in_turn_bytes
                                     : &in_turn_whole;
}

struct output *output_open(const struct output_plan *asked)
{
    struct output *output = fault_allocate(1, sizeof *output);
    struct output_plan *plan = &output->plan;

    *plan = *asked;
    plan->rest_by = rest_of(plan);
    if (plan->split_by == NULL && plan->splits > 0)
        plan->split_by = &in_turn_splits;
    output->held.place = plan->place;
    division_check(plan);
    if (plan->class_bytes > 0)
        plan->strata = strata_new(plan, plan->class_bytes);
    output->beside = division_is(plan, DIVISION_BESIDE) ? plan->splits : 0;
    output->stream = fault_allocate(output->beside + 1, sizeof *output->stream);
    files_open(&output->files, &output->plan);
    overlap_check(&output->overlap, &output->files);
    if (plan->packs)
        names_check(&output->files);
    if (plan->filter != NULL || plan->packs)
        output->filters = filters_new(plan->filter, plan->filters);
    if (plan->filter != NULL)
        check_filter(output);
    output->needs = (struct output_needs){.all = division_is(plan, DIVISION_ENDS) || plan->filter != NULL,
                                          .total = division_is(plan, DIVISION_TOTAL),
                                          .ends = division_is(plan, DIVISION_ENDS),
                                          .replaces = output->overlap.path != NULL,
                                          .strata = plan->strata};
    return output;
}

uint64_t output_memory(const struct output *output)
{
    const char *path = output->files.file[0].path;
    const size_t each = FILE_BYTES + NAMES * (path != NULL ? strlen(path) : 0);

    return (uint64_t)output->files.count * each;
}

/* How many of `units` units the splits leave; end the run if these cannot be divided. */
static uint64_t check_units(const struct output_plan *plan, uint64_t units)
{
    if (plan->split_by != NULL)
        units = plan->split_by->leaves != NULL ? plan->split_by->leaves(plan, units) : UINT64_MAX;
    if (plan->rest_by->leaves != NULL)
        (void)plan->rest_by->leaves(plan, units);
    return units;
}

void output_check_room(const struct output *output, uint64_t records, uint64_t bytes)
{
    const struct files *files = &output->files;
    const char *first = files->file[0].path;
    char needed[32], left[32];

    (void)check_units(&output->plan, records);
    if (files->free_bytes < bytes)
        die("%s%s: %s: about %s are needed, %s are free; write to another disk", first != NULL ? first : "write error",
            files->count > 1 ? " and the other files" : "", strerror(ENOSPC), number_format_size(bytes, needed),
            number_format_size(files->free_bytes, left));
    names_warn(files);
}

/* ---- One file ---- */

static void begin_output_file(struct output *output, struct output_stream *to, struct filters *programs)
{
    files_begin(&output->files, output->begun++, programs, &to->framing);
    to->framing.buffer = to->buffer;
}

static struct output_stream *last_stream(const struct output *output)
{
    return &output->stream[output->beside];
}

static void end_last(struct output *output)
{
    struct framing_file *framing = &last_stream(output)->framing;
    const size_t number = output->begun - 1;

    if (framing->framing == NULL)
        return;
    framing_end(framing);
    *framing = (struct framing_file){0};
    if (number >= FILES_KEPT_OPEN && !files_is_filtered(&output->files, number))
        sink_complete(output->files.file[number].sink);
}

static void next_file(struct output *output)
{
    end_last(output);
    if (output->begun - output->first == division_files(&output->plan) && !division_is(&output->plan, DIVISION_OPEN))
        die("there are more records to write than were counted");
    begin_output_file(output, last_stream(output), output->filters);
}

/* ---- From the first unit to the last ---- */

const struct output_needs *output_needs(const struct output *output)
{
    return &output->needs;
}

void output_set_threads(struct output *output, unsigned threads)
{
    output->plan.threads = threads;
}

static struct division begin_division(const struct output *output, const struct division_kind *kind, size_t file,
                                      uint64_t units)
{
    struct division division = {.kind = kind,
                                .plan = &output->plan,
                                .files = &output->files,
                                .first = output->first,
                                .file = file,
                                .units = units};

    if (kind != NULL && kind->takes != NULL)
        division.left = kind->takes(&division);
    if (kind != NULL && kind->begin != NULL)
        kind->begin(&division);
    return division;
}

void output_begin(struct output *output, uint64_t records, const void *header, size_t header_bytes)
{
    struct output_plan *plan = &output->plan;
    const uint64_t left = check_units(plan, records);

    output->splits = begin_division(output, plan->split_by, 0, records);
    output->rest = begin_division(output, plan->rest_by, plan->splits, left);
    plan->framing.header = header;
    plan->framing.header_bytes = header_bytes;
    for (size_t i = 0; i <= output->beside && output->beside > 0; i++) {
        if (output->stream[i].buffer == NULL) /* else of the input before */
            output->stream[i].buffer = fault_allocate(FRAMING_BUFFER_BYTES, 1);
        if (i < output->beside)
            begin_output_file(output, &output->stream[i],
                              files_packer(&output->files, i) != NULL ? filters_new(NULL, 1) : NULL);
    }
    if (division_files(plan) > output->begun - output->first)
        next_file(output);
}

size_t output_beside_bytes(void)
{
    return FRAMING_BUFFER_BYTES + sizeof(struct output_stream);
}

static void write_bytes(void *context, uint8_t *data, size_t bytes)
{
    struct output_stream *to = context;

    to->bytes += bytes;
    framing_write(&to->framing, data, bytes);
}

/* As division_kind.place, for both divisions. Once a unit is known to go to no split, only the rest is asked about it,
 * and about it alone. */
static size_t place_units(struct output *output, const struct units *units, size_t first, size_t *file)
{
    struct division *splits = &output->splits, *rest = &output->rest;
    size_t count = first < units->count && !output->is_left ? units->count - first : 1;

    *file = output->plan.splits;
    if (splits->kind != NULL && !output->is_left)
        count = splits->kind->place(splits, units, first, count, file);
    if (count == DIVISION_HOLD || *file < output->plan.splits)
        return count;
    rest->file_bytes = output->begun - output->first > rest->file ? last_stream(output)->framing.record_bytes : 0;
    count = rest->kind->place(rest, units, first, count, file);
    output->is_left = count == DIVISION_HOLD;
    return count;
}

static void hold_back(struct output *output, uint8_t *data, size_t bytes)
{
    struct division *rest = &output->rest;

    rest->held_bytes += group_text(&output->plan.format, &rest->scan, data, bytes, NULL);
    held_back_append(&output->held, data, bytes);
    output->is_held = true;
}

/* Write the bytes held back, and then data[0, bytes). */
static void write_run(struct output *output, struct output_stream *to, uint8_t *data, size_t bytes)
{
    if (output->is_held) {
        held_back_drain(&output->held, write_bytes, to);
        output->rest.held_bytes = 0;
        output->rest.scan = (struct record_scan){0};
        output->is_held = false;
    }
    write_bytes(to, data, bytes);
}

void output_write(struct output *output, const struct units *units)
{
    size_t from = 0, file;

    counter_add(&output->written_bytes, units->bytes);
    for (size_t i = 0, count; i < units->count || from < units->bytes; i += count) {
        struct output_stream *to = output->open;
        size_t end = units->bytes;

        count = to != NULL ? 1 : place_units(output, units, i, &file);
        if (count == DIVISION_HOLD) {
            hold_back(output, units->data + from, end - from);
            return;
        }
        if (count <= units->count - i)
            end = units_end(units, i + count - 1);
        if (to == NULL) {
            while (output->begun - output->first <= file)
                next_file(output);
            to = &output->stream[least_size(file, output->beside)];
            to->units += count;
        }
        write_run(output, to, units->data + from, end - from);
        output->open = count > units->count - i ? to : NULL;
        from = end;
    }
}

void output_find(struct output *output, unsigned thread, const struct units *units)
{
    const struct division_kind *kind = output->splits.kind;

    if (kind != NULL && kind->find != NULL)
        kind->find(&output->splits, thread, units);
}

void output_write_behind(struct output *output)
{
    output->files.behind = true;
}

void output_note_beside(const struct output *output)
{
    const struct output_plan *plan = &output->plan;

    for (size_t i = 0; i <= output->beside && output->beside > 0; i++)
        if (i < division_files(plan) || output->stream[i].units > 0)
            fault_note("output:        %llu records, %llu bytes in %s", (unsigned long long)output->stream[i].units,
                       (unsigned long long)output->stream[i].bytes, division_called(plan, i));
    if (plan->strata != NULL)
        strata_note(plan->strata);
}

uint64_t output_written_bytes(const struct output *output)
{
    return counter_get(&output->written_bytes);
}

/* ---- Committing ---- */

static void warn_of_empty(const struct output *output, const char *why)
{
    uint64_t units = 0;

    for (size_t i = 0; i <= output->beside; i++)
        units += output->stream[i].units;
    for (size_t i = 0; i <= output->beside && units > 0; i++)
        if (output->stream[i].units == 0 && division_is_wanted(&output->plan, i))
            fault_warn("%s: is empty, since %s", division_called(&output->plan, i), why);
}

/* Complete all files, including those without a record. */
static void complete_files(struct output *output)
{
    struct division *splits = &output->splits;

    if (splits->kind != NULL && splits->kind->end != NULL)
        splits->kind->end(splits);
    if (splits->kind != NULL && splits->kind->empty != NULL)
        warn_of_empty(output, splits->kind->empty);
    for (size_t i = 0; i < output->beside; i++) {
        framing_end(&output->stream[i].framing);
        if (output->stream[i].framing.programs != NULL)
            filters_wait(output->stream[i].framing.programs);
    }
    while (output->begun - output->first < division_files(&output->plan))
        next_file(output);
    end_last(output);
    if (output->filters != NULL)
        filters_wait(output->filters);
    for (size_t i = output->first; i < output->begun; i++)
        if (output->files.file[i].sink != NULL)
            sink_complete(output->files.file[i].sink);
}

void output_turn(struct output *output)
{
    complete_files(output);
    output->first = output->begun;
}

void output_commit(struct output *output)
{
    complete_files(output);
    overlap_check_again(&output->overlap);
    files_publish(&output->files, output->begun);
    files_warn_of_replaced(&output->files, output->begun);
    files_warn_of_older(&output->files, output->begun);
}

void output_free(struct output *output)
{
    if (output == NULL)
        return;
    if (output->splits.kind != NULL && output->splits.kind->release != NULL)
        output->splits.kind->release(&output->splits);
    for (size_t i = 0; i <= output->beside; i++) {
        if (i < output->beside)
            filters_free(output->stream[i].framing.programs);
        free(output->stream[i].buffer);
    }
    free(output->stream);
    strata_free(output->plan.strata);
    filters_free(output->filters);
    files_release(&output->files);
    overlap_release(&output->overlap);
    held_back_release(&output->held);
    free(output);
}
