#ifndef BIGSHUF_RECORD_H
#define BIGSHUF_RECORD_H

/* What a record is. The bytes of whole records, put one after another in any order, are again a sequence of the same
 * records: that is what lets a pile be a plain run of bytes, in memory and on disk. */

#include <stddef.h>
#include <stdint.h>

struct record_format {
    uint8_t delimiter; /* a record ends with this byte and holds it nowhere else */
};

/* Find the ends of records in data[0, bytes): as scan_byte (scan.h) does, whose limits apply. */
size_t record_ends(const struct record_format *format, const uint8_t *data, size_t bytes, uint32_t *ends, size_t room,
                   size_t *scanned);

#endif
