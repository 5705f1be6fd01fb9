/*
 * The files are written one after another. The first few stay open, without a name, until all are complete; later ones
 * are finished at once and have temporary names.
 *
 * The one that comes next is always begun, as far as it is known that there is one (division.h); what is held back is
 * written before the rest of its unit.
 */

#include "output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "input/foreign.h"
#include "output/division.h"
#include "output/files.h"
#include "output/held_back.h"
#include "output/overlap.h"
#include "output/sides.h"
#include "output/strata.h"
#include "output/target.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/packer.h"
#include "system/sys.h"

enum { FILE_BYTES = 400, NAMES = 3 }; /* of each file, in memory */

struct output {
    struct output_plan plan;
    struct files files;
    struct overlap overlap;
    size_t first; /* file of the input in work: not 0 only if each input has its own */
    size_t begun; /* files that have been begun; the last one is in work if `in_work` */
    bool in_work;
    counter written_bytes;
    struct filters *filters;
    struct sides *sides; /* of the splits, if these are filled side by side; else NULL */

    /* The file that is in work: */
    struct framing_file framing;
    struct division division;
    struct held_back held; /* the beginning of a unit, as long as nobody knows where it goes */
    bool inside;           /* has the file got the beginning of a unit whose end is to come? */
};

/* ---- Opening ---- */

/* Is there the word FILE? $FILENAME is another variable. */
static bool mentions_file(const char *filter)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

    for (const char *found = filter; (found = strstr(found, "FILE")) != NULL; found += strlen("FILE"))
        if ((found == filter || strchr(letters, found[-1]) == NULL) && strspn(found, letters) == strlen("FILE"))
            return true;
    return false;
}

