#pragma once

/*
 * The beginning of an input file, which is taken off before its records are shuffled: a header, which is a number of
 * bytes, or all lines up to the first one that does not begin with a string, and a number of lines after them; and the
 * start of the first record, if it has one. If records are not made of lines, "lines" stands for records: a header of
 * CSV is a number of CSV records; but lines that begin with a string are always lines. The header of the first file
 * that is not empty is kept; those of the others must be the same, unless they may differ.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/key.h"
#include "record/record.h"
#include "record/tail.h"

enum { HEADER_BYTES_MAX = 1 << 20, HEADER_NAMES_MAX = 2 * KEY_FIELDS_MAX + 1 };

/* What is the header of a file. If `bytes` is not 0, there are no lines. */
struct header_rule {
    uint64_t bytes;
    const char *start; /* of its first lines; NULL: there are no such lines; the caller's */
    uint64_t lines;    /* after them */
    bool may_differ;
    unsigned none;                              /* 1: the user says that there is none */
    struct field_place names[HEADER_NAMES_MAX]; /* of columns of each file, for field_find_column; others are zeroed */
};

bool header_is_none(const struct header_rule *rule);

/* Where the header ends of a file that begins with these bytes, or `at_end`, consists of them. */
struct header_place {
    size_t first;  /* where the lines end that begin with the string, */
    size_t end;    /* and all of it, as far as it is there */
    uint64_t left; /* lines of it that are not, */
    bool open;     /* though a part of one is */
};
struct header_place header_find(const struct header_rule *rule, const struct record_format *format, const uint8_t *data,
                                size_t bytes, bool at_end);

/* The run ends if files with such a header have no fields of this kind: names are in the first of its `lines`, and JSON
 * is not in `columns` (--csv, -t). `option` is what the `count` choices are of. */
void header_check_fields(const struct header_rule *rule, bool columns, const struct field_choice *choice, size_t count,
                         const char *option);

/* For each of these places, up to one without a choice: field_find_column in the line of this header that has names. */
void header_find_columns(const struct header_rule *rule, const struct record_format *format,
                         const struct field_place names[HEADER_NAMES_MAX], const char *file, const uint8_t *text,
                         size_t bytes);

struct header {
    const struct record_format *format;
    struct record_format line; /* what one of its lines is, or its records */
    bool has_lines;            /* they are all lines, and no records */
    const uint8_t *start;      /* record_start of the format */
    size_t start_bytes;
    struct header_rule rule;
    bool known;       /* a file had one, or there is none to be had */
    const char *from; /* the file whose header was kept */
    uint8_t *text;    /* the header as it stands in that file, the last line completed */
    size_t text_bytes;
    size_t own_bytes; /* the same of the file that was looked at last */
    uint8_t *buffer;
    size_t taken_bytes;  /* of the file that are in the buffer, from its beginning */
    const uint8_t *rest; /* what was read beyond the beginning; in the buffer */
    size_t rest_bytes;
};

/* Nothing is allocated if there is nothing to be taken off. */
void header_init(struct header *header, const struct record_format *format, const struct header_rule *rule);
void header_release(struct header *header); /* also when zeroed */

/* Reads up to `bytes` bytes of a file; 0 at its end, as often as it is asked. */
typedef size_t header_read(void *context, void *data, size_t bytes);

/* Take the beginning off a file that is read from there. `tail` sees all bytes of it but the start; `rest` receives the
 * bytes that were read beyond it. An empty file has no beginning. The run ends if a file is shorter than the header, if
 * that is larger than HEADER_BYTES_MAX or differs though it may not, or if text stands before the start. */
void header_take(struct header *header, header_read *read, void *context, const char *name, struct tail *tail);

/* Say that there was nothing but headers. */
void header_warn_alone(const struct header *header);
