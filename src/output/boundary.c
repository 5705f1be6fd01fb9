/*
 * Records are found some hundreds at a time. When the file is full in the midst of them, the rest is searched once more
 * for the next file: a scan that begins at the beginning of a record needs to know nothing of those before.
 *
 * If bytes are counted, a record whose end has not come yet may be too large for the file, so it is held back; but not
 * if it is the first one of the file, which takes it whatever its size, or if what has come of it is too large already,
 * as then it goes to the next file.
 */

#include "output/boundary.h"

#include "base/arithmetic.h"

/* How many ends of records are looked for at a time, and in how many bytes, as ends are 32-bit numbers. */
enum { ENDS = 512, SCAN_BYTES = 1 << 30 };

void boundary_begin(struct boundary *boundary, uint64_t records)
{
    boundary->left_records = records;
    boundary->file_bytes = 0;
}

/* If records are counted: write up to the end of the last one that the file takes, or as far as the search went. */
static enum boundary_step step_by_records(struct boundary *boundary, const uint8_t *data, size_t *bytes)
{
    uint32_t ends[ENDS];
    size_t room = boundary->left_records < ENDS ? (size_t)boundary->left_records : ENDS;

    if (boundary->left_records == 0) {
        *bytes = 0;
        return BOUNDARY_NEXT;
    }
    boundary->left_records -=
        record_ends(boundary->format, &boundary->scan, data, least_size(*bytes, SCAN_BYTES), ends, room, bytes);
    return BOUNDARY_WRITE;
}

/* Would the file be too large with the next record, of which so many bytes are known? */
static bool is_full(const struct boundary *boundary, uint64_t record_bytes)
{
    return !boundary->inside && boundary->file_bytes > 0 &&
           (boundary->file_bytes > boundary->limit_bytes ||
            record_bytes > boundary->limit_bytes - boundary->file_bytes);
}

/* How many bytes records have without marks, of which data[0, bytes) are the next ones. */
static uint64_t bytes_of(const struct boundary *boundary, struct record_scan scan, const uint8_t *data, size_t bytes)
{
    return bytes - record_marks(boundary->format, &scan, data, bytes);
}

/* The file takes what is held back and then `bytes` bytes; `inside` says that they end within a record. */
static enum boundary_step take(struct boundary *boundary, uint64_t bytes, bool inside)
{
    boundary->file_bytes += boundary->held_bytes + bytes;
    boundary->held_bytes = 0;
    boundary->inside = inside;
    return BOUNDARY_WRITE;
}

/* No record ends in data[0, bytes). */
static enum boundary_step step_without_end(struct boundary *boundary, uint64_t bytes)
{
    if (boundary->inside || boundary->file_bytes == 0)
        return take(boundary, bytes, true);
    boundary->held_bytes += bytes;
    return BOUNDARY_HOLD;
}

/* If bytes are counted: write as many whole records as the file takes of those that were found. */
static enum boundary_step step_by_bytes(struct boundary *boundary, const uint8_t *data, size_t *bytes)
{
    uint32_t ends[ENDS];
    const struct record_scan before = boundary->scan, beginning = {0};
    size_t taken = 0, scanned, i = 0;
    size_t found =
        record_ends(boundary->format, &boundary->scan, data, least_size(*bytes, SCAN_BYTES), ends, ENDS, &scanned);
    uint64_t next = bytes_of(boundary, before, data, found > 0 ? ends[0] : scanned); /* of the next record */

    if (is_full(boundary, boundary->held_bytes + next)) {
        boundary->scan = before;
        *bytes = 0;
        return BOUNDARY_NEXT;
    }
    *bytes = scanned;
    if (found == 0)
        return step_without_end(boundary, next);
    do {
        take(boundary, next, false);
        taken = ends[i++];
        if (i < found)
            next = bytes_of(boundary, beginning, data + taken, ends[i] - taken);
    } while (i < found && !is_full(boundary, next));
    if (taken < scanned)
        boundary->scan = (struct record_scan){0};
    *bytes = taken;
    return BOUNDARY_WRITE;
}

enum boundary_step boundary_next(struct boundary *boundary, const uint8_t *data, size_t *bytes)
{
    if (boundary->limit_bytes != UINT64_MAX)
        return step_by_bytes(boundary, data, bytes);
    if (boundary->left_records == UINT64_MAX)
        return BOUNDARY_WRITE;
    return step_by_records(boundary, data, bytes);
}
