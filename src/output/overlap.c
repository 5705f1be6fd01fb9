/* The inputs are looked up among the outputs, one by one: there may be millions of inputs, which are not kept in memory
 * unless a late shard exists already. */

#include "output/overlap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "input/contents.h"
#include "input/operand.h"
#include "output/division.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

/* Open the file that has the name of the output now. If it is no regular file any more, do not wait for it. */
static int open_output(const char *path, int mode)
{
    const int fd = io_open(path, mode | O_NOCTTY | O_NONBLOCK, 0);

    if (fd < 0)
        die_errno(path, errno);
    return fd;
}

/* End the run if it would empty a file because the name of the input was forgotten. Not for shards of an unknown
 * number, which may never be made. */
static void check_forgotten(const struct files *files, const char *input)
{
    struct stat status;

    for (size_t i = 0; i < division_files(files->plan); i++) {
        const char *path = files->file[i].path;

        if (path != NULL && sys_stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
            die("%s: left alone, since no input is named, and standard input is %s; name the input, "
                "or /dev/null to empty it",
                path, input);
    }
}

/* May the output be an input? */
static bool is_single(const struct files *files)
{
    return files->count == 1 && files->plan->splits == 0 && !files->plan->each && files->plan->filter == NULL &&
           !division_is(files->plan, DIVISION_NUMBERED) && sink_state(files->file[0].sink)->temporary != NULL;
}

/* The input that is also the output, or NULL. It must be the only input: else the output would have the records of all,
 * and the next run would add those of the others again. */
static const char *find_input(const struct files *files)
{
    const char *const *inputs = files->plan->inputs;
    struct stat status;

    for (size_t i = 0; i < files->plan->input_count; i++) {
        if (operand_stat(inputs[i], &status) != 0 || files_find(files, file_mark_of(&status).file) == FILES_NONE)
            continue;
        if (!is_single(files) || files->plan->input_count > 1)
            files_refuse_input(inputs[i]);
        return inputs[i];
    }
    return NULL;
}

/* Lock the file, which is ours from now on. */
static void lock_file(struct overlap *overlap, const char *path)
{
    *overlap = (struct overlap){.path = path, .lock = open_output(path, O_RDWR)};
    if (io_lock(overlap->lock, true) != 0 && errno == EWOULDBLOCK)
        die("%s: is being shuffled by another run", path);
    if (file_mark_open(&overlap->mark, overlap->lock) != 0)
        die_errno(path, errno);
}

/* Check that the file is the one that was found among the inputs, and will be replaced: another run may have replaced
 * it meanwhile. */
static void check_replaced(const struct files *files, const struct file_mark *mark)
{
    if (files_find(files, mark->file) != 0)
        die("%s: somebody else has replaced it meanwhile, so it is left alone", files->file[0].path);
}

void overlap_check(struct overlap *overlap, const struct files *files)
{
    const struct output_plan *plan = files->plan;
    const struct hints hints = {&plan->format, plan->header, plan->packs, false, .end_told = false};
    const struct output_file *first = &files->file[0];
    const char *input, *forgotten = operand_forgotten(plan->inputs, plan->input_count);
    struct file_mark now;
    struct stat status;

    if (plan->filter == NULL && forgotten != NULL)
        check_forgotten(files, forgotten);
    if (files->count == 1 && first->path == NULL)
        return;
    input = find_input(files);
    if (input != NULL) {
        lock_file(overlap, first->path);
        check_replaced(files, &overlap->mark);
        contents_refuse(input, &hints);
        sink_make_durable(first->sink);
    } else if (is_single(files) && sys_stat(first->path, &status) == 0) {
        now = file_mark_of(&status);
        if (file_mark_is_known(&now))
            check_replaced(files, &now);
    }
}

void overlap_check_again(const struct overlap *overlap)
{
    struct stat now;
    bool is_same;
    int fd;

    if (overlap->path == NULL)
        return;
    fd = open_output(overlap->path, O_RDONLY);
    is_same = file_mark_check(&overlap->mark, fd, -1) == 0;
    if ((!is_same && errno != ESTALE) || sys_fstat(fd, &now) != 0)
        die_errno(overlap->path, errno);
    if (!is_same)
        die("%s: somebody else has %s it meanwhile, so it is left alone", overlap->path,
            file_mark_of(&now).file == overlap->mark.file ? "changed" : "replaced");
    io_drop(fd);
}

void overlap_release(struct overlap *overlap)
{
    if (overlap->path != NULL)
        io_drop(overlap->lock);
    *overlap = (struct overlap){.path = NULL};
}
