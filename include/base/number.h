#pragma once

/* Numbers on the command line. Parsed without locale; no sign, no blanks, nothing after. */

#include <stdint.h>

/* A decimal number from 0 to 2^64 - 1. -1 with errno EINVAL (no number) or ERANGE (too large). */
int number_parse(const char *text, uint64_t *value);

/* Read the digits at the start of `text`. Returns the place after them, or NULL with errno as above. */
const char *number_digits(const char *text, uint64_t *value);

/* A size as `sort -S` takes it: a decimal number and a unit, which is none or K (1024 bytes), b (1 byte), M, G, T, P,
 * E, Z, Y, R, Q (further powers of 1024; k, m, g, t are the same as K, M, G, T), or % of `whole_bytes` (rounded down,
 * may be above 100). As `split` has it, KiB is K and KB 1000 bytes, and so on; before a unit of these, the number may
 * have a point and up to six decimals (1.5G); a part of a byte is cut off. -1 with errno EINVAL (no such size) or
 * ERANGE (2^64 bytes or more, so from Z on hardly anything but 0 is left). */
int number_parse_size(const char *text, uint64_t whole_bytes, uint64_t *bytes);

/* "1.5 GiB": for people, rounded to a tenth, which is left out when it is 0. `text` is returned. */
char *number_format_size(uint64_t bytes, char text[32]);
