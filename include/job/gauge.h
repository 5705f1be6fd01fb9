#ifndef BIGSHUF_JOB_GAUGE_H
#define BIGSHUF_JOB_GAUGE_H

/* How far a run has come, in one line of text: pure computation, which a signal handler may do. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAUGE_UNKNOWN UINT64_MAX

/* Pass 1 reads the input, pass 2 writes the output. A run may have only one of them: then the other has 0 bytes. */
struct gauge {
    bool done;              /* has all been done? Then it says so, instead of what remains */
    unsigned pass;          /* 1 or 2 */
    uint64_t read_bytes;    /* so far */
    uint64_t to_read;       /* bytes, all told; GAUGE_UNKNOWN */
    uint64_t written_bytes; /* so far */
    uint64_t to_write;      /* bytes, all told, about; GAUGE_UNKNOWN */
    uint64_t read_time;     /* milliseconds that each pass has taken so far */
    uint64_t write_time;
    uint64_t records; /* that the present pass has read or written; 0 also if nobody has counted them yet */
    uint64_t spilled_bytes;
};

enum { GAUGE_TEXT_BYTES = 256 };

/* What fits into so many columns, with a bar if part and whole are known. Each column is one byte, and there is no
 * newline. Returns how many. */
size_t gauge_draw(const struct gauge *gauge, unsigned columns, char text[GAUGE_TEXT_BYTES]);

/* All there is, without a bar, as a message ended by a newline: "bigshuf: pass 1, 23%, ...". Returns how many bytes. */
size_t gauge_say(const struct gauge *gauge, char text[GAUGE_TEXT_BYTES]);

#endif
