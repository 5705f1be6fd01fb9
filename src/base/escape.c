/* A number takes as many digits as it can, up to its greatest length; everything else is one character. */

#include "base/escape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"

/* Read one to `most` digits. Returns the place after them, or NULL with errno. */
static const char *read_number(const char *text, int base, size_t most, uint8_t *byte)
{
    const size_t digits = least_size(strspn(text, base == 8 ? "01234567" : "0123456789abcdefABCDEF"), most);
    char taken[4] = "";
    unsigned long number;

    memcpy(taken, text, digits);
    number = strtoul(taken, NULL, base);
    *byte = (uint8_t)number;
    if (digits > 0 && number <= UINT8_MAX)
        return text + digits;
    errno = digits == 0 ? EINVAL : ERANGE;
    return NULL;
}

/* Read an escape, without its backslash. Returns the place after it, or NULL with errno. */
static const char *read_escape(const char *text, uint8_t *byte)
{
    static const char letters[] = "abfnrtv\\'\"?", meanings[] = "\a\b\f\n\r\t\v\\'\"?";
    const char *letter = *text != '\0' ? strchr(letters, *text) : NULL;

    if (letter != NULL) {
        *byte = (uint8_t)meanings[letter - letters];
        return text + 1;
    }
    return *text == 'x' ? read_number(text + 1, 16, 2, byte) : read_number(text, 8, 3, byte);
}

int escape_parse(const char *text, uint8_t *bytes, size_t room, size_t *count)
{
    *count = 0;
    while (*text != '\0') {
        uint8_t byte = (uint8_t)*text;

        text = *text == '\\' ? read_escape(text + 1, &byte) : text + 1;
        if (text == NULL)
            return -1;
        if (*count == room) {
            errno = ERANGE;
            return -1;
        }
        bytes[(*count)++] = byte;
    }
    return 0;
}
