/*
 * The logarithm: with u = 2^-e (1 - v), v from 0 to 1/2, -ln(u) is e ln(2) + 2 artanh(z) for z = v / (2 - v) <= 1/3,
 * and artanh(z) = z (1 + z^2 / 3 + z^4 / 5 + ...), of which 18 terms give 62 bits. That is a division and 17
 * multiplications; a bit at a time, by squaring, would take 58 multiplications.
 *
 * z is kept as a mantissa and a power of two, and so is the result when e is 0. So it is right to the same number of
 * bits however near u is to 1, where the first of many records are.
 *
 * All roundings make the sum smaller, and only ln(2) is rounded up. So the number added to e ln(2) is never more than
 * another ln(2), and the result never decreases, not even where e increases.
 */

#include "sample/weight_law.h"

enum { FRACTION_BITS = 58 }; /* of a logarithm of 1/2 and less: -ln(2^-65) < 64 */

static const uint64_t ln2 = 0x2c5c85fdf473de7; /* ln(2) * 2^58, rounded up */

#define PART(n) (((uint64_t)1 << 63) / (n))

static const uint64_t artanh[] = {PART(1),  PART(3),  PART(5),  PART(7),  PART(9),  PART(11),
                                  PART(13), PART(15), PART(17), PART(19), PART(21), PART(23),
                                  PART(25), PART(27), PART(29), PART(31), PART(33), PART(35)};

/* a * 2^shift / b, rounded down, which is less than 2^64; shift is from 1 to 63. */
static inline uint64_t divide_shifted(uint64_t a, unsigned shift, uint64_t b)
{
    return uint128_divide((struct uint128){.high = a >> (64 - shift), .low = a << shift}, b);
}

static inline unsigned leading_zeros(uint64_t x)
{
    return (unsigned)__builtin_clzll(x);
}

static inline uint64_t shift_right(uint64_t x, unsigned bits)
{
    return bits < 64 ? x >> bits : 0;
}

static inline struct decimal normalise(uint64_t mantissa, int exponent)
{
    unsigned zeros = leading_zeros(mantissa);

    return (struct decimal){.mantissa = mantissa << zeros, .exponent = exponent - (int)zeros};
}

/* -ln((word + 1/2) / 2^64) */
static inline struct decimal minus_logarithm(uint64_t word)
{
    unsigned halvings, zeros;
    uint64_t d, z, square, sum, product;

    if (word == 0)
        return normalise(65 * ln2, -FRACTION_BITS);
    halvings = leading_zeros(word);
    d = 0 - (word << halvings << 1) - ((uint64_t)1 << halvings); /* v * 2^65 = 2^65 - (2 word + 1) * 2^halvings */
    zeros = leading_zeros(d);
    z = divide_shifted(d << zeros, 62, ((uint64_t)1 << 63) - d / 8); /* times 2^-(65 + zeros) */
    square = shift_right(uint128_multiply(z, z).high, 2 + 2 * zeros);
    sum = artanh[sizeof artanh / sizeof artanh[0] - 1];
    for (unsigned i = sizeof artanh / sizeof artanh[0] - 1; i-- > 0;)
        sum = artanh[i] + uint128_multiply(sum, square).high;
    product = uint128_multiply(z, sum).high; /* times 2^-(63 + zeros) */
    if (halvings == 0)
        return normalise(product, -63 - (int)zeros);
    return normalise(halvings * ln2 + shift_right(product, 63 - FRACTION_BITS + zeros), -FRACTION_BITS);
}

uint64_t weight_law_key(uint64_t word, struct decimal weight)
{
    struct decimal quotient;

    if (weight.mantissa == 0)
        return UINT64_MAX;
    quotient = minus_logarithm(word);
    quotient =
        normalise(divide_shifted(quotient.mantissa, 63, weight.mantissa), quotient.exponent - weight.exponent - 63);
    return ((uint64_t)(quotient.exponent + 63 + 2048) << 52) + (quotient.mantissa << 1 >> 12);
}

/* ---- Whole numbers ---- */

struct uint128 weight_law_scale(struct decimal weight, int top_exponent)
{
    enum { SHIFT = 24 };
    int shift = weight.exponent - top_exponent + SHIFT;

    if (weight.mantissa == 0 || shift <= -64)
        return (struct uint128){0};
    if (shift <= 0)
        return (struct uint128){.low = weight.mantissa >> -shift};
    return (struct uint128){.high = weight.mantissa >> (64 - shift), .low = weight.mantissa << shift};
}

/* All bits below and including the highest of x. */
static uint64_t mask_of(uint64_t x)
{
    return x == 0 ? 0 : UINT64_MAX >> leading_zeros(x);
}

struct uint128 weight_law_draw(struct uint128 total, struct random_words *words)
{
    struct uint128 last = uint128_subtract(total, (struct uint128){.low = 1});
    struct uint128 mask = {.high = mask_of(last.high), .low = last.high == 0 ? mask_of(last.low) : UINT64_MAX};
    struct uint128 number;

    do {
        number.low = mask.low == 0 ? 0 : random_next(words) & mask.low;
        number.high = mask.high == 0 ? 0 : random_next(words) & mask.high;
    } while (uint128_compare(number, last) > 0);
    return number;
}
