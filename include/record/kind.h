#ifndef BIGSHUF_RECORD_KIND_H
#define BIGSHUF_RECORD_KIND_H

/*
 * The kinds of records as --records names them: a row for each. The command line, --help, the completions and the
 * messages are made from the rows, so a new kind is a row here and what record.c does with its record_format.
 */

#include <stddef.h>

#include "record/record.h"

/* What stands behind the name and a colon. */
enum kind_argument {
    KIND_ALONE, /* nothing */
    KIND_COUNT, /* record_format.count, a whole number */
    KIND_BYTES, /* the same as a size, which may have a unit */
    KIND_START, /* the string behind the newline with which records start */
    KIND_END    /* the string with which they end, which may have escapes */
};

/* What else a record kind allows. */
enum kind_trait {
    KIND_OF_LINES = 1,     /* to say what ends the lines of which it is made */
    KIND_FIELDS = 2,       /* to name a field of a record */
    KIND_HEADER = 4,       /* so many bytes before the first record */
    KIND_HEADER_COUNT = 8, /* so many lines or records */
    KIND_HEADER_START = 16 /* all lines that begin with something */
};

struct kind_row {
    const char *name;
    const char *argument; /* what --help calls it; NULL if there is none */
    const char *text;     /* what --help says; a newline continues on the next line */
    enum kind_argument takes;
    enum record_kind kind;     /* of RECORD_STRING a single byte is a RECORD_BYTE */
    enum length_coding coding; /* of RECORD_LENGTH */
    unsigned traits;
    const char *stands_for; /* what the argument would be, if the name is short for another kind with one */
};

const struct kind_row *kind_rows(size_t *count);

/* The row with this name, which is `bytes` long; NULL if there is none. */
const struct kind_row *kind_find(const char *name, size_t bytes);

#endif
