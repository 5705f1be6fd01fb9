#pragma once

/* CRC-32C (Castagnoli; RFC 3720, section 12.1), over bytes that come piece by piece. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `crc` is the checksum of earlier bytes, 0 if there are none. Returns that of those and data[0, bytes) together. */
typedef uint32_t crc32c_function(uint32_t crc, const uint8_t *data, size_t bytes);

struct crc32c_way {
    const char *name;
    crc32c_function *crc;
    bool (*supported)(void); /* does this processor have it? NULL: each has */
};

/* Best first; plain C comes last; a name that is NULL ends the list. */
extern const struct crc32c_way crc32c_ways[];

/* The best supported way. */
crc32c_function crc32c;
