#pragma once

/*
 * Find every place of one byte in a buffer, as fast as memory delivers it: vector compare, bit mask, one store per hit.
 * `scan_ways` lists the ways to do it (AVX-512BW, AVX2, SSE2, NEON, plain C), so that tests can hold each against a
 * loop over the bytes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tunable.h"
#include "record/quotes.h"

struct scan_search {
    enum scan_sought {
        SCAN_BYTE,
        SCAN_PAIR,    /* only where `first` stands `distance` bytes before; bytes before data[0] are read, too */
        SCAN_LINE,    /* only at the end of a line of `distance` bytes, and perhaps a carriage return; as SCAN_PAIR */
        SCAN_UNQUOTED /* only outside the quotes of CSV, while each quote opens or closes; `byte` is a newline */
    } sought;
    uint8_t byte, first;
    size_t distance;
    const struct quotes_rule *rule; /* for SCAN_UNQUOTED; */
    uint64_t lines;                 /* receives the number of newlines in the bytes looked at, quoted or not */
    enum quotes_state state; /* of data[0], not in a mark or after a backslash; then of the first byte not looked at */
};

enum { SCAN_WINDOW = 64 };

/* Callers without room for all ends have room for this many at a time. */
TUNABLE(SCAN_ENDS, 512, 1, 512);

/* Write to `ends` the offset just past each `byte` in data[0, bytes), ascending, and return how many there are. `bytes`
 * is less than 2^32. `ends` has room for `room` numbers: when that many have been found, the search stops right after
 * the last one. *scanned receives the number of bytes looked at: `bytes`, or ends[room - 1] when room ran out (0 if
 * `room` is 0). SCAN_UNQUOTED looks at whole windows of SCAN_WINDOW bytes, and stops before a window for whose ends
 * there is no room, or in which a quote is literal, text follows a closing quote, or a backslash counts. With `ends`
 * NULL, it needs no room, stores nothing, and returns 0. Reads no byte outside data[0, bytes), writes no element
 * outside ends[0, room); some elements past the number returned may be overwritten without meaning. */
typedef size_t scan_find_function(struct scan_search *search, const uint8_t *data, size_t bytes, uint32_t *ends,
                                  size_t room, size_t *scanned);

/* How often is `byte` in data[0, bytes)? */
typedef size_t scan_count_function(const uint8_t *data, size_t bytes, uint8_t byte);

struct scan_way {
    const char *name;
    scan_find_function *find;
    scan_count_function *count;
    bool (*supported)(void); /* does this processor have it? NULL: each has */
};

/* Best first; plain C comes last; a name that is NULL ends the list. */
extern const struct scan_way scan_ways[];

/* The best supported way. */
scan_find_function scan_find;
scan_count_function scan_count;
