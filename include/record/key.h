#pragma once

/* The key of a record: what decides which records belong together. Keys are compared byte by byte. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/field.h"
#include "record/record.h"

enum { KEY_BYTES_MAX = 1 << 16, KEY_FIELDS_MAX = 8, KEY_QUOTED_BYTES = 40 };

/* The fields that were asked for, in that order. One is the key, unchanged except that the quotes of CSV and a carriage
 * return before the newline that ends the record do not belong to it. Several are one key: of each its length, in 8
 * bytes, the lowest first, and then its bytes. Of a longer field, the first KEY_BYTES_MAX + 1 bytes become the digits
 * of their SHA-256, again and again until it is no longer. */
struct key_choice {
    size_t count; /* 0: not given */
    struct field_choice field[KEY_FIELDS_MAX];
};

/* Is this one of the fields? And are all of another key? */
bool key_has(const struct key_choice *choice, const struct field_choice *field);
bool key_has_all(const struct key_choice *choice, const struct key_choice *other);

/* One field more, unless it is one of them. False: there is no room. */
bool key_add(struct key_choice *choice, const struct field_choice *field);

/* Where the key stands in records of this format, which are not grouped. */
struct key_rule {
    struct record_format format;
    struct field_place place;  /* of each field, but for its choice */
    struct key_choice *choice; /* NULL: there is no key */
};

/* The key of one record after another, by a rule, which must stay. */
struct key {
    const struct key_rule *rule;
    enum field_verdict verdict; /* is there one? */
    size_t missing;             /* if not: which field there is none of, */
    const uint8_t *text;        /* else the key, as long as the record stands there and no other begins */
    size_t bytes;               /* of it; or if a column is missing, how many there are */
    bool known;                 /* has a verdict been given? */
    bool ended[KEY_FIELDS_MAX];
    size_t quoted; /* bytes of the record's beginning, for a message */
    uint8_t quote[KEY_QUOTED_BYTES];
    struct field field[KEY_FIELDS_MAX];
    uint8_t room[]; /* for the text of each field, and for its length before it */
};

/* For free(). */
struct key *key_new(const struct key_rule *rule);
size_t key_memory(const struct key_choice *choice); /* what it takes; 0 if none was given */

/* Find the key of a whole record. Returns the key's verdict. */
enum field_verdict key_find(struct key *key, const uint8_t *data, size_t bytes);

/* The same of a record that comes in pieces, by the next of them. KEY_KNOWN, once for each record: it has a verdict. */
enum key_progress { KEY_TO_COME, KEY_KNOWN, KEY_PASSED };

enum key_progress key_take(struct key *key, const uint8_t *data, size_t bytes, bool first, bool last);

/* Does any record contain more than its key? If none of several does, another byte may separate their fields. */
struct key_watch {
    uint64_t records; /* whose keys were found */
    uint64_t empty;   /* of these, whose keys have an empty field, */
    uint64_t returns; /* or which end with a carriage return */
    bool more;        /* than the key is in one of them */
    bool json;        /* does the first one look like JSON? */
};

/* A key was found in a record, whose bytes are these without its delimiter; NULL: it came in pieces. */
void key_saw(struct key_watch *watch, const struct key *key, const uint8_t *record, size_t record_bytes);

/* What another thread saw. */
void key_watch_add(struct key_watch *watch, const struct key_watch *other);

/* End the run: the record at this place ("in:7"), which begins so, has no key, as the verdict says. */
_Noreturn void key_refuse(const struct key_watch *watch, const struct key *key, const char *place,
                          const uint8_t *record, size_t bytes);

/* All keys have been found, for this option: warn if there was nothing else, and of several with an empty field. */
void key_warn(const struct key_watch *watch, const struct key_rule *rule, const char *option);
