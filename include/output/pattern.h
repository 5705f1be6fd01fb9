#ifndef BIGSHUF_OUTPUT_PATTERN_H
#define BIGSHUF_OUTPUT_PATTERN_H

/* The names of numbered files: text with one "%d", or "%0Nd" for at least N digits, where the number stands; "%%" is a
 * percent sign. As printf has it, which never sees a pattern. */

#include <stdbool.h>
#include <stdint.h>

enum { PATTERN_DIGITS_MAX = 20 }; /* the largest N: what 2^64 - 1 has */

bool pattern_is_valid(const char *pattern);

/* The name with `number` in it, malloc'd, or NULL with errno. The pattern must be valid. */
char *pattern_name(const char *pattern, uint64_t number);

#endif
