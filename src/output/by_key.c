/* Most units come whole, many in a piece: all threads find their keys, each on its own. That of a unit that comes in
 * pieces is looked for when they are written. */

#include "output/by_key.h"

#include "base/arithmetic.h"
#include "output/strata.h"
#include "record/hasher.h"
#include "system/fault.h"

/* Found instead of a file or class: the key was not looked for yet, or the unit has none. */
#define UNKNOWN UINT32_MAX

static void check_key(const struct output_plan *plan)
{
    if (plan->splits > OUTPUT_BESIDE_MAX)
        die("%s: more than %d splits", plan->split_by->option, OUTPUT_BESIDE_MAX);
    for (size_t i = 1; i < plan->splits && division_is(plan, DIVISION_CLASSES); i++)
        if (plan->split[i].is_percentage != plan->split[0].is_percentage)
            die("--stratify-field: give each --split a percentage, or each a number of records");
}

static void begin_keys(struct division *division)
{
    const struct output_plan *plan = division->plan;
    /* For all threads, and one more for units that come in pieces. */
    struct hasher *hasher = hasher_new(&plan->split_key, plan->strata != NULL ? STRATA_LABEL : "split",
                                       division->kind->option, plan->threads + 1);
    hasher_begin(hasher, plan->key);
    if (plan->strata != NULL)
        strata_settle(plan->strata);
    division->own = hasher;
}

/* The record in which a unit has its key, as far as it is in these bytes; `last` says whether it ends there. A group
 * has it in its first record. */
static struct siphash_text record_with_key(const struct output_plan *plan, struct record_scan *scan,
                                           const uint8_t *data, size_t bytes, bool *last)
{
    uint32_t end;

    if (plan->groups)
        *last = record_ends(&plan->format, scan, data, bytes, &end, 1, &bytes) > 0;
    return (struct siphash_text){data, bytes};
}

/* The file, or the number of the class, by the hash of the key. By any thread. */
static uint32_t find_place(const struct output_plan *plan, struct siphash_pair hash)
{
    if (plan->strata != NULL)
        return strata_find(plan->strata, hash);
    return (uint32_t)split_of_hash(plan->split, plan->splits, hash.word[0]);
}

static void find_keys(struct division *division, unsigned thread, const struct units *units)
{
    enum { AT_ONCE = 32 };
    const struct output_plan *plan = division->plan;
    struct hasher *hasher = division->own;
    size_t from = units->continues && units->count > 0 ? units_end(units, 0) : 0;

    for (size_t first = units->continues, count; first < units->count; first += count) {
        struct siphash_text record[AT_ONCE];
        struct siphash_pair hash[AT_ONCE];
        size_t found;

        count = least_size(units->count - first, AT_ONCE);
        for (size_t i = 0; i < count; from = units_end(units, first + i++))
            record[i] = record_with_key(plan, &(struct record_scan){0}, units->data + from,
                                        units_end(units, first + i) - from, &(bool){true});
        found = hasher_whole(hasher, thread, record, count, hash);
        for (size_t i = 0; i < found && plan->strata != NULL; i++)
            strata_announce(plan->strata, hash[i]);
        for (size_t i = 0; i < count; i++)
            units_mark(units, first + i)->found = i < found ? find_place(plan, hash[i]) : UNKNOWN;
    }
}

static size_t place_by_key(struct division *division, const struct units *units, size_t first, size_t most,
                           size_t *file)
{
    const struct output_plan *plan = division->plan;
    struct hasher *hasher = division->own;
    const bool begins = first > 0 || !units->continues, ends = first < units->count;
    const size_t from = first > 0 ? units_end(units, first - 1) : 0, to = ends ? units_end(units, first) : units->bytes;
    uint32_t found = begins && ends ? units_mark(units, first)->found : UNKNOWN;
    size_t count = 1;

    if (found == UNKNOWN) {
        bool last = ends;
        struct siphash_text record;
        struct siphash_pair hash;
        enum key_found key;

        if (begins)
            division->scan = (struct record_scan){0};
        record = record_with_key(plan, &division->scan, units->data + from, to - from, &last);
        key = hasher_piece(hasher, plan->threads, record.data, record.bytes, begins, last, &hash);
        if (key == KEY_TO_COME)
            return DIVISION_HOLD;
        if (key == KEY_MISSING)
            hasher_refuse(hasher, plan->threads, division->kind->option, 0, record.data, to - from - ends);
        found = find_place(plan, hash);
    }
    if (plan->strata != NULL) {
        *file = strata_deal(plan->strata, found);
        return 1;
    }
    *file = found;
    while (count < most && units_mark(units, first + count)->found == found)
        count++;
    return count;
}

static void end_keys(struct division *division)
{
    hasher_warn(division->own);
}

static void release_keys(struct division *division)
{
    hasher_free(division->own);
}

#define BY_KEY                                                                                                         \
    .check = check_key, .begin = begin_keys, .find = find_keys, .place = place_by_key, .end = end_keys,                \
    .release = release_keys

/* Messages name the option, since the output does not know from which file a record comes. */
const struct division_kind by_key_field = {.option = "--split-field",
                                           .traits = DIVISION_ENDS | DIVISION_BESIDE,
                                           BY_KEY,
                                           .empty = "no value of --split-field came there by chance"};
const struct division_kind by_key_class = {
    .option = "--stratify-field", .traits = DIVISION_ENDS | DIVISION_BESIDE | DIVISION_CLASSES, BY_KEY};
