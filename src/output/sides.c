/* Most units come whole, many in a piece: their keys are found by all threads, each on its own, and then they are
 * passed on one by one. If a unit does not come whole, its bytes are held back until its key is known. Short ones for
 * the same file are gathered in a buffer. */

#include "output/sides.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/random.h"
#include "base/tunable.h"
#include "output/held_back.h"
#include "output/strata.h"
#include "record/key.h"
#include "system/fault.h"
#include "system/sys.h"

enum { SIDE_BYTES = 1 << 16 };

TUNABLE(FULL_BYTES, SIDE_BYTES, 64, SIDE_BYTES);

/* What is found of a unit without the key, which is refused when its turn has come; no number of a class. */
#define SIDES_MISSING UINT32_MAX

/* One of the files, or what is left. */
struct side {
    struct sides *sides;
    struct filters *packer; /* the program that compresses the file; NULL if there is none */
    struct framing_file framing;
    uint64_t units; /* that go there, */
    uint64_t bytes; /* and those that have gone */
    struct output_buffer outlet;
    uint8_t buffer[SIDE_BYTES];
};

/* A way to divide: its option, for messages, as nobody knows in the output where a record comes from. `find` tells what
 * can be told of a key by any thread, and `take` in the output's order to which side that goes. */
struct side_kind {
    const char *option;
    uint32_t (*find)(const struct sides *sides, const uint8_t *key, size_t bytes);
    size_t (*take)(struct sides *sides, uint32_t found);
    void (*end)(const struct sides *sides); /* all have come, and there were some; or NULL */
};

/* Whoever finds keys. */
struct lane {
    _Alignas(SYS_APART_BYTES) struct key *key;
    struct key_watch watch;
    struct record_scan scan; /* of the first record of a group */
};

struct sides {
    const struct output_plan *plan;
    const struct side_kind *kind;
    void (*write)(void *context, const struct units *units);
    void *context;
    struct siphash_key hashing;
    struct key_rule rule;
    struct lane *lane; /* of each thread, and one more for units that do not come whole: */
    struct lane *own;
    struct side *to; /* where it goes; NULL as long as that is not known */
    struct held_back held;
    struct side side[]; /* of the splits, and what is left */
};

size_t sides_each_bytes(void)
{
    return sizeof(struct side);
}

/* What is in the buffer. */
static void drain(void *context)
{
    struct side *side = context;
    struct sides *sides = side->sides;
    const struct units units = output_buffer_take(&side->outlet);

    side->bytes += units.bytes;
    if (side < &sides->side[sides->plan->splits])
        framing_write(&side->framing, units.data, units.bytes);
    else if (units.bytes > 0)
        sides->write(sides->context, &units);
}

static void pass(struct side *side, const uint8_t *data, size_t bytes, bool last)
{
    output_buffer_put(&side->outlet, data, bytes);
    if (last)
        output_buffer_end_unit(&side->outlet);
}

static void pass_held(void *context, uint8_t *data, size_t bytes)
{
    pass(context, data, bytes, false);
}

/* ---- Ways to divide ---- */

static uint32_t find_split(const struct sides *sides, const uint8_t *key, size_t bytes)
{
    const struct output_plan *plan = sides->plan;

    return (uint32_t)split_of_hash(plan->split, plan->splits, siphash_pair(&sides->hashing, key, bytes).word[0]);
}

static size_t take_split(struct sides *sides, uint32_t found)
{
    (void)sides;
    return found;
}

static void warn_of_empty(const struct sides *sides)
{
    for (size_t i = 0; i <= sides->plan->splits; i++)
        if (sides->side[i].units == 0 && output_plan_is_wanted(sides->plan, i))
            fault_warn("%s: is empty, since no value of --split-field came there by chance",
                       output_plan_called(sides->plan, i));
}

static const struct side_kind by_field = {"--split-field", find_split, take_split, warn_of_empty};

static uint32_t find_class(const struct sides *sides, const uint8_t *key, size_t bytes)
{
    return strata_find(sides->plan->strata, key, bytes);
}

static size_t deal(struct sides *sides, uint32_t found)
{
    return strata_deal(sides->plan->strata, found);
}

static const struct side_kind by_class = {"--stratify-field", find_class, deal, NULL};

/* Where a unit goes, now that its turn has come. */
static struct side *side_of(struct sides *sides, uint32_t found)
{
    struct side *side = &sides->side[sides->kind->take(sides, found)];

    side->units++;
    return side;
}

static uint32_t find_place(const struct sides *sides, const struct key *key)
{
    return sides->kind->find(sides, key->text, key->bytes);
}

struct sides *sides_open(const struct output_plan *plan, struct files *files,
                         void (*write)(void *context, const struct units *units), void *context)
{
    struct sides *sides = fault_allocate(1, sizeof *sides + (plan->splits + 1) * sizeof *sides->side);

    sides->plan = plan;
    sides->kind = plan->strata != NULL ? &by_class : &by_field;
    sides->write = write;
    sides->context = context;
    sides->rule = plan->split_key;
    sides->lane = sys_allocate_apart(plan->threads + 1, sizeof *sides->lane);
    if (sides->lane == NULL)
        die_errno("memory", errno);
    sides->own = &sides->lane[plan->threads];
    for (unsigned i = 0; i <= plan->threads; i++)
        sides->lane[i].key = key_new(&sides->rule);
    sides->held.place = plan->place;
    sides->hashing = random_hashing(plan->key, "split");
    if (plan->strata != NULL)
        strata_settle(plan->strata);
    for (size_t i = 0; i <= plan->splits; i++) {
        struct side *side = &sides->side[i];

        side->sides = sides;
        output_buffer_init(&side->outlet, side->buffer, FULL_BYTES, i == plan->splits && output_plan_has_shards(plan),
                           drain, side);
        if (i == plan->splits)
            break;
        side->packer = files_packer(files, i) != NULL ? filters_new(NULL, 1) : NULL;
        files_begin(files, i, side->packer, &side->framing);
    }
    return sides;
}

