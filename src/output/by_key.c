/* Most units come whole, many in a piece: all threads find their keys, each on its own. The key of a unit that comes in
 * pieces is followed through these when they are written. */

#include "output/by_key.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/random.h"
#include "output/strata.h"
#include "record/key.h"
#include "system/fault.h"
#include "system/sys.h"

/* Found instead of a file or class: the unit has no key, and is refused when it is written; or more of it must come. */
#define MISSING UINT32_MAX
#define TO_COME (UINT32_MAX - 1)

/* For a thread that finds keys. */
struct key_finder {
    _Alignas(SYS_APART_BYTES) struct key *key;
    struct key_watch watch;
    struct record_scan scan; /* of the first record of a group */
};

struct by_key {
    struct siphash_key hashing;
    struct key_finder *own;     /* for units that come in pieces */
    struct key_finder finder[]; /* one for each thread, and `own` */
};

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
    struct by_key *own = sys_allocate_apart(1, sizeof *own + (plan->threads + 1) * sizeof *own->finder);

    if (own == NULL)
        die_errno("memory", errno);
    own->own = &own->finder[plan->threads];
    for (unsigned i = 0; i <= plan->threads; i++)
        own->finder[i].key = key_new(&plan->split_key);
    own->hashing = plan->strata != NULL ? *strata_hashing(plan->strata) : random_hashing(plan->key, "split");
    if (plan->strata != NULL)
        strata_settle(plan->strata);
    division->own = own;
}

/* Look for the key in the next bytes of a unit, perhaps its `first` or `last` ones. A group has it in its first record.
 * Returns 0 and the digest of the key, or MISSING or TO_COME. */
static uint32_t look_for_key(const struct division *division, struct key_finder *finder, const uint8_t *data,
                             size_t bytes, bool first, bool last, struct siphash_pair *digest)
{
    const struct output_plan *plan = division->plan;
    const bool whole = first && last;
    struct key *key = finder->key;
    uint32_t end;

    if (first)
        finder->scan = (struct record_scan){0};
    if (plan->groups)
        last = record_ends(&plan->format, &finder->scan, data, bytes, &end, 1, &bytes) > 0;
    if (whole)
        (void)key_find(key, data, bytes);
    else if (key_take(key, data, bytes, first, last) == KEY_TO_COME)
        return TO_COME;
    if (key->verdict != FIELD_FOUND)
        return MISSING;
    key_saw(&finder->watch, key, whole ? data : NULL, whole ? bytes - 1 : 0);
    *digest = siphash_pair(&((struct by_key *)division->own)->hashing, key->text, key->bytes);
    if (plan->strata != NULL)
        strata_announce(plan->strata, *digest);
    return 0;
}

/* The file, or the number of the class, by the digest of the key. By any thread. */
static uint32_t find_place(const struct output_plan *plan, struct siphash_pair digest)
{
    if (plan->strata != NULL)
        return strata_find(plan->strata, digest);
    return (uint32_t)split_of_hash(plan->split, plan->splits, digest.word[0]);
}

static void find_keys(struct division *division, unsigned thread, const struct units *units)
{
    enum { AT_ONCE = 32 };
    struct key_finder *finder = &((struct by_key *)division->own)->finder[thread];
    size_t from = units->continues && units->count > 0 ? units_end(units, 0) : 0;

    for (size_t first = units->continues, end; first < units->count; first = end) {
        struct siphash_pair digest[AT_ONCE];

        end = least_size(first + AT_ONCE, units->count);
        for (size_t i = first; i < end; i++) {
            struct unit_mark *mark = units_mark(units, i);

            mark->found =
                look_for_key(division, finder, units->data + from, mark->end - from, true, true, &digest[i - first]);
            from = mark->end;
        }
        for (size_t i = first; i < end; i++)
            if (units_mark(units, i)->found != MISSING)
                units_mark(units, i)->found = find_place(division->plan, digest[i - first]);
    }
}

static size_t place_by_key(struct division *division, const struct units *units, size_t first, size_t most,
                           size_t *file)
{
    struct key_finder *own = ((struct by_key *)division->own)->own;
    const bool begins = first > 0 || !units->continues, ends = first < units->count;
    const size_t from = first > 0 ? units_end(units, first - 1) : 0, to = ends ? units_end(units, first) : units->bytes;
    const bool whole = begins && ends;
    struct siphash_pair digest;
    uint32_t found = whole ? units_mark(units, first)->found
                           : look_for_key(division, own, units->data + from, to - from, begins, ends, &digest);
    size_t count = 1;

    if (found == TO_COME)
        return DIVISION_HOLD;
    if (found == MISSING) {
        if (whole)
            (void)look_for_key(division, own, units->data + from, to - from, true, true, &digest);
        key_refuse(&own->watch, own->key, division->kind->option, units->data + from, to - from - ends);
    }
    if (!whole)
        found = find_place(division->plan, digest);
    if (division->plan->strata != NULL) {
        *file = strata_deal(division->plan->strata, found);
        return 1;
    }
    *file = found;
    while (count < most && units_mark(units, first + count)->found == found)
        count++;
    return count;
}

/* Warn of what all threads have seen. */
static void end_keys(struct division *division)
{
    const struct by_key *own = division->own;
    struct key_watch all = {.records = 0};

    for (unsigned i = 0; i <= division->plan->threads; i++)
        key_watch_add(&all, &own->finder[i].watch);
    key_warn(&all, &division->plan->split_key, division->kind->option);
}

static void release_keys(struct division *division)
{
    struct by_key *own = division->own;

    for (unsigned i = 0; own != NULL && i <= division->plan->threads; i++)
        free(own->finder[i].key);
    free(own);
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
