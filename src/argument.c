/*
 * strtoull does for shuf's numbers, since the program stays in the C locale, but for the minus sign, which it takes as
 * well: so no hyphen may be among what it has read.
 */

#include "argument.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "number.h"

/* The number that is all there is between `text` and `end`. 0 with errno 0; else -1 with EINVAL (no number, whatever
 * its size), or with ERANGE and UINT64_MAX (too large). */
static int read_number(const char *text, const char *end, uint64_t *value)
{
    char *stop;

    errno = 0;
    *value = strtoull(text, &stop, 10);
    if (stop == text || stop != end || memchr(text, '-', (size_t)(end - text)) != NULL)
        errno = EINVAL;
    return errno == 0 ? 0 : -1;
}

/* The range is no good because of what is between `text` and `end`; errno is what read_number has left. */
static int refuse_range(struct fault *fault, const char *text, const char *end)
{
    bool too_large = errno == ERANGE;

    return fault_say(fault, "invalid input range: '%.*s'%s%s", (int)(end - text), text, too_large ? ": " : "",
                     too_large ? strerror(EOVERFLOW) : "");
}

int argument_count(struct fault *fault, const char *text, uint64_t *count)
{
    uint64_t value;

    if (read_number(text, text + strlen(text), &value) != 0 && errno != ERANGE)
        return fault_say(fault, "invalid line count: '%s'", text);
    *count = value;
    return 0;
}

int argument_range(struct fault *fault, const char *text, uint64_t *first, uint64_t *last)
{
    const char *hyphen = text + strcspn(text, "-"), *end = text + strlen(text);
    uint64_t low, high;

    if (read_number(text, hyphen, &low) != 0 || hyphen == end)
        return refuse_range(fault, text, hyphen);
    if (read_number(hyphen + 1, end, &high) != 0)
        return refuse_range(fault, hyphen + 1, end);
    if (low > high && low - high > 1)
        return refuse_range(fault, text, end);
    *first = low;
    *last = high;
    return 0;
}

int argument_field(struct fault *fault, const char *text, uint64_t *field)
{
    uint64_t number;
    int result = number_parse(text, &number);

    if (result == 0 && number > 0) {
        *field = number;
        return 0;
    }
    if (result == 0)
        fault_say(fault, "fields are numbered from 1");
    else if (errno == ERANGE)
        fault_say(fault, "field number '%s' is too large", text);
    else
        fault_say(fault, "invalid field value '%s'", text);
    help_hint();
    return -1;
}

int argument_separator(struct fault *fault, const char *text, uint8_t *separator)
{
    bool null = strcmp(text, "\\0") == 0;

    if (text[0] == '\0')
        return fault_say(fault, "empty tab");
    if (text[1] != '\0' && !null)
        return fault_say(fault, "multi-character tab '%s'", text);
    *separator = null ? '\0' : (uint8_t)text[0];
    return 0;
}
