#ifndef BIGSHUF_STORE_LINE_H
#define BIGSHUF_STORE_LINE_H

/*
 * The lines of the small texts in a store (format and manifest), which are words and numbers.
 *
 * There is one way only to write such a line. So a reader takes a line apart without much ado, writes it again from
 * what it has found, and compares: whatever is not as it should be shows there.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Writing ---- */

/* Write in printf's manner from `at` to at most `end`, with a NUL byte behind it. Returns where the NUL byte stands. */
__attribute__((format(printf, 3, 4))) char *line_put(char *at, const char *end, const char *format, ...);

/* A last line, "checksum " and the XXH64 of text[0, bytes), without which a text has no meaning. */
enum { LINE_CHECKSUM_BYTES = sizeof "checksum 0123456789abcdef\n" - 1 };
char *line_put_checksum(char *at, const char *end, const char *text, size_t bytes);

/* ---- Reading ---- */

/* These take the place in a text from which to read and return the place after what was read, NULL if it is not there.
 * If the place they are given is NULL, they return NULL: so calls can be chained, and only the last result looked at.
 * The text ends with a NUL byte. */

const char *line_skip(const char *at, const char *expected);
const char *line_blanks(const char *at); /* any number of them */

/* A decimal number, without blanks before it, 0 if there is none; and one from `least` to `most`. */
const char *line_number(const char *at, uint64_t *number);
const char *line_number_within(const char *at, uint64_t least, uint64_t most, uint64_t *number);

/* So many hexadecimal digits, in lower case. */
const char *line_hexadecimal(const char *at, unsigned digits, uint64_t *number);

/* Is the last line of text[0, bytes) the checksum of what stands before? */
bool line_has_checksum(const char *text, size_t bytes);

#endif
