#pragma once

/*
 * Lines come from standard input, and answers go to standard output before the program waits for more lines. If the
 * other program writes, but does not read, its lines are kept while there is room; then the run ends, since both would
 * wait for ever. Lines of a regular file stay there meanwhile.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/output.h"

enum { DIALOGUE_LINE_BYTES = 1 << 20 }; /* of a line with its end, at most */

/* Callers put answers into `out`, and write no other field. */
struct dialogue {
    struct output_buffer out; /* answers not written yet */
    uint8_t *in;
    size_t in_room;
    size_t begin, searched, end; /* places in `in`: the next line; no line ends before; end of the bytes read */
    bool ended, keeps;           /* is the input at its end? are lines kept while an answer cannot be written? */
};

/* With room for `lines_bytes` bytes of lines, at least two of the longest, and for answers in out[0, out_bytes). */
void dialogue_open(struct dialogue *dialogue, size_t lines_bytes, uint8_t *out, size_t out_bytes);

/* The next line, which stays until more is put into `out`. Returns the number of its bytes with its end, which may be
 * missing at the end of the input, and is not waited for after DIALOGUE_LINE_BYTES. 0: no more lines. */
size_t dialogue_line(struct dialogue *dialogue, const char **line);

void dialogue_flush(void *context); /* write all answers of this struct dialogue */
