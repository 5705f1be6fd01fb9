/* A percentage, or a sum of them, is kept in millionths of the whole. With n = 10^6 q + r, floor(n p / 10^6) = q p +
 * floor(r p / 10^6) for p <= 10^6, and no product is larger than n or 10^12. */

#include "output/split.h"

#include <errno.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "base/uint128.h"

enum { WHOLE = SPLIT_WHOLE, PERCENT = WHOLE / 100 };

/* A percentage in millionths, of `percent` and the decimals at `at`, if any. Returns what follows, or NULL with
 * errno. */
static const char *read_percentage(const char *at, uint64_t percent, uint64_t *amount)
{
    if (percent > 100) {
        errno = ERANGE;
        return NULL;
    }
    *amount = percent * PERCENT;
    if (*at == '.') {
        at++;
        for (uint64_t unit = PERCENT / 10; *at >= '0' && *at <= '9' && unit > 0; unit /= 10, at++)
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

uint64_t split_percentages(const struct split *splits, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += splits[i].is_percentage ? splits[i].amount : 0;
    return sum;
}

size_t split_of_hash(const struct split *splits, size_t count, uint64_t hash)
{
    const uint64_t place = uint128_multiply(hash, WHOLE).high; /* of a millionth */
    uint64_t end = 0;
    size_t before = 0; /* splits that end before `place`: counted without a branch, which would often be mispredicted */

    for (size_t i = 0; i < count; i++) {
        end += splits[i].amount;
        before += end <= place;
    }
    return before;
}

/* With records = 10^6 q + r, floor(records p / 10^6 + u) = q p + floor((r p + 10^6 u) / 10^6), and as r p is a whole
 * number, only the whole part of 10^6 u matters. */
uint64_t split_class(const struct split *splits, size_t count, uint64_t records, uint64_t hash, uint64_t *places)
{
    const uint64_t more = uint128_multiply(hash, WHOLE).high;
    uint64_t part = 0, taken = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t end = taken + least(splits[i].amount, records - taken);

        part += splits[i].amount;
        if (splits[i].is_percentage)
            end = records / WHOLE * part + (records % WHOLE * part + more) / WHOLE;
        places[i] = end - taken;
        taken = end;
    }
    return taken;
}

/* The sum of the percentages of the first `count` splits, in records, rounded down. */
static uint64_t share(const struct split *splits, size_t count, uint64_t records)
{
    const uint64_t part = split_percentages(splits, count);

    return records / WHOLE * part + records % WHOLE * part / WHOLE;
}

uint64_t split_records(const struct split *splits, size_t number, uint64_t records)
{
    if (!splits[number].is_percentage)
        return splits[number].amount;
    return share(splits, number + 1, records) - share(splits, number, records);
}

uint64_t split_total(const struct split *splits, size_t count, uint64_t records)
{
    uint64_t total = 0;

    for (size_t i = 0; i < count && total < UINT64_MAX; i++)
        total += least(split_records(splits, i, records), UINT64_MAX - total);
    return total;
}
