/*
 * Records are found some hundreds at a time. When the file is full in the midst of them, the rest is searched once more
 * for the next file: a scan that begins at the beginning of a record needs to know nothing of those before.
 *
 * By bytes, a record whose end is not in sight may yet be too large for the file. It is held, unless it is the file's
 * first, which stays whatever its size, or its beginning alone is too large, which settles it the other way.
 */

#include "output/boundary.h"

#include "base/least.h"

/* Ends of records found at a time; and bytes, as ends are 32-bit numbers. */
enum { ENDS = 512, SCAN_BYTES = 1 << 30 };

void boundary_begin(struct boundary *cut, uint64_t records)
{
    cut->left_records = records;
    cut->file_bytes = 0;
}

/* By records: up to the end of the last one that the file takes, or as far as the search went. */
static enum boundary_step cut_by_records(struct boundary *cut, const uint8_t *data, size_t *bytes)
{
    uint32_t ends[ENDS];
    size_t room = cut->left_records < ENDS ? (size_t)cut->left_records : ENDS;

    if (cut->left_records == 0) {
        *bytes = 0;
        return BOUNDARY_NEXT;
    }
    cut->left_records -= record_ends(cut->format, &cut->scan, data, least_size(*bytes, SCAN_BYTES), ends, room, bytes);
    return BOUNDARY_WRITE;
}

/* Would the file be too large with the next record, of which so many bytes are known? */
static bool is_full(const struct boundary *cut, uint64_t record_bytes)
{
    return !cut->inside && cut->file_bytes > 0 &&
           (cut->file_bytes > cut->limit_bytes || record_bytes > cut->limit_bytes - cut->file_bytes);
}

/* The file takes `bytes` bytes, after those that are held. */
static enum boundary_step take(struct boundary *cut, size_t bytes, bool inside)
{
    cut->file_bytes += cut->held_bytes + bytes;
    cut->held_bytes = 0;
    cut->inside = inside;
    return BOUNDARY_WRITE;
}

/* No record ends in data[0, bytes). */
static enum boundary_step cut_unended(struct boundary *cut, size_t bytes)
{
    if (cut->inside || cut->file_bytes == 0)
        return take(cut, bytes, true);
    cut->held_bytes += bytes;
    return BOUNDARY_HOLD;
}

/* By bytes: as many whole records as the file takes of those found. */
static enum boundary_step cut_by_bytes(struct boundary *cut, const uint8_t *data, size_t *bytes)
{
    uint32_t ends[ENDS];
    struct record_scan before = cut->scan;
    size_t taken = 0, scanned, i = 0;
    size_t found = record_ends(cut->format, &cut->scan, data, least_size(*bytes, SCAN_BYTES), ends, ENDS, &scanned);

    if (is_full(cut, cut->held_bytes + (found > 0 ? ends[0] : scanned))) {
        cut->scan = before;
        *bytes = 0;
        return BOUNDARY_NEXT;
    }
    *bytes = scanned;
    if (found == 0)
        return cut_unended(cut, scanned);
    do {
        take(cut, ends[i] - taken, false);
        taken = ends[i++];
    } while (i < found && !is_full(cut, ends[i] - taken));
    if (taken < scanned)
        cut->scan = (struct record_scan){0};
    *bytes = taken;
    return BOUNDARY_WRITE;
}

enum boundary_step boundary_next(struct boundary *cut, const uint8_t *data, size_t *bytes)
{
    if (cut->limit_bytes != UINT64_MAX)
        return cut_by_bytes(cut, data, bytes);
    if (cut->left_records == UINT64_MAX)
        return BOUNDARY_WRITE;
    return cut_by_records(cut, data, bytes);
}
