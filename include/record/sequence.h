#ifndef BIGSHUF_RECORD_SEQUENCE_H
#define BIGSHUF_RECORD_SEQUENCE_H

/* What tells files of sequences of molecules from other text. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The line that begins at data[*at], without its end, if that is there, too; *at moves behind it. Else NULL. */
const uint8_t *sequence_next_line(const uint8_t *data, size_t bytes, size_t *at, size_t *line_bytes);

/* Letters, of which the first is one, and what stands for gaps and ends; at the end of the line perhaps a carriage
 * return. */
bool sequence_is(const uint8_t *line, size_t bytes);

#endif
