#pragma once

/* In which line of which file a record stands, for messages. */

#include <stdint.h>

#include "input/stream.h"
#include "record/record.h"

enum { POSITION_BYTES = 4200 };

struct position {
    const struct source *source; /* of the records */
    const struct record_format *format;
    const char *name; /* of the file */
    uint64_t ends;    /* all bytes from here up to this offset of the stream are from it */
    uint64_t first;   /* number of its first record, */
    uint64_t record;  /* and of the current one; both from 1, counted over all files */
    uint64_t passed;  /* lines of its file that have ended so far */
    uint64_t before;  /* and lines that had ended before the current record */
};

/* Before the first record. `source` and `format` must stay. */
void position_begin(struct position *position, const struct source *source, const struct record_format *format);

/* Call when a record begins at `offset` of the stream, and some of it has been read. */
void position_next(struct position *position, uint64_t offset);

/* Call for each further piece of the record. */
void position_follow(struct position *position, const uint8_t *data, size_t bytes);

/* Pass over whole records from `offset` on; afterwards, call position_next for the record after them. */
void position_pass(struct position *position, uint64_t offset, const uint8_t *data, size_t bytes);

/* "in.txt:7", the line in which the record begins; or "in.csv: record 7" if headers may differ. */
const char *position_say(const struct position *position, char said[POSITION_BYTES]);
