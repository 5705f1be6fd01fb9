#ifndef BIGSHUF_SCAN_H
#define BIGSHUF_SCAN_H

/*
 * Find every place of one byte in a buffer, as fast as memory delivers it: vector compare, bit mask, one store per hit.
 * `scan_ways` lists the ways to do it (AVX-512BW, AVX2, SSE2, NEON, plain C), so that tests can hold each against a
 * loop over the bytes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write to `ends` the offset just past each `byte` in data[0, bytes), ascending, and return how many there are. `bytes`
 * is less than 2^32. `ends` has room for `room` numbers: when that many have been found, the search stops right after
 * the last one. *scanned receives the number of bytes looked at: `bytes`, or ends[room - 1] when room ran out
 * (0 if `room` is 0). Reads no byte outside data[0, bytes), writes no element outside ends[0, room); of those past the
 * number returned, some may be overwritten without meaning. */
typedef size_t scan_function(const uint8_t *data, size_t bytes, uint8_t byte, uint32_t *ends, size_t room,
                             size_t *scanned);

struct scan_way {
    const char *name;
    scan_function *run;
    bool (*supported)(void); /* does this processor have it? */
};

/* Best first; plain C, supported everywhere, comes last; {NULL} ends the list. */
extern const struct scan_way scan_ways[];

/* The best supported way. */
size_t scan_byte(const uint8_t *data, size_t bytes, uint8_t byte, uint32_t *ends, size_t room, size_t *scanned);

#endif
