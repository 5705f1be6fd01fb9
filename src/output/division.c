/* All that the options alone tell about a division, before any file is looked at. */

#include "output/division.h"

#include <string.h>

#include "system/fault.h"

static unsigned traits(const struct division_kind *kind)
{
    return kind != NULL ? kind->traits : 0;
}

bool division_is(const struct output_plan *plan, unsigned trait)
{
    return ((traits(plan->split_by) | traits(plan->rest_by)) & trait) != 0;
}

/* Standard output is not even looked at if it gets no record. */
size_t division_files(const struct output_plan *plan)
{
    const bool all = plan->path == NULL && split_percentages(plan->split, plan->splits) == SPLIT_WHOLE;

    return plan->splits + (size_t)plan->shards + (!all && !division_is(plan, DIVISION_NUMBERED));
}

bool division_is_shard(const struct output_plan *plan, size_t number)
{
    return division_is(plan, DIVISION_NUMBERED) && number >= plan->splits;
}

const char *division_called(const struct output_plan *plan, size_t number)
{
    if (number < plan->splits)
        return plan->split[number].path;
    return plan->path != NULL ? plan->path : "standard output";
}

bool division_is_wanted(const struct output_plan *plan, size_t number)
{
    if (number < plan->splits)
        return plan->split[number].amount > 0;
    return split_percentages(plan->split, plan->splits) != SPLIT_WHOLE && !division_is(plan, DIVISION_NUMBERED) &&
           strcmp(division_called(plan, number), "/dev/null") != 0;
}

/* Check the plan of --each. The rest may be thrown away. */
static void check_each(const struct output_plan *plan)
{
    for (size_t i = 0; i < division_files(plan); i++) {
        const char *path = i < plan->splits ? plan->split[i].path : plan->path;

        if (path == NULL)
            die("--each: what --split leaves has no FILE; add -o 'rest/%%s', or -o /dev/null");
        else if (!output_plan_is_pattern(path, true) && strcmp(path, "/dev/null") != 0)
            die("%s: must contain one %%s, for the name of each FILE, such as 'new/%%s'", fault_name(path));
    }
}

void division_check(const struct output_plan *plan)
{
    if (plan->each)
        check_each(plan);
    if (division_is(plan, DIVISION_NUMBERED) && (plan->path == NULL || !output_plan_is_pattern(plan->path, false)))
        die("%s: must contain one %%d, or %%0Nd for N digits, such as part-%%05d",
            plan->path == NULL ? "standard output" : fault_name(plan->path));
    if (plan->shards > OUTPUT_FILES_MAX)
        die("%s: more than %d files; make fewer", plan->path, OUTPUT_FILES_MAX);
    if (plan->split_by != NULL && plan->split_by->check != NULL)
        plan->split_by->check(plan);
    for (size_t i = 0; i <= plan->splits && plan->filter == NULL; i++)
        if (strcmp(division_called(plan, i), "-") == 0)
            die("-: is no name for standard output, which is written to without -o; write ./- for such a file");
    if (split_percentages(plan->split, plan->splits) > SPLIT_WHOLE)
        die("--split: the percentages must not be more than 100%% together");
}
