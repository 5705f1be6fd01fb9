#pragma once

/* One field of a record that comes in pieces, wherever it stands; what is found does not depend on the pieces. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/json.h"
#include "record/quotes.h"

enum field_kind {
    FIELD_NONE,
    FIELD_NUMBER, /* a column */
    FIELD_NAME,   /* a column, by its name in the header */
    FIELD_POINTER /* the value at a JSON Pointer, of records of JSON */
};

/* A field that was asked for. */
struct field_choice {
    enum field_kind kind;
    const char *text; /* as it was given */
    uint64_t number;  /* of the column, from 1; of a name, set by field_find_column */
    const char *from; /* the file in whose header the name was found; NULL: in none yet */
};

/* Where in records it is. */
struct field_place {
    struct field_choice *choice; /* NULL: the record is the field */
    uint8_t separator;           /* of columns */
    bool quoted;                 /* CSV: no separator stands within quotes, */
    struct quotes_rule quotes;   /* which are these; they and backslashes are none of a field that begins with them */
};

/* What a record has for the field. */
enum field_verdict {
    FIELD_FOUND = JSON_TEXT,
    FIELD_MISSING = JSON_MISSING,
    FIELD_NULL = JSON_NULL,
    FIELD_ARRAY = JSON_ARRAY,
    FIELD_OBJECT = JSON_OBJECT,
    FIELD_INVALID = JSON_INVALID, /* the record is no JSON */
    FIELD_DEEP = JSON_DEEP,
    FIELD_TOO_LONG /* more than there is room for */
};

/* How its text is kept. */
enum field_form {
    FIELD_TRIMMED, /* without blanks before it; blanks after it need no room */
    FIELD_EXACT,   /* every byte */
    FIELD_FOLDED   /* the same, of any length: sha256_keep folds it */
};

struct field {
    struct field_place place;
    enum field_form form;
    uint64_t left;           /* separators until it begins */
    uint8_t marked;          /* bytes of a byte-order mark that the record may begin with; 3 if that is settled */
    enum quotes_state state; /* CSV: of the next byte */
    bool begun;              /* a byte of the field has come, */
    bool literal;            /* and quotes that are open began after that: they belong to it */
    bool too_long;           /* text has gone by for which there was no room */
    size_t bytes;            /* of it so far */
    uint8_t *text;           /* the caller's */
    size_t room;
    size_t passed;    /* bytes of the last piece that are before the next column, if the field has ended with them */
    struct json json; /* used only with a JSON Pointer */
};

/* The field that a text names: its number from 1, its name, or a JSON Pointer to it. The text must stay. False with
 * errno: EINVAL if it is no such thing, ERANGE if the number is too large; the kind is that which it would be. */
bool field_parse(struct field_choice *field, const char *text);

/* Do these name the same field in the same way? */
bool field_is_same(const struct field_choice *one, const struct field_choice *other);

/* A record begins whose field is sought. Its text goes to text[0, room). */
void field_begin(struct field *field, struct field_place place, enum field_form form, uint8_t *text, size_t room);

/* The next bytes of the record, without its delimiter. Has the field ended with them? If so, no more are wanted. It
 * also ends with the record, if that has so many fields. A byte-order mark before the record is none of it. */
bool field_follow(struct field *field, const uint8_t *data, size_t bytes);

/* The record is at its end, or the field has `ended`: what is it? Its text is there if it is found. A carriage return
 * before a newline that ends the record is none of it. If there are too few columns, field.bytes is their number. */
enum field_verdict field_end(struct field *field, bool ended, uint8_t delimiter);

/* The field of a whole record, without its delimiter, where it stands there. NULL if it must be followed: it may be
 * missing, or does not simply stand between separators. */
const uint8_t *field_in_place(const struct field_place *place, const struct field_choice *choice, const uint8_t *data,
                              size_t bytes, uint8_t delimiter, size_t *field_bytes);

/* What a record has in place of the field, for messages: "no field 2, only 1". `bytes`: as field_end. */
enum { FIELD_SAID_BYTES = 128 };
const char *field_say(const struct field_place *place, enum field_verdict verdict, size_t bytes,
                      char said[FIELD_SAID_BYTES]);

/* What may help then, to be said behind that; `first` if no record has had it yet. The record begins so. */
const char *field_advice(const struct field_place *place, bool first, const uint8_t *record, size_t bytes);

/* A file begins with this header of one line. If the field is a name, its number becomes that of the column: the name
 * and those in the header, without the quotes of CSV, are compared byte by byte; a carriage return at the end of the
 * line belongs to none. A name that begins with a quote is in the quotes of CSV. The run ends
 * if the header has no such column, or several, or in another place than that of a file before. */
void field_find_column(const struct field_place *place, const char *file, const uint8_t *header, size_t bytes);
