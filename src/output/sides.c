/* A record is passed on when its key is known. Until then it is held back, which it seldom takes: most keys come in the
 * same piece as their record's beginning. Short records for the same file are gathered in a buffer. */

#include "output/sides.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/least.h"
#include "base/random.h"
#include "output/held_back.h"
#include "record/key.h"
#include "system/sys.h"

enum { SIDE_BYTES = 1 << 16, SCAN_BYTES = 1 << 30, QUOTED = 40 };

/* One of the files, or what is left. */
struct side {
    struct sink *sink; /* NULL for what is left */
    struct framing_file framing;
    size_t bytes;
    uint8_t buffer[SIDE_BYTES];
};

struct sides {
    const struct output_plan *plan;
    int (*write)(void *context, uint8_t *data, size_t bytes);
    void *context;
    struct fault *fault;
    struct random_key key;
    struct record_format member; /* a record, or what a group consists of: the first one has the group's key */
    struct record_scan first;    /* in that one */
    struct record_scan record;
    struct field field;
    uint8_t text[KEY_BYTES_MAX];
    struct side *to; /* where the record goes; NULL as long as that is not known */
    struct held_back held;
    struct side side[]; /* of the splits, and what is left */
};

static int put(void *context, const void *data, size_t bytes)
{
    struct side *side = context;

    return sink_write(side->sink, data, bytes);
}

static void begin_record(struct sides *sides)
{
    sides->to = NULL;
    sides->first = sides->record = (struct record_scan){0};
    field_begin_exact(&sides->field, sides->plan->split_field, sides->text, sizeof sides->text);
}

struct sides *sides_open(const struct output_plan *plan, struct files *files,
                         int (*write)(void *context, uint8_t *data, size_t bytes), void *context, struct fault *fault)
{
    struct sides *sides = sys_allocate(1, sizeof *sides + (plan->splits + 1) * sizeof *sides->side);

    if (sides == NULL) {
        fault_report(fault, "memory", errno);
        return NULL;
    }
    sides->plan = plan;
    sides->write = write;
    sides->context = context;
    sides->fault = fault;
    sides->member = plan->format;
    sides->member.grouped = false;
    sides->held.place = plan->place;
    random_key_derive(&sides->key, plan->key, "split", NULL, 0);
    begin_record(sides);
    for (size_t i = 0; i < plan->splits; i++) {
        struct side *side = &sides->side[i];

        if (files_open_sink(files, i) == 0) {
            side->sink = files->file[i].sink;
            if (framing_begin(&side->framing, &plan->framing, put, side) == 0)
                continue;
        }
        sides_free(sides);
        return NULL;
    }
    return sides;
}

static int drain(struct sides *sides, struct side *side)
{
    const size_t bytes = side->bytes;

    side->bytes = 0;
    if (side->sink != NULL)
        return framing_write(&side->framing, side->buffer, bytes);
    return bytes > 0 ? sides->write(sides->context, side->buffer, bytes) : 0;
}

/* Write bytes of a record to where it goes. */
static int pass(struct sides *sides, const uint8_t *data, size_t bytes)
{
    struct side *side = sides->to;

    while (bytes > 0) {
        const size_t part = least_size(bytes, SIDE_BYTES - side->bytes);

        memcpy(side->buffer + side->bytes, data, part);
        side->bytes += part;
        data += part;
        bytes -= part;
        if (side->bytes == SIDE_BYTES && drain(sides, side) != 0)
            return -1;
    }
    return 0;
}

static int pass_held(void *context, uint8_t *data, size_t bytes)
{
    return pass(context, data, bytes);
}

/* The key is all there, or not in the record, whose last bytes these are. */
static int choose(struct sides *sides, bool ended, const uint8_t *data, size_t bytes)
{
    const struct output_plan *plan = sides->plan;
    struct field *field = &sides->field;

    if (field->too_long)
        return fault_say(sides->fault, "--split-field: a field has more than %d bytes", KEY_BYTES_MAX);
    if (!field_is_there(field))
        return fault_say(sides->fault, "--split-field: a record has no field %llu: '%.*s'",
                         (unsigned long long)plan->split_field.number, (int)least_size(bytes, QUOTED),
                         (const char *)data);
    if (!ended && sides->member.delimiter == '\n')
        field_end_line(field);
    sides->to =
        &sides->side[split_of_hash(plan->split, plan->splits, random_hash(&sides->key, field->text, field->bytes))];
    return held_back_drain(&sides->held, pass_held, sides);
}

/* Look for the key in the next bytes of a record. If it does not end in them, they are held back, and *bytes becomes
 * how many that are; else 0. */
static int find_key(struct sides *sides, const uint8_t *data, size_t *bytes)
{
    uint32_t end;
    size_t scanned;
    const size_t found = record_ends(&sides->member, &sides->first, data, *bytes, &end, 1, &scanned);
    const bool ended = field_follow(&sides->field, data, scanned - found); /* without the delimiter */

    *bytes = 0;
    if (ended || found > 0)
        return choose(sides, ended, data, scanned - found);
    record_advance(&sides->plan->format, &sides->record, data, scanned);
    *bytes = scanned;
    return held_back_append(&sides->held, data, scanned);
}

int sides_write(struct sides *sides, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        size_t part = least_size(bytes, SCAN_BYTES);
        uint32_t end;

        if (sides->to == NULL) {
            if (find_key(sides, data, &part) != 0)
                return -1;
        } else {
            const size_t found = record_ends(&sides->plan->format, &sides->record, data, part, &end, 1, &part);

            if (pass(sides, data, part) != 0)
                return -1;
            if (found > 0)
                begin_record(sides);
        }
        data += part;
        bytes -= part;
    }
    return 0;
}

int sides_finish(struct sides *sides)
{
    for (size_t i = 0; i <= sides->plan->splits; i++)
        if (drain(sides, &sides->side[i]) != 0)
            return -1;
    return 0;
}

void sides_free(struct sides *sides)
{
    if (sides == NULL)
        return;
    held_back_release(&sides->held);
    free(sides);
}