/* How many of the next bytes are the record's that has the key, the first one of a group? It `ends` with them, or not.
 */
static size_t first_record(const struct sides *sides, struct lane *lane, const uint8_t *data, size_t bytes, bool *ends)
{
    uint32_t end;

    if (sides->plan->groups)
        *ends = record_ends(&sides->rule.format, &lane->scan, data, bytes, &end, 1, &bytes) > 0;
    return bytes;
}

/* ---- Units that come whole ---- */

static uint32_t find(const struct sides *sides, struct lane *lane, const uint8_t *data, size_t bytes)
{
    bool ends;

    lane->scan = (struct record_scan){0};
    bytes = first_record(sides, lane, data, bytes, &ends);
    if (key_find(lane->key, data, bytes) != FIELD_FOUND)
        return SIDES_MISSING;
    key_saw(&lane->watch, lane->key, data, bytes - 1);
    return find_place(sides, lane->key);
}

void sides_find(struct sides *sides, unsigned thread, const struct units *units)
{
    struct lane *lane = &sides->lane[thread];
    size_t from = units->continues && units->count > 0 ? units_end(units, 0) : 0;

    for (size_t i = units->continues; i < units->count; i++) {
        struct unit_mark *mark = units_mark(units, i);

        mark->found = find(sides, lane, units->data + from, mark->end - from);
        from = mark->end;
    }
}

/* ---- Others ---- */

/* Look for the key in the next bytes of a unit, its `first` or its `last` ones. */
static void find_key(struct sides *sides, const uint8_t *data, size_t bytes, bool first, bool last)
{
    struct lane *own = sides->own;

    bytes = first_record(sides, own, data, bytes, &last);
    if (key_take(own->key, data, bytes, first, last) == KEY_TO_COME)
        return;
    if (own->key->verdict != FIELD_FOUND)
        key_refuse(&own->watch, own->key, sides->kind->option, data, bytes - last);
    key_saw(&own->watch, own->key, NULL, 0);
    sides->to = side_of(sides, find_place(sides, own->key));
    held_back_drain(&sides->held, pass_held, sides->to);
}

/* The next bytes of a unit that does not come whole, or has no key: its `first` or `last` ones, or neither. */
static void pass_piece(struct sides *sides, uint8_t *data, size_t bytes, bool first, bool last)
{
    if (first) {
        sides->to = NULL;
        sides->own->scan = (struct record_scan){0};
    }
    if (sides->to == NULL)
        find_key(sides, data, bytes, first, last);
    if (sides->to == NULL)
        held_back_append(&sides->held, data, bytes);
    else
        pass(sides->to, data, bytes, last);
}

void sides_write(struct sides *sides, const struct units *units)
{
    bool first = !units->continues;
    size_t from = 0;

    for (size_t i = 0; i < units->count; i++) {
        const struct unit_mark mark = *units_mark(units, i);
        uint8_t *data = units->data + from;

        if (first && mark.found != SIDES_MISSING)
            pass(side_of(sides, mark.found), data, mark.end - from, true);
        else
            pass_piece(sides, data, mark.end - from, first, true);
        from = mark.end;
        first = true;
    }
    if (from < units->bytes)
        pass_piece(sides, units->data + from, units->bytes - from, first, false);
}

/* What all threads have seen. */
static struct key_watch seen(const struct sides *sides)
{
    struct key_watch all = {.records = 0};

    for (unsigned i = 0; i <= sides->plan->threads; i++)
        key_watch_add(&all, &sides->lane[i].watch);
    return all;
}

void sides_finish(struct sides *sides)
{
    struct key_watch all = seen(sides);

    key_warn(&all, &sides->rule, sides->kind->option);
    for (size_t i = 0; i <= sides->plan->splits; i++)
        drain(&sides->side[i]);
    if (all.records > 0 && sides->kind->end != NULL)
        sides->kind->end(sides);
    for (size_t i = 0; i < sides->plan->splits; i++) {
        framing_end(&sides->side[i].framing);
        if (sides->side[i].packer != NULL)
            filters_wait(sides->side[i].packer);
    }
}

void sides_note(const struct sides *sides)
{
    const struct output_plan *plan = sides->plan;

    for (size_t i = 0; i <= plan->splits; i++)
        if (i < output_plan_files(plan) || sides->side[i].units > 0)
            fault_note("output:        %llu records, %llu bytes in %s", (unsigned long long)sides->side[i].units,
                       (unsigned long long)sides->side[i].bytes, output_plan_called(plan, i));
}

void sides_free(struct sides *sides)
{
    if (sides == NULL)
        return;
    for (size_t i = 0; i < sides->plan->splits; i++)
        filters_free(sides->side[i].packer);
    held_back_release(&sides->held);
    for (unsigned i = 0; i <= sides->plan->threads; i++)
        free(sides->lane[i].key);
    free(sides->lane);
    free(sides);
}
