/* Each file is opened at the beginning, so that the run ends before the work if one cannot be written. Since there may
 * be more files than descriptors, most are closed again, and opened once more in their turn. */

#include "output/files.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "input/operand.h"
#include "output/division.h"
#include "output/target.h"
#include "system/io.h"
#include "system/packer.h"
#include "system/signals.h"
#include "system/sys.h"

size_t files_named(const struct files *files)
{
    const struct output_plan *plan = files->plan;

    return division_is(plan, DIVISION_NUMBERED) ? least_size(files->count, plan->splits + 1) : files->count;
}

bool files_is_filtered(const struct files *files, size_t number)
{
    return files->plan->filter != NULL && files->file[number].path != NULL;
}

const struct packer *files_packer(const struct files *files, size_t number)
{
    const char *path = files->file[number].path;

    return files->plan->packs && files->plan->filter == NULL && path != NULL ? packer_of_name(path) : NULL;
}

/* ---- Files by their numbers ---- */

#define INPUT (SIZE_MAX - 1)

/* A file in the tree; `number` is first, since it is looked up by it. */
struct numbered {
    uint64_t number; /* target_number; 0 is never looked up */
    size_t file;     /* or INPUT */
};

/* Add a number, unless it is there. Returns the file with this number. */
static size_t add_number(struct files *files, uint64_t number, size_t file)
{
    struct numbered *one, **found;

    if (number == 0)
        return file;
    one = fault_allocate(1, sizeof *one);
    *one = (struct numbered){number, file};
    found = tsearch(one, &files->numbers, compare_numbers);
    if (found == NULL)
        die_errno("memory", ENOMEM);
    if (*found != one)
        free(one);
    return (*found)->file;
}

size_t files_find(const struct files *files, uint64_t number)
{
    struct numbered *const *found = number != 0 ? tfind(&number, &files->numbers, compare_numbers) : NULL;

    return found != NULL && (*found)->file != INPUT ? (*found)->file : FILES_NONE;
}

static void free_numbers(struct files *files)
{
    while (files->numbers != NULL) {
        struct numbered *one = *(struct numbered **)files->numbers;

        (void)tdelete(one, &files->numbers, compare_numbers);
        free(one);
    }
}

/* The number of a file. Call it after opening the file for writing, which gives it another number on overlayfs. A
 * filter's command need not make a file of the name that it gets. */
static uint64_t number_of_file(const struct files *files, const struct output_file *file)
{
    struct stat status;

    if (file->path != NULL && files->plan->filter == NULL)
        return sink_number(file->sink);
    if ((file->path == NULL ? sys_fstat(STDOUT_FILENO, &status) : sys_stat(file->path, &status)) == 0)
        return file_mark_of(&status).file;
    return file->path != NULL ? xxh64(file->path, strlen(file->path)) : 0;
}

/* Add file i, which must be none of the others. */
static void add_file(struct files *files, size_t i)
{
    const char *path = files->file[i].path;
    const size_t known = add_number(files, number_of_file(files, &files->file[i]), i);

    if (known == INPUT)
        files_refuse_input(path);
    if (known != i && files->plan->each && (i - known) % division_files(files->plan) == 0)
        die("%s: is the output of two FILEs, since both have the same name; give one of them another", path);
    if (known != i)
        die("%s and %s: are the same output file; give them different names", files->file[known].path,
            path == NULL ? "standard output" : path);
}

void files_refuse_input(const char *name)
{
    die("%s: is both input and output; give the outputs other names", name);
}

/* Add the inputs if the file just added exists, since it may be one of them. */
static void add_inputs(struct files *files)
{
    struct stat status;

    if (files->has_inputs || sys_stat(files->file[files->count - 1].path, &status) != 0)
        return;
    for (size_t i = 0; i < files->plan->input_count; i++)
        if (operand_stat(files->plan->inputs[i], &status) == 0)
            (void)add_number(files, file_mark_of(&status).file, INPUT);
    files->has_inputs = true;
}

/* ---- The list ---- */

/* Add the next file to the list. */
static void append_file(struct files *files)
{
    const struct output_plan *plan = files->plan;
    const size_t number = files->count, place = plan->each ? number % division_files(plan) : number;
    const char *path;

    path = place < plan->splits ? plan->split[place].path : plan->path;
    if (number == OUTPUT_FILES_MAX)
        die("%s: more than %d files; make fewer", path, OUTPUT_FILES_MAX);
    if (number == files->allocated) {
        files->allocated = 2 * number + 1;
        files->file = fault_reallocate(files->file, files->allocated, sizeof *files->file);
    }
    if (plan->each || division_is_shard(plan, number))
        path = fault_memory(output_plan_name(path, number - plan->splits,
                                             plan->each ? plan->inputs[number / division_files(plan)] : NULL));
    files->file[number] = (struct output_file){.path = path};
    files->count++;
}

