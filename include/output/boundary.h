#ifndef BIGSHUF_OUTPUT_BOUNDARY_H
#define BIGSHUF_OUTPUT_BOUNDARY_H

/*
 * Where a stream of records is cut into files: after so many records, or before the first record that would make the
 * file larger than so many bytes. The answer depends on the stream alone, not on the pieces in which it comes.
 *
 * The caller asks again and again what to do with the next bytes, until there are none:
 *
 *     BOUNDARY_WRITE    they belong to the file, after those that are held
 *     BOUNDARY_HOLD     nobody knows yet: hold them, behind those that are held already
 *     BOUNDARY_NEXT     (of no bytes) the file is complete; those that are held belong to the next one
 *
 * At the end of the stream none are held.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

enum boundary_step { BOUNDARY_WRITE, BOUNDARY_HOLD, BOUNDARY_NEXT };

struct boundary {
    const struct record_format *format;
    struct record_scan scan;
    uint64_t left_records; /* that the file still takes */
    uint64_t limit_bytes;  /* that a file takes, unless one record alone has more; UINT64_MAX for any number */
    uint64_t file_bytes;   /* that it has, without those that are held */
    uint64_t held_bytes;
    bool inside; /* has the file got the beginning of a record whose end is to come? */
};

/* A file begins, with room for so many records (UINT64_MAX: for all). At first, and whenever BOUNDARY_NEXT was
 * answered. All else is zero at first, but for `format` and `limit_bytes`. */
void boundary_begin(struct boundary *cut, uint64_t records);

/* What to do with data[0, *bytes), at least one byte; *bytes becomes the number of bytes for which that holds. */
enum boundary_step boundary_next(struct boundary *cut, const uint8_t *data, size_t *bytes);

#endif
