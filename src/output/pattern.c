/* Whether a pattern is checked or a name is made of it, it is read part by part, by next_part. */

#include "output/pattern.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "system/sys.h"

enum part { END, TEXT, NUMBER, WRONG };

/* Read the directive at `percent`, and how many digits it wants. Returns what follows it, or NULL if it is none. */
static const char *read_number(const char *percent, int *digits)
{
    const char *at = percent + 1;

    *digits = 1;
    if (*at == '0') {
        for (*digits = 0; *at >= '0' && *at <= '9' && *digits <= PATTERN_DIGITS_MAX; at++)
            *digits = *digits * 10 + (*at - '0');
        if (*digits == 0 || *digits > PATTERN_DIGITS_MAX)
            return NULL;
    }
    return *at == 'd' ? at + 1 : NULL;
}

/* Read the part that begins at *at, and move *at behind it: TEXT of *length bytes at *text, or a NUMBER of at least
 * *digits digits. */
static enum part next_part(const char **at, const char **text, size_t *length, int *digits)
{
    const char *after;

    *text = *at;
    if (**at == '\0')
        return END;
    *length = strcspn(*at, "%");
    if (*length == 0 && (*at)[1] == '%') {
        *length = 1;
        *at += 2;
        return TEXT;
    }
    if (*length > 0) {
        *at += *length;
        return TEXT;
    }
    after = read_number(*at, digits);
    if (after == NULL)
        return WRONG;
    *at = after;
    return NUMBER;
}

bool pattern_is_valid(const char *pattern)
{
    const char *at = pattern, *text;
    enum part part;
    size_t length;
    int digits, numbers = 0;

    while ((part = next_part(&at, &text, &length, &digits)) == TEXT || part == NUMBER)
        numbers += part == NUMBER;
    return part == END && numbers == 1;
}

char *pattern_name(const char *pattern, uint64_t number)
{
    size_t room = strlen(pattern) + PATTERN_DIGITS_MAX + 1, used = 0, length;
    const char *at = pattern, *text;
    char *name = sys_allocate(room, 1);
    enum part part;
    int digits;

    if (name == NULL)
        return NULL;
    while ((part = next_part(&at, &text, &length, &digits)) != END) {
        if (part == NUMBER) {
            used += (size_t)snprintf(name + used, room - used, "%0*llu", digits, (unsigned long long)number);
        } else {
            memcpy(name + used, text, length);
            used += length;
        }
    }
    return name;
}
