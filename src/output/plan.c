/* All that can be told of the outputs from the options alone, before any file is looked at. */

#include "output/plan.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "system/fault.h"
#include "system/sys.h"

/* ---- Names by patterns ---- */

/* Read the place of a name, or of a number, after a percent sign: how many digits that wants. Returns what follows it,
 * or NULL if it is no such place. */
static const char *read_place(const char *at, bool each, uint64_t *digits)
{
    *digits = 1;
    if (each)
        return at[1] == 's' ? at + 2 : NULL;
    at = at[1] == '0' ? number_digits(at + 1, digits) : at + 1;
    return at != NULL && *at == 'd' && *digits > 0 && *digits <= OUTPUT_DIGITS_MAX ? at + 1 : NULL;
}

bool output_plan_is_pattern(const char *pattern, bool each)
{
    int places = 0;
    uint64_t digits;

    for (const char *at = strchr(pattern, '%'); at != NULL; at = strchr(at, '%')) {
        const bool is_text = at[1] == '%';

        at = is_text ? at + 2 : read_place(at, each, &digits);
        places += !is_text;
        if (at == NULL)
            return false;
    }
    return places == 1;
}

char *output_plan_name(const char *pattern, uint64_t number, const char *input)
{
    const char *last = input != NULL && strrchr(input, '/') != NULL ? strrchr(input, '/') + 1 : input;
    const size_t room = strlen(pattern) + (input != NULL ? strlen(last) : OUTPUT_DIGITS_MAX) + 1;
    char *name = sys_allocate(room, 1);
    uint64_t digits;
    size_t used = 0;

    for (const char *at = pattern; name != NULL && *at != '\0';) {
        if (at[0] == '%' && at[1] != '%') {
            at = read_place(at, input != NULL, &digits);
            used += input != NULL
                        ? (size_t)snprintf(name + used, room - used, "%s", last)
                        : (size_t)snprintf(name + used, room - used, "%0*llu", (int)digits, (unsigned long long)number);
        } else {
            name[used++] = *at;
            at += at[0] == '%' ? 2 : 1;
        }
    }
    return name;
}

/* ---- How records are divided ---- */

bool output_plan_has_sides(const struct output_plan *plan)
{
    return plan->split_key.choice != NULL;
}

bool output_plan_has_shards(const struct output_plan *plan)
{
    return plan->shards > 0 || output_plan_is_open_ended(plan);
}

bool output_plan_is_open_ended(const struct output_plan *plan)
{
    return plan->shard_records > 0 || plan->shard_bytes > 0;
}

/* Standard output that gets no record is not even looked at. */
size_t output_plan_files(const struct output_plan *plan)
{
    const bool all = plan->path == NULL && split_percentages(plan->split, plan->splits) == SPLIT_WHOLE;

    return plan->splits + (size_t)plan->shards + (!all && !output_plan_has_shards(plan));
}

bool output_plan_is_shard(const struct output_plan *plan, size_t number)
{
    return output_plan_has_shards(plan) && number >= plan->splits;
}

const char *output_plan_called(const struct output_plan *plan, size_t number)
{
    if (number < plan->splits)
        return plan->split[number].path;
    return plan->path != NULL ? plan->path : "standard output";
}

bool output_plan_is_wanted(const struct output_plan *plan, size_t number)
{
    if (number < plan->splits)
        return plan->split[number].amount > 0;
    return split_percentages(plan->split, plan->splits) != SPLIT_WHOLE && !output_plan_has_shards(plan) &&
           strcmp(output_plan_called(plan, number), "/dev/null") != 0;
}

/* How many of so many records in all the splits take, which may be more than there are; 0 if a field decides. */
static uint64_t split_off(const struct output_plan *plan, uint64_t records)
{
    return output_plan_has_sides(plan) ? 0 : split_total(plan->split, plan->splits, records);
}

/* With --each. What is left may be thrown away. */
static void check_each(const struct output_plan *plan)
{
    for (size_t i = 0; i < output_plan_files(plan); i++) {
        const char *path = i < plan->splits ? plan->split[i].path : plan->path;

        if (path == NULL)
            die("--each: what --split leaves has no FILE; add -o 'rest/%%s', or -o /dev/null");
        else if (!output_plan_is_pattern(path, true) && strcmp(path, "/dev/null") != 0)
            die("%s: must contain one %%s, for the name of each FILE, such as 'new/%%s'", fault_name(path));
    }
}

void output_plan_check(const struct output_plan *plan)
{
    if (plan->each)
        check_each(plan);
    if (output_plan_has_shards(plan) && (plan->path == NULL || !output_plan_is_pattern(plan->path, false)))
        die("%s: must contain one %%d, or %%0Nd for N digits, such as part-%%05d",
            plan->path == NULL ? "standard output" : fault_name(plan->path));
    if (plan->shards > OUTPUT_FILES_MAX)
        die("%s: more than %d files; make fewer", plan->path, OUTPUT_FILES_MAX);
    if (output_plan_has_sides(plan) && plan->splits > OUTPUT_SIDES_MAX)
        die("%s: more than %d splits", plan->strata != NULL ? "--stratify-field" : "--split-field", OUTPUT_SIDES_MAX);
    for (size_t i = 1; i < plan->splits && plan->strata != NULL; i++)
        if (plan->split[i].is_percentage != plan->split[0].is_percentage)
            die("--stratify-field: give each --split a percentage, or each a number of records");
    for (size_t i = 0; i <= plan->splits && plan->filter == NULL; i++)
        if (strcmp(output_plan_called(plan, i), "-") == 0)
            die("-: is no name for standard output, which is written to without -o; write ./- for such a file");
    if (split_percentages(plan->split, plan->splits) > SPLIT_WHOLE)
        die("--split: the percentages must not be more than 100%% together");
}

uint64_t output_plan_check_records(const struct output_plan *plan, uint64_t records)
{
    const uint64_t taken = split_off(plan, records), shard = plan->shard_records;
    uint64_t empty;

    if (records == UINT64_MAX)
        return 0;
    if (taken > records)
        die("--split: the files must not take more than the %llu records there are", (unsigned long long)records);
    records -= taken;
    if (shard > 0 && !output_plan_has_sides(plan) &&
        records / shard + (records % shard > 0) > OUTPUT_FILES_MAX - plan->splits)
        die("%s: more than %d files; make fewer", plan->path, OUTPUT_FILES_MAX);
    empty = plan->shards > records ? plan->shards - records : 0;
    if (empty > OUTPUT_EMPTY_MAX)
        die("%s: more than %d of the %llu shards would be empty; use fewer, or --shards=records:N", plan->path,
            OUTPUT_EMPTY_MAX, (unsigned long long)plan->shards);
    return empty;
}

uint64_t output_plan_rest(const struct output_plan *plan, uint64_t records)
{
    return records - split_off(plan, records);
}
