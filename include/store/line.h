#pragma once

/*
 * The lines of the small texts in a store (format and manifest), which are words, numbers and strings.
 *
 * The same calls write a text and read it, so what stands in it is said once. There is one way only to write anything:
 * a reader takes a value from the text, and then looks for just what would be written for that.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
    char *to;         /* writing: where the next byte goes; NULL: it reads */
    const char *end;  /* of the room, which suffices, with a NUL byte after what is written */
    const char *from; /* reading: what comes next in a text that a NUL byte ends; NULL: it was something else */
};

/* Pass what `pattern` says: a % and one more character stand for what the next arguments say. d is a decimal number, p
 * the same with blanks to 20 characters, x one of 16 hexadecimal digits, each a uint64_t *; s are words, a const char
 * *; q is a string as in C: uint8_t *, room in bytes, size_t, and their number, size_t *. */
void line_pass(struct line *line, const char *pattern, ...);

/* Words that are there only sometimes: if `is`, or reading, if the text goes on so. Returns whether they are there, and
 * line_has passes them. */
bool line_begins(const struct line *line, bool is, const char *words);
bool line_has(struct line *line, bool is, const char *words);

/* A text is read in which this does not hold: it is none. */
void line_must(struct line *line, bool holds);
