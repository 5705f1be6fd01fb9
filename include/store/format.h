#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/key.h"
#include "record/record.h"

/*
 * What all batches of a store have in common, and its text, which messages quote when an option differs from it:
 *
 *     bigshuf store 3
 *     512 piles
 *     records of end "\n"
 *     groups by "/user" separated by "\011" key 0123456789abcdef0123456789abcdef
 *     header of lines 1
 *     checksum 0123456789abcdef
 *
 * The line of groups is there only if records go to piles by their keys (keyed.h), hashed under the key in that line.
 * Records of archives are stored in frames (group.h): "frames of tar". The checksum is the XXH64 of the text before it.
 */

#define STORE_FORMAT_TITLE "bigshuf store "
enum { STORE_FORMAT_VERSION = 3 };

enum store_keys { STORE_KEYS_NONE, STORE_KEYS_GROUP, STORE_KEYS_UNIQUE };

enum { STORE_FORMAT_FIELD_BYTES = 128, STORE_FORMAT_KEY_DIGITS = 32 }; /* bytes of a field with NUL */

struct store_format {
    unsigned piles;              /* a power of two */
    struct record_format record; /* its string is the caller's */
    uint64_t header_lines;       /* as in header_rule; without `start`: "" */
    uint64_t header_bytes;
    char header_start[RECORD_DELIMITER_BYTES_MAX];
    enum store_keys keys; /* STORE_KEYS_NONE: the fields below are unused */
    unsigned fields;      /* 0: the whole record is its key */
    char field[KEY_FIELDS_MAX][STORE_FORMAT_FIELD_BYTES];
    uint8_t separator; /* of columns */
    char key[STORE_FORMAT_KEY_DIGITS + 1];
};

enum {
    STORE_FORMAT_PILES_MIN = 2,
    STORE_FORMAT_PILES_MAX = 4096,
    STORE_FORMAT_PILES = 512, /* unless --piles says how many */
};

enum {
    STORE_FORMAT_STRING_BYTES = 4 * RECORD_DELIMITER_BYTES_MAX + 3, /* every byte escaped, quotes, NUL */
    STORE_FORMAT_TEXT_BYTES = 2 * STORE_FORMAT_STRING_BYTES + KEY_FIELDS_MAX * (4 * STORE_FORMAT_FIELD_BYTES + 3) + 320,
};

/* Write the whole text. Returns its length. */
size_t store_format_text(const struct store_format *format, char text[STORE_FORMAT_TEXT_BYTES]);

/* Read a text; `string` receives the string of the record format. False unless store_format_text would write it. */
bool store_format_parse(struct store_format *format, uint8_t string[RECORD_DELIMITER_BYTES_MAX], const char *text,
                        size_t bytes);
