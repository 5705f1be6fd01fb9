#pragma once

/*
 * The beginning of an input file, which is taken off before its records are shuffled: a header, and the start of the
 * first record if records start with a string. A header is a number of bytes; or the first lines, all that begin with a
 * given string, and a number of lines after them. If records are not made of lines, that number counts records, as of
 * CSV. The header of the first file that is not empty is kept; those of the others must be the same, unless they may
 * differ.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/key.h"
#include "record/record.h"
#include "record/tail.h"

enum { HEADER_BYTES_MAX = 1 << 20, HEADER_NAMES_MAX = 2 * KEY_FIELDS_MAX + 1 };

/* What the header of a file consists of: `bytes` bytes, or, if that is 0, lines. */
struct header_rule {
    uint64_t bytes;
    const char *start; /* the string of the first lines, the caller's; NULL: there are none */
    uint64_t lines;    /* number of lines after these */
    bool may_differ;
    unsigned none;                              /* 1: the user says there is none */
    struct field_place names[HEADER_NAMES_MAX]; /* columns named by the user; unused ones are zeroed */
};

bool header_is_none(const struct header_rule *rule);

/* The header in the first bytes of a file, or, if `at_end`, in all of it. */
struct header_place {
    size_t first;  /* end of the lines that begin with the string */
    size_t end;    /* end of the header, as far as it is there */
    uint64_t left; /* number of its lines that are not there, */
    bool open;     /* and is a part of the first of these there? */
};
struct header_place header_find(const struct header_rule *rule, const struct record_format *format, const uint8_t *data,
                                size_t bytes, bool at_end);

/* End the run if the header and records cannot have the `count` fields of `option`: names need `lines`, and JSON
 * Pointers exclude `columns` (--csv, -t). */
void header_check_fields(const struct header_rule *rule, bool columns, const struct field_choice *choice, size_t count,
                         const char *option);

/* field_find_column for each place, up to one without a choice, in the line of this header that has the names. */
void header_find_columns(const struct header_rule *rule, const struct record_format *format,
                         const struct field_place names[HEADER_NAMES_MAX], const char *file, const uint8_t *text,
                         size_t bytes);

struct header {
    const struct record_format *format;
    struct record_format line; /* the format of the header's lines, or records */
    bool has_lines;            /* is the header made of lines, not records? */
    const uint8_t *start;      /* record_start() of the format */
    size_t start_bytes;
    struct header_rule rule;
    bool known;       /* has a file had a header, or will none have one? */
    const char *from; /* name of the file whose header is kept */
    uint8_t *text;    /* the header of that file, its last line completed */
    size_t text_bytes;
    size_t own_bytes; /* the header's bytes in the latest file */
    uint8_t *buffer;
    size_t taken_bytes;  /* bytes of the file in the buffer, from its beginning */
    const uint8_t *rest; /* in the buffer: bytes read after the header and the start */
    size_t rest_bytes;
};

/* Allocates nothing if files have nothing to be taken off. */
void header_init(struct header *header, const struct record_format *format, const struct header_rule *rule);
void header_release(struct header *header); /* also when zeroed */

/* Reads up to `bytes` bytes of a file; 0 at its end, also when called again. */
typedef size_t header_read(void *context, void *data, size_t bytes);

/* Take the header and the first record's start off a file that `read` reads from its beginning. `tail` sees all bytes
 * but the start; `rest` receives the bytes read after both. An empty file has neither. The run ends if a file is
 * shorter than the header, if the header is larger than HEADER_BYTES_MAX or differs though it may not, or if text
 * stands before the start. */
void header_take(struct header *header, header_read *read, void *context, const char *name, struct tail *tail);

/* Warn that the input is only a header. */
void header_warn_alone(const struct header *header);
