#pragma once

/*
 * The value at a JSON Pointer (RFC 6901) in a text of JSON (RFC 8259) that comes in pieces. What is found is the same
 * whatever the pieces. All of the text is checked.
 *
 * As in Python's json, a byte-order mark may come first, NaN, Infinity and -Infinity are values, and of names that
 * occur twice in an object the last one counts. Bytes that are no UTF-8 are taken as they are, and half of a surrogate
 * pair becomes the three bytes that its number has, so that different strings stay different.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_DEPTH_MAX = 1024 };

/* What stands there. */
enum json_value {
    JSON_TEXT,    /* a string, a number, true or false */
    JSON_MISSING, /* nothing */
    JSON_NULL,    /* null, or NaN or the like */
    JSON_ARRAY,
    JSON_OBJECT,
    JSON_INVALID, /* the text is no JSON */
    JSON_DEEP     /* the text is nested deeper than JSON_DEPTH_MAX */
};

/* What stands between the values of a text, and before the first and after the last one. */
enum { JSON_PARTS = 64, JSON_FORM_BYTES = 1024 };

struct json_form {
    uint64_t others;           /* texts that were not like it */
    uint16_t parts;            /* 0: nothing has been learned */
    uint16_t sought;           /* comes before the value that is sought */
    uint16_t ends[JSON_PARTS]; /* of each part, */
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
    uint8_t after;    /* the same after the word at hand */
    uint8_t number;   /* enum number: what of a number has come */
    const char *word; /* what is left of it */
    bool is_name;     /* of the string at hand */
    bool keeps;       /* the value at hand is the one that is sought */
    uint32_t code;    /* behind a 1, the digits of an escape */
    uint32_t high;    /* the first half of a surrogate pair; 0: there is none */
    unsigned depth;   /* containers that are open */

    /* In the pointer: */
    unsigned matched;  /* containers that are open and on the way: the outermost ones */
    const char *path;  /* the token for what is in the last of them, from its '/' on */
    const char *match; /* in that token, behind what agrees with the name at hand; NULL if it does not */
    const char *rest;  /* behind the token, if `hit` */
    bool hit;          /* the value that follows is the one that the token names */
    uint64_t left;     /* elements until that, in an array */

    uint64_t objects[JSON_DEPTH_MAX / 64]; /* a bit for each open container: is it an object? */
    struct json_form form;                 /* stays from text to text */
};

/* Is this a pointer, but to the whole text? */
bool json_is_pointer(const char *text);

/* A text begins in which the value at a pointer is sought, which must stay. *json was zeroed before the first one. */
void json_begin(struct json *json, const char *pointer, uint8_t *text, size_t room, bool folds);

/* The next bytes of the text. */
void json_follow(struct json *json, const uint8_t *data, size_t bytes);

/* The text is at its end: what stands there? If that is JSON_TEXT, it is value[0, bytes), unless it is too long. */
enum json_value json_end(struct json *json);

/* The same of a whole text, where the value may be found: it has to stay. The pointer is always the same. */
enum json_value json_find(struct json *json, const char *pointer, uint8_t *text, size_t room, bool folds,
                          const uint8_t *data, size_t bytes);