/* How many shards exist, from number `first` on, up to the first missing one. A directory is no older shard, and cannot
 * become one. Without memory it finds none: the run may have succeeded. */
static uint64_t shards_there(const struct output_plan *plan, uint64_t first)
{
    struct stat status;

    for (uint64_t count = 0;; count++) {
        char *name = output_plan_name(plan->path, first + count, NULL);
        const bool found = name != NULL && sys_stat(name, &status) == 0 && !S_ISDIR(status.st_mode);

        free(name);
        if (!found)
            return count;
    }
}

/* Of an unknown number of shards, the first one is needed if there is any record. Later ones may never be needed, so
 * whether a missing one can be made shows in its turn. */
static void list(struct files *files)
{
    const struct output_plan *plan = files->plan;
    uint64_t count = division_files(plan) * (plan->each ? plan->input_count : 1);

    if (division_is(plan, DIVISION_OPEN)) {
        const uint64_t there = shards_there(plan, 0);

        count += there > 0 ? there : 1;
    }
    while (files->count < count)
        append_file(files);
}

/* ---- Sinks ---- */

/* The file cannot be replaced; errno says why. A shell would empty it before it is read. */
_Noreturn static void refuse_replacing(const struct output_plan *plan, const char *path)
{
    const char *cause = fault_cause(errno), *advice = "write > FILE instead";
    struct stat output, input;

    for (size_t i = 0; i < plan->input_count && sys_stat(path, &output) == 0; i++)
        if (operand_stat(plan->inputs[i], &input) == 0 && io_same_file(&input, &output))
            advice = "it is also an input, so give the output another name";
    die("%s: cannot be replaced: %s; %s", path, cause, advice);
}

static void open_sink(struct files *files, size_t number)
{
    struct output_file *file = &files->file[number];
    const char *folder;

    if (file->sink == NULL)
        file->sink = sink_open(file->path, &files->behind);
    if (file->sink == NULL)
        refuse_replacing(files->plan, file->path);
    folder = sink_folder(file->sink);
    if (folder != NULL && files->plan->is_store != NULL && files->plan->is_store(folder))
        die("%s: is inside the store %s; write to another folder", file->path, folder);
}

void files_begin(struct files *files, size_t number, struct filters *programs, struct framing_file *framing)
{
    const bool is_added = number == files->count;
    const struct packer *packer;
    const struct output_file *file;

    if (is_added)
        append_file(files);
    file = &files->file[number];
    packer = files_packer(files, number);
    if (!files_is_filtered(files, number))
        open_sink(files, number);
    if (is_added) {
        add_inputs(files);
        add_file(files, number);
    }
    if (files_is_filtered(files, number))
        filters_start(programs, file->path);
    if (packer != NULL)
        filters_start_packer(programs, file->path, packer, sink_state(file->sink)->fd);
    framing_begin(framing, &files->plan->framing, file->sink, file->sink == NULL || packer != NULL ? programs : NULL);
}

/* Note the free space on the disk of a file, if all files are on one disk. */
static void see_disk(struct files *files, size_t number)
{
    dev_t disk = 0;

    if (files->free_bytes == UINT64_MAX)
        return;
    if (files_packer(files, number) != NULL || !sink_disk(files->file[number].sink, &disk, &files->free_bytes) ||
        (number > 0 && disk != files->disk))
        files->free_bytes = UINT64_MAX;
    files->disk = disk;
}

/* How many of the first files stay open: at least the splits that are filled side by side. */
static size_t kept_open(const struct files *files)
{
    const struct output_plan *plan = files->plan;

    return division_is(plan, DIVISION_BESIDE) && plan->splits > FILES_KEPT_OPEN ? plan->splits : FILES_KEPT_OPEN;
}

/* Open each file, and close again those that exceed kept_open. */
static void check_sinks(struct files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct output_file *file = &files->file[i];

        if (files_is_filtered(files, i)) {
            add_file(files, i);
            files->free_bytes = UINT64_MAX;
            continue;
        }
        open_sink(files, i);
        add_file(files, i);
        see_disk(files, i);
        if (i >= kept_open(files) && sink_state(file->sink)->temporary != NULL) {
            sink_free(file->sink);
            file->sink = NULL;
        }
    }
}

/* End the run if a program that compresses is missing. */
static void check_packers(const struct files *files)
{
    for (size_t i = 0; i < files_named(files); i++) {
        const struct packer *packer = files_packer(files, i);
        struct packer_command command;
        const char *faster;

        if (packer == NULL)
            continue;
        packer_pack(&command, packer, files->plan->filters);
        packer_check(&command, files->file[i].path);
        faster = packer_faster(packer, &command);
        if (files->plan->verbose)
            fault_note("%s: compressed by '%s'%s%s%s", files->file[i].path, command.text,
                       faster != NULL ? ", which takes one processor; if it were there, " : "",
                       faster != NULL ? faster : "", faster != NULL ? " would take all" : "");
    }
}

