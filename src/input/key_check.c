/* Most records come whole, many in a piece: if all have keys, their places need not be known. A record may come in
 * pieces, through which its key is followed. */

#include "input/key_check.h"

#include <stdlib.h>

#include "base/tunable.h"
#include "input/position.h"
#include "system/fault.h"

TUNABLE(ENDS, 256, 1, 256);

struct key_check {
    struct source *records;
    struct key_rule rule;
    struct key *key;
    struct position position;
    uint64_t number; /* of the next record, or the open one */
    uint64_t offset; /* of the next byte, in the source */
    struct record_scan scan;
    bool inside; /* a record */
};

static void restart_checking(void *context)
{
    struct key_check *check = context;

    position_begin(&check->position, check->records, &check->rule.format);
    check->number = 0;
    check->offset = 0;
    check->scan = (struct record_scan){0};
    check->inside = false;
}

/* The next bytes of a record, its last ones if `last`. */
static void follow_key(struct key_check *check, const uint8_t *data, size_t bytes, bool last)
{
    char place[POSITION_BYTES];

    if (!check->inside)
        position_next(&check->position, check->offset);
    position_follow(&check->position, data, bytes);
    if (key_take(check->key, data, bytes, !check->inside, last) == KEY_MISSING)
        key_refuse(check->key, position_say(&check->position, place), check->number, data, bytes - last);
    check->inside = !last;
    check->offset += bytes;
    check->number += last;
}

/* If these `count` whole records all have keys, go on after them. Returns the sum of their bytes, else 0. */
static size_t pass_whole(struct key_check *check, const uint8_t *data, const uint32_t *ends, size_t count)
{
    size_t start = 0;

    for (size_t i = 0; i < count; start = ends[i++])
        if (key_find(check->key, data + start, ends[i] - start) != FIELD_FOUND)
            return 0;
    position_pass(&check->position, check->offset, data, start);
    check->offset += start;
    check->number += count;
    return start;
}

static void look_at_keys(struct key_check *check, const uint8_t *data, size_t bytes)
{
    uint32_t ends[ENDS];
    size_t scanned;

    for (; bytes > 0; data += scanned, bytes -= scanned) {
        const size_t count = record_ends(&check->rule.format, &check->scan, data, bytes, ends, ENDS, &scanned);
        const size_t passed = check->inside ? 0 : pass_whole(check, data, ends, count);
        size_t start = passed;

        for (size_t i = passed > 0 ? count : 0; i < count; start = ends[i++])
            follow_key(check, data + start, ends[i] - start, true);
        if (start < scanned)
            follow_key(check, data + start, scanned - start, false);
    }
}

static size_t read_checked(void *context, uint8_t *data, size_t bytes, struct absent *absent)
{
    struct key_check *check = context;
    const size_t got = source_read(check->records, data, bytes, NULL);

    (void)absent;

    look_at_keys(check, data, got);
    return got;
}

static void release_checking(void *context)
{
    struct key_check *check = context;

    free(check->key);
    free(check);
}

void key_check_begin(struct source *source, const struct key_rule *rule)
{
    static const struct source_layer layer = {
        .read = read_checked, .rewind = restart_checking, .release = release_checking};
    struct key_check *check = fault_allocate(1, sizeof *check);

    check->records = source_insert(source, &layer, check);
    check->rule = *rule;
    check->key = key_new(&check->rule);
    restart_checking(check);
}
