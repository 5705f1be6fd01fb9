#include "record/key.h"

#include <string.h>

enum key_verdict key_find(const struct key_rule *rule, const uint8_t *data, size_t bytes, bool whole, struct key *key)
{
    struct field field;
    bool ended;

    field_begin_exact(&field, rule->field, key->text, sizeof key->text);
    ended = field_follow(&field, data, bytes - whole); /* without the delimiter */
    if (field.too_long)
        return KEY_TOO_LONG;
    if (!ended && !whole)
        return KEY_BEYOND;
    if (!field_is_there(&field))
        return KEY_MISSING;
    if (!ended && rule->format.delimiter == '\n')
        field_end_line(&field);
    key->bytes = field.bytes;
    return KEY_FOUND;
}

bool key_is(const struct key *key, const struct key *other)
{
    return key->bytes == other->bytes && memcmp(key->text, other->text, key->bytes) == 0;
}
