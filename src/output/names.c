#include "output/names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/foreign.h"
#include "output/division.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/packer.h"
#include "system/sys.h"

/* The name of the regular file at `path`, or, if that is NULL, of the one to which standard output goes; to be freed;
 * NULL: unknown. A file in the current folder has no folder in its name. */
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

void names_check(const struct files *files)
{
    for (size_t i = 0; i < files_named(files) && files->plan->filter == NULL; i++)
        if (files_packer(files, i) == NULL && (files->file[i].path != NULL || division_is_wanted(files->plan, i)))
            check_compressed(files, i);
}

void names_warn(const struct files *files)
{
    if (!files->plan->packs)
        names_check(files);
    for (size_t i = 0; i < files_named(files) && files->plan->filter == NULL; i++) {
        const char *path = files->file[i].path;

        if (path != NULL && !division_is_shard(files->plan, i) && output_plan_is_pattern(path, false))
            fault_warn("%s: will be one file of just this name; add --shards for numbered files", path);
    }
}
