#ifndef BIGSHUF_RECORD_FIELD_H
#define BIGSHUF_RECORD_FIELD_H

/* One field of a record that comes in pieces, wherever in the record it stands. What is found is the same whatever the
 * pieces. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIELD_BYTES_MAX = 4096 };

struct field {
    uint8_t separator;
    bool alone;    /* there are no separators: the record is the field */
    uint64_t left; /* separators until it begins */
    bool too_long; /* text has gone by that did not fit */
    size_t bytes;  /* of it so far, without the blanks before it */
    uint8_t text[FIELD_BYTES_MAX];
};

/* A record begins, of which field `number` is sought, from 1. */
void field_begin(struct field *field, uint64_t number, uint8_t separator);

/* The same for a record that is all one field. */
void field_begin_alone(struct field *field);

/* The next bytes of the record, without its delimiter. Has the field ended with them? If so, no more are wanted. It
 * also ends with the record, if that has so many fields. */
bool field_follow(struct field *field, const uint8_t *data, size_t bytes);

/* Has the field begun? */
bool field_is_there(const struct field *field);

/* The record is at its end with a newline: a carriage return before that is none of the field's text. */
void field_end_line(struct field *field);

#endif
