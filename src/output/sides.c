/* Most units come whole, many in a piece, and are passed on one by one. If a unit does not come whole, its bytes are
 * held back until its key is known. Short ones for the same file are gathered in a buffer. */

#include "output/sides.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/random.h"
#include "base/tunable.h"
#include "output/held_back.h"
#include "output/strata.h"
#include "record/key.h"
#include "system/fault.h"

enum { SIDE_BYTES = 1 << 16 };

TUNABLE(FULL_BYTES, SIDE_BYTES, 64, SIDE_BYTES);
TUNABLE(AT_ONCE, 256, 1, 256);

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

struct sides {
    const struct output_plan *plan;
    void (*write)(void *context, const struct units *units);
    void *context;
    struct siphash_key hashing;
    struct key_rule rule;
    struct key *found;
    struct key_watch watch;

    /* Of a unit that does not come whole: */
    bool inside;
    struct side *to;         /* where it goes; NULL as long as that is not known */
    struct record_scan scan; /* of the first record of a group */
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

struct sides *sides_open(const struct output_plan *plan, struct files *files,
                         void (*write)(void *context, const struct units *units), void *context)
{
    struct sides *sides = fault_allocate(1, sizeof *sides + (plan->splits + 1) * sizeof *sides->side);

    sides->plan = plan;
    sides->write = write;
    sides->context = context;
    sides->rule = plan->split_key;
    sides->found = key_new(&sides->rule);
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

/* Whose field it is, in messages: in the order of the output nobody knows where a record comes from. */
static const char *option_of(const struct sides *sides)
{
    return sides->plan->strata != NULL ? "--stratify-field" : "--split-field";
}

/* Where the unit goes whose key was found. */
static struct side *side_of(struct sides *sides)
{
    const struct output_plan *plan = sides->plan;
    const struct key *key = sides->found;
    const size_t number =
        plan->strata != NULL
            ? strata_deal(plan->strata, key->text, key->bytes)
            : split_of_hash(plan->split, plan->splits, siphash_pair(&sides->hashing, key->text, key->bytes).word[0]);

    sides->side[number].units++;
    return &sides->side[number];
}

/* How many of the next bytes are the record's that has the key, the first one of a group? It `ends` with them, or not.
 */
static size_t first_record(struct sides *sides, const uint8_t *data, size_t bytes, bool *ends)
{
    uint32_t end;

    if (sides->plan->groups)
        *ends = record_ends(&sides->rule.format, &sides->scan, data, bytes, &end, 1, &bytes) > 0;
    return bytes;
}

/* Where a unit goes that comes whole. */
static struct side *choose(struct sides *sides, const uint8_t *data, size_t bytes)
{
    bool ends;

    sides->scan = (struct record_scan){0};
    bytes = first_record(sides, data, bytes, &ends);
    if (key_find(sides->found, data, bytes) != FIELD_FOUND)
        key_refuse(&sides->watch, sides->found, option_of(sides), data, bytes - 1);
    key_saw(&sides->watch, sides->found, data, bytes - 1);
    return side_of(sides);
}

/* Pass on `count` units from `first` on, at most AT_ONCE, that come whole. Their destinations are computed first, for
 * all of them: between copies, whose branches are mispredicted, the processor would wait for each hash. */
static void pass_whole(struct sides *sides, const struct units *units, size_t first, size_t count)
{
    const size_t begin = first > 0 ? units_end(units, first - 1) : 0;
    struct side *to[AT_ONCE];

    for (size_t i = 0, from = begin; i < count; from = units_end(units, first + i++))
        to[i] = choose(sides, units->data + from, units_end(units, first + i) - from);
    for (size_t i = 0, from = begin; i < count; from = units_end(units, first + i++))
        pass(to[i], units->data + from, units_end(units, first + i) - from, true);
}

/* Look for the key in the next bytes of a unit, its `first` or its `last` ones. */
static void find_key(struct sides *sides, const uint8_t *data, size_t bytes, bool first, bool last)
{
    bytes = first_record(sides, data, bytes, &last);
    if (key_take(sides->found, data, bytes, first, last) == KEY_TO_COME)
        return;
    if (sides->found->verdict != FIELD_FOUND)
        key_refuse(&sides->watch, sides->found, option_of(sides), data, bytes - last);
    key_saw(&sides->watch, sides->found, NULL, 0);
    sides->to = side_of(sides);
    held_back_drain(&sides->held, pass_held, sides->to);
}

/* The next bytes of a unit that does not come whole, or its `last` ones. */
static void pass_piece(struct sides *sides, uint8_t *data, size_t bytes, bool last)
{
    const bool first = !sides->inside;

    if (first) {
        sides->to = NULL;
        sides->scan = (struct record_scan){0};
    }
    sides->inside = !last;
    if (sides->to == NULL)
        find_key(sides, data, bytes, first, last);
    if (sides->to == NULL)
        held_back_append(&sides->held, data, bytes);
    else
        pass(sides->to, data, bytes, last);
}

void sides_write(struct sides *sides, const struct units *units)
{
    size_t first = 0, from = 0;

    if (sides->inside) {
        first = units->count > 0;
        from = first > 0 ? units_end(units, 0) : units->bytes;
        pass_piece(sides, units->data, from, first > 0);
    }
    for (size_t count; first < units->count; first += count) {
        count = least_size(units->count - first, AT_ONCE);
        pass_whole(sides, units, first, count);
        from = units_end(units, first + count - 1);
    }
    if (from < units->bytes)
        pass_piece(sides, units->data + from, units->bytes - from, false);
}

/* With few values, or small percentages. Classes have a warning of their own. */
static void warn_of_empty(const struct sides *sides)
{
    const struct output_plan *plan = sides->plan;

    for (size_t i = 0; i <= plan->splits && plan->strata == NULL && sides->watch.records > 0; i++)
        if (sides->side[i].units == 0 && output_plan_is_wanted(plan, i))
            fault_warn("%s: is empty, since no value of --split-field came there by chance",
                       output_plan_called(plan, i));
}

void sides_finish(struct sides *sides)
{
    key_warn(&sides->watch, &sides->rule, option_of(sides));
    for (size_t i = 0; i <= sides->plan->splits; i++)
        drain(&sides->side[i]);
    warn_of_empty(sides);
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
    free(sides->found);
    free(sides);
}
