/* All that can be told of the outputs from the options alone, before any file is looked at. */

#include "output/plan.h"

#include "output/pattern.h"

bool output_plan_has_sides(const struct output_plan *plan)
{
    return plan->split_field.number > 0;
}

bool output_plan_has_shards(const struct output_plan *plan)
{
    return plan->shards > 0 || output_plan_is_open_ended(plan);
}

bool output_plan_is_open_ended(const struct output_plan *plan)
{
    return plan->shard_records > 0 || plan->shard_bytes > 0;
}

size_t output_plan_files(const struct output_plan *plan)
{
    return plan->splits + (size_t)plan->shards + !output_plan_has_shards(plan);
}

bool output_plan_is_shard(const struct output_plan *plan, size_t number)
{
    return output_plan_has_shards(plan) && number >= plan->splits;
}

uint64_t output_plan_empty(const struct output_plan *plan, uint64_t records)
{
    const uint64_t taken = records < UINT64_MAX ? output_plan_split_total(plan, records) : 0;
    const uint64_t left = taken < records ? records - taken : 0;
    const uint64_t empty = plan->shards > left ? plan->shards - left : 0;

    if (empty > OUTPUT_EMPTY_MAX)
        fault_say("%s: more than %d of the %llu shards would be empty: use fewer, or --shard-records", plan->path,
                  OUTPUT_EMPTY_MAX, (unsigned long long)plan->shards);
    return empty;
}

void output_plan_check(const struct output_plan *plan)
{
    if (output_plan_has_shards(plan) && (plan->path == NULL || !pattern_is_valid(plan->path)))
        fault_say("%s: a name with one %%d, or %%0Nd for N digits, is needed, such as part-%%05d",
                  plan->path == NULL ? "standard output" : fault_name(plan->path));
    if (plan->shards > OUTPUT_FILES_MAX)
        fault_say("%s: more than %d files", plan->path, OUTPUT_FILES_MAX);
    if (output_plan_has_sides(plan) && plan->splits > OUTPUT_SIDES_MAX)
        fault_say("--split-field: more than %d splits", OUTPUT_SIDES_MAX);
    if (split_exceeds_whole(plan->split, plan->splits))
        fault_say("the splits take more than 100%% of the records");
    (void)output_plan_empty(plan, plan->most_records);
}

uint64_t output_plan_split_total(const struct output_plan *plan, uint64_t records)
{
    return output_plan_has_sides(plan) ? 0 : split_total(plan->split, plan->splits, records);
}

void output_plan_check_records(const struct output_plan *plan, uint64_t records)
{
    const uint64_t taken = output_plan_split_total(plan, records), shard = plan->shard_records;

    if (records == UINT64_MAX)
        return;
    if (taken > records)
        fault_say("the splits take more than the %llu records there are", (unsigned long long)records);
    records -= taken;
    if (shard > 0 && !output_plan_has_sides(plan) &&
        records / shard + (records % shard > 0) > OUTPUT_FILES_MAX - plan->splits)
        fault_say("%s: more than %d files", plan->path, OUTPUT_FILES_MAX);
}

uint64_t output_plan_quota(const struct output_plan *plan, size_t number, uint64_t records)
{
    const uint64_t rest = records - output_plan_split_total(plan, records);

    if (number < plan->splits)
        return split_records(plan->split, plan->splits, number, records);
    if (plan->shards > 0)
        return rest / plan->shards + (number - plan->splits < rest % plan->shards);
    return plan->shard_records > 0 ? plan->shard_records : UINT64_MAX;
}

uint64_t output_plan_limit_bytes(const struct output_plan *plan, size_t number)
{
    return plan->shard_bytes > 0 && output_plan_is_shard(plan, number) ? framing_room(&plan->framing, plan->shard_bytes)
                                                                       : UINT64_MAX;
}
