#pragma once

/*
 * Numbers as people and programs write them, 0.25 or 1e-3, read without floating point, locale or rounding mode: every
 * machine gets the same bits. A number is digits with a point anywhere or none, a sign before them if need be, and
 * perhaps an exponent: e or E, perhaps a sign, digits. Spaces and tabs around it are passed over.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* mantissa * 2^exponent: the mantissa is at least 2^63, or 0 for zero, whose exponent is 0. */
struct decimal {
    uint64_t mantissa;
    int exponent;
};

enum decimal_verdict {
    DECIMAL_OK,
    DECIMAL_TINY,     /* a number above zero and below 2^-1074: *value is zero */
    DECIMAL_NEGATIVE, /* a number below zero, or -inf; -0 is zero */
    DECIMAL_NAN,      /* "nan" */
    DECIMAL_INFINITE, /* "inf" or "infinity", or a number of 2^1024 or more */
    DECIMAL_INVALID,  /* none of these */
};

/* Read all of text[0, bytes) as a number. Names are known in any case. *value receives the number's leading 64 bits;
 * the rest is cut off, not rounded, and so are all digits after the first 64, counted from the first that is not 0.
 * Hence it is less than the number by less than 2^-63 of it, and a whole number below 2^64 is exact. *value is
 * set only if DECIMAL_OK or DECIMAL_TINY is returned. */
enum decimal_verdict decimal_read(const void *text, size_t bytes, struct decimal *value);

/* Reads a probability P. *threshold receives the least whole number not below P * 2^64, exact however many digits P
 * has: a uniform 64-bit word is below it with the probability P. If that is 2^64, as for P = 1, *all is true instead,
 * and *threshold is 0. -1 with errno EINVAL (no number, or below 0) or ERANGE (above 1). */
int decimal_threshold(const char *text, uint64_t *threshold, bool *all);
