#ifndef BIGSHUF_ARGUMENT_H
#define BIGSHUF_ARGUMENT_H

/*
 * Arguments of options that other tools have as well, read as those read them and refused in their words. The models
 * are shuf, sort and cut of GNU coreutils 9.1, in the C locale.
 *
 * All return 0, or -1 after a report, with nothing set.
 */

#include <stdint.h>

#include "fault.h"

/* A decimal number as `shuf -n` takes it: blanks and a plus sign may come first, and what is above 2^64 - 1 counts as
 * 2^64 - 1. */
int argument_count(struct fault *fault, const char *text, uint64_t *count);

/* LO-HI as `shuf -i` takes it, with blanks and plus signs as above. HI may be LO - 1, for no numbers at all. Unlike
 * there, all the 2^64 numbers are a range too. */
int argument_range(struct fault *fault, const char *text, uint64_t *first, uint64_t *last);

/* A field, numbered from 1 as in `cut -f`: digits alone. */
int argument_field(struct fault *fault, const char *text, uint64_t *field);

/* What separates fields, as `sort -t` takes it: one byte, or \0, which is NUL. */
int argument_separator(struct fault *fault, const char *text, uint8_t *separator);

#endif
