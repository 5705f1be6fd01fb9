/* Frames are records that begin with their length; the last byte of each says whether it is the last one of a group. */

#include "record/group.h"

#include <string.h>

#include "base/arithmetic.h"
#include "record/length.h"

size_t group_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                  uint32_t *ends, size_t room, size_t *scanned)
{
    size_t found = 0, at = 0, passed;

    (void)format;
    for (; at < bytes && found < room; at += passed) {
        const uint32_t *frame = ends + found; /* the end of the frame, until the end of a group overwrites it */
        const size_t frames =
            length_ends(LENGTH_FRAME, &scan->length, data + at, bytes - at, ends + found, room - found, &passed);

        for (size_t i = 0; i < frames; i++) {
            const size_t end = at + frame[i];

            ends[found] = (uint32_t)end;
            found += data[end - 1] == GROUP_ENDS;
        }
    }
    *scanned = at;
    return found;
}

/* How many bytes come next in a stream of frames that are all text, or all none; at least 1. */
static size_t part_of_frame(struct length_scan *scan, const uint8_t *data, size_t bytes, bool *is_text)
{
    *is_text = scan->left > 1;
    if (scan->left == 0)
        return length_take(LENGTH_FRAME, scan, data, bytes);
    bytes = (size_t)least(bytes, *is_text ? scan->left - 1 : 1);
    scan->left -= bytes;
    return bytes;
}

size_t group_text(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                  uint8_t *to)
{
    const bool frames = record_is(format, RECORD_GROUP);
    size_t kept = 0;
    bool is_text = true;

    if (!frames && (to == NULL || to == data))
        return bytes;
    for (size_t at = 0, part; at < bytes; at += part) {
        part = frames ? part_of_frame(&scan->length, data + at, bytes - at, &is_text) : bytes;
        if (is_text && to != NULL)
            memmove(to + kept, data + at, part);
        kept += is_text ? part : 0;
    }
    return kept;
}
