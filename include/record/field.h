#ifndef BIGSHUF_RECORD_FIELD_H
#define BIGSHUF_RECORD_FIELD_H

/* One field of a record that comes in pieces, wherever in the record it stands. What is found is the same whatever the
 * pieces. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which field of a record. */
struct field_place {
    uint64_t number; /* from 1; 0: the record is the field, or, in options, there is none */
    uint8_t separator;
    bool quoted; /* CSV: no separator stands within double quotes, and "" within them is one quote of the field */
};

struct field {
    struct field_place place;
    bool exact;    /* blanks before and after it belong to it */
    uint64_t left; /* separators until it begins */
    bool inside;   /* quotes */
    bool closed;   /* the last byte closed a quote, if it does not open one again */
    bool too_long; /* text has gone by for which there was no room */
    size_t bytes;  /* of it so far */
    uint8_t *text; /* the caller's */
    size_t room;
};

/* A record begins whose field is sought. Its text goes to text[0, room), without blanks before it; blanks after it need
 * no room. If it is to be compared, and so exact, every byte belongs to it. */
void field_begin(struct field *field, struct field_place place, bool exact, uint8_t *text, size_t room);

/* The next bytes of the record, without its delimiter. Has the field ended with them? If so, no more are wanted. It
 * also ends with the record, if that has so many fields. */
bool field_follow(struct field *field, const uint8_t *data, size_t bytes);

/* Has the field begun? */
bool field_is_there(const struct field *field);

/* Advice to follow the message that the first record has no such field. */
const char *field_advice(const struct field_place *place);

/* The record ends with a newline: a carriage return before it does not belong to the field. */
void field_end_line(struct field *field);

#endif
