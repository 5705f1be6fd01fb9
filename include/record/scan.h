#ifndef BIGSHUF_RECORD_SCAN_H
#define BIGSHUF_RECORD_SCAN_H

/*
 * Find every place of one byte in a buffer, as fast as memory delivers it: vector compare, bit mask, one store per hit.
 * So too the places where one byte follows another at a distance, and those outside double quotes. `scan_ways` lists
 * the ways to do it (AVX2, SSE2, NEON, plain C), so that tests can hold each against a loop over the bytes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write to `ends` the offset just past each `byte` in data[0, bytes), ascending, and return how many there are. `bytes`
 * is less than 2^32. `ends` has room for `room` numbers: when that many have been found, the search stops right after
 * the last one. *scanned receives the number of bytes looked at: `bytes`, or ends[room - 1] when room ran out
 * (0 if `room` is 0). Reads no byte outside data[0, bytes), writes no element outside ends[0, room); of those past the
 * number returned, some may be overwritten without meaning. */
typedef size_t scan_byte_function(const uint8_t *data, size_t bytes, uint8_t byte, uint32_t *ends, size_t room,
                                  size_t *scanned);

/* The same, but only for a byte `last` that has `first` standing `distance` bytes before it. The `distance` bytes
 * before data[0] are read too. */
struct scan_pair {
    uint8_t first;
    uint8_t last;
    size_t distance;
};
typedef size_t scan_pair_function(const uint8_t *data, size_t bytes, struct scan_pair pair, uint32_t *ends, size_t room,
                                  size_t *scanned);

/* The same, but only for a byte outside double quotes, each of which opens or closes. *quoted tells whether data[0]
 * stands inside quotes, and receives the same of the first byte that was not looked at. `byte` is not the quote. */
typedef size_t scan_unquoted_function(const uint8_t *data, size_t bytes, uint8_t byte, bool *quoted, uint32_t *ends,
                                      size_t room, size_t *scanned);

/* How often is `byte` in data[0, bytes)? */
typedef size_t scan_count_function(const uint8_t *data, size_t bytes, uint8_t byte);

struct scan_way {
    const char *name;
    scan_byte_function *byte;
    scan_pair_function *pair;
    scan_unquoted_function *unquoted;
    scan_count_function *count;
    bool (*supported)(void); /* does this processor have it? */
};

/* Best first; plain C, supported everywhere, comes last; a name that is NULL ends the list. */
extern const struct scan_way scan_ways[];

/* The best supported way. */
scan_byte_function scan_byte;
scan_pair_function scan_pair;
scan_unquoted_function scan_unquoted;
scan_count_function scan_count;

#endif