/* If the shell replaces "... $FILE" in double quotes, all files are written to one. Without $FILE and >, none is. */
static void check_filter(const struct output *output)
{
    const char *filter = output->plan.filter;
    const bool mentioned = mentions_file(filter);
    size_t filtered = output_plan_is_open_ended(&output->plan);

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

/* ---- Files whose names say something wrong: that they are compressed, but will be plain text, or shards ---- */

/* With -Z, somebody has thought that a file will be compressed, so the run ends at its start; others are warned of.
 * What counts is the name that people will find: that of the file to which standard output or a link leads. */

/* The name of the regular file to which standard output goes (NULL), or of what is at another path, to be freed; NULL
 * if that is not known. A file in the current folder is called as it is there. */
static char *real_name(const char *path)
{
    char *name = sys_realpath(path != NULL ? path : "/proc/self/fd/1");
    const char *last = name != NULL ? strrchr(name, '/') + 1 : NULL;
    struct stat status, named;

    if (name == NULL || sys_stat(name, &named) != 0 ||
        (path == NULL && (sys_fstat(STDOUT_FILENO, &status) != 0 || !io_same_file(&named, &status)))) {
        free(name);
        return NULL;
    }
    if (sys_stat(last, &status) == 0 && io_same_file(&named, &status))
        memmove(name, last, strlen(last) + 1);
    return name;
}

static void check_compressed(const struct files *files, size_t i)
{
    static const char made[] = "-Z makes .gz, .zst, .xz, .bz2 and .lz4";
    const char *path = files->file[i].path;
    char *real = real_name(path);
    const char *name = real != NULL ? real : path;
    const bool known = name != NULL && packer_of_name(name) != NULL;

    if (name != NULL && (known || foreign_is_packed(name))) {
        if (files->plan->packs)
            die("%s: would be plain text despite its name; %s%s", name, known ? "write -o " : made, known ? name : "");
        fault_warn("%s: will be plain text despite its name; %s%s", name,
                   !known         ? made
                   : path != NULL ? "add -Z"
                                  : "write -Z -o ",
                   known && path == NULL ? name : "");
    }
    free(real);
}

static void check_names(const struct files *files)
{
    for (size_t i = 0; i < files_named(files) && files->plan->filter == NULL; i++)
        if (files_packer(files, i) == NULL && (files->file[i].path != NULL || output_plan_is_wanted(files->plan, i)))
            check_compressed(files, i);
}

static void warn_of_names(const struct files *files)
{
    if (!files->plan->packs)
        check_names(files);
    for (size_t i = 0; i < files_named(files) && files->plan->filter == NULL; i++) {
        const char *path = files->file[i].path;

        if (path != NULL && !output_plan_is_shard(files->plan, i) && output_plan_is_pattern(path, false))
            fault_warn("%s: will be one file of just this name; add --shards for numbered files", path);
    }
}

/* ---- From the plan to the first file ---- */

struct output *output_open(const struct output_plan *plan)
{
    struct output *output = fault_allocate(1, sizeof *output);

    output->plan = *plan;
    output->held.place = plan->place;
    output_plan_check(plan);
    files_open(&output->files, &output->plan);
    overlap_check(&output->overlap, &output->files);
    if (plan->packs)
        check_names(&output->files);
    if (plan->filter != NULL || plan->packs)
        output->filters = filters_new(plan->filter, plan->filters);
    if (plan->filter != NULL)
        check_filter(output);
    return output;
}

uint64_t output_memory(const struct output *output)
{
    const char *path = output->files.file[0].path;
    const size_t each = FILE_BYTES + NAMES * (path != NULL ? strlen(path) : 0);

    return (uint64_t)output->files.count * each;
}

void output_check_room(const struct output *output, uint64_t bytes)
{
    const struct files *files = &output->files;
    const char *first = files->file[0].path;

    if (files->free_bytes < bytes)
        die("%s%s: %s: about %llu MiB are needed, %llu MiB are free; write to another disk",
            first != NULL ? first : "write error", files->count > 1 ? " and the other files" : "", strerror(ENOSPC),
            number_mebibytes(bytes), (unsigned long long)(files->free_bytes >> 20));
    warn_of_names(files);
}

void output_check_records(const struct output *output, uint64_t records)
{
    (void)output_plan_check_records(&output->plan, records);
}

void output_check_outside(const struct output *output, const char *directory)
{
    for (size_t i = 0; i < output->files.count; i++) {
        const char *path = output->files.file[i].path;

        if (path != NULL && output->plan.filter == NULL && target_is_within(path, directory))
            die("%s: is inside the store %s; write to another folder", path, directory);
    }
}

/* ---- One file ---- */

static void begin_file(struct output *output)
{
    const struct output_plan *plan = &output->plan;
    const size_t number = output->begun;

    if (number - output->first == output_plan_files(plan) && !output_plan_is_open_ended(plan))
        die("there are more records to write than were counted");
    files_begin(&output->files, number, output->filters, &output->framing);
    output->begun++;
    output->in_work = true;
}

static void end_file(struct output *output)
{
    const size_t number = output->begun - 1;

    output->in_work = false;
    framing_end(&output->framing);
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

bool output_replaces_input(const struct output *output)
{
    return output->overlap.path != NULL;
}

bool output_waits(const struct output *output)
{
    return output_plan_has_shards(&output->plan) || output->plan.splits > 0 || output->plan.filter != NULL;
}

bool output_counts(const struct output *output)
{
    const struct output_plan *plan = &output->plan;

    return plan->shards > 0 || (plan->splits > 0 && !output_plan_has_sides(plan));
}

static void write_framed(void *context, uint8_t *data, size_t bytes)
{
    struct output *output = context;

    framing_write(&output->framing, data, bytes);
}

/* Write to the files that are filled one after the other. */
static void write_in_turn(void *context, const struct units *units)
{
    struct output *output = context;
    size_t from = 0;

    for (size_t i = 0; i < units->count || from < units->bytes;) {
        const size_t count =
            output->inside ? 1 : division_place(&output->division, units, i, output->framing.record_bytes);
        size_t end = units->bytes;

        if (count == DIVISION_HOLD) {
            held_back_append(&output->held, units->data + from, end - from);
            return;
        }
        if (count <= units->count - i)
            end = units_end(units, i + count - 1);
        while (output->begun - output->first <= output->division.file)
            next_file(output);
        held_back_drain(&output->held, write_framed, output);
        write_framed(output, units->data + from, end - from);
        output->inside = count > units->count - i;
        i += count;
        from = end;
    }
}

/* A percentage of few records is rounded down. */
static void warn_of_empty_splits(const struct output *output, uint64_t records)
{
    const struct output_plan *plan = &output->plan;

    for (size_t i = 0; i < plan->splits && records > 0 && !output_plan_has_sides(plan); i++)
        if (plan->split[i].amount > 0 && split_records(plan->split, i, records) == 0)
            fault_warn("%s: will be empty, since its share of %llu records is less than one",
                       output->files.file[output->first + i].path, (unsigned long long)records);
}

void output_begin(struct output *output, uint64_t records, const void *header, size_t header_bytes)
{
    const struct output_plan *plan = &output->plan;
    const uint64_t empty = output_plan_check_records(plan, records);

    warn_of_empty_splits(output, records);
    if (empty > 0)
        fault_warn("%s: %llu of the %llu shards are empty; --shards=records:N makes only as many as are needed",
                   plan->path, (unsigned long long)empty, (unsigned long long)plan->shards);
    division_begin(&output->division, plan, records);
    output->inside = false;
    output->plan.framing.header = header;
    output->plan.framing.header_bytes = header_bytes;
    if (output_plan_has_sides(plan)) {
        output->sides = sides_open(plan, &output->files, write_in_turn, output);
        output->begun = plan->splits;
    }
    if (output_plan_files(plan) > output->begun - output->first)
        begin_file(output);
}

bool output_wants_ends(const struct output *output)
{
    return output_plan_has_shards(&output->plan) || output->plan.splits > 0;
}

void output_set_threads(struct output *output, unsigned threads)
{
    output->plan.threads = threads;
}

void output_find(struct output *output, unsigned thread, const struct units *units)
{
    if (output->sides != NULL)
        sides_find(output->sides, thread, units);
}

void output_write(struct output *output, const struct units *units)
{
    if (output->sides != NULL)
        sides_write(output->sides, units);
    else
        write_in_turn(output, units);
    counter_add(&output->written_bytes, units->bytes);
}

void output_write_behind(struct output *output)
{
    files_write_behind(&output->files);
}

void output_note_sides(const struct output *output)
{
    if (output->sides != NULL)
        sides_note(output->sides);
    if (output->plan.strata != NULL)
        strata_note(output->plan.strata);
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
    while (output->begun - output->first < output_plan_files(&output->plan))
        next_file(output);
    if (output->in_work)
        end_file(output);
    if (output->filters != NULL)
        filters_wait(output->filters);
    for (size_t i = output->first; i < output->begun; i++)
        if (output->files.file[i].sink != NULL)
            sink_complete(output->files.file[i].sink);
}

void output_turn(struct output *output)
{
    complete(output);
    output->first = output->begun;
}

void output_commit(struct output *output)
{
    complete(output);
    overlap_check_again(&output->overlap);
    files_publish(&output->files, output->begun);
    files_warn_of_replaced(&output->files, output->begun);
    files_warn_of_older(&output->files, output->begun);
}

void output_free(struct output *output)
{
    if (output == NULL)
        return;
    sides_free(output->sides);
    filters_free(output->filters);
    files_release(&output->files);
    overlap_release(&output->overlap);
    held_back_release(&output->held);
    free(output);
}
