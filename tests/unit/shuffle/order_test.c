/* What golden orders of few records cannot come to: any number of records, and any stretch of an order. */

#include "support/unit.h"

#include "shuffle/order.h"

#include <string.h>

static struct order order_of(const char *seed, uint64_t leaf_records)
{
    struct order order = {.leaf_records = leaf_records};

    random_key_init(&order.key, seed, strlen(seed));
    return order;
}

UNIT_TEST(the_number_of_piles_is_the_least_that_leaves_them_half_of_a_leaf)
{
    static const uint64_t leaf[] = {8, 9, 11, 64, 1001, ORDER_LEAF_RECORDS, ORDER_LEAF_RECORDS - 1, (uint64_t)1 << 31};

    for (size_t i = 0; i < sizeof leaf / sizeof *leaf; i++) {
        struct order order = order_of("42", leaf[i]);
        const struct order_node node = {.order = &order, .number = 5};

        assert_int_equal(order_scatter_bits(node, 0), 0);
        assert_int_equal(order_scatter_bits(node, leaf[i]), 0);
        assert_int_equal(order_scatter_bits(node, leaf[i] + 1), 2);
        for (unsigned bits = 2; bits < 9; bits++) {
            uint64_t most = (leaf[i] << bits) / 2; /* 2c = 2^k T */

            assert_int_equal(order_scatter_bits(node, most), bits);
            assert_int_equal(order_scatter_bits(node, most + 1), bits + 1);
        }
        assert_int_equal(order_scatter_bits(node, (leaf[i] << 8) + 1), 9);
        assert_int_equal(order_scatter_bits(node, UINT64_MAX), 9);
    }
}

UNIT_TEST(any_stretch_of_a_scatter_can_be_asked_for)
{
    enum { MOST = 5000 };
    static const uint64_t first[] = {0, 1, 2, 31, 32, 33, 1000, 2047, 2048, ((uint64_t)1 << 37) - 1, (uint64_t)1 << 40};
    static const size_t count[] = {0, 1, 2, 31, 32, 33, 64, 2047, 2048, 2049, MOST};
    struct order order = order_of("seed", 64);
    struct order_node node = {.order = &order, .number = UINT64_C(0xfedcba9876543210)};
    uint16_t pile[MOST + 1], expected[MOST];

    for (size_t f = 0; f < sizeof first / sizeof *first; f++) {
        for (size_t i = 0; i < MOST; i++)
            order_scatter(node, 9, first[f] + i, 1, &expected[i]);
        for (unsigned bits = 2; bits <= 9; bits++)
            for (size_t c = bits % 3; c < sizeof count / sizeof *count; c += bits == 9 ? 1 : 3) {
                pile[count[c]] = 0x5eed;
                order_scatter(node, bits, first[f], count[c], pile);
                for (size_t i = 0; i < count[c]; i++)
                    assert_int_equal(pile[i], expected[i] >> (9 - bits));
                assert_int_equal(pile[count[c]], 0x5eed);
            }
    }
}
