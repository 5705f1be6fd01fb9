#pragma once

/*
 * What an output file has besides its records, and how these are written. Within the program, records have a form that
 * is easy to divide; here each file gets the form that its reader expects:
 *
 *     header         stands before the first record, even if there is no record
 *     frames         of groups (group.h) are removed
 *     translation    every byte `from` is written as `to`: for records whose delimiter within the program is a byte
 *                    that is in none of them
 *     end            of a tar archive: blocks of zeros, at least two, up to a multiple of FRAMING_TAPE_BYTES
 *     start          records that are REST "\n" START within the program are written as START REST "\n": START moves
 *                    from the end of all records of a file to their beginning
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tunable.h"
#include "output/filter.h"
#include "output/sink.h"
#include "record/record.h"

TUNABLE(FRAMING_BUFFER_BYTES, 1 << 16, 64, 1 << 16);

enum { FRAMING_TAPE_BYTES = 20 * 512, FRAMING_END_BYTES = 2 * 512 };

/* Zeroed: records are written as they are. All that it points to must stay. */
struct framing {
    struct record_format format; /* of the records */
    const uint8_t *header;
    size_t header_bytes;
    const uint8_t *start;
    size_t start_bytes; /* less than RECORD_DELIMITER_BYTES_MAX */
    bool translates;
    uint8_t from;
    uint8_t to;
};

/* A file that is being written. */
struct framing_file {
    const struct framing *framing;
    struct sink *sink;        /* the file, */
    struct filters *programs; /* or, if not NULL, the program that gets it */
    struct record_scan scan;  /* for frames */
    uint64_t record_bytes;
    struct record_kept last; /* which may be the last START */
    uint8_t *buffer;         /* the caller's FRAMING_BUFFER_BYTES, for many short writes; NULL: none */
    size_t buffered;         /* bytes in it */
};

/* Begin a file: its header is written to the sink, or to the program that was started last. */
void framing_begin(struct framing_file *file, const struct framing *framing, struct sink *sink,
                   struct filters *programs);

/* Write the next bytes of its records; they may begin and end in the midst of a record. Removing frames and translating
 * change `data`. */
void framing_write(struct framing_file *file, uint8_t *data, size_t bytes);

/* All its records have been written. */
void framing_end(struct framing_file *file);

/* How many bytes of records fit into a file of `bytes` bytes. (A header is not counted.) */
uint64_t framing_room(const struct framing *framing, uint64_t bytes);
