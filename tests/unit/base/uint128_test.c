#include "support/unit.h"

#include "base/uint128.h"

#include <stdint.h>

static void assert_product(uint64_t a, uint64_t b, uint64_t high, uint64_t low)
{
    struct uint128 product = uint128_multiply(a, b);
    struct uint128 portable = uint128_multiply_portable(a, b);

    assert_true(product.high == high && product.low == low);
    assert_true(portable.high == high && portable.low == low);
}

/* Computed with numbers of any length, in another language. */
UNIT_TEST(products_have_all_their_128_bits)
{
    assert_product(0, UINT64_MAX, 0, 0);
    assert_product(1, UINT64_MAX, 0, UINT64_MAX);
    assert_product(UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, 1);
    assert_product(UINT32_MAX, UINT32_MAX, 0, 0xfffffffe00000001);
    assert_product((uint64_t)1 << 32, (uint64_t)1 << 32, 1, 0);
    assert_product(0x123456789abcdef0, 0x0fedcba987654321, 0x0121fa00ad77d742, 0x2236d88fe5618cf0);
    assert_product(0xffffffff00000001, 0x00000001ffffffff, 0x00000001fffffffd, 0x00000002ffffffff);
    assert_product(0xc1b7c8077f3eb5f4, 0x9e3779b97f4a7c15, 0x77b9680cd5d2ac95, 0xbaffbff874cf1d04);
}

/* Halves of all ones, of one bit and of none carry in every way. */
UNIT_TEST(the_portable_way_gives_what_the_compiler_does)
{
    static const uint64_t halves[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    uint64_t factor[64];

    for (size_t i = 0; i < 64; i++)
        factor[i] = halves[i / 8] << 32 | halves[i % 8];
    for (size_t i = 0; i < 64; i++)
        for (size_t k = 0; k < 64; k++) {
            struct uint128 product = uint128_multiply(factor[i], factor[k]);

            assert_product(factor[i], factor[k], product.high, product.low);
        }
}

/* The quotient has 64 bits, so what is divided is that times the divisor, and a remainder. */
UNIT_TEST(quotients_are_whole_numbers)
{
    uint64_t random = 1;

    for (size_t i = 0; i < 10000; i++) {
        const uint64_t quotient = (random = random * 6364136223846793005 + 1442695040888963407) >> i % 64;
        const uint64_t divisor = (random = random * 6364136223846793005 + 1442695040888963407) >> i / 64 % 64 | 1;
        const struct uint128 rest = {.low = i % 3 == 0 ? 0 : i % 3 == 1 ? divisor - 1 : quotient % divisor};
        const struct uint128 number = uint128_add(uint128_multiply(quotient, divisor), rest);

        assert_true(uint128_divide(number, divisor) == quotient);
        assert_true(uint128_divide_portable(number, divisor) == quotient);
    }
}
