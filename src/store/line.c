/* Readers hand on NULL from call to call, so that a line is read by one expression, and in it nothing is looked at
 * after the first thing that is not as it should be. */

#include "store/line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/xxh64.h"

/* ---- Writing ---- */

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

char *line_put_checksum(char *at, const char *end, const char *text, size_t bytes)
{
    return line_put(at, end, "checksum %016" PRIx64 "\n", xxh64(text, bytes));
}

/* ---- Reading ---- */

const char *line_skip(const char *at, const char *expected)
{
    const size_t length = strlen(expected);

    return at != NULL && strncmp(at, expected, length) == 0 ? at + length : NULL;
}

const char *line_blanks(const char *at)
{
    return at == NULL ? NULL : at + strspn(at, " ");
}

const char *line_number(const char *at, uint64_t *number)
{
    *number = 0;
    return at == NULL ? NULL : number_digits(at, number);
}

const char *line_number_within(const char *at, uint64_t least, uint64_t most, uint64_t *number)
{
    at = line_number(at, number);
    return at != NULL && *number >= least && *number <= most ? at : NULL;
}

const char *line_hexadecimal(const char *at, unsigned digits, uint64_t *number)
{
    static const char digit[] = "0123456789abcdef";

    *number = 0;
    for (; at != NULL && digits > 0; digits--) {
        const char *found = *at != '\0' ? strchr(digit, *at) : NULL;

        at = found != NULL ? at + 1 : NULL;
        *number = *number << 4 | (uint64_t)(found != NULL ? found - digit : 0);
    }
    return at;
}

bool line_has_checksum(const char *text, size_t bytes)
{
    char again[LINE_CHECKSUM_BYTES + 1];

    if (bytes < LINE_CHECKSUM_BYTES)
        return false;
    bytes -= LINE_CHECKSUM_BYTES;
    (void)line_put_checksum(again, again + sizeof again, text, bytes);
    return memcmp(again, text + bytes, LINE_CHECKSUM_BYTES) == 0;
}
