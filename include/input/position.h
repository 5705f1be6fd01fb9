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
    uint64_t ends;    /* from here on up to this offset of the stream, all is from it */
    uint64_t first;   /* its first record, */
    uint64_t record;  /* and the one at hand: both from 1, among those of all files */
    uint64_t passed;  /* lines of its file that have ended in it or in records before it */
    uint64_t before;  /* and of these, in records before it */
};

/* Before the first record. What is pointed to must stay. */
void position_begin(struct position *position, const struct source *source, const struct record_format *format);

/* The next record begins at this offset of the stream, and some of it has been read. */
void position_next(struct position *position, uint64_t offset);

/* The next bytes of the record. */
void position_follow(struct position *position, const uint8_t *data, size_t bytes);

/* Pass over whole records, which stand at this offset; afterwards, position_next is for the one that follows them. */
void position_pass(struct position *position, uint64_t offset, const uint8_t *data, size_t bytes);

/* "in.txt:7", the line in which the record begins; or "in.csv: record 7" if nobody knows how many lines come before. */
const char *position_say(const struct position *position, char said[POSITION_BYTES]);
