/* Records of format->count bytes each. */

#include "base/arithmetic.h"
#include "record/record.h"
#include "record/tail.h"
#include "system/fault.h"

static size_t find_sizes_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                              size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    (void)data;
    size_t found = 0, at = 0;

    for (; found < room && format->count - scan->done <= bytes - at; scan->done = 0) {
        at += (size_t)(format->count - scan->done);
        ends[found++] = (uint32_t)at;
    }
    if (found < room) {
        scan->done += bytes - at;
        at = bytes;
    }
    scan->open = scan->done > 0;
    *scanned = at;
    return found;
}

static void advance_sizes(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                          size_t bytes)
{
    (void)data;
    scan->done = modulo_add(scan->done, bytes, format->count);
    scan->open = scan->done > 0;
}

static void check_multiple(const struct tail *tail, const char *name, uint64_t bytes)
{
    if (bytes % tail->format->count > 0)
        die("%s: size%s is not a multiple of %llu bytes", name, tail->after_header ? " after the header" : "",
            (unsigned long long)tail->format->count);
}

static void refuse_size(const struct tail *tail, const char *name)
{
    check_multiple(tail, name, tail->scan.done);
}

const struct record_kind sizes_kind = {
    .name = "bytes",
    .argument = "N",
    .text = "N bytes each",
    .takes = RECORD_BYTES,
    .traits = RECORD_HEADER | RECORD_HEADER_COUNT | RECORD_FIXED,
    .ends = find_sizes_ends,
    .advance = advance_sizes,
    .check_size = check_multiple,
    .refuse = refuse_size,
};
