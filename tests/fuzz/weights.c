/* The keys of weights never increase with the word or the weight; draws are in range. */

#include "fuzz.h"

#include "sample/weight_law.h"

static struct decimal take_weight(struct fuzz *fuzz)
{
    struct decimal weight = {.mantissa = fuzz_number(fuzz)};

    if (weight.mantissa == 0)
        return weight;
    weight.mantissa |= (uint64_t)1 << 63;
    weight.exponent = (int)fuzz_from_to(fuzz, 0, 1024 + 1074) - 1074 - 63;
    if (weight.exponent > 1024 - 64)
        weight.exponent = 1024 - 64;
    return weight;
}

static void check_key(uint64_t word, struct decimal weight)
{
    const uint64_t key = weight_law_key(word, weight);

    FUZZ_CHECK((key == UINT64_MAX) == (weight.mantissa == 0));
    FUZZ_CHECK(weight.mantissa == 0 || word == UINT64_MAX || weight_law_key(word + 1, weight) <= key);
}

static void check_order(uint64_t word, struct decimal one, struct decimal other)
{
    bool less = one.exponent < other.exponent || (one.exponent == other.exponent && one.mantissa < other.mantissa);

    if (one.mantissa != 0 && other.mantissa != 0 && less)
        FUZZ_CHECK(weight_law_key(word, one) >= weight_law_key(word, other));
}

static void check_scale(struct decimal weight, struct decimal top)
{
    struct uint128 scaled;

    if (top.mantissa == 0 || weight.exponent > top.exponent)
        return;
    scaled = weight_law_scale(weight, top.exponent);
    FUZZ_CHECK(scaled.high >> 24 == 0);
    if (weight.mantissa == 0)
        FUZZ_CHECK(scaled.high == 0 && scaled.low == 0);
    else if (weight.exponent == top.exponent)
        FUZZ_CHECK(scaled.high >> 23 == 1 && scaled.low == weight.mantissa << 24);
    else if (weight.exponent - top.exponent <= -88)
        FUZZ_CHECK(scaled.high == 0 && scaled.low == 0);
}

/* What is left of the input, then noise, lest a draw goes on for ever. */
static uint64_t next_word(void *context)
{
    static uint64_t noise = 1;
    struct fuzz *fuzz = context;

    noise = noise * UINT64_C(6364136223846793005) + 1442695040888963407;
    return fuzz->bytes > 0 ? fuzz_number(fuzz) : noise ^ noise >> 29;
}

static void check_draw(struct uint128 total, struct fuzz words)
{
    struct uint128 number;

    if (total.high == 0 && total.low == 0)
        return;
    number = weight_law_draw(total, next_word, &words);
    FUZZ_CHECK(uint128_compare(number, total) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    uint64_t word = fuzz_number(&fuzz);
    struct decimal one = take_weight(&fuzz), other = take_weight(&fuzz);

    check_key(word, one);
    check_key(word, other);
    check_order(word, one, other);
    check_scale(one, other);
    check_draw((struct uint128){word, one.mantissa}, fuzz);
    return 0;
}
