/*
 * The mark of a member says whether the next one has the same key, so it is written when that key is known. A reader
 * hands over as much of a record at once as fits: a key that is not in that is too far away.
 */

#include "input/grouping.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "input/position.h"
#include "input/record_reader.h"
#include "input/torn.h"
#include "system/fault.h"
#include "system/pool.h"

/* Of a key, in messages. */
enum { SHOWN_BYTES = 60 };

struct grouping {
    struct key_rule rule;
    struct source *members;
    struct record_reader reader; /* over the members */
    struct record_piece piece;   /* what is left of the last one */
    uint64_t count;              /* of members that have begun */
    struct key *key[2];          /* of the last two, by their numbers */
    struct key_watch watch;
    struct position position; /* of the last one */
    struct torn torn;
    bool whole;  /* must groups be whole? */
    bool told;   /* that one is not, which is said once */
    bool marked; /* does a mark come before the piece? */
    uint8_t mark;
    bool at_end;
    uint8_t buffer[GROUPING_BYTES + POOL_SLACK_BYTES];
};

static void restart(void *context)
{
    struct grouping *grouping = context;

    record_reader_init(&grouping->reader, &grouping->rule.format, grouping->members, grouping->buffer, GROUPING_BYTES);
    grouping->piece.bytes = 0;
    grouping->count = 0;
    position_begin(&grouping->position, grouping->members, &grouping->rule.format);
    grouping->watch = (struct key_watch){.told = grouping->watch.told};
    grouping->marked = false;
    grouping->at_end = false;
}

/* The key of a member of which the first piece has come. */
static void find_key(struct grouping *grouping, struct key *key)
{
    const struct record_piece *piece = &grouping->piece;
    const enum field_verdict verdict = key_find(key, piece->data, piece->bytes, piece->last);
    char place[POSITION_BYTES];

    if (verdict == FIELD_FOUND) {
        key_saw(&grouping->watch, key, piece->data, piece->bytes - piece->last);
        return;
    }
    (void)position_say(&grouping->position, place);
    if (verdict == FIELD_BEYOND)
        die("%s: field %s does not end in the first %d bytes", place, key->rule->choice->field[0].text, GROUPING_BYTES);
    key_refuse(&grouping->watch, key, place, piece->data, piece->bytes - piece->last);
}

/* A group begins, with a member of which the first piece has come. */
static void look_for_torn(struct grouping *grouping, const struct key *key)
{
    static const char text[] =
        "%s: the records of group '%.*s%s' are not all neighbours, so %s; sort by field %s first";
    const char *field = grouping->rule.choice->field[0].text, *name = grouping->position.name;
    const int shown = (int)least_size(key->bytes, SHOWN_BYTES);
    const char *more = key->bytes > SHOWN_BYTES ? "..." : "";

    if (grouping->told || torn_look(&grouping->torn, (struct torn_key){.key = torn_hash(key->text, key->bytes),
                                                                       .name = grouping->count}) == NULL)
        return;
    grouping->told = true;
    if (grouping->whole)
        die(text, name, shown, (const char *)key->text, more, "--split would divide it", field);
    fault_warn(text, name, shown, (const char *)key->text, more, "they are several groups", field);
}

/* Have the next piece, with the mark that comes before it. */
static void next_piece(struct grouping *grouping)
{
    const bool more = record_reader_next(&grouping->reader, &grouping->piece);
    struct key *key = grouping->key[grouping->count % 2];
    struct key *before = grouping->key[(grouping->count + 1) % 2];
    bool same = false;

    if (more && grouping->piece.first)
        position_next(&grouping->position, grouping->piece.offset);
    if (more)
        position_follow(&grouping->position, grouping->piece.data, grouping->piece.bytes);
    if (more && !grouping->piece.first)
        return;
    grouping->at_end = !more;
    if (more) {
        find_key(grouping, key);
        same = grouping->count > 0 && key_is(key, before);
        if (!same)
            look_for_torn(grouping, key);
    } else {
        grouping->piece.bytes = 0;
        key_warn(&grouping->watch, &grouping->rule, "--group-field");
    }
    grouping->marked = grouping->count > 0;
    grouping->mark = same ? RECORD_GOES_ON : RECORD_ENDS;
    grouping->count++;
}

static size_t read_groups(void *context, uint8_t *data, size_t bytes)
{
    struct grouping *grouping = context;
    struct record_piece *piece = &grouping->piece;
    size_t done = 0;

    while (done < bytes) {
        const size_t part = least_size(piece->bytes, bytes - done);

        if (grouping->marked) {
            data[done++] = grouping->mark;
            grouping->marked = false;
        } else if (part > 0) {
            memcpy(data + done, piece->data, part);
            piece->data += part;
            piece->bytes -= part;
            done += part;
        } else if (grouping->at_end) {
            break;
        } else {
            next_piece(grouping);
        }
    }
    return done;
}

static void release(void *context)
{
    struct grouping *grouping = context;

    free(grouping->key[0]);
    free(grouping->key[1]);
    free(grouping);
}

size_t grouping_bytes(void)
{
    return sizeof(struct grouping);
}

void grouping_begin(struct source *source, const struct key_rule *rule, bool whole)
{
    static const struct source_stage stage = {.read = read_groups, .rewind = restart, .release = release};
    struct grouping *grouping = fault_allocate(1, sizeof *grouping);

    grouping->members = source_insert(source, &stage, grouping);
    grouping->rule = *rule;
    grouping->key[0] = key_new(&grouping->rule);
    grouping->key[1] = key_new(&grouping->rule);
    grouping->whole = whole;
    restart(grouping);
}
