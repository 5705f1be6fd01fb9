/*
 * Decimal fractions: taken if and only if the header says so, and with the value that arithmetic on wider numbers
 * gives; for decimal_read that is the libc's long double, rounded down.
 */

#include "fuzz.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

#include "base/decimal.h"

enum { TEXT_MAX = 400, DIGITS_MAX = 64 /* that decimal_read looks at */ };

static const char digits[] = "0123456789";

/* A text as decimal.h defines it, taken apart. */
struct fraction {
    enum decimal_verdict verdict; /* but for the number's size */
    char text[TEXT_MAX + 16];     /* without blanks and sign */
    char digit[TEXT_MAX];         /* the value is 0.DIGITS * 10^point */
    size_t count;                 /* without zeros at either end */
    int64_t point;
};

static bool is_name(const char *text, const char *name)
{
    for (; *text != '\0' && (*text | ' ') == *name; text++)
        name++;
    return *text == '\0' && *name == '\0';
}

/* The exponent, or false if the text is none. */
static bool read_exponent(const char *text, int64_t *exponent)
{
    char *end;

    *exponent = 0;
    if (*text == '\0')
        return true;
    if (*text != 'e' && *text != 'E')
        return false;
    text += 1 + (text[1] == '-' || text[1] == '+');
    if (*text == '\0' || strspn(text, digits) != strlen(text))
        return false;
    *exponent = strtol(text, &end, 10);
    if (*exponent > 1000000)
        *exponent = 1000000;
    if (text[-1] == '-')
        *exponent = -*exponent;
    return true;
}

static void strip_zeros(struct fraction *fraction)
{
    size_t zeros = 0;

    while (zeros < fraction->count && fraction->digit[zeros] == 0)
        zeros++;
    memmove(fraction->digit, fraction->digit + zeros, fraction->count - zeros);
    fraction->count -= zeros;
    fraction->point -= (int64_t)zeros;
    while (fraction->count > 0 && fraction->digit[fraction->count - 1] == 0)
        fraction->count--;
}

static void take_apart(const char *text, struct fraction *fraction)
{
    static const char blanks[] = " \t";
    bool negative, point = false;
    char *at = fraction->text;
    int64_t exponent;

    memset(fraction, 0, sizeof *fraction);
    text += strspn(text, blanks);
    negative = *text == '-';
    text += negative || *text == '+';
    snprintf(fraction->text, sizeof fraction->text, "%s", text);
    for (size_t end = strlen(fraction->text); end > 0 && strchr(blanks, fraction->text[end - 1]) != NULL; end--)
        fraction->text[end - 1] = '\0';
    if (is_name(at, "nan")) {
        fraction->verdict = DECIMAL_NAN;
        return;
    }
    if (is_name(at, "inf") || is_name(at, "infinity")) {
        fraction->verdict = negative ? DECIMAL_NEGATIVE : DECIMAL_INFINITE;
        return;
    }
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        fraction->digit[fraction->count++] = (char)(*at - '0');
        fraction->point += !point;
    }
    if (fraction->count == 0 || !read_exponent(at, &exponent)) {
        fraction->verdict = DECIMAL_INVALID;
        return;
    }
    strip_zeros(fraction);
    fraction->point += exponent;
    fraction->verdict = negative && fraction->count > 0 ? DECIMAL_NEGATIVE : DECIMAL_OK;
}

/* The digits that decimal_read looks at, for the libc. */
static long double value_of(const struct fraction *fraction)
{
    char text[DIGITS_MAX + 32] = "0.";
    size_t length = 2;

    for (size_t i = 0; i < fraction->count && i < DIGITS_MAX; i++)
        text[length++] = (char)('0' + fraction->digit[i]);
    snprintf(text + length, sizeof text - length, "e%lld", (long long)fraction->point);
    return strtold(text, NULL);
}

static void check_decimal(const char *text, const struct fraction *fraction)
{
    size_t length = strlen(text);
    char *copy = fuzz_copy(text, length); /* without a NUL byte */
    struct decimal value = {1, 1};
    enum decimal_verdict verdict = decimal_read(copy, length, &value), expected = fraction->verdict;
    long double number = fraction->count > 0 ? value_of(fraction) : 0;
    int exponent;

    free(copy);
    if (expected == DECIMAL_OK && number >= ldexpl(1, 1024))
        expected = DECIMAL_INFINITE;
    if (expected == DECIMAL_OK && fraction->count > 0 && number < ldexpl(1, -1074))
        expected = DECIMAL_TINY;
    FUZZ_CHECK(verdict == expected);
    if (verdict != DECIMAL_OK && verdict != DECIMAL_TINY) {
        FUZZ_CHECK(value.mantissa == 1 && value.exponent == 1);
    } else if (number < ldexpl(1, -1074)) {
        FUZZ_CHECK(value.mantissa == 0 && value.exponent == 0);
    } else {
        number = frexpl(number, &exponent);
        FUZZ_CHECK(value.mantissa == (uint64_t)ldexpl(number, 64));
        FUZZ_CHECK(value.exponent == exponent - 64);
    }
}

/* A share is a number from 0 to 1. */
static void check_threshold(const char *text, const struct fraction *fraction)
{
    const bool is_one = fraction->count == 1 && fraction->point == 1 && fraction->digit[0] == 1;
    const bool is_share = fraction->verdict == DECIMAL_OK && (fraction->count == 0 || fraction->point <= 0 || is_one);
    uint64_t threshold;
    bool all;

    FUZZ_CHECK((decimal_threshold(text, &threshold, &all) == 0) == is_share);
    FUZZ_CHECK(!is_share || all == is_one || (all && threshold == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes < TEXT_MAX ? bytes : TEXT_MAX - 1};
    char *text = fuzz_line(&fuzz);
    static struct fraction fraction;

    fesetround(FE_DOWNWARD);
    take_apart(text, &fraction);
    check_decimal(text, &fraction);
    check_threshold(text, &fraction);
    free(text);
    return 0;
}
