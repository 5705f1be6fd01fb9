/* If bytes are counted, a unit whose end has not come yet may be too large for the file, so it is held back. Not if it
 * is the first one of the file, which takes it whatever its size; nor if it is too large already. */

#include "output/division.h"

#include "base/arithmetic.h"
#include "record/group.h"

struct division_kind {
    /* How many units the file takes, of `rest` that the splits leave if it is none of these; NULL: any number. */
    uint64_t (*takes)(const struct division *division, uint64_t rest);

    /* As division_place, but 0: none of them goes to this file, as it is full. */
    size_t (*place)(struct division *division, const struct units *units, size_t first, uint64_t file_bytes);
};

/* ---- All that come ---- */

static size_t place_all(struct division *division, const struct units *units, size_t first, uint64_t file_bytes)
{
    (void)division;
    (void)file_bytes;
    return first < units->count ? units->count - first : 1;
}

static const struct division_kind whole_kind = {.place = place_all};

/* ---- By number ---- */

static size_t place_by_number(struct division *division, const struct units *units, size_t first, uint64_t file_bytes)
{
    const size_t count = (size_t)least(place_all(division, units, first, file_bytes), division->left);

    division->left -= count;
    return count;
}

static uint64_t split_takes(const struct division *division, uint64_t rest)
{
    (void)rest;
    return split_records(division->plan->split, division->file, division->units);
}

static const struct division_kind split_kind = {split_takes, place_by_number};

static uint64_t shard_takes(const struct division *division, uint64_t rest)
{
    const uint64_t shards = division->plan->shards, shard = division->file - division->plan->splits;

    return shard == shards ? UINT64_MAX : rest / shards + (shard < rest % shards); /* there must be no more */
}

static const struct division_kind shards_kind = {shard_takes, place_by_number};

static uint64_t shard_of_records_takes(const struct division *division, uint64_t rest)
{
    (void)rest;
    return division->plan->shard_records;
}

static const struct division_kind shard_records_kind = {shard_of_records_takes, place_by_number};

/* ---- By bytes, without frames of archives ---- */

/* How many bytes unit `i` has so far, which begins or goes on at `from`. *scan is at the end of these. */
static uint64_t bytes_of(const struct division *division, const struct units *units, size_t i, size_t from,
                         struct record_scan *scan)
{
    const size_t to = i < units->count ? units_end(units, i) : units->bytes;

    *scan = i == 0 ? division->scan : (struct record_scan){0};
    return (i == 0 ? division->held_bytes : 0) +
           group_text(&division->plan->framing.format, scan, units->data + from, to - from, NULL);
}

static bool fits(const struct division *division, uint64_t file_bytes, uint64_t bytes)
{
    const uint64_t room = framing_room(&division->plan->framing, division->plan->shard_bytes);

    return file_bytes == 0 || (file_bytes <= room && bytes <= room - file_bytes);
}

static size_t place_by_bytes(struct division *division, const struct units *units, size_t first, uint64_t file_bytes)
{
    size_t from = first > 0 ? units_end(units, first - 1) : 0, i = first;
    struct record_scan scan;
    uint64_t bytes;

    for (; i < units->count; from = units_end(units, i++)) {
        bytes = bytes_of(division, units, i, from, &scan);
        if (!fits(division, file_bytes, bytes))
            break;
        file_bytes += bytes;
    }
    if (first < units->count)
        return i - first;
    bytes = bytes_of(division, units, first, from, &scan);
    if (file_bytes == 0 || !fits(division, file_bytes, bytes))
        return file_bytes == 0;
    division->held_bytes = bytes;
    division->scan = scan;
    return DIVISION_HOLD;
}

static const struct division_kind shard_bytes_kind = {NULL, place_by_bytes};

/* ---- One file after the other ---- */

static const struct division_kind *kind_of(const struct division *division)
{
    const struct output_plan *plan = division->plan;

    return division->file < plan->splits ? &split_kind
           : plan->shards > 0            ? &shards_kind
           : plan->shard_records > 0     ? &shard_records_kind
           : plan->shard_bytes > 0       ? &shard_bytes_kind
                                         : &whole_kind;
}

static void begin_file(struct division *division, size_t file)
{
    const struct output_plan *plan = division->plan;
    const struct division_kind *kind;

    division->file = file;
    kind = kind_of(division);
    division->left = kind->takes != NULL ? kind->takes(division, output_plan_rest(plan, division->units)) : UINT64_MAX;
}

void division_begin(struct division *division, const struct output_plan *plan, uint64_t units)
{
    *division = (struct division){.plan = plan, .units = units};
    begin_file(division, output_plan_has_sides(plan) ? plan->splits : 0);
}

size_t division_place(struct division *division, const struct units *units, size_t first, uint64_t file_bytes)
{
    size_t count;

    while ((count = kind_of(division)->place(division, units, first, file_bytes)) == 0) {
        begin_file(division, division->file + 1);
        file_bytes = 0;
    }
    if (count != DIVISION_HOLD) {
        division->held_bytes = 0;
        division->scan = (struct record_scan){0};
    }
    return count;
}
