#ifndef BIGSHUF_RECORD_KEY_H
#define BIGSHUF_RECORD_KEY_H

/* The key of a record: what decides which records belong together. Keys are compared byte by byte. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/field.h"
#include "record/record.h"

enum { KEY_BYTES_MAX = 1 << 16 };

/* Where the key stands in records of this format, which are not grouped: it is a field, unchanged except that the
 * quotes of CSV and a carriage return before the newline that ends the record do not belong to it. */
struct key_rule {
    struct record_format format;
    struct field_place field;
};

struct key {
    enum field_verdict verdict;      /* is there one? */
    size_t bytes;                    /* or if its column is missing, how many there are */
    uint8_t text[KEY_BYTES_MAX + 1]; /* one more for the carriage return that may follow it */
};

/* Find the key of the record that begins with data[0, bytes); if `whole`, that is the whole record. Returns the key's
 * verdict. */
enum field_verdict key_find(const struct key_rule *rule, const uint8_t *data, size_t bytes, bool whole,
                            struct key *key);

/* The same as key_find of a record that comes in pieces: a field to be followed, which keeps its text in the key, and
 * what it comes to when it has `ended`, or else the record has. */
void key_begin(const struct key_rule *rule, struct field *field, struct key *key);
enum field_verdict key_end(const struct key_rule *rule, struct field *field, bool ended, struct key *key);

bool key_is(const struct key *key, const struct key *other);

/* Does any record contain more than its key? If none of several does, another byte may separate their fields. */
struct key_watch {
    uint64_t records; /* whose keys were found */
    bool more;        /* than the key is in one of them */
    bool json;        /* does the first one look like JSON? */
    bool told;        /* that there is not, which is said once */
};

/* A key was found in a record of so many bytes without its delimiter; 0 if they are not all there. */
void key_saw(struct key_watch *watch, const struct key_rule *rule, size_t key_bytes, const uint8_t *record,
             size_t record_bytes);

/* End the run: the record at this place ("in:7"), which begins so, has no key, as the verdict says. */
_Noreturn void key_refuse(const struct key_watch *watch, const struct key_rule *rule, const struct key *key,
                          const char *place, const uint8_t *record, size_t bytes);

/* All keys have been found, for this option: warn if there was nothing else. */
void key_warn(struct key_watch *watch, const struct key_rule *rule, const char *option);

#endif
