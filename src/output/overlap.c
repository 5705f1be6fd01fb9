/* The outputs are sorted and the inputs looked up among them, one by one: there may be millions of inputs, for which no
 * memory is set aside. */

#include "output/overlap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/hints.h"
#include "input/operand.h"
#include "output/pattern.h"
#include "system/sys.h"

/* A regular file that is there. */
struct place {
    dev_t device;
    ino_t inode;
    const char *path;  /* of an output */
    size_t number;     /* of its file */
    const char *input; /* the name by which it is an input, or NULL */
    bool is_rest;      /* takes what the splits leave: it may be an input or not */
    bool is_full;      /* has something in it */
};

struct overlap {
    struct overlap_outputs outputs;
    const char *both, *only_input, *only_output; /* the first of each kind, or NULL; never that of the rest */
    const char *rest;                            /* the input that is the output of the rest, or NULL */
    const char *older;                           /* the first full output that is no input, or NULL */
    const char *full;                            /* the first output that an empty input would empty, or NULL */
};

static int compare(const void *a, const void *b)
{
    const struct place *one = a, *other = b;

    if (one->device != other->device)
        return one->device < other->device ? -1 : 1;
    return one->inode < other->inode ? -1 : one->inode > other->inode;
}

static struct place place_of(const struct stat *status)
{
    return (struct place){.device = status->st_dev, .inode = status->st_ino};
}

/* Room for so many. */
static void take(struct overlap_outputs *outputs, size_t count)
{
    outputs->count = 0;
    outputs->place = fault_allocate(count, sizeof *outputs->place);
}

static struct place *add(struct overlap_outputs *outputs, const struct stat *status)
{
    struct place *place = &outputs->place[outputs->count++];

    *place = place_of(status);
    return place;
}

/* All have been added. */
static void sort(const struct overlap_outputs *outputs)
{
    qsort(outputs->place, outputs->count, sizeof *outputs->place, compare);
}

/* The output that this is the status of, or NULL. Always the same one of several that are the same file. */
static struct place *find(const struct overlap_outputs *outputs, const struct stat *status)
{
    const struct place place = place_of(status);

    if (outputs->count == 0 || !S_ISREG(status->st_mode))
        return NULL;
    return bsearch(&place, outputs->place, outputs->count, sizeof place, compare);
}

static struct place *find_input(const struct overlap_outputs *outputs, const char *input)
{
    struct stat status;

    return operand_stat(input, &status) == 0 ? find(outputs, &status) : NULL;
}

static void keep_first(const char **first, const char *path)
{
    if (*first == NULL)
        *first = path;
}

/* The last of shards whose number is not known may be one that is never made. */
static void list_outputs(struct overlap *overlap, const struct files *files)
{
    const struct output_plan *plan = files->plan;
    const size_t made = files->count - (output_plan_is_open_ended(plan) || !output_plan_has_shards(plan));
    struct stat status;

    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->file[i].path;

        if (path == NULL)
            continue;
        if (sys_stat(path, &status) != 0) {
            if (i < made)
                keep_first(&overlap->only_output, path);
        } else if (S_ISREG(status.st_mode)) {
            struct place *output = add(&overlap->outputs, &status);

            output->path = path;
            output->number = i;
            output->is_full = status.st_size > 0;
            output->is_rest = i >= made && !output_plan_has_shards(plan);
            if (status.st_size > 0 && i < output_plan_files(plan)) /* an input of nothing makes no more */
                keep_first(&overlap->full, path);
        }
    }
    sort(&overlap->outputs);
}

/* Is an input an output as well? */
static void look_up(struct overlap *overlap, const char *input)
{
    struct place *output = find_input(&overlap->outputs, input);

    if (output == NULL) {
        keep_first(&overlap->only_input, input);
        return;
    }
    if (output->input != NULL)
        fault_say("%s: an output, and an input twice: each run would double its records: name it once", input);
    output->input = input;
    keep_first(output->is_rest ? &overlap->rest : &overlap->both, input);
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

/* Lock outputs that are inputs, in an order that is the same by whatever names another run has them: the first ones,
 * and the one that gets its name last, so that whoever begins while names are given finds that one locked. */
static void lock_inputs(const struct overlap_outputs *outputs, struct files *files)
{
    size_t last = 0;

    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->place[i].input != NULL && outputs->place[i].number > last)
            last = outputs->place[i].number;
    for (size_t i = 0; i < outputs->count; i++) {
        const struct place *output = &outputs->place[i];

        if (output->input != NULL && (files->locks < FILES_LOCKED - 1 || output->number == last))
            files_lock_input(files, output->number);
    }
}

