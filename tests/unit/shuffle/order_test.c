/* What golden orders of few records cannot come to: any number of records. */

#include "support/unit.h"

#include "shuffle/order.h"

UNIT_TEST(the_number_of_piles_is_the_least_that_leaves_them_half_of_a_leaf)
{
    static const uint64_t leaf[] = {8, 9, 11, 64, 1001, ORDER_LEAF_RECORDS, ORDER_LEAF_RECORDS - 1, (uint64_t)1 << 31};

    for (size_t i = 0; i < sizeof leaf / sizeof *leaf; i++) {
        const struct order order = {.leaf_records = leaf[i]};
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
