#pragma once

/* The key of a record: records with equal keys belong together. Keys are compared byte by byte. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/field.h"
#include "record/record.h"

enum { KEY_BYTES_MAX = 1 << 16, KEY_FIELDS_MAX = 8, KEY_QUOTED_BYTES = 40 };

/* The fields that make the key, in the user's order. A single field is the key itself, without the quotes of CSV and
 * the carriage return of a CR LF that ends the record. Several fields make one key: of each its length, in 8 bytes, the
 * lowest first, and then its bytes. While a field is longer than KEY_BYTES_MAX, its first KEY_BYTES_MAX + 1 bytes are
 * replaced by the digits of their SHA-256. */
struct key_choice {
    size_t count; /* 0: no key */
    struct field_choice field[KEY_FIELDS_MAX];
};

/* Is `field` one of the fields? Are all fields of `other`? */
bool key_has(const struct key_choice *choice, const struct field_choice *field);
bool key_has_all(const struct key_choice *choice, const struct key_choice *other);

/* Add a field, unless it is among them. False: there is no room. */
bool key_add(struct key_choice *choice, const struct field_choice *field);

/* Where the key stands in records of this format, which are not grouped. */
struct key_rule {
    struct record_format format;
    struct field_place place;  /* common to all fields, without the choice */
    struct key_choice *choice; /* NULL: there is no key */
};

/* Finds the keys of records, one after another. `rule` must stay. */
struct key {
    const struct key_rule *rule;
    enum field_verdict verdict; /* is there a key? */
    size_t missing;             /* if not: index of the missing field */
    const uint8_t *text;        /* else the key; valid as long as the record, and until the next one begins */
    size_t bytes;               /* of the key; or, if a column is missing, the number of columns */
    bool known;                 /* is `verdict` set? */
    bool ended[KEY_FIELDS_MAX];
    size_t quoted; /* bytes of `quote`, the record's beginning, for a message */
    uint8_t quote[KEY_QUOTED_BYTES];
    struct field field[KEY_FIELDS_MAX];
    uint8_t room[]; /* for each field: its length, then its text */
};

/* For free(). */
struct key *key_new(const struct key_rule *rule);
size_t key_memory(const struct key_choice *choice); /* bytes that key_new takes; 0 for no key */

/* Find the key of a whole record. Returns the key's verdict. */
enum field_verdict key_find(struct key *key, const uint8_t *data, size_t bytes);

/* The same for the next piece of a record, perhaps its `first` or `last`. Returns KEY_FOUND or KEY_MISSING once for
 * each record; after that KEY_PASSED: the other pieces need not come. */
enum key_found { KEY_MISSING, KEY_FOUND, KEY_TO_COME, KEY_PASSED };

enum key_found key_take(struct key *key, const uint8_t *data, size_t bytes, bool first, bool last);

/* End the run: `record`, the `number`-th from 0, at `place` ("in:7"), has no key; `key->verdict` says why. Its first
 * bytes are enough. */
_Noreturn void key_refuse(const struct key *key, const char *place, uint64_t number, const uint8_t *record,
                          size_t bytes);
