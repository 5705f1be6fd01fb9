/* All that can be told of the outputs from the options alone, before any file is looked at. */

#include "output/plan.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "system/fault.h"
#include "system/sys.h"

/* ---- Names of shards ---- */

/* Whether a pattern is checked or a name is made of it, it is read part by part. */
enum part { END, TEXT, NUMBER, WRONG };

/* Read the directive at `percent`, and how many digits it wants. Returns what follows it, or NULL if it is none. */
static const char *read_number(const char *percent, int *digits)
{
    const char *at = percent + 1;

    *digits = 1;
    if (*at == '0') {
        for (*digits = 0; *at >= '0' && *at <= '9' && *digits <= OUTPUT_DIGITS_MAX; at++)
            *digits = *digits * 10 + (*at - '0');
        if (*digits == 0 || *digits > OUTPUT_DIGITS_MAX)
            return NULL;
    }
    return *at == 'd' ? at + 1 : NULL;
}

/* Read the part that begins at *at, and move *at behind it: TEXT of *length bytes at *text, or a NUMBER of at least
 * *digits digits. */
static enum part next_part(const char **at, const char **text, size_t *length, int *digits)
{
    const char *after;

    *text = *at;
    if (**at == '\0')
        return END;
    *length = strcspn(*at, "%");
    if (*length == 0 && (*at)[1] == '%') {
        *length = 1;
        *at += 2;
        return TEXT;
    }
    if (*length > 0) {
        *at += *length;
        return TEXT;
    }
    after = read_number(*at, digits);
    if (after == NULL)
        return WRONG;
    *at = after;
    return NUMBER;
}

bool output_plan_is_pattern(const char *pattern)
{
    const char *at = pattern, *text;
    enum part part;
    size_t length;
    int digits, numbers = 0;

    while ((part = next_part(&at, &text, &length, &digits)) == TEXT || part == NUMBER)
        numbers += part == NUMBER;
    return part == END && numbers == 1;
}

char *output_plan_name(const char *pattern, uint64_t number)
{
    size_t room = strlen(pattern) + OUTPUT_DIGITS_MAX + 1, used = 0, length;
    const char *at = pattern, *text;
    char *name = sys_allocate(room, 1);
    enum part part;
    int digits;

    if (name == NULL)
        return NULL;
    while ((part = next_part(&at, &text, &length, &digits)) != END) {
        if (part == NUMBER) {
            used += (size_t)snprintf(name + used, room - used, "%0*llu", digits, (unsigned long long)number);
        } else {
            memcpy(name + used, text, length);
            used += length;
        }
    }
    return name;
}

/* ---- How records are divided ---- */

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
    if (output_plan_has_shards(plan) && (plan->path == NULL || !output_plan_is_pattern(plan->path)))
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
