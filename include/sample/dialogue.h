#pragma once

/*
 * Lines come from standard input, answers go to standard output, and are written before more lines are waited for.
 * While somebody writes, but does not read, lines are kept as far as there is room; then the run ends, since both would
 * wait for ever. Lines of a regular file stay there meanwhile.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/output.h"

enum { DIALOGUE_LINE_BYTES = 1 << 20 }; /* of a line, at most, with its end */

/* Callers put answers into `out`; all else is written here. */
struct dialogue {
    struct output_buffer out; /* where answers are put */
    uint8_t *in;
    size_t in_room;
    size_t begin, searched, end; /* in `in`: of the next line; no line ends before; of what has come */
    bool ended, keeps;           /* will no more come? are lines kept while an answer cannot be written? */
};

/* With room for `lines_bytes` of lines, at least two of the longest, and for answers out[0, out_bytes). */
void dialogue_open(struct dialogue *dialogue, size_t lines_bytes, uint8_t *out, size_t out_bytes);

/* The next line, which stays until more is put into `out`. Returns its bytes with its end; that is missing at the end
 * of the input, and of a line of more than DIALOGUE_LINE_BYTES. 0: there is no more. */
size_t dialogue_line(struct dialogue *dialogue, const char **line);

void dialogue_flush(void *context); /* write all answers of this struct dialogue */
