#ifndef BIGSHUF_SAMPLE_DIALOGUE_H
#define BIGSHUF_SAMPLE_DIALOGUE_H

/* Lines from standard input, and answers to standard output, for somebody who waits for each answer or does not. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/output.h"

/* Memory for lines that wait, at least; and the bytes of a line, at most, with its end. */
enum { DIALOGUE_BYTES = 2 << 20, DIALOGUE_LINE_BYTES = DIALOGUE_BYTES / 2 };

struct dialogue {
    struct output_buffer out; /* where answers are put */
    uint8_t *in;
    size_t in_room;
    size_t begin, searched, end; /* in `in`: of the next line; no line ends before; of what has come */
    bool ended, keeps;           /* will no more come? are lines kept while an answer cannot be written? */
};

/* Lines that wait are kept in lines[0, line_bytes), answers in answers[0, answer_bytes). All must stay. */
void dialogue_open(struct dialogue *dialogue, uint8_t *lines, size_t line_bytes, uint8_t *answers, size_t answer_bytes);

/* The next line, which stays until more is put into `out`; before more is waited for, that is written. Returns its
 * bytes with its end; that is missing at the end of the input, and of a line of more than DIALOGUE_LINE_BYTES. 0: there
 * is no more. */
size_t dialogue_next(struct dialogue *dialogue, const char **line);

void dialogue_flush(void *dialogue); /* write what is in `out` */

#endif
