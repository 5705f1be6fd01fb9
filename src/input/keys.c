/* A record may come in any pieces, as the field is followed through them. */

#include "input/keys.h"

#include <stdlib.h>

#include "input/position.h"
#include "system/fault.h"

struct keys {
    struct source *records;
    struct key_rule rule;
    struct key_watch watch;
    struct position position;
    uint64_t offset; /* of the next byte */
    struct record_scan scan;
    bool inside; /* a record */
    bool ended;  /* its field has */
    struct field field;
    struct key key;
};

static void restart(void *context)
{
    struct keys *keys = context;

    position_begin(&keys->position, keys->records, &keys->rule.format);
    keys->watch = (struct key_watch){.records = 0};
    keys->offset = 0;
    keys->scan = (struct record_scan){0};
    keys->inside = false;
}

/* A record has ended, whose last bytes these are. */
static void end_record(struct keys *keys, const uint8_t *data, size_t bytes)
{
    char place[POSITION_BYTES];

    keys->inside = false;
    if (key_end(&keys->rule, &keys->field, keys->ended, &keys->key) != FIELD_FOUND)
        key_refuse(&keys->watch, &keys->rule, &keys->key, position_say(&keys->position, place), data, bytes);
    keys->watch.records++;
}

static void look(struct keys *keys, const uint8_t *data, size_t bytes)
{
    size_t part;
    uint32_t end;

    for (; bytes > 0; data += part, bytes -= part, keys->offset += part) {
        const size_t ends = record_ends(&keys->rule.format, &keys->scan, data, bytes, &end, 1, &part);

        if (!keys->inside) {
            position_next(&keys->position, keys->offset);
            key_begin(&keys->rule, &keys->field, &keys->key);
            keys->inside = true;
            keys->ended = false;
        }
        keys->ended = keys->ended || field_follow(&keys->field, data, part - ends); /* without the delimiter */
        if (ends > 0)
            end_record(keys, data, part - ends);
    }
}

static size_t read_on(void *context, uint8_t *data, size_t bytes)
{
    struct keys *keys = context;
    const size_t got = source_read(keys->records, data, bytes);

    look(keys, data, got);
    return got;
}

static size_t lend(void *context, const struct record_margin *margin, const uint8_t **data, size_t bytes)
{
    struct keys *keys = context;
    const size_t lent = source_lend(keys->records, data, bytes);

    (void)margin;
    look(keys, *data, lent);
    return lent;
}

void keys_begin(struct source *source, const struct key_rule *rule)
{
    static const struct source_stage stage = {.read = read_on, .lend = lend, .rewind = restart, .release = free};
    struct keys *keys = fault_allocate(1, sizeof *keys);

    keys->records = source_insert(source, &stage, keys);
    keys->rule = *rule;
    restart(keys);
}
