/* A number takes as many digits as it can, up to its greatest length; everything else is one character. */

#include "base/escape.h"

#include <errno.h>
#include <string.h>

/* The value of a digit, or `base` and more if it is none of that base. */
static unsigned digit_value(char digit, unsigned base)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *found = digit != '\0' ? strchr(digits, digit) : NULL;
    unsigned value = found != NULL ? (unsigned)(found - digits) : base;

    return value >= 16 && base == 16 && found != NULL ? value - 6 : value;
}

/* Read one to `most` digits. Returns what follows them, or NULL with errno. */
static const char *read_number(const char *text, unsigned base, int most, uint8_t *byte)
{
    unsigned number = 0;
    int digits = 0;

    for (; digits < most && digit_value(text[digits], base) < base; digits++)
        number = number * base + digit_value(text[digits], base);
    if (digits == 0 || number > UINT8_MAX) {
        errno = digits == 0 ? EINVAL : ERANGE;
        return NULL;
    }
    *byte = (uint8_t)number;
    return text + digits;
}

/* Read what follows a backslash. Returns what follows that, or NULL with errno. */
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
