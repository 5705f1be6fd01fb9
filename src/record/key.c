#include "record/key.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/sha256.h"
#include "system/fault.h"

enum { LENGTH_BYTES = 8 };

bool key_has(const struct key_choice *choice, const struct field_choice *field)
{
    for (size_t i = 0; i < choice->count; i++)
        if (field_is_same(&choice->field[i], field))
            return true;
    return false;
}

bool key_add(struct key_choice *choice, const struct field_choice *field)
{
    if (key_has(choice, field))
        return true;
    if (choice->count == KEY_FIELDS_MAX)
        return false;
    choice->field[choice->count++] = *field;
    return true;
}

bool key_has_all(const struct key_choice *choice, const struct key_choice *other)
{
    for (size_t i = 0; i < other->count; i++)
        if (!key_has(choice, &other->field[i]))
            return false;
    return true;
}

/* The place of field i. */
static struct field_place place_of_field(const struct key_rule *rule, size_t i)
{
    struct field_place place = rule->place;

    place.choice = &rule->choice->field[i];
    return place;
}

/* Room for a field, its length before it, and a carriage return after it. */
enum { ROOM_BYTES = LENGTH_BYTES + KEY_BYTES_MAX + 1 };

size_t key_memory(const struct key_choice *choice)
{
    return choice->count > 0 ? sizeof(struct key) + choice->count * ROOM_BYTES : 0;
}

struct key *key_new(const struct key_rule *rule)
{
    struct key *key = fault_allocate(1, key_memory(rule->choice));

    key->rule = rule;
    for (size_t i = 0; i < rule->choice->count; i++)
        field_seek(&key->field[i], place_of_field(rule, i), FIELD_FOLDED, key->room + i * ROOM_BYTES + LENGTH_BYTES,
                   KEY_BYTES_MAX + 1);
    return key;
}

static void begin_fields(struct key *key)
{
    key->known = false;
    key->quoted = 0;
    for (size_t i = 0; i < key->rule->choice->count; i++) {
        field_begin(&key->field[i]);
        key->ended[i] = false;
    }
}

/* The next bytes, without the delimiter. True if no more are wanted. */
static bool follow_fields(struct key *key, const uint8_t *data, size_t bytes)
{
    const size_t quoted = least_size(bytes, KEY_QUOTED_BYTES - key->quoted);
    bool all = true;

    memcpy(key->quote + key->quoted, data, quoted);
    key->quoted += quoted;
    for (size_t i = 0; i < key->rule->choice->count; i++) {
        key->ended[i] = key->ended[i] || field_follow(&key->field[i], data, bytes);
        all = all && key->ended[i];
    }
    return all;
}

/* Put the fields side by side, each after its length. */
static void join_fields(struct key *key)
{
    uint8_t *to = key->room;

    for (size_t i = 0; i < key->rule->choice->count; i++) {
        const struct field *field = &key->field[i];

        for (size_t k = 0; k < LENGTH_BYTES; k++)
            to[k] = (uint8_t)((uint64_t)field->bytes >> 8 * k);
        memmove(to + LENGTH_BYTES, field->found, field->bytes);
        to += LENGTH_BYTES + field->bytes;
    }
    key->text = key->room;
    key->bytes = (size_t)(to - key->room);
}

/* Of a whole record, or, if `record` is NULL, of one that was followed. */
static void end_fields(struct key *key, const uint8_t *record, size_t bytes)
{
    const size_t count = key->rule->choice->count;
    const uint8_t delimiter = key->rule->format.delimiter;

    for (size_t i = 0; i < count; i++) {
        struct field *field = &key->field[i];

        key->verdict =
            record != NULL ? field_find(field, record, bytes, delimiter) : field_end(field, key->ended[i], delimiter);
        if (key->verdict == FIELD_FOUND && field->bytes > KEY_BYTES_MAX)
            field->bytes = sha256_fold(field->text, field->bytes);
        key->missing = i;
        key->text = field->found;
        key->bytes = field->bytes;
        if (key->verdict != FIELD_FOUND)
            return;
    }
    if (count > 1)
        join_fields(key);
}

enum key_found key_take(struct key *key, const uint8_t *data, size_t bytes, bool first, bool last)
{
    if (first)
        begin_fields(key);
    if (key->known)
        return KEY_PASSED;
    key->known = follow_fields(key, data, bytes - last) || last;
    if (!key->known)
        return KEY_TO_COME;
    end_fields(key, NULL, 0);
    return key->verdict == FIELD_FOUND ? KEY_FOUND : KEY_MISSING;
}

enum field_verdict key_find(struct key *key, const uint8_t *data, size_t bytes)
{
    end_fields(key, data, bytes - 1);
    if (key->verdict != FIELD_FOUND) /* for its beginning */
        (void)key_take(key, data, bytes, true, true);
    return key->verdict;
}

_Noreturn void key_refuse(const struct key *key, const char *place, uint64_t number, const uint8_t *record,
                          size_t bytes)
{
    const struct field_place field = place_of_field(key->rule, key->missing);
    char said[FIELD_SAID_BYTES];

    if (bytes > 0 && record[bytes - 1] == '\r')
        bytes--;
    die("%s: %s: '%.*s'%s", place, field_say(&field, key->verdict, key->bytes, said),
        (int)(key->quoted - (key->quoted > bytes && key->quote[key->quoted - 1] == '\r')), (const char *)key->quote,
        field_advice(&field, number == 0, record, bytes));
}
