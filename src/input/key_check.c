/* A record may come in any pieces, as the field is followed through them. */

#include "input/key_check.h"

#include <stdlib.h>

#include "input/position.h"
#include "system/fault.h"

struct key_check {
    struct source *records;
    struct key_rule rule;
    bool first; /* is only the first record of interest? */
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
    struct key_check *check = context;

    position_begin(&check->position, check->records, &check->rule.format);
    check->watch = (struct key_watch){.records = 0};
    check->offset = 0;
    check->scan = (struct record_scan){0};
    check->inside = false;
}

/* A record has ended, whose last bytes these are. */
static void end_record(struct key_check *check, const uint8_t *data, size_t bytes)
{
    char place[POSITION_BYTES];

    check->inside = false;
    if (key_end(&check->rule, &check->field, check->ended, &check->key) != FIELD_FOUND)
        key_refuse(&check->watch, &check->rule, &check->key, position_say(&check->position, place), data, bytes);
    check->watch.records++;
}

static void look(struct key_check *check, const uint8_t *data, size_t bytes)
{
    size_t part;
    uint32_t end;

    for (; bytes > 0 && !(check->first && check->watch.records > 0);
         data += part, bytes -= part, check->offset += part) {
        const size_t ends = record_ends(&check->rule.format, &check->scan, data, bytes, &end, 1, &part);

        if (!check->inside) {
            position_next(&check->position, check->offset);
            key_begin(&check->rule, &check->field, &check->key);
            check->inside = true;
            check->ended = false;
        }
        check->ended = check->ended || field_follow(&check->field, data, part - ends); /* without the delimiter */
        if (ends > 0)
            end_record(check, data, part - ends);
    }
}

static size_t read_on(void *context, uint8_t *data, size_t bytes)
{
    struct key_check *check = context;
    const size_t got = source_read(check->records, data, bytes);

    look(check, data, got);
    return got;
}

static size_t lend(void *context, const uint8_t **data, size_t bytes)
{
    struct key_check *check = context;
    const size_t lent = source_lend(check->records, data, bytes);

    look(check, *data, lent);
    return lent;
}

void key_check_begin(struct source *source, const struct key_rule *rule, bool first)
{
    static const struct source_stage stage = {.read = read_on, .lend = lend, .rewind = restart, .release = free};
    struct key_check *check = fault_allocate(1, sizeof *check);

    check->records = source_insert(source, &stage, check);
    check->rule = *rule;
    check->first = first;
    restart(check);
}
