/* The inputs are looked up among the outputs, one by one: there may be millions of inputs, for which no memory is set
 * aside unless a shard turns up late that is there already. */

#include "output/overlap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "input/contents.h"
#include "input/operand.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

struct overlap {
    const char *both, *only_input, *only_output; /* the first of each kind, or NULL; never that of the rest */
    const char *rest;                            /* the input that is the output of the rest, or NULL */
    const char *older;                           /* the first full output that is no input, or NULL */
    const char *full;                            /* the first output that an empty input would empty, or NULL */
};

static void keep_first(const char **first, const char *path)
{
    if (*first == NULL)
        *first = path;
}

/* Does the file take what the splits leave, so that it may be an input or not? */
static bool is_rest(const struct files *files, size_t i)
{
    return i >= files->plan->splits && !output_plan_has_shards(files->plan);
}

/* See which outputs exist. The file of the rest does not count as an output, nor does the last shard if nobody knows
 * how many there will be, since it may never be made. */
static void look_at_outputs(struct overlap *overlap, struct files *files)
{
    struct stat status;

    for (size_t i = 0; i < files->count; i++) {
        struct output_file *file = &files->file[i];

        if (file->path == NULL)
            continue;
        if (sys_stat(file->path, &status) == 0)
            file->mark = file_mark_of(&status);
        else if (i + 1 < files->count || files->plan->shards > 0)
            keep_first(&overlap->only_output, file->path);
        if (file->mark.bytes > 0 && i < output_plan_files(files->plan)) /* an input of nothing makes no more */
            keep_first(&overlap->full, file->path);
    }
}

/* Is an input an output as well? */
static void look_up(struct overlap *overlap, struct files *files, const char *input)
{
    struct stat status;
    const size_t i = operand_stat(input, &status) == 0 ? files_find(files, file_mark_of(&status).file) : FILES_NONE;

    if (i == FILES_NONE || files->file[i].path == NULL) {
        keep_first(&overlap->only_input, input);
        return;
    }
    if (files->file[i].input != NULL)
        fault_say(
            "%s: is an output, and an input twice, so each run would double its records; name it once as an input",
            input);
    files->file[i].input = input;
    keep_first(is_rest(files, i) ? &overlap->rest : &overlap->both, input);
}

_Noreturn static void report_half(const char *both, const char *other, const char *what)
{
    fault_say("%s: is both input and output, but %s is only an %s; give the output other names", both, other, what);
}

/* All have been looked up. */
static void judge(const struct overlap *overlap, const struct output_plan *plan)
{
    const char *other = overlap->only_input != NULL ? overlap->only_input : overlap->only_output;
    const char *divided = overlap->rest != NULL ? overlap->rest : overlap->both;

    if (overlap->both != NULL && other != NULL)
        report_half(overlap->both, other, other == overlap->only_input ? "input" : "output");
    if (overlap->both != NULL && plan->path == NULL && !split_takes_all(plan->split, plan->splits))
        fault_say("%s: is both input and output, but the rest of it would go to standard output; give the split "
                  "another name",
                  overlap->both);
    if (divided != NULL && overlap->older != NULL)
        fault_say("%s: is both input and output, and %s may have what an earlier run took out of it; "
                  "delete that, or give the output other names",
                  divided, overlap->older);
    if (overlap->rest != NULL && overlap->only_input != NULL)
        fault_warn("%s: is the output and one of several inputs, so another run would add the others once more",
                   overlap->rest);
}

/* The file that is an input and has the least number above this one, or FILES_NONE. */
static size_t next_input(const struct files *files, uint64_t above)
{
    size_t next = FILES_NONE;

    for (size_t i = 0; i < files->count; i++) {
        const struct output_file *file = &files->file[i];

        if (file->input != NULL && file->mark.file > above &&
            (next == FILES_NONE || file->mark.file < files->file[next].mark.file))
            next = i;
    }
    return next;
}

/* The file is one of the inputs, too: lock it, unless its file system has no locks. */
static void lock(struct files *files, size_t number)
{
    const char *path = files->file[number].path;
    const int fd = io_open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK, 0);

    if (fd < 0)
        fault_report(path, errno);
    files->lock[files->locks++] = fd;
    if (io_lock(fd, true) != 0 && errno == EWOULDBLOCK)
        fault_say("%s: is being shuffled by another run", path);
}

/* Lock outputs that are inputs, in an order that does not depend on the names that another run has for them: the first
 * ones, and the one that gets its name last, so that a run that begins while names are given finds that one locked. */
static void lock_inputs(struct files *files)
{
    uint64_t locked = 0;
    size_t last = files->count, next;

    while (last > 0 && files->file[last - 1].input == NULL)
        last--;
    while (files->locks < FILES_LOCKED - 1 && (next = next_input(files, locked)) != FILES_NONE) {
        lock(files, next);
        locked = files->file[next].mark.file;
    }
    if (last > 0 && files->file[last - 1].mark.file > locked)
        lock(files, last - 1);
}

/* From now on, outputs that are inputs are ours. The run ends if an output has changed since inputs were looked up
 * among outputs: another run may have given its files their names meanwhile, and then the file that was locked, or is
 * read, is not the one to be replaced. If all is well, each file that is an input is marked as it is now, before it is
 * read. */
static void claim(struct files *files)
{
    const struct output_plan *plan = files->plan;
    const struct hints hints = {&plan->format, plan->header, plan->packs, .end_told = false};
    struct stat now;

    lock_inputs(files);
    for (size_t i = 0; i < files->count; i++) {
        const struct output_file *file = &files->file[i];

        if (!file_mark_is_known(&file->mark))
            continue;
        if (file->input != NULL ? !files_mark_input(files, i)
                                : sys_stat(file->path, &now) != 0 || files_find(files, file_mark_of(&now).file) != i)
            fault_say("%s: somebody else has replaced it meanwhile, so it is left alone", file->path);
        if (file->input != NULL)
            contents_refuse(file->input, &hints);
    }
}

void overlap_check(struct files *files, const char *const *inputs, size_t count)
{
    struct overlap overlap = {.both = NULL};

    if (files->plan->filter != NULL)
        return;
    files->inputs = inputs;
    files->input_count = count;
    look_at_outputs(&overlap, files);
    if (overlap.full != NULL && operand_is_forgotten(inputs, count))
        fault_say("%s: left alone, since no input is named, and standard input is /dev/null; name the input, "
                  "or /dev/null to empty it",
                  overlap.full);
    for (size_t i = 0; i < count; i++)
        look_up(&overlap, files, inputs[i]);
    for (size_t i = 0; i < files->count; i++) {
        const struct output_file *file = &files->file[i];

        if (file_mark_is_known(&file->mark) && file->input == NULL && !is_rest(files, i))
            keep_first(&overlap.only_output, file->path);
        if (file->mark.bytes > 0 && file->input == NULL)
            keep_first(&overlap.older, file->path);
    }
    claim(files);
    judge(&overlap, files->plan);
}

void overlap_check_count(const struct files *files, size_t count)
{
    const char *both = NULL;

    for (size_t i = 0; i < files->count; i++) {
        const struct output_file *file = &files->file[i];

        if (i >= count && both != NULL && file->input != NULL)
            report_half(both, file->path, "input");
        if (i < count && file->input != NULL)
            keep_first(&both, file->path);
    }
}
