#include "store/line.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

char *line_put(char *at, const char *end, const char *format, ...)
{
    const size_t room = (size_t)(end - at);
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(at, room, format, arguments);
    va_end(arguments);
    return at + ((size_t)length < room ? (size_t)length : room - 1);
}

static const char *read_digits(const char *at, unsigned digits, uint64_t *number)
{
    static const char digit[] = "0123456789abcdef";

    for (*number = 0; digits > 0; digits--, at++) {
        const char *found = *at != '\0' ? strchr(digit, *at) : NULL;

        if (found == NULL)
            return NULL;
        *number = *number << 4 | (uint64_t)(found - digit);
    }
    return at;
}

const char *line_read(const char *at, const char *pattern, ...)
{
    va_list arguments;

    va_start(arguments, pattern);
    for (; *pattern != '\0' && at != NULL; pattern++) {
        if (*pattern != '%')
            at = *at == *pattern ? at + 1 : NULL;
        else if (*++pattern == 'd')
            at = number_digits(at + strspn(at, " "), va_arg(arguments, uint64_t *));
        else
            at = read_digits(at, 16, va_arg(arguments, uint64_t *));
    }
    va_end(arguments);
    return at;
}
