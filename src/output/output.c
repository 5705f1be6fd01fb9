/*
 * The files are written one after another. The first few stay open, without a name, until all are complete; later ones
 * are finished at once and have temporary names.
 *
 * Where a file ends and the next one begins depends on the stream of records alone, not on the pieces in which it
 * comes: after so many records, or before the first record that would make the file larger than so many bytes, without
 * frames of groups. Records are found some hundreds at a time. If a file is full in the midst of them, the rest is
 * searched once more for the next file: a scan from the beginning of a record needs no earlier ones.
 *
 * If bytes are counted, a record whose end has not come yet may be too large for the file, so it is held back. Not if
 * it is the first record of the file, which takes it whatever its size; nor if it is too large already, and so goes to
 * the next file.
 */

#include "output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "base/tunable.h"
#include "input/foreign.h"
#include "output/files.h"
#include "output/held_back.h"
#include "output/overlap.h"
#include "output/sides.h"
#include "output/strata.h"
#include "output/target.h"
#include "record/group.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/packer.h"
#include "system/sys.h"

/* How many ends of records are looked for at a time, and in how many bytes, as ends are 32-bit numbers. */
TUNABLE(ENDS, 512, 1, 512);
TUNABLE(SCAN_BYTES, 1 << 30, 1, 1 << 30);

enum { FILE_BYTES = 400, NAMES = 3 }; /* of each file, in memory */

struct output {
    struct output_plan plan;
    struct files files;
    struct overlap overlap;
    size_t first; /* file of the input in work: not 0 only if each input has its own */
    size_t begun; /* files that have been begun; the last one is in work if `in_work` */
    bool in_work;
    uint64_t records; /* of all files */
    counter written_bytes;
    struct filters *filters;
    struct sides *sides; /* of the splits, if these are filled side by side; else NULL */

    /* The file that is in work: */
    struct framing_file framing;
    struct record_scan scan;
    uint64_t left_records; /* that it still takes; UINT64_MAX: all that come */
    uint64_t limit_bytes;  /* that it takes, unless one record alone has more; UINT64_MAX for any number */
    uint64_t file_bytes;   /* that it has, without those that are held back, */
    uint64_t held_bytes;   /* as whether they belong to it or to the next one is not known yet */
    struct held_back held;
    bool inside; /* has it got the beginning of a record whose end is to come? */
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
    const size_t number = output->begun, place = number - output->first;

    if (place == output_plan_files(plan) && !output_plan_is_open_ended(plan))
        die("there are more records to write than were counted");
    files_begin(&output->files, number, output->filters, &output->framing);
    output->begun++;
    output->in_work = true;
    output->left_records = output_plan_quota(plan, place, output->records);
    output->limit_bytes = plan->shard_bytes > 0 && output_plan_is_shard(plan, place)
                              ? framing_room(&plan->framing, plan->shard_bytes)
                              : UINT64_MAX;
    output->file_bytes = 0;
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

/* If records are counted: write up to the end of the last record that the file takes, or as far as the search went.
 * Returns how many bytes that are; 0 if the next file begins with the first one. */
static size_t write_by_records(struct output *output, uint8_t *data, size_t bytes)
{
    uint32_t ends[ENDS];

    if (output->left_records == 0) {
        next_file(output);
        return 0;
    }
    output->left_records -=
        record_ends(&output->plan.framing.format, &output->scan, data, least_size(bytes, SCAN_BYTES), ends,
                    (size_t)least(output->left_records, ENDS), &bytes);
    write_framed(output, data, bytes);
    return bytes;
}

/* Would the file be too large with the next record, of which so many bytes are known? */
static bool is_full(const struct output *output, uint64_t record_bytes)
{
    return !output->inside && output->file_bytes > 0 &&
           (output->file_bytes > output->limit_bytes || record_bytes > output->limit_bytes - output->file_bytes);
}

/* How many bytes records have without frames, of which data[0, bytes) are the next ones. */
static uint64_t bytes_of(const struct output *output, struct record_scan scan, const uint8_t *data, size_t bytes)
{
    return group_text(&output->plan.framing.format, &scan, data, bytes, NULL);
}

/* If bytes are counted: of the records found, write as many whole ones as the file takes, or the part there is of a
 * record that surely belongs to the file; else hold it back. Returns how many bytes that are; 0 as above. */
static size_t write_by_bytes(struct output *output, uint8_t *data, size_t bytes)
{
    const struct record_scan before = output->scan, beginning = {0};
    uint32_t ends[ENDS];
    size_t taken, scanned, i = 0;
    const size_t found = record_ends(&output->plan.framing.format, &output->scan, data, least_size(bytes, SCAN_BYTES),
                                     ends, ENDS, &scanned);
    uint64_t next = bytes_of(output, before, data, found > 0 ? ends[0] : scanned); /* of the next record */

    if (is_full(output, output->held_bytes + next)) {
        output->scan = before;
        next_file(output);
        return 0;
    }
    if (found == 0 && !output->inside && output->file_bytes > 0) {
        output->held_bytes += next;
        held_back_append(&output->held, data, scanned);
        return scanned;
    }
    held_back_drain(&output->held, write_framed, output);
    output->file_bytes += output->held_bytes;
    output->held_bytes = 0;
    output->inside = found == 0;
    do {
        output->file_bytes += next;
        taken = found > 0 ? ends[i++] : scanned;
        if (i < found)
            next = bytes_of(output, beginning, data + taken, ends[i] - taken);
    } while (i < found && !is_full(output, next));
    if (taken < scanned)
        output->scan = beginning;
    write_framed(output, data, taken);
    return taken;
}

/* Write to the files that are filled one after the other. */
static void write_in_turn(void *context, uint8_t *data, size_t bytes)
{
    struct output *output = context;

    if (bytes > 0 && !output->in_work)
        begin_file(output);
    while (bytes > 0) {
        size_t part = bytes;

        if (output->limit_bytes < UINT64_MAX)
            part = write_by_bytes(output, data, bytes);
        else if (output->left_records < UINT64_MAX)
            part = write_by_records(output, data, bytes);
        else
            write_framed(output, data, bytes);
        data += part;
        bytes -= part;
    }
}

/* A percentage of few records is rounded down. */
static void warn_of_empty_splits(const struct output *output, uint64_t records)
{
    const struct output_plan *plan = &output->plan;

    for (size_t i = 0; i < plan->splits && records > 0 && !output_plan_has_sides(plan); i++)
        if (plan->split[i].amount > 0 && output_plan_quota(plan, i, records) == 0)
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
    output->records = records;
    output->plan.framing.header = header;
    output->plan.framing.header_bytes = header_bytes;
    if (output_plan_has_sides(plan)) {
        output->sides = sides_open(plan, &output->files, write_in_turn, output);
        output->begun = plan->splits;
    }
    if (output_plan_files(plan) > output->begun - output->first)
        begin_file(output);
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
    output->scan = (struct record_scan){0};
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

void output_buffer_put_frame(struct output_buffer *to, const uint8_t *text, size_t bytes, bool ends)
{
    const uint8_t last = ends ? GROUP_ENDS : GROUP_GOES_ON;
    uint8_t head[GROUP_HEAD_BYTES];

    group_put_head(head, bytes);
    output_buffer_put(to, head, sizeof head);
    output_buffer_put(to, text, bytes);
    output_buffer_put(to, &last, 1);
}
