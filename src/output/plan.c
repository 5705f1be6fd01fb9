#include "output/plan.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "system/sys.h"

/* Read what stands after a percent sign at `at`: s for a name (`each`), or d or 0Nd for a number of at least *digits
 * digits. Returns the rest, or NULL if it is not that. */
static const char *read_place(const char *at, bool each, uint64_t *digits)
{
    *digits = 1;
    if (each)
        return at[1] == 's' ? at + 2 : NULL;
    at = at[1] == '0' ? number_digits(at + 1, digits) : at + 1;
    return at != NULL && *at == 'd' && *digits > 0 && *digits <= OUTPUT_DIGITS_MAX ? at + 1 : NULL;
}

bool output_plan_is_pattern(const char *pattern, bool each)
{
    int places = 0;
    uint64_t digits;

    for (const char *at = strchr(pattern, '%'); at != NULL; at = strchr(at, '%')) {
        const bool is_text = at[1] == '%';

        at = is_text ? at + 2 : read_place(at, each, &digits);
        places += !is_text;
        if (at == NULL)
            return false;
    }
    return places == 1;
}

char *output_plan_name(const char *pattern, uint64_t number, const char *input)
{
    const char *last = input != NULL && strrchr(input, '/') != NULL ? strrchr(input, '/') + 1 : input;
    const size_t room = strlen(pattern) + (input != NULL ? strlen(last) : OUTPUT_DIGITS_MAX) + 1;
    char *name = sys_allocate(room, 1);
    uint64_t digits;
    size_t used = 0;

    for (const char *at = pattern; name != NULL && *at != '\0';) {
        if (at[0] == '%' && at[1] != '%') {
            at = read_place(at, input != NULL, &digits);
            used += input != NULL
                        ? (size_t)snprintf(name + used, room - used, "%s", last)
                        : (size_t)snprintf(name + used, room - used, "%0*llu", (int)digits, (unsigned long long)number);
        } else {
            name[used++] = *at;
            at += at[0] == '%' ? 2 : 1;
        }
    }
    return name;
}
