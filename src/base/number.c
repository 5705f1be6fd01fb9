/*
 * Products and sums of 64 bits are checked before they are made, by dividing the largest number by the factor, so
 * nothing wraps around: a size is either refused or exact, except for a part of a byte.
 */

#include "base/number.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/uint128.h"

enum { DECIMALS = 6, MILLION = 1000000 };

static const uint64_t largest = UINT64_MAX;

const char *number_digits(const char *text, uint64_t *value)
{
    const char *end = text;

    *value = 0;
    for (; *end >= '0' && *end <= '9'; end++) {
        uint64_t digit = (uint64_t)(*end - '0');

        if (*value > (largest - digit) / 10) {
            errno = ERANGE;
            return NULL;
        }
        *value = *value * 10 + digit;
    }
    if (end == text) {
        errno = EINVAL;
        return NULL;
    }
    return end;
}

static int fail(int error)
{
    errno = error;
    return -1;
}

/* The number and its decimals, in units of base^power bytes; a part of a byte is cut off. */
static int scale(uint64_t number, uint64_t millionths, uint64_t base, unsigned power, uint64_t *bytes)
{
    for (; power > 0; power--) {
        uint64_t carry = millionths * base / MILLION;

        millionths = millionths * base % MILLION;
        if (number > (largest - carry) / base)
            return fail(ERANGE);
        number = number * base + carry;
    }
    *bytes = number;
    return 0;
}

static int take_percent(uint64_t whole, uint64_t percent, uint64_t *bytes)
{
    const struct uint128 product = uint128_multiply(whole, percent);

    if (product.high >= 100)
        return fail(ERANGE);
    *bytes = uint128_divide(product, 100);
    return 0;
}

int number_parse(const char *text, uint64_t *value)
{
    uint64_t number;
    const char *end = number_digits(text, &number);

    if (text[strspn(text, "0123456789")] != '\0') /* whatever its digits are */
        return fail(EINVAL);
    if (end == NULL)
        return -1;
    *value = number;
    return 0;
}

/* Read the digits after a point, at least one. Returns the place after them, or NULL with errno. */
static const char *read_decimals(const char *text, uint64_t *millionths)
{
    size_t digits = strspn(text, "0123456789");
    uint64_t unit = MILLION;

    if (digits == 0 || digits > DECIMALS) {
        errno = EINVAL;
        return NULL;
    }
    for (size_t i = 0; i < digits; i++) {
        unit /= 10;
        *millionths += (uint64_t)(text[i] - '0') * unit;
    }
    return text + digits;
}

/* Read the unit, which is all of the text: base^power bytes. */
static int read_unit(const char *text, uint64_t *base, unsigned *power)
{
    /* The place of a letter is its power; GNU sort knows lower case up to t only. */
    static const char letters[] = "bKMGTPEZYRQ", lower_letters[] = "bkmgt";
    const char *upper = strchr(letters, *text), *lower = strchr(lower_letters, *text);

    *base = 1024;
    *power = 1;
    if (*text == '\0')
        return 0;
    if (upper == NULL && lower == NULL)
        return fail(EINVAL);
    *power = (unsigned)(upper != NULL ? upper - letters : lower - lower_letters);
    if (strcmp(text + 1, "B") == 0)
        *base = 1000;
    else if (strcmp(text + 1, "iB") != 0)
        return text[1] == '\0' ? 0 : fail(EINVAL);
    return *power > 0 ? 0 : fail(EINVAL);
}

int number_parse_size(const char *text, uint64_t whole_bytes, uint64_t *bytes)
{
    uint64_t number, millionths = 0, base;
    const char *unit = number_digits(text, &number);
    unsigned power;
    bool has_decimals;

    if (unit == NULL)
        return -1;
    has_decimals = *unit == '.';
    if (has_decimals)
        unit = read_decimals(unit + 1, &millionths);
    if (unit == NULL)
        return -1;
    if (strcmp(unit, "%") == 0 && !has_decimals)
        return take_percent(whole_bytes, number, bytes);
    if (read_unit(unit, &base, &power) != 0)
        return -1;
    if (has_decimals && (*unit == '\0' || power == 0))
        return fail(EINVAL);
    return scale(number, millionths, base, power, bytes);
}

char *number_format_size(uint64_t bytes, char text[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    const size_t last = sizeof units / sizeof units[0] - 1;
    size_t power = 0;
    uint64_t unit = 1, tenths;

    while (power < last && bytes / unit >= 1024) {
        unit *= 1024;
        power++;
    }
    tenths = bytes / unit * 10 + (bytes % unit * 10 + unit / 2) / unit;
    if (power < last && tenths >= 1024 * 10) { /* 1023.96 rounds to one of the next unit */
        tenths = 10;
        power++;
    }
    if (tenths % 10 == 0)
        snprintf(text, 32, "%u %s", (unsigned)(tenths / 10), units[power]);
    else
        snprintf(text, 32, "%u.%u %s", (unsigned)(tenths / 10), (unsigned)(tenths % 10), units[power]);
    return text;
}
