/* A percentage is kept in millionths of the whole. With n = 10^6 q + r, floor(n p / 10^6) = q p + floor(r p / 10^6) for
 * p <= 10^6, and no product is larger than n or 10^12. */

#include "split.h"

#include <errno.h>

#include "number.h"

enum { WHOLE = 1000000, PERCENT = WHOLE / 100 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* `percent` and the decimals at `at`, if there are any, in millionths. Returns what follows, or NULL with errno. */
static const char *read_percentage(const char *at, uint64_t percent, uint64_t *amount)
{
    if (percent > 100) {
        errno = ERANGE;
        return NULL;
    }
    *amount = percent * PERCENT;
    if (*at == '.') {
        at++;
        for (uint64_t unit = PERCENT / 10; is_digit(*at) && unit > 0; unit /= 10, at++)
            *amount += (uint64_t)(*at - '0') * unit;
    }
    if (*at != '%') {
        errno = EINVAL;
        return NULL;
    }
    if (*amount > WHOLE) {
        errno = ERANGE;
        return NULL;
    }
    return at + 1;
}

int split_parse(const char *text, struct split *split)
{
    const char *at = number_digits(text, &split->amount);

    if (at == NULL)
        return -1;
    split->is_percentage = *at == '.' || *at == '%';
    if (split->is_percentage)
        at = read_percentage(at, split->amount, &split->amount);
    if (at == NULL)
        return -1;
    if (at[0] != ':' || at[1] == '\0') {
        errno = EINVAL;
        return -1;
    }
    split->path = at + 1;
    return 0;
}

uint64_t split_records(const struct split *split, uint64_t records)
{
    if (!split->is_percentage)
        return split->amount;
    return records / WHOLE * split->amount + records % WHOLE * split->amount / WHOLE;
}

uint64_t split_total(const struct split *splits, size_t count, uint64_t records)
{
    uint64_t total = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t wanted = split_records(&splits[i], records);

        if (wanted > UINT64_MAX - total)
            return UINT64_MAX;
        total += wanted;
    }
    return total;
}

bool split_exceeds_whole(const struct split *splits, size_t count)
{
    uint64_t whole = 0;

    for (size_t i = 0; i < count; i++)
        whole += splits[i].is_percentage ? splits[i].amount : 0;
    return whole > WHOLE;
}
