/*
 * A number is D * 10^k with a whole D, so it is D * 5^k times a power of two. D is multiplied by 5^k, or gets enough
 * zero bits appended to have 64 left when it has been divided by 5^-k. Both happen in steps of at most 5^13, the
 * greatest that fits in 32 bits, and both are exact: a quotient of a quotient, each rounded down, is the quotient by
 * the product rounded down.
 *
 * The largest number on the way has 1248 bits, so that no memory is needed for it.
 */

#include "base/decimal.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum {
    DIGITS = 64, /* a multiple of 2^-64 has no more decimals, which makes thresholds exact */
    LIMBS = 39,  /* 64 digits are 7; 30 steps of division by up to 5^387 need 32 below */
    FIVES = 13,
};

/* 0.d1 d2 d3 ... * 10^point */
struct digits {
    uint8_t digit[DIGITS]; /* neither the first nor the last is 0 */
    unsigned count;        /* 0 for zero */
    bool more;             /* a digit other than 0 comes after them */
    bool negative;
    int64_t point;
};

struct cursor {
    const uint8_t *next;
    const uint8_t *end;
};

static const uint32_t powers_of_5[FIVES + 1] = {1,     5,      25,      125,     625,      3125,      15625,
                                                78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125};

/* ---- Reading ---- */

static bool take(struct cursor *text, char byte)
{
    if (text->next == text->end || *text->next != (uint8_t)byte)
        return false;
    text->next++;
    return true;
}

static void take_blanks(struct cursor *text)
{
    while (take(text, ' ') || take(text, '\t')) {
    }
}

/* A word, in any case. */
static bool take_name(struct cursor *text, const char *name)
{
    size_t length = strlen(name);

    if ((size_t)(text->end - text->next) < length || *text->next < 'A' ||
        strncasecmp((const char *)text->next, name, length) != 0)
        return false;
    text->next += length;
    return true;
}

static bool take_digit(struct cursor *text, unsigned *digit)
{
    if (text->next == text->end || *text->next < '0' || *text->next > '9')
        return false;
    *digit = *text->next++ - (unsigned)'0';
    return true;
}

static void add_digit(struct digits *number, unsigned digit, bool after_point)
{
    bool leading = number->count == 0 && digit == 0;

    if (after_point && leading)
        number->point--;
    if (!after_point && !leading)
        number->point++;
    if (number->count == DIGITS)
        number->more |= digit != 0;
    else if (!leading)
        number->digit[number->count++] = (uint8_t)digit;
}

static bool take_mantissa(struct cursor *text, struct digits *number)
{
    bool after_point = false, any = false;
    unsigned digit;

    for (;;) {
        if (take_digit(text, &digit)) {
            add_digit(number, digit, after_point);
            any = true;
        } else if (after_point || !take(text, '.')) {
            return any;
        } else {
            after_point = true;
        }
    }
}

/* No text has enough digits to make up for an exponent beyond this bound, so all those are alike. */
static bool take_exponent(struct cursor *text, int64_t *exponent)
{
    const int64_t bound = (int64_t)1 << 56;
    bool negative, any = false;
    unsigned digit;

    *exponent = 0;
    if (!take(text, 'e') && !take(text, 'E'))
        return true;
    negative = take(text, '-');
    if (!negative)
        (void)take(text, '+');
    for (; take_digit(text, &digit); any = true) {
        if (*exponent < bound)
            *exponent = *exponent * 10 + digit;
    }
    if (negative)
        *exponent = -*exponent;
    return any;
}

/* As decimal_read, without the limits of a value's size. */
static enum decimal_verdict read_digits(struct cursor text, struct digits *number)
{
    enum decimal_verdict verdict = DECIMAL_OK;
    int64_t exponent;

    number->count = 0;
    number->point = 0;
    number->more = false;
    take_blanks(&text);
    number->negative = take(&text, '-');
    if (!number->negative)
        (void)take(&text, '+');
    if (take_name(&text, "nan"))
        verdict = DECIMAL_NAN;
    else if (take_name(&text, "infinity") || take_name(&text, "inf"))
        verdict = number->negative ? DECIMAL_NEGATIVE : DECIMAL_INFINITE;
    else if (!take_mantissa(&text, number) || !take_exponent(&text, &exponent))
        return DECIMAL_INVALID;
    else if (number->count > 0) {
        number->point += exponent;
        while (number->digit[number->count - 1] == 0)
            number->count--;
        verdict = number->negative ? DECIMAL_NEGATIVE : DECIMAL_OK;
    }
    take_blanks(&text);
    return text.next == text.end ? verdict : DECIMAL_INVALID;
}

/* ---- Large whole numbers ---- */

/* The first limb is the lowest; the last is not 0. */
struct large {
    uint32_t limb[LIMBS];
    unsigned count;
};

