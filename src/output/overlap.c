/* The inputs are looked up among the outputs, one by one: there may be millions of inputs, for which no memory is set
 * aside unless a shard turns up late that is there already. */

#include "output/overlap.h"

#include <sys/stat.h>

#include "input/contents.h"
#include "input/operand.h"
#include "system/fault.h"
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

/* How many of the files are made in any case: the last of shards whose number is not known may be one that never is,
 * and what the splits leave is no file that counts. */
static size_t files_made(const struct files *files)
{
    const struct output_plan *plan = files->plan;

    return files->count - (output_plan_is_open_ended(plan) || !output_plan_has_shards(plan));
}

/* Does the file take what the splits leave, so that it may be an input or not? */
static bool is_rest(const struct files *files, size_t i)
{
    return i >= files_made(files) && !output_plan_has_shards(files->plan);
}

static bool is_full(const struct output_file *file)
{
    return file->mark.bytes > 0;
}

/* See what is there of the outputs, if anything is. */
static bool look_at_outputs(struct overlap *overlap, struct files *files)
{
    bool any_there = false;
    struct stat status;

    for (size_t i = 0; i < files->count; i++) {
        struct output_file *file = &files->file[i];

        if (file->path == NULL)
            continue;
        if (sys_stat(file->path, &status) == 0)
            file->mark = file_mark_of(&status);
        else if (i < files_made(files))
            keep_first(&overlap->only_output, file->path);
        if (is_full(file) && i < output_plan_files(files->plan)) /* an input of nothing makes no more */
            keep_first(&overlap->full, file->path);
        any_there = any_there || file_mark_is_known(&file->mark);
    }
    return any_there;
}

/* The output that is the input, or NULL. */
static struct output_file *find_output(const struct files *files, const char *input)
{
    struct stat status;
    size_t i = FILE_SET_NONE;

    if (operand_stat(input, &status) == 0)
        i = file_set_find(&files->set, file_mark_of(&status).file);
    return i != FILE_SET_NONE && files->file[i].path != NULL ? &files->file[i] : NULL;
}

/* Is an input an output as well? */
static void look_up(struct overlap *overlap, const struct files *files, const char *input)
{
    struct output_file *output = find_output(files, input);

    if (output == NULL) {
        keep_first(&overlap->only_input, input);
        return;
    }
    if (output->input != NULL)
        fault_say("%s: an output, and an input twice: each run would double its records: name it once", input);
    output->input = input;
    keep_first(is_rest(files, (size_t)(output - files->file)) ? &overlap->rest : &overlap->both, input);
}

_Noreturn static void report_half(const char *both, const char *other, const char *what)
{
    fault_say("%s is an input and an output file, but %s only an %s: give the output other names", both, other, what);
}

/* All have been looked up. */
static void judge(const struct overlap *overlap)
{
    const char *other = overlap->only_input != NULL ? overlap->only_input : overlap->only_output;
    const char *divided = overlap->rest != NULL ? overlap->rest : overlap->both;

    if (overlap->both != NULL && other != NULL)
        report_half(overlap->both, other, other == overlap->only_input ? "input" : "output");
    if (divided != NULL && overlap->older != NULL)
        fault_say("%s is an input and an output file, and %s has what an earlier run may have taken out of it: "
                  "remove that, or give the output other names",
                  divided, overlap->older);
    if (overlap->rest != NULL && overlap->only_input != NULL)
        fault_warn("%s: the output, and one of several inputs: another run would add the others to it once more",
                   overlap->rest);
}

/* The file that is an input and has the least number above this one, or FILE_SET_NONE. */
static size_t next_input(const struct files *files, uint64_t above)
{
    size_t next = FILE_SET_NONE;

    for (size_t i = 0; i < files->count; i++) {
        const struct output_file *file = &files->file[i];

        if (file->input != NULL && file->mark.file > above &&
            (next == FILE_SET_NONE || file->mark.file < files->file[next].mark.file))
            next = i;
    }
    return next;
}

/* Lock outputs that are inputs, in an order that is the same by whatever names another run has them: the first ones,
 * and the one that gets its name last, so that whoever begins while names are given finds that one locked. */
static void lock_inputs(struct files *files)
{
    uint64_t locked = 0;
    size_t last = files->count, next;

    while (last > 0 && files->file[last - 1].input == NULL)
        last--;
    while (files->locks < FILES_LOCKED - 1 && (next = next_input(files, locked)) != FILE_SET_NONE) {
        files_lock_input(files, next);
        locked = files->file[next].mark.file;
    }
    if (last > 0 && files->file[last - 1].mark.file > locked)
        files_lock_input(files, last - 1);
}

/* What is an input is ours from now on. Are the outputs still what they were when inputs were looked up among them?
 * Another run may have given its files their names meanwhile: then what was locked, or is read, is not what would be
 * replaced. If all is well, each file that is an input is marked as it is, as that will be read. */
static void claim(struct files *files)
{
    struct stat now;

    lock_inputs(files);
    for (size_t i = 0; i < files->count; i++) {
        const struct output_file *file = &files->file[i];

        if (!file_mark_is_known(&file->mark))
            continue;
        if (file->input != NULL
                ? !files_mark_input(files, i)
                : sys_stat(file->path, &now) != 0 || file_set_find(&files->set, file_mark_of(&now).file) != i)
            fault_say("%s: has been replaced by others meanwhile, and stays as it is", file->path);
        if (file->input != NULL)
            contents_refuse(file->input, &files->plan->format, files->plan->packs);
    }
}

void overlap_check(struct files *files, const char *const *inputs, size_t count)
{
    struct overlap overlap = {.both = NULL};
    bool any_there;

    if (files->plan->filter != NULL)
        return;
    any_there = look_at_outputs(&overlap, files);
    if (overlap.full != NULL && operand_is_forgotten(inputs, count))
        fault_say("%s: left as it is, as no input is named, and standard input is /dev/null: name the input, "
                  "or /dev/null to empty it",
                  overlap.full);
    for (size_t i = 0; any_there && i < count; i++)
        look_up(&overlap, files, inputs[i]);
    for (size_t i = 0; i < files->count; i++) {
        const struct output_file *file = &files->file[i];

        if (file_mark_is_known(&file->mark) && file->input == NULL && !is_rest(files, i))
            keep_first(&overlap.only_output, file->path);
        if (is_full(file) && file->input == NULL)
            keep_first(&overlap.older, file->path);
    }
    claim(files);
    judge(&overlap);
}

void overlap_check_last(struct file_set *seen, const struct files *files, const char *const *inputs, size_t count)
{
    const char *path = files->file[files->count - 1].path;
    struct stat last, input;

    if (files->plan->filter != NULL || sys_stat(path, &last) != 0 || !S_ISREG(last.st_mode))
        return;
    for (size_t i = seen->count > 0 ? count : 0; i < count; i++)
        if (operand_stat(inputs[i], &input) == 0)
            file_set_add(seen, file_mark_of(&input).file, i);
    if (file_set_find(seen, file_mark_of(&last).file) != FILE_SET_NONE)
        fault_say("%s is an input and an output file: give the output other names", path);
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
