/* Most records come whole, many in a piece, and are passed on one by one. If a record does not come whole, its bytes
 * are held back until its key is known. Short records for the same file are gathered in a buffer. */

#include "output/sides.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/random.h"
#include "base/tunable.h"
#include "output/held_back.h"
#include "output/strata.h"
#include "record/group.h"
#include "record/key.h"
#include "system/fault.h"

enum { SIDE_BYTES = 1 << 16 };

TUNABLE(FULL_BYTES, SIDE_BYTES, 64, SIDE_BYTES);
TUNABLE(SCAN_BYTES, 1 << 30, 1, 1 << 30);
TUNABLE(ENDS, 256, 1, 256);

/* One of the files, or what is left. */
struct side {
    struct filters *packer; /* the program that compresses the file; NULL if there is none */
    struct framing_file framing;
    uint64_t records;        /* that go there, */
    uint64_t all_bytes;      /* and what has gone, without frames of groups */
    struct record_scan scan; /* for these */
    size_t bytes;
    uint8_t buffer[SIDE_BYTES];
};

struct sides {
    const struct output_plan *plan;
    void (*write)(void *context, uint8_t *data, size_t bytes);
    void *context;
    struct siphash_key hashing;
    struct key_rule rule; /* for a record, or the first one of a group */
    struct key *found;
    struct key_watch watch;
    struct side *to; /* where the record goes; NULL as long as that is not known */

    /* Of a record that does not come whole: */
    bool in_record;
    struct record_scan first; /* in it, or in the first one of the group */
    struct record_scan record;
    struct held_back held;
    struct side side[]; /* of the splits, and what is left */
};

size_t sides_each_bytes(void)
{
    return sizeof(struct side);
}

struct sides *sides_open(const struct output_plan *plan, struct files *files,
                         void (*write)(void *context, uint8_t *data, size_t bytes), void *context)
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
    for (size_t i = 0; i < plan->splits; i++) {
        struct side *side = &sides->side[i];

        side->packer = files_packer(files, i) != NULL ? filters_new(NULL, 1) : NULL;
        files_begin(files, i, side->packer, &side->framing);
    }
    return sides;
}

static void drain(struct sides *sides, struct side *side)
{
    const size_t bytes = side->bytes;

    side->bytes = 0;
    side->all_bytes += group_text(&sides->plan->framing.format, &side->scan, side->buffer, bytes, NULL);
    if (side < &sides->side[sides->plan->splits])
        framing_write(&side->framing, side->buffer, bytes);
    else if (bytes > 0)
        sides->write(sides->context, side->buffer, bytes);
}

/* Write bytes of a record to where it goes. */
static void pass(struct sides *sides, struct side *side, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        const size_t part = least_size(bytes, FULL_BYTES - side->bytes);

        memcpy(side->buffer + side->bytes, data, part);
        side->bytes += part;
        data += part;
        bytes -= part;
        if (side->bytes == FULL_BYTES)
            drain(sides, side);
    }
}

static void pass_held(void *context, uint8_t *data, size_t bytes)
{
    struct sides *sides = context;

    pass(sides, sides->to, data, bytes);
}

/* Whose field it is, in messages: in the order of the output nobody knows where a record comes from. */
static const char *option_of(const struct sides *sides)
{
    return sides->plan->strata != NULL ? "--stratify-field" : "--split-field";
}

/* Where the record goes whose key was found. */
static struct side *side_of(struct sides *sides)
{
    const struct output_plan *plan = sides->plan;
    const struct key *key = sides->found;
    const size_t number =
        plan->strata != NULL
            ? strata_deal(plan->strata, key->text, key->bytes)
            : split_of_hash(plan->split, plan->splits, siphash_pair(&sides->hashing, key->text, key->bytes).word[0]);

    sides->side[number].records++;
    return &sides->side[number];
}

static bool is_of_groups(const struct sides *sides)
{
    return record_is(&sides->plan->framing.format, RECORD_GROUP);
}

/* ---- Records that come whole ---- */

/* Where a record goes, or a group, whose first record says it. NULL: that is in several frames. */
static struct side *choose(struct sides *sides, const uint8_t *data, size_t bytes)
{
    struct record_scan scan = {0}, first = {0};
    enum field_verdict verdict;
    uint32_t end;
    bool is_text;

