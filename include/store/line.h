#ifndef BIGSHUF_STORE_LINE_H
#define BIGSHUF_STORE_LINE_H

/*
 * The lines of the small texts in a store (format and manifest), which are words and numbers.
 *
 * There is one way only to write such a line. So a reader takes a line apart with few checks, writes it again from what
 * it has found, and compares the two: any error shows there.
 */

/* Write in printf's manner from `at` to at most `end`, with a NUL byte after it. Returns where the NUL byte stands. */
__attribute__((format(printf, 3, 4))) char *line_put(char *at, const char *end, const char *format, ...);

/* Read what `pattern` says, from `at`, in a text that ends with a NUL byte. A % and one more character of the pattern
 * stand for a number, which the next argument, a uint64_t *, receives: d for a decimal one, after any blanks; x for 16
 * hexadecimal digits in lower case. Returns what follows; NULL if something else is there, or if `at` is
 * NULL: so calls can be chained, and only the last result looked at. */
const char *line_read(const char *at, const char *pattern, ...);

#endif
