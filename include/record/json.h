#pragma once

/*
 * Finds the value at a JSON Pointer (RFC 6901) in a text of JSON (RFC 8259) that comes in pieces. The result does not
 * depend on the pieces. All of the text is checked.
 *
 * As in Python's json, a byte-order mark may come first, NaN, Infinity and -Infinity are values, and of names that
 * occur twice in an object the last one counts. Invalid UTF-8 is kept as it is, and half of a surrogate pair becomes
 * the three bytes of its number, so that different strings stay different.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_DEPTH_MAX = 1024 };

/* What was found at the pointer. */
enum json_value {
    JSON_TEXT,    /* a string, a number, true or false */
    JSON_MISSING, /* nothing */
    JSON_NULL,    /* null, or NaN or the like */
    JSON_ARRAY,
    JSON_OBJECT,
    JSON_INVALID, /* the text is no JSON */
    JSON_DEEP     /* the text is nested deeper than JSON_DEPTH_MAX */
};

/* What a text consists of besides its values: the parts before, between and after them. */
enum { JSON_PARTS = 64, JSON_FORM_BYTES = 1024 };

struct json_form {
    uint64_t others;           /* number of texts that were not like it */
    uint16_t parts;            /* number of parts; 0: nothing has been learned */
    uint16_t sought;           /* index of the part before the value that is sought */
    uint16_t ends[JSON_PARTS]; /* of each part in `text` */
    uint8_t text[JSON_FORM_BYTES];
};

struct json {
    uint8_t *text; /* the caller's */
    size_t room;
    bool folds;           /* as sha256_keep has it */
    const uint8_t *value; /* a string decoded, others as they stand: in `text`, or where it stands */
    size_t bytes;         /* of it so far */
    bool too_long;
    enum json_value found;

    /* In the text: */
    uint8_t next;     /* enum next: what may follow */
    uint8_t after;    /* the same, after the current word */
    uint8_t number;   /* enum number: the state within a number */
    const char *word; /* the rest of the current word */
    bool is_name;     /* is the current string a name? */
    bool keeps;       /* is the current value the one that is sought? */
    uint32_t code;    /* a 1, followed by the digits of an escape so far */
    uint32_t high;    /* the first half of a surrogate pair; 0: none */
    unsigned depth;   /* number of open containers */

    /* In the pointer: */
    unsigned matched;  /* number of open containers on the way: the outermost ones */
    const char *path;  /* the token for the contents of the last of these, from its '/' on */
    const char *match; /* place in it after the part equal to the current name; NULL: they differ */
    const char *rest;  /* place after the token, if `hit` */
    bool hit;          /* is the next value the one that the token names? */
    uint64_t left;     /* in an array, elements before that */

    uint64_t objects[JSON_DEPTH_MAX / 64]; /* a bit for each open container: is it an object? */
    struct json_form form;                 /* stays from text to text */
};

/* Is this a pointer, and not one to the whole text? */
bool json_is_pointer(const char *text);

/* Begin a text, to find the value at `pointer`, which must stay. *json must be zeroed before the first text. */
void json_begin(struct json *json, const char *pointer, uint8_t *text, size_t room, bool folds);

/* The next bytes of the text. */
void json_follow(struct json *json, const uint8_t *data, size_t bytes);

/* The text is at its end: what stands there? If that is JSON_TEXT, it is value[0, bytes), unless it is too long. */
enum json_value json_end(struct json *json);