/* What is an input is ours from now on. Are the outputs still what they were when inputs were looked up among them?
 * Another run may have given its files their names meanwhile: then what was locked, or is read, is not what would be
 * replaced. If all is well, each file is told what it was, as that will be read. */
static void claim(const struct overlap_outputs *outputs, struct files *files)
{
    lock_inputs(outputs, files);
    for (size_t i = 0; i < outputs->count; i++) {
        const struct place *output = &outputs->place[i];
        struct stat now;

        if (sys_stat(output->path, &now) != 0 || find(outputs, &now) != output)
            fault_say("%s: has been replaced by others meanwhile, and stays as it is", output->path);
        if (output->input == NULL)
            continue;
        files_replace_input(files, output->number, &now);
        hints_refuse(&files->plan->format, files->plan->packs, output->input);
    }
}

void overlap_check(struct files *files, const char *const *inputs, size_t count)
{
    struct overlap overlap = {.outputs = {.count = 0}};

    if (files->plan->filter != NULL)
        return;
    take(&overlap.outputs, files->count);
    list_outputs(&overlap, files);
    if (overlap.full != NULL && operand_is_forgotten(inputs, count))
        fault_say("%s: left as it is, as no input is named, and standard input is /dev/null: name the input, "
                  "or /dev/null to empty it",
                  overlap.full);
    for (size_t i = 0; overlap.outputs.count > 0 && i < count; i++)
        look_up(&overlap, inputs[i]);
    for (size_t i = 0; i < overlap.outputs.count; i++) {
        const struct place *output = &overlap.outputs.place[i];

        if (output->input == NULL && !output->is_rest)
            keep_first(&overlap.only_output, output->path);
        if (output->input == NULL && output->is_full)
            keep_first(&overlap.older, output->path);
    }
    claim(&overlap.outputs, files);
    judge(&overlap);
    overlap_release(&overlap.outputs);
}

/* Look all inputs up among the last file and the shards that would come after it, as many as there are files: so that
 * is done again only when there are twice as many, not for each of them. */
static void look_ahead(struct overlap_outputs *ahead, const struct files *files, const char *const *inputs,
                       size_t count)
{
    const struct output_plan *plan = files->plan;
    struct stat status;

    overlap_release(ahead);
    take(ahead, files->count);
    for (size_t i = 0; i < files->count; i++) {
        char *name = pattern_name(plan->path, files->count - 1 - plan->splits + i);

        if (name == NULL)
            fault_report("memory", errno);
        if (sys_stat(name, &status) == 0 && S_ISREG(status.st_mode))
            add(ahead, &status);
        free(name);
    }
    sort(ahead);
    for (size_t i = 0; i < count; i++) {
        struct place *output = find_input(ahead, inputs[i]);

        if (output != NULL)
            output->input = inputs[i];
    }
}

void overlap_check_last(struct overlap_outputs *ahead, const struct files *files, const char *const *inputs,
                        size_t count)
{
    const char *path = files->file[files->count - 1].path;
    const struct place *output;
    struct stat status;

    if (files->plan->filter != NULL || sys_stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    if (find(ahead, &status) == NULL)
        look_ahead(ahead, files, inputs, count);
    output = find(ahead, &status);
    if (output != NULL && output->input != NULL)
        fault_say("%s is an input and an output file: give the output other names", path);
}

void overlap_release(struct overlap_outputs *outputs)
{
    free(outputs->place);
    *outputs = (struct overlap_outputs){.count = 0};
}

void overlap_check_count(const struct files *files, size_t count)
{
    const char *both = NULL;

    for (size_t i = 0; i < files->count; i++) {
        const struct output_file *file = &files->file[i];

        if (i >= count && both != NULL && file->is_input)
            report_half(both, file->path, "input");
        if (i < count && file->is_input)
            keep_first(&both, file->path);
    }
}