static void multiply_and_add(struct large *number, uint32_t factor, uint32_t summand)
{
    uint64_t carry = summand;

    for (unsigned i = 0; i < number->count; i++) {
        carry += (uint64_t)number->limb[i] * factor;
        number->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        number->limb[number->count++] = (uint32_t)carry;
}

/* The remainder is returned. */
static uint32_t divide(struct large *number, uint32_t divisor)
{
    uint64_t rest = 0;

    for (unsigned i = number->count; i-- > 0;) {
        rest = rest << 32 | number->limb[i];
        number->limb[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (number->count > 0 && number->limb[number->count - 1] == 0)
        number->count--;
    return (uint32_t)rest;
}

/* Divide by 5^power. False if there was a remainder. */
static bool divide_by_5(struct large *number, unsigned power)
{
    bool exact = true;

    for (; power > FIVES; power -= FIVES)
        exact &= divide(number, powers_of_5[FIVES]) == 0;
    exact &= divide(number, powers_of_5[power]) == 0;
    return exact;
}

static void multiply_by_5(struct large *number, unsigned power)
{
    for (; power > FIVES; power -= FIVES)
        multiply_and_add(number, powers_of_5[FIVES], 0);
    multiply_and_add(number, powers_of_5[power], 0);
}

/* Insert `limbs` limbs of zeros below the lowest. */
static void shift(struct large *number, unsigned limbs)
{
    memmove(number->limb + limbs, number->limb, number->count * sizeof *number->limb);
    memset(number->limb, 0, limbs * sizeof *number->limb);
    number->count += limbs;
}

/* The leading 64 bits of number * 2^exponent. */
static struct decimal leading_bits(const struct large *number, int exponent)
{
    struct decimal value = {.exponent = exponent + 32 * (int)number->count - 64};
    uint32_t top[3] = {0};
    int zeros;

    for (unsigned i = 0; i < 3 && i < number->count; i++)
        top[i] = number->limb[number->count - 1 - i];
    zeros = __builtin_clz(top[0]);
    value.mantissa = ((uint64_t)top[0] << 32 | top[1]) << zeros | (uint64_t)top[2] << zeros >> 32;
    value.exponent -= zeros;
    return value;
}

/* ---- Values ---- */

/* The leading 64 bits of one digit or more, whose point is not too far away. */
static struct decimal value_of(const struct digits *digits)
{
    struct large number = {.count = 0};
    int power = (int)digits->point - (int)digits->count;
    unsigned limbs;

    for (unsigned i = 0; i < digits->count; i++)
        multiply_and_add(&number, 10, digits->digit[i]);
    if (power >= 0) {
        multiply_by_5(&number, (unsigned)power);
        return leading_bits(&number, power);
    }
    limbs = (unsigned)-power / FIVES + 3; /* a division takes away less than one */
    shift(&number, limbs);
    (void)divide_by_5(&number, (unsigned)-power);
    return leading_bits(&number, power - 32 * (int)limbs);
}

enum decimal_verdict decimal_read(const void *text, size_t bytes, struct decimal *value)
{
    struct digits digits;
    enum decimal_verdict verdict = read_digits((struct cursor){text, (const uint8_t *)text + bytes}, &digits);
    struct decimal result = {0};

    if (verdict != DECIMAL_OK)
        return verdict;
    if (digits.point > 309) /* at least 10^309 > 2^1024 */
        return DECIMAL_INFINITE;
    if (digits.count > 0 && digits.point >= -323) /* less is below 10^-323 / 10 < 2^-1074 */
        result = value_of(&digits);
    if (result.exponent > 1024 - 64)
        return DECIMAL_INFINITE;
    if (result.exponent < -1074 - 63)
        result = (struct decimal){0};
    *value = result;
    return digits.count > 0 && result.mantissa == 0 ? DECIMAL_TINY : DECIMAL_OK;
}

static int fail(int error)
{
    errno = error;
    return -1;
}

/* With 64 decimals as a whole number N, P * 2^64 is N * 2^64 / 10^64 = N / 5^64 and a little more if P has others. */
static uint64_t threshold_of(const struct digits *digits, bool *all)
{
    struct large number = {.count = 0};
    unsigned zeros = digits->point < -DIGITS ? DIGITS : (unsigned)-digits->point;
    bool exact = !digits->more && zeros + digits->count <= DIGITS;
    uint64_t result = 0;

    for (unsigned i = zeros; i < DIGITS; i++)
        multiply_and_add(&number, 10, i - zeros < digits->count ? digits->digit[i - zeros] : 0);
    exact &= divide_by_5(&number, DIGITS);
    for (unsigned i = number.count; i-- > 0;)
        result = result << 32 | number.limb[i];
    if (!exact)
        result++;
    *all = !exact && result == 0;
    return result;
}

int decimal_threshold(const char *text, uint64_t *threshold, bool *all)
{
    const uint8_t *bytes = (const uint8_t *)text;
    struct digits digits;
    enum decimal_verdict verdict = read_digits((struct cursor){bytes, bytes + strlen(text)}, &digits);

    if (verdict == DECIMAL_INFINITE)
        return fail(ERANGE);
    if (verdict != DECIMAL_OK)
        return fail(EINVAL);
    *threshold = 0;
    *all = false;
    if (digits.count == 0)
        return 0;
    if (digits.point <= 0) {
        *threshold = threshold_of(&digits, all);
        return 0;
    }
    if (digits.point > 1 || digits.count > 1 || digits.digit[0] > 1 || digits.more)
        return fail(ERANGE);
    *all = true;
    return 0;
}