/* ---- From the beginning to the end ---- */

void files_open(struct files *files, const struct output_plan *plan)
{
    *files = (struct files){.plan = plan};
    list(files);
    check_packers(files);
    check_sinks(files);
}

/* ---- Their names ---- */

/* The file `number` could not get its name. It and those after it have temporary names. Death by signal is held off
 * until the message is out; but if stderr would block, signals are released first, to the mask `before`. */
_Noreturn static void report_unpublished(const struct files *files, size_t number, size_t end, int error,
                                         const sigset_t *before)
{
    const char *path = files->file[number].path, *first = sink_state(files->file[number].sink)->temporary,
               *last = first;
    const char *cause = error == ESTALE   ? TARGET_STALE "; in the old one"
                        : error == EEXIST ? "its file system takes it for another output's name"
                                          : fault_cause(error);
    size_t count = 1;

    for (size_t i = number + 1; i < end; i++) {
        const char *name = sink_state(files->file[i].sink)->temporary;

        last = name != NULL ? name : last;
        count += name != NULL;
    }
    if (!sys_is_writable(STDERR_FILENO))
        signals_release(before);
    if (count == 1)
        die("%s: %s: the complete file is now %s", path, cause, first);
    die("%s: %s: %zu complete files are now %s to %s", path, cause, count, first, last);
}

static bool is_missing(const struct output_file *file)
{
    struct stat status;

    return sys_stat(file->path, &status) != 0 && errno == ENOENT;
}

/* Give the file its name. If that was free before the first file got its own, and is taken now, it is the name of
 * another output to a file system that ignores case or composes letters: that file must stay. 0, or -1 with errno. */
static int publish_file(const struct output_file *file)
{
    if (!file->missing || is_missing(file))
        return sink_publish(file->sink);
    errno = EEXIST;
    return -1;
}

/* Once a file has its name, the other files may be the only copies of the other records. So all temporary names are
 * forgotten before the first file gets its name: nobody unlinks them from then on. Death by signal is held off until
 * all have their names, or until the message is out that tells where they are. */
void files_publish(struct files *files, size_t count)
{
    sigset_t before;

    for (size_t i = 1; i < count; i++)
        files->file[i].missing =
            files->file[i].sink != NULL && files->file[i].path != NULL && is_missing(&files->file[i]);
    signals_hold(&before);
    for (size_t i = 0; i < count; i++)
        if (files->file[i].sink != NULL)
            sink_keep(files->file[i].sink);
    for (size_t i = 0; i < count; i++)
        if (files->file[i].sink != NULL && publish_file(&files->file[i]) != 0)
            report_unpublished(files, i, count, errno, &before);
    signals_succeed();
    signals_release(&before);
}

/* Warn of files that had other names, or else that have lost owner or group: name the first, and count the others. */
static void warn_of(const struct files *files, size_t count, bool names, const char *what)
{
    const char *first = NULL;
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        const struct sink_state *state = files->file[i].sink != NULL ? sink_state(files->file[i].sink) : NULL;

        if (state != NULL && (names ? state->has_links : state->lost) && found++ == 0)
            first = files->file[i].path;
    }
    if (found == 1)
        fault_warn("%s: %s", first, what);
    else if (found > 1)
        fault_warn("%s and %zu more %s", first, found - 1, what);
}

void files_warn_of_replaced(const struct files *files, size_t count)
{
    warn_of(files, count, true, "had other names (hard links), which keep the old contents");
    warn_of(files, count, false, "could not keep the owner or group, so others may have lost access");
}

void files_warn_of_older(const struct files *files, size_t count)
{
    const struct output_plan *plan = files->plan;
    const uint64_t shards = count > plan->splits ? count - plan->splits : 0;
    uint64_t older;
    char *first, *last;

    if (!division_is(plan, DIVISION_NUMBERED) || plan->filter != NULL)
        return;
    older = shards_there(plan, shards);
    if (older == 0)
        return;
    first = output_plan_name(plan->path, shards, NULL);
    last = output_plan_name(plan->path, shards + older - 1, NULL);
    if (older == 1 && first != NULL)
        fault_warn("%s: left from an earlier run; a glob will include it; delete it", first);
    else if (first != NULL && last != NULL)
        fault_warn("%s to %s: left from an earlier run; a glob will include them; delete them", first, last);
    free(first);
    free(last);
}

void files_release(struct files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        sink_free(files->file[i].sink);
        if (files->plan->each || division_is_shard(files->plan, i))
            free((char *)files->file[i].path);
    }
    free(files->file);
    free_numbers(files);
    *files = (struct files){.count = 0};
}
