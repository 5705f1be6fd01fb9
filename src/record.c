/* One format so far: records that end with a delimiter byte. */

#include "record.h"

#include "scan.h"

size_t record_ends(const struct record_format *format, const uint8_t *data, size_t bytes, uint32_t *ends, size_t room,
                   size_t *scanned)
{
    return scan_byte(data, bytes, format->delimiter, ends, room, scanned);
}
