#pragma once

/* Finds one field of a record that comes in pieces; the result does not depend on the pieces. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/json.h"
#include "record/quotes.h"

enum field_kind {
    FIELD_NONE,
    FIELD_NUMBER, /* a column */
    FIELD_NAME,   /* a column, by its name in the header */
    FIELD_POINTER /* the value at a JSON Pointer; records are JSON */
};

/* A field that the user has named. */
struct field_choice {
    enum field_kind kind;
    const char *text; /* as the user wrote it */
    uint64_t number;  /* of the column, from 1; for a name, field_find_column sets it */
    const char *from; /* the file in whose header the name was found; NULL: in none yet */
};

/* Where the field is in records. */
struct field_place {
    struct field_choice *choice; /* NULL: the whole record */
    uint8_t separator;           /* of columns */
    bool quoted;                 /* CSV: separators within quotes are text */
    struct quotes_rule quotes;   /* these; they and backslashes are no part of a field that begins with them */
};

/* What was found. */
enum field_verdict {
    FIELD_FOUND = JSON_TEXT,
    FIELD_MISSING = JSON_MISSING,
    FIELD_NULL = JSON_NULL,
    FIELD_ARRAY = JSON_ARRAY,
    FIELD_OBJECT = JSON_OBJECT,
    FIELD_INVALID = JSON_INVALID, /* the record is no JSON */
    FIELD_DEEP = JSON_DEEP,
    FIELD_TOO_LONG /* longer than the room for it */
};

/* How the field's text is kept. */
enum field_form {
    FIELD_TRIMMED, /* without blanks before it; room for blanks after it is not needed */
    FIELD_EXACT,   /* every byte */
    FIELD_FOLDED   /* every byte, of any length: sha256_keep folds it */
};

struct field {
    struct field_place place;
    enum field_form form;
    uint64_t left;           /* separators before the field */
    uint8_t marked;          /* bytes of a byte-order mark seen at the record's beginning; 3: no more are expected */
    enum quotes_state state; /* CSV: of the next byte */
    bool begun;              /* has a byte of the field come? */
    bool literal;            /* did the open quotes begin later in the field? Then they belong to it */
    bool too_long;           /* did some text not fit? */
    size_t bytes;            /* of what was found so far */
    const uint8_t *found;    /* is in `text`, or in the record */
    uint8_t *text;           /* the caller's */
    size_t room;
    size_t passed;    /* when the field has ended: bytes of the last piece up to the next column */
    struct json json; /* for a JSON Pointer */
};

/* Read the user's text, which must stay: a number from 1 on, a name, or a JSON Pointer. False with errno: EINVAL if it
 * is none of these, ERANGE if the number is too large; field->kind is still set. */
bool field_parse(struct field_choice *field, const char *text);

/* Are both the same field, named in the same way? */
bool field_is_same(const struct field_choice *one, const struct field_choice *other);

/* Set what is sought in all records that follow. The text of a field may be put into text[0, room). */
void field_seek(struct field *field, struct field_place place, enum field_form form, uint8_t *text, size_t room);

/* A record begins, which comes in pieces. */
void field_begin(struct field *field);

/* The next bytes of the record, without its delimiter. True if the field has ended with them: then call field_end, and
 * pass no more bytes. The record's last field ends with the record. A byte-order mark before the record is skipped. */
bool field_follow(struct field *field, const uint8_t *data, size_t bytes);

/* The record is at its end, or the field has `ended` before. Returns what was found; found[0, bytes) is the text if
 * that is FIELD_FOUND, without the carriage return of a record that ends with CR LF. With too few columns, field->bytes
 * is their number. */
enum field_verdict field_end(struct field *field, bool ended, uint8_t delimiter);

/* The same for a whole record, which is given without its delimiter. The text may be a part of the record. */
enum field_verdict field_find(struct field *field, const uint8_t *data, size_t bytes, uint8_t delimiter);

/* What a record has in place of the field, for messages: "no field 2, only 1". `bytes`: as field_end. */
enum { FIELD_SAID_BYTES = 128 };
const char *field_say(const struct field_place *place, enum field_verdict verdict, size_t bytes,
                      char said[FIELD_SAID_BYTES]);

/* Advice to be added to that message. `first`: no earlier record had the field. `record`: the record's first bytes. */
const char *field_advice(const struct field_place *place, bool first, const uint8_t *record, size_t bytes);

/* `header` is the line with the names of `file`. If the choice is a name, set its number to that of the column with
 * this name. Names are compared byte by byte, without the quotes of CSV and without a carriage return at the end of the
 * line; a name that begins with a quote is read as quoted. The run ends if the header has no such column, or several,
 * or in another place than in an earlier file. */
void field_find_column(const struct field_place *place, const char *file, const uint8_t *header, size_t bytes);
