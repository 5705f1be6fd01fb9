#include "record/key.h"

#include <string.h>

#include "base/arithmetic.h"
#include "system/fault.h"

/* Of a record, in messages. */
enum { QUOTED = 40 };

void key_begin(const struct key_rule *rule, struct field *field, struct key *key)
{
    field_begin(field, rule->field, true, key->text, sizeof key->text);
}

enum field_verdict key_end(const struct key_rule *rule, struct field *field, bool ended, struct key *key)
{
    const enum field_verdict verdict = field_end(field, ended, rule->format.delimiter);

    key->bytes = field->bytes;
    key->verdict = verdict == FIELD_FOUND && field->bytes > KEY_BYTES_MAX ? FIELD_TOO_LONG : verdict;
    return key->verdict;
}

enum field_verdict key_find(const struct key_rule *rule, const uint8_t *data, size_t bytes, bool whole, struct key *key)
{
    struct field field;
    bool ended;

    key_begin(rule, &field, key);
    ended = field_follow(&field, data, bytes - whole); /* without the delimiter */
    key->verdict = FIELD_BEYOND;
    return ended || whole || field.too_long ? key_end(rule, &field, ended, key) : FIELD_BEYOND;
}

/* A carriage return that ends the line is nothing else. */
void key_saw(struct key_watch *watch, const struct key_rule *rule, size_t key_bytes, const uint8_t *record,
             size_t record_bytes)
{
    const bool returns = record_bytes > 0 && record[record_bytes - 1] == '\r';

    watch->json = watch->json || (watch->records == 0 && record_bytes > 0 && record[0] == '{');
    watch->records++;
    watch->more = watch->more || rule->field.choice->kind == FIELD_POINTER || rule->field.choice->number > 1 ||
                  record_bytes > key_bytes + returns;
}

_Noreturn void key_refuse(const struct key_watch *watch, const struct key_rule *rule, const struct key *key,
                          const char *place, const uint8_t *record, size_t bytes)
{
    char said[FIELD_SAID_BYTES];

    if (key->verdict == FIELD_TOO_LONG)
        fault_say("%s: field %s has more than %d bytes", place, rule->field.choice->text, KEY_BYTES_MAX);
    if (bytes > 0 && record[bytes - 1] == '\r')
        bytes--;
    fault_say("%s: %s: '%.*s'%s", place, field_say(&rule->field, key->verdict, key->bytes, said),
              (int)least_size(bytes, QUOTED), (const char *)record,
              field_advice(&rule->field, watch->records == 0, record, bytes));
}

void key_warn(struct key_watch *watch, const struct key_rule *rule, const char *option)
{
    if (watch->records > 1 && !watch->more && !watch->told)
        fault_warn("%s: no line contains the separator, so each whole line is its own group%s", option,
                   field_advice(&rule->field, true, (const uint8_t *)"{", watch->json));
    watch->told = true;
}

bool key_is(const struct key *key, const struct key *other)
{
    return key->bytes == other->bytes && memcmp(key->text, other->text, key->bytes) == 0;
}
