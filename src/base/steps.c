#include "base/steps.h"

bool steps_round(struct decimal weight, uint64_t *steps)
{
    const int shift = weight.exponent + 32;

    *steps = 0;
    if (weight.mantissa == 0)
        return true;
    if (shift < -63 || shift > 1 || (shift == 1 && weight.mantissa > (uint64_t)1 << 63))
        return false;
    if (shift < 0)
        *steps = (weight.mantissa >> -shift) + (weight.mantissa >> (-shift - 1) & 1);
    else
        *steps = shift == 0 ? weight.mantissa : STEPS_MOST;
    return true;
}

bool steps_read(const char *text, size_t bytes, uint64_t *steps)
{
    struct decimal weight;

    return bytes > 0 && text[0] > ' ' && text[bytes - 1] > ' ' && decimal_read(text, bytes, &weight) == DECIMAL_OK &&
           steps_round(weight, steps);
}

/* Exactly `digits` digits, with leading zeros. */
static char *print_digits(char *to, uint64_t number, unsigned digits)
{
    for (unsigned i = digits; i-- > 0; number /= 10)
        to[i] = (char)('0' + number % 10);
    return to + digits;
}

static char *print_whole(char *to, uint64_t number)
{
    unsigned digits = 1;

    for (uint64_t rest = number; rest > 9; rest /= 10)
        digits++;
    return print_digits(to, number, digits);
}

/* The whole part may need two numbers; the fraction is made of eight digits at a time, less its trailing zeros. */
char *steps_print(char *to, struct uint128 steps)
{
    const struct uint128 whole = {.high = steps.high >> 32, .low = steps.high << 32 | steps.low >> 32};
    const uint64_t unit = UINT64_C(10000000000000000000), top = uint128_divide(whole, unit);
    uint64_t fraction = steps.low & UINT32_MAX;

    if (whole.high > 0)
        to = print_digits(print_whole(to, top), whole.low - top * unit, 19);
    else
        to = print_whole(to, whole.low);
    if (fraction == 0)
        return to;
    for (*to++ = '.'; fraction > 0; fraction &= UINT32_MAX) {
        fraction *= 100000000;
        to = print_digits(to, fraction >> 32, 8);
    }
    while (to[-1] == '0')
        to--;
    return to;
}
