#ifndef BIGSHUF_STORE_STORE_FORMAT_H
#define BIGSHUF_STORE_STORE_FORMAT_H

/*
 * What all batches of a store have in common, and the text of it, which messages quote if an option says anything else:
 *
 *     bigshuf store 2
 *     512 piles
 *     records ending with "\n"
 *     a header of 1 record
 *
 * If records are groups (record.h), "groups of" comes before what their members are.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

struct store_format {
    unsigned piles;              /* a power of two */
    struct record_format record; /* its string is the caller's */
    uint64_t header_lines;       /* one of these at most is not 0 or "", as in header_rule */
    uint64_t header_bytes;
    char header_start[RECORD_DELIMITER_BYTES_MAX];
};

enum {
    STORE_FORMAT_PILES_MIN = 2,
    STORE_FORMAT_PILES_MAX = 4096,
    STORE_FORMAT_PILES = 512, /* if nobody says how many */
};

enum {
    STORE_FORMAT_STRING_BYTES = 4 * RECORD_DELIMITER_BYTES_MAX + 3, /* all of them so, quotes, NUL */
    STORE_FORMAT_TEXT_BYTES = 2 * STORE_FORMAT_STRING_BYTES + 192,
};

/* The whole text. Returns its length. */
size_t store_format_text(const struct store_format *format, char text[STORE_FORMAT_TEXT_BYTES]);

/* Read a text; `string` receives the string of the record format. False if it is not as store_format_text writes it. */
bool store_format_parse(struct store_format *format, uint8_t string[RECORD_DELIMITER_BYTES_MAX], const char *text,
                        size_t bytes);

#endif