    if (is_of_groups(sides)) {
        data += group_part(&scan.length, data, bytes, &is_text);
        bytes = group_part(&scan.length, data, bytes, &is_text);
        if (record_ends(&sides->rule.format, &first, data, bytes, &end, 1, &bytes) == 0)
            return NULL;
    }
    verdict = key_find(sides->found, data, bytes);
    if (verdict != FIELD_FOUND)
        key_refuse(&sides->watch, sides->found, option_of(sides), data, bytes - 1);
    key_saw(&sides->watch, sides->found, data, bytes - 1);
    return side_of(sides);
}

/* Write the records that begin and end in the data, at most ENDS of them, and in one frame. Returns how many bytes that
 * are. Their destinations are computed first, for all of them: between copies, whose branches are mispredicted, the
 * processor would wait for each hash. */
static size_t write_whole(struct sides *sides, const uint8_t *data, size_t bytes)
{
    struct record_scan scan = {0};
    uint32_t ends[ENDS];
    struct side *to[ENDS];
    size_t scanned, begin = 0;
    size_t count = record_ends(&sides->plan->framing.format, &scan, data, bytes, ends, ENDS, &scanned);

    for (size_t i = 0; i < count; begin = ends[i++]) {
        to[i] = choose(sides, data + begin, ends[i] - begin);
        if (to[i] == NULL)
            count = i;
    }
    begin = 0;
    for (size_t i = 0; i < count; begin = ends[i++])
        pass(sides, to[i], data + begin, ends[i] - begin);
    return begin;
}

/* ---- Others ---- */

/* The key ends in these bytes, without a delimiter. */
static void end_key(struct sides *sides, const uint8_t *data, size_t bytes)
{
    if (key_end(sides->found) != FIELD_FOUND)
        key_refuse(&sides->watch, sides->found, option_of(sides), data, bytes);
    key_saw(&sides->watch, sides->found, NULL, 0);
    sides->to = side_of(sides);
    held_back_drain(&sides->held, pass_held, sides);
}

/* Look for the key in the next bytes of a record. If it does not end in them, they are held back. Returns how many
 * bytes that are. */
static size_t find_key(struct sides *sides, uint8_t *data, size_t bytes)
{
    struct length_scan frame = sides->record.length;
    uint32_t end;
    size_t found = 0;
    bool is_text = true, ended = false;

    if (is_of_groups(sides))
        bytes = group_part(&frame, data, bytes, &is_text);
    if (is_text) {
        found = record_ends(&sides->rule.format, &sides->first, data, bytes, &end, 1, &bytes);
        ended = key_follow(sides->found, data, bytes - found); /* without the delimiter */
    }
    if (ended || found > 0) {
        end_key(sides, data, bytes - found);
        return 0;
    }
    record_advance(&sides->plan->framing.format, &sides->record, data, bytes);
    held_back_append(&sides->held, data, bytes);
    return bytes;
}

/* Write the next bytes of a record. Returns how many that are. */
static size_t write_on(struct sides *sides, uint8_t *data, size_t bytes)
{
    uint32_t end;

    if (sides->to == NULL)
        return find_key(sides, data, bytes);
    sides->in_record = record_ends(&sides->plan->framing.format, &sides->record, data, bytes, &end, 1, &bytes) == 0;
    pass(sides, sides->to, data, bytes);
    return bytes;
}

void sides_write(struct sides *sides, uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        const size_t most = least_size(bytes, SCAN_BYTES);
        const size_t part = sides->in_record ? write_on(sides, data, most) : write_whole(sides, data, most);

        if (part == 0 && !sides->in_record) { /* a record begins */
            sides->in_record = true;
            sides->to = NULL;
            sides->first = sides->record = (struct record_scan){0};
            key_begin(sides->found);
        }
        data += part;
        bytes -= part;
    }
}

/* With few values, or small percentages. Classes have a warning of their own. */
static void warn_of_empty(const struct sides *sides)
{
    const struct output_plan *plan = sides->plan;

    for (size_t i = 0; i <= plan->splits && plan->strata == NULL && sides->watch.records > 0; i++)
        if (sides->side[i].records == 0 && output_plan_is_wanted(plan, i))
            fault_warn("%s: is empty, since no value of --split-field came there by chance",
                       output_plan_called(plan, i));
}

void sides_finish(struct sides *sides)
{
    key_warn(&sides->watch, &sides->rule, option_of(sides));
    for (size_t i = 0; i <= sides->plan->splits; i++)
        drain(sides, &sides->side[i]);
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
        if (i < output_plan_files(plan) || sides->side[i].records > 0)
            fault_note("output:        %llu records, %llu bytes in %s", (unsigned long long)sides->side[i].records,
                       (unsigned long long)sides->side[i].all_bytes, output_plan_called(plan, i));
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
