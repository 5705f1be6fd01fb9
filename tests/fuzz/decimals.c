/* A text is a number or none with blanks around it as without; no byte after it is read; and what is a share of all is
 * a number from 0 to 1. What the numbers are, tests/unit/base/decimal_test.c tells. */

#include "fuzz.h"

#include "base/decimal.h"

enum { TEXT_MAX = 400 };

/* The text without its NUL byte, between other bytes. */
static enum decimal_verdict look(const char *before, const char *text, const char *after, struct decimal *value)
{
    char around[TEXT_MAX + 8];
    const size_t bytes = (size_t)snprintf(around, sizeof around, "%s%s%s", before, text, after);
    char *copy = fuzz_copy(around, bytes);
    enum decimal_verdict verdict;

    *value = (struct decimal){1, 1};
    verdict = decimal_read(copy, bytes, value);
    free(copy);
    return verdict;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes < TEXT_MAX ? bytes : TEXT_MAX - 1};
    char *text = fuzz_line(&fuzz);
    struct decimal value, other;
    const enum decimal_verdict verdict = look("", text, "", &value);
    uint64_t threshold;
    bool all;

    FUZZ_CHECK(look(" \t", text, "\t ", &other) == verdict);
    FUZZ_CHECK(other.mantissa == value.mantissa && other.exponent == value.exponent);
    if (verdict == DECIMAL_OK)
        FUZZ_CHECK(value.mantissa >> 63 == 1 || (value.mantissa == 0 && value.exponent == 0));
    else if (verdict == DECIMAL_TINY)
        FUZZ_CHECK(value.mantissa == 0 && value.exponent == 0);
    else
        FUZZ_CHECK(value.mantissa == 1 && value.exponent == 1);
    if (decimal_threshold(text, &threshold, &all) == 0) {
        FUZZ_CHECK(verdict == DECIMAL_OK || verdict == DECIMAL_TINY);
        FUZZ_CHECK(value.exponent < -63 || value.mantissa == 0 || (all && value.mantissa == (uint64_t)1 << 63));
        FUZZ_CHECK(!all || threshold == 0);
    }
    free(text);
    return 0;
}
