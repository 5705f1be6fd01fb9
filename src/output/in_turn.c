/* If bytes are counted, a unit whose end has not come yet may be too large for the file, so it is held back; but not
 * the first unit of a file, which takes it whatever its size, nor a unit that is too large already. */

#include "output/in_turn.h"

#include "base/arithmetic.h"
#include "output/files.h"
#include "record/group.h"
#include "system/fault.h"

/* ---- One file gets all ---- */

static size_t place_all(struct division *division, const struct units *units, size_t first, size_t most, size_t *file)
{
    (void)units;
    (void)first;
    *file = division->file;
    return most;
}

const struct division_kind in_turn_whole = {.place = place_all};

/* ---- By number ---- */

static size_t place_by_number(struct division *division, const struct units *units, size_t first, size_t most,
                              size_t *file)
{
    for (; division->left == 0; division->left = division->kind->takes(division))
        division->file++;
    most = (size_t)least(most, division->left);
    division->left -= most;
    return place_all(division, units, first, most, file);
}

static uint64_t split_leaves(const struct output_plan *plan, uint64_t units)
{
    const uint64_t taken = units < UINT64_MAX ? split_total(plan->split, plan->splits, units) : 0;

    if (taken > units)
        die("--split: the files must not take more than the %llu records there are", (unsigned long long)units);
    return units - taken;
}

static uint64_t split_takes(const struct division *division)
{
    const struct output_plan *plan = division->plan;

    return division->file < plan->splits ? split_records(plan->split, division->file, division->units) : UINT64_MAX;
}

enum { MANY_RECORDS = 10000 }; /* hardly anybody splits 20 off these */

/* A percentage of few records may be none; and a small count of many records may be meant as a percentage. */
static void warn_of_small_splits(struct division *division)
{
    const struct output_plan *plan = division->plan;
    const unsigned long long units = division->units;

    for (size_t i = 0; i < plan->splits && units > 0; i++) {
        const struct split *split = &plan->split[i];
        const unsigned long long amount = split->amount;

        if (!split->is_percentage && amount > 0 && amount % 5 == 0 && amount <= 50 && units >= MANY_RECORDS)
            fault_warn("--split=%llu:%s takes %llu of %llu records; for a share write --split=%llu%%:%s", amount,
                       split->path, amount, units, amount, split->path);
        if (amount > 0 && split_records(plan->split, i, units) == 0)
            fault_warn("%s: will be empty, since its share of %llu records is less than one",
                       division->files->file[division->first + i].path, units);
    }
}

const struct division_kind in_turn_splits = {.traits = DIVISION_ENDS | DIVISION_TOTAL,
                                             .leaves = split_leaves,
                                             .begin = warn_of_small_splits,
                                             .takes = split_takes,
                                             .place = place_by_number};

static uint64_t shards_leave(const struct output_plan *plan, uint64_t units)
{
    if (plan->shards > units && plan->shards - units > OUTPUT_EMPTY_MAX)
        die("%s: more than %d of the %llu shards would be empty; use fewer, or --shards=records:N", plan->path,
            OUTPUT_EMPTY_MAX, (unsigned long long)plan->shards);
    return 0;
}

static uint64_t shard_takes(const struct division *division)
{
    const uint64_t count = division->plan->shards, shard = division->file - division->plan->splits;

    if (shard == count) /* no further shard may come */
        return UINT64_MAX;
    return division->units / count + (shard < division->units % count);
}

static void warn_of_empty_shards(struct division *division)
{
    const struct output_plan *plan = division->plan;

    if (plan->shards > division->units)
        fault_warn("%s: %llu of the %llu shards are empty; --shards=records:N makes only as many as are needed",
                   plan->path, (unsigned long long)(plan->shards - division->units), (unsigned long long)plan->shards);
}

const struct division_kind in_turn_shards = {.traits = DIVISION_ENDS | DIVISION_TOTAL | DIVISION_NUMBERED,
                                             .leaves = shards_leave,
                                             .begin = warn_of_empty_shards,
                                             .takes = shard_takes,
                                             .place = place_by_number};

static uint64_t shards_of_records_leave(const struct output_plan *plan, uint64_t units)
{
    const uint64_t most = plan->shard_records;

    if (units < UINT64_MAX && units / most + (units % most > 0) > OUTPUT_FILES_MAX - plan->splits)
        die("%s: more than %d files; make fewer", plan->path, OUTPUT_FILES_MAX);
    return 0;
}

static uint64_t shard_of_records_takes(const struct division *division)
{
    return division->plan->shard_records;
}

const struct division_kind in_turn_records = {.traits = DIVISION_ENDS | DIVISION_NUMBERED | DIVISION_OPEN,
                                              .leaves = shards_of_records_leave,
                                              .takes = shard_of_records_takes,
                                              .place = place_by_number};

/* ---- By bytes, not counting frames of archives ---- */

/* The bytes so far of unit `i`, which begins or goes on at `from`. */
static uint64_t bytes_of_unit(const struct division *division, const struct units *units, size_t i, size_t from)
{
    const size_t to = i < units->count ? units_end(units, i) : units->bytes;
    struct record_scan scan = i == 0 ? division->scan : (struct record_scan){0};

    return (i == 0 ? division->held_bytes : 0) +
           group_text(&division->plan->format, &scan, units->data + from, to - from, NULL);
}

static bool fits_in_file(const struct division *division, uint64_t file_bytes, uint64_t bytes)
{
    const uint64_t room = framing_room(&division->plan->framing, division->plan->shard_bytes);

    return file_bytes == 0 || (file_bytes <= room && bytes <= room - file_bytes);
}

/* As place_by_bytes; but 0: none of them fits into this file. */
static size_t place_in_file(const struct division *division, const struct units *units, size_t first, size_t most)
{
    size_t from = first > 0 ? units_end(units, first - 1) : 0, i = first;
    uint64_t file_bytes = division->file_bytes, bytes;

    if (first == units->count) {
        bytes = bytes_of_unit(division, units, first, from);
        return file_bytes > 0 && fits_in_file(division, file_bytes, bytes) ? DIVISION_HOLD : file_bytes == 0;
    }
    for (; i - first < most; from = units_end(units, i++)) {
        bytes = bytes_of_unit(division, units, i, from);
        if (!fits_in_file(division, file_bytes, bytes))
            break;
        file_bytes += bytes;
    }
    return i - first;
}

static size_t place_by_bytes(struct division *division, const struct units *units, size_t first, size_t most,
                             size_t *file)
{
    size_t count;

    while ((count = place_in_file(division, units, first, most)) == 0) {
        division->file++;
        division->file_bytes = 0;
    }
    return place_all(division, units, first, count, file);
}

const struct division_kind in_turn_bytes = {.traits = DIVISION_ENDS | DIVISION_NUMBERED | DIVISION_OPEN,
                                            .place = place_by_bytes};
