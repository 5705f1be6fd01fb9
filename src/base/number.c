/*
 * Every product and sum is checked before it is made, by dividing the largest number by the factor, so nothing wraps
 * around: a size is either exact or refused.
 */

#include "base/number.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

static int scale(uint64_t number, unsigned powers_of_1024, uint64_t *bytes)
{
    for (*bytes = number; powers_of_1024 > 0; powers_of_1024--) {
        if (*bytes > largest / 1024) {
            errno = ERANGE;
            return -1;
        }
        *bytes *= 1024;
    }
    return 0;
}

/* floor(whole * percent / 100) without the product: whole = 100 q + r and percent = 100 a + b give q * percent + r a +
 * floor(r b / 100), where r a stays below 2^64 because r < 100. */
static int take_percent(uint64_t whole, uint64_t percent, uint64_t *bytes)
{
    uint64_t quotient = whole / 100, rest = whole % 100;
    uint64_t small = rest * (percent / 100) + rest * (percent % 100) / 100;

    if (quotient != 0 && percent > (largest - small) / quotient) {
        errno = ERANGE;
        return -1;
    }
    *bytes = quotient * percent + small;
    return 0;
}

int number_parse(const char *text, uint64_t *value)
{
    uint64_t number;
    const char *end = number_digits(text, &number);

    if (text[strspn(text, "0123456789")] != '\0') { /* whatever its digits are */
        errno = EINVAL;
        return -1;
    }
    if (end == NULL)
        return -1;
    *value = number;
    return 0;
}

int number_parse_size(const char *text, uint64_t whole_bytes, uint64_t *bytes)
{
    /* The place of a unit is its power of 1024; GNU sort knows lower case up to t only. */
    static const char units[] = "bKMGTPEZYRQ", lower_units[] = "bkmgt";
    uint64_t number;
    const char *unit = number_digits(text, &number);

    if (unit == NULL)
        return -1;
    if (*unit == '\0')
        return scale(number, 1, bytes);
    if (unit[1] == '\0') {
        const char *upper = strchr(units, *unit), *lower = strchr(lower_units, *unit);

        if (*unit == '%')
            return take_percent(whole_bytes, number, bytes);
        if (upper != NULL)
            return scale(number, (unsigned)(upper - units), bytes);
        if (lower != NULL)
            return scale(number, (unsigned)(lower - lower_units), bytes);
    }
    errno = EINVAL;
    return -1;
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
