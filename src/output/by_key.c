/* Most units come whole, many in a piece: their keys are found by all threads, each on its own. If a unit does not come
 * whole, its key is followed through its pieces when its turn has come. */

#include "output/by_key.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/random.h"
#include "output/strata.h"
#include "record/key.h"
#include "system/fault.h"
#include "system/sys.h"

/* What is found of a unit without the key, which is refused when its turn has come; no number of a class. */
#define MISSING UINT32_MAX

/* Whoever finds keys. */
struct lane {
    _Alignas(SYS_APART_BYTES) struct key *key;
    struct key_watch watch;
    struct record_scan scan; /* of the first record of a group */
};

struct by_key {
    struct siphash_key hashing;
    struct lane *own;   /* for units that do not come whole */
    struct lane lane[]; /* of each thread, and that one */
};

/* Messages tell the option, as nobody knows in the output where a record comes from. */
static const char *option_of(const struct division *division)
{
    return division->kind == &by_key_class ? "--stratify-field" : "--split-field";
}

static void check(const struct output_plan *plan)
{
    if (plan->splits > OUTPUT_BESIDE_MAX)
        die("%s: more than %d splits", plan->class_bytes > 0 ? "--stratify-field" : "--split-field", OUTPUT_BESIDE_MAX);
    for (size_t i = 1; i < plan->splits && plan->class_bytes > 0; i++)
        if (plan->split[i].is_percentage != plan->split[0].is_percentage)
            die("--stratify-field: give each --split a percentage, or each a number of records");
}

static void begin(struct division *division)
{
    const struct output_plan *plan = division->plan;
    struct by_key *own = sys_allocate_apart(1, sizeof *own + (plan->threads + 1) * sizeof *own->lane);

    if (own == NULL)
        die_errno("memory", errno);
    own->own = &own->lane[plan->threads];
    for (unsigned i = 0; i <= plan->threads; i++)
        own->lane[i].key = key_new(&plan->split_key);
    own->hashing = plan->strata != NULL ? *strata_hashing(plan->strata) : random_hashing(plan->key, "split");
    if (plan->strata != NULL)
        strata_settle(plan->strata);
    division->own = own;
}

static struct siphash_pair digest_of(const struct by_key *own, const struct key *key)
{
    return siphash_pair(&own->hashing, key->text, key->bytes);
}

/* What can be told of a key by any thread: its file, or the number of its class. */
static uint32_t find_place(const struct output_plan *plan, struct siphash_pair digest)
{
    if (plan->strata != NULL)
        return strata_find(plan->strata, digest);
    return (uint32_t)split_of_hash(plan->split, plan->splits, digest.word[0]);
}

/* How many of the next bytes are the record's that has the key, the first one of a group? It `ends` with them, or not.
 */
static size_t first_record(const struct output_plan *plan, struct lane *lane, const uint8_t *data, size_t bytes,
                           bool *ends)
{
    uint32_t end;

    if (plan->groups)
        *ends = record_ends(&plan->format, &lane->scan, data, bytes, &end, 1, &bytes) > 0;
    return bytes;
}

/* ---- Units that come whole ---- */

/* The digest of the unit's key. False: there is none. */
static bool digest_unit(const struct division *division, struct lane *lane, const uint8_t *data, size_t bytes,
                        struct siphash_pair *digest)
{
    bool ends;

    lane->scan = (struct record_scan){0};
    bytes = first_record(division->plan, lane, data, bytes, &ends);
    if (key_find(lane->key, data, bytes) != FIELD_FOUND)
        return false;
    key_saw(&lane->watch, lane->key, data, bytes - 1);
    *digest = digest_of(division->own, lane->key);
    if (division->plan->strata != NULL)
        strata_announce(division->plan->strata, *digest);
    return true;
}

static void find(struct division *division, unsigned thread, const struct units *units)
{
    enum { AT_ONCE = 32 };
    struct lane *lane = &((struct by_key *)division->own)->lane[thread];
    size_t from = units->continues && units->count > 0 ? units_end(units, 0) : 0;

    for (size_t first = units->continues, end; first < units->count; first = end) {
        struct siphash_pair digest[AT_ONCE];

        end = least_size(first + AT_ONCE, units->count);
        for (size_t i = first; i < end; i++) {
            struct unit_mark *mark = units_mark(units, i);
            const bool known = digest_unit(division, lane, units->data + from, mark->end - from, &digest[i - first]);

            mark->found = known ? 0 : MISSING;
            from = mark->end;
        }
        for (size_t i = first; i < end; i++)
            if (units_mark(units, i)->found != MISSING)
                units_mark(units, i)->found = find_place(division->plan, digest[i - first]);
    }
}

/* ---- Others ---- */

/* Look for the key in the next bytes of a unit, its `first` or its `last` ones. False: it is to come. */
static bool find_in_pieces(const struct division *division, const uint8_t *data, size_t bytes, bool first, bool last,
                           uint32_t *found)
{
    struct lane *own = ((struct by_key *)division->own)->own;

    if (first)
        own->scan = (struct record_scan){0};
    bytes = first_record(division->plan, own, data, bytes, &last);
    if (key_take(own->key, data, bytes, first, last) == KEY_TO_COME)
        return false;
    if (own->key->verdict != FIELD_FOUND)
        key_refuse(&own->watch, own->key, option_of(division), data, bytes - last);
    key_saw(&own->watch, own->key, NULL, 0);
    *found = find_place(division->plan, digest_of(division->own, own->key));
    return true;
}

static size_t place(struct division *division, const struct units *units, size_t first, size_t most, size_t *file)
{
    const bool begins = first > 0 || !units->continues, ends = first < units->count;
    const size_t from = first > 0 ? units_end(units, first - 1) : 0, to = ends ? units_end(units, first) : units->bytes;
    uint32_t found = begins && ends ? units_mark(units, first)->found : MISSING;
    size_t count = 1;

    if (found == MISSING && !find_in_pieces(division, units->data + from, to - from, begins, ends, &found))
        return DIVISION_HOLD;
    if (division->plan->strata != NULL) {
        *file = strata_deal(division->plan->strata, found);
        return 1;
    }
    *file = found;
    while (count < most && units_mark(units, first + count)->found == found)
        count++;
    return count;
}

/* What all threads have seen. */
static void end(struct division *division)
{
    const struct by_key *own = division->own;
    struct key_watch all = {.records = 0};

    for (unsigned i = 0; i <= division->plan->threads; i++)
        key_watch_add(&all, &own->lane[i].watch);
    key_warn(&all, &division->plan->split_key, option_of(division));
}

static void release(struct division *division)
{
    struct by_key *own = division->own;

    for (unsigned i = 0; own != NULL && i <= division->plan->threads; i++)
        free(own->lane[i].key);
    free(own);
}

#define BY_KEY                                                                                                         \
    .traits = DIVISION_ENDS | DIVISION_BESIDE, .check = check, .begin = begin, .find = find, .place = place,           \
    .end = end, .release = release

const struct division_kind by_key_field = {BY_KEY, .empty = "no value of --split-field came there by chance"};
const struct division_kind by_key_class = {BY_KEY};
