#include "record/key.h"

#include <string.h>

#include "system/fault.h"

void key_begin(const struct key_rule *rule, struct field *field, struct key *key)
{
    field_begin(field, rule->field, true, key->text, sizeof key->text);
}

enum key_verdict key_end(const struct key_rule *rule, struct field *field, bool ended, struct key *key)
{
    if (field->too_long)
        return KEY_TOO_LONG;
    key->bytes = (size_t)(rule->field.number - field->left);
    if (!field_is_there(field))
        return KEY_MISSING;
    if (!ended && rule->format.delimiter == '\n')
        field_end_line(field);
    if (field->bytes > KEY_BYTES_MAX)
        return KEY_TOO_LONG;
    key->bytes = field->bytes;
    return KEY_FOUND;
}

enum key_verdict key_find(const struct key_rule *rule, const uint8_t *data, size_t bytes, bool whole, struct key *key)
{
    struct field field;
    bool ended;

    key_begin(rule, &field, key);
    ended = field_follow(&field, data, bytes - whole); /* without the delimiter */
    return ended || whole || field.too_long ? key_end(rule, &field, ended, key) : KEY_BEYOND;
}

/* A carriage return that ends the line is nothing else. */
void key_saw(struct key_watch *watch, const struct key_rule *rule, size_t key_bytes, const uint8_t *record,
             size_t record_bytes)
{
    const bool returns = record_bytes > 0 && record[record_bytes - 1] == '\r';

    watch->records++;
    watch->more = watch->more || rule->field.number > 1 || record_bytes > key_bytes + returns;
}

const char *key_advice(const struct key_watch *watch, const struct key_rule *rule)
{
    return watch->records == 0 ? field_advice(&rule->field) : "";
}

void key_warn(struct key_watch *watch, const struct key_rule *rule, const char *option)
{
    if (watch->records > 1 && !watch->more && !watch->told)
        fault_warn("%s: no line contains the separator, so each whole line is its own group%s", option,
                   field_advice(&rule->field));
    watch->told = true;
}

bool key_is(const struct key *key, const struct key *other)
{
    return key->bytes == other->bytes && memcmp(key->text, other->text, key->bytes) == 0;
}
