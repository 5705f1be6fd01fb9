#ifndef BIGSHUF_OUTPUT_BOUNDARY_H
#define BIGSHUF_OUTPUT_BOUNDARY_H

/*
 * Where one file ends and the next one begins in a stream of records: after so many records, or before the first record
 * that would make the file larger than so many bytes, without marks of groups. The answer depends on the stream alone,
 * not on the pieces in which it comes.
 *
 * The caller asks again and again what to do with the next bytes, until there are none:
 *
 *   - BOUNDARY_WRITE: they belong to the file, after those that are held.
 *   - BOUNDARY_HOLD: whether they belong to the file or to the next one is not known yet: hold them back, behind those
 *     that are held already.
 *   - BOUNDARY_NEXT: the file is complete, and those that are held belong to the next one. This is said of no bytes.
 *
 * The stream ends with a whole record, so none are held then.
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
    uint64_t held_bytes;   /* that the caller holds back */
    bool inside;           /* has the file got the beginning of a record whose end is to come? */
};

/* A file begins, which takes so many records (UINT64_MAX: all that come). To be called first of all, and after each
 * BOUNDARY_NEXT. Before the first call, all is zero but for `format` and `limit_bytes`. */
void boundary_begin(struct boundary *boundary, uint64_t records);

/* What to do with data[0, *bytes), at least one byte; *bytes becomes the number of bytes for which that holds. */
enum boundary_step boundary_next(struct boundary *boundary, const uint8_t *data, size_t *bytes);

#endif
