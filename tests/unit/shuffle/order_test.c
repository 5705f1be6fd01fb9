#include "shuffle/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/engine.h"

enum { BLOCK = 4096, BLOCKS = 1500 };

static struct pool pool;
static struct table table, spare;
static const struct order_node root = {.number = 0, .root = true};

static int open_tables(void **state)
{
    (void)state;
    if (pool_open(&pool, BLOCKS * (BLOCK + 4) + POOL_SLACK_BYTES, BLOCK) != 0 || table_init(&table, &pool) != 0 ||
        table_init(&spare, &pool) != 0 || !pool_promise(&pool, BLOCKS))
        return -1;
    table_grow(&table, BLOCKS / 2 * BLOCK / 8, 8);
    table_grow(&spare, BLOCKS / 2 * BLOCK / 8, 8);
    return 0;
}

static int close_tables(void **state)
{
    (void)state;
    table_release(&table);
    table_release(&spare);
    pool_close(&pool);
    return 0;
}

static struct order order_of(const char *seed, uint64_t leaf_records)
{
    struct order order = {.leaf_records = leaf_records};

    random_key_init(&order.key, seed, strlen(seed));
    return order;
}

/* Collects what comes out. */
struct output {
    uint32_t *number;
    uint64_t count;
};

static void collect(void *context, const struct table *from, uint64_t first, uint64_t records)
{
    struct output *output = context;

    for (uint64_t i = 0; i < records; i++)
        output->number[output->count++] = (uint32_t)*table_u64(from, first + i);
}

static void arrange(const struct order *order, struct order_node node, uint64_t records, struct output *output)
{
    for (uint64_t i = 0; i < records; i++)
        *table_u64(&table, i) = i;
    order_arrange(order, node, &table, &spare, records, collect, output);
}

static void assert_as_defined(const struct order *order, struct order_node node, uint64_t records)
{
    uint32_t *expected = engine_order(order, node, records);
    struct output output = {.number = malloc((records + 1) * sizeof *output.number)};

    arrange(order, node, records, &output);
    assert_int_equal(output.count, records);
    assert_memory_equal(output.number, expected, records * sizeof *expected);
    free(output.number);
    free(expected);
}

static void assert_golden(const char *seed, const uint32_t *expected, uint64_t records)
{
    struct order order = order_of(seed, ORDER_LEAF_RECORDS);
    uint32_t number[32];
    struct output output = {.number = number};

    arrange(&order, root, records, &output);
    assert_int_equal(output.count, records);
    for (uint64_t i = 0; i < records; i++)
        assert_int_equal(number[i] + 1, expected[i]);
}

static void the_order_of_a_seed_is_golden(void **state)
{
    static const uint32_t of_42[10] = {10, 5, 9, 3, 2, 4, 8, 7, 6, 1};
    static const uint32_t of_42_with_20[20] = {19, 10, 5, 9, 13, 3, 2, 4, 15, 8, 14, 7, 16, 18, 11, 12, 17, 6, 20, 1};
    static const uint32_t of_nothing[10] = {3, 4, 10, 2, 8, 9, 5, 1, 6, 7};

    (void)state;
    assert_golden("42", of_42, 10);
    assert_golden("42", of_42_with_20, 20);
    assert_golden("", of_nothing, 10);
}

static void a_child_of_a_node_has_a_number_of_its_own_and_is_no_root(void **state)
{
    struct order_node node = {.number = UINT64_C(0x8123456789abcdef)};

    (void)state;
    assert_int_equal(order_child(root, 0).number, 1);
    assert_int_equal(order_child(root, 511).number, 512);
    assert_false(order_child(root, 5).root);
    assert_int_equal(order_child(order_child(root, 2), 7).number, 512 * 3 + 8);
    assert_true(order_child(node, 3).number == node.number * 512 + 4);
}

static void the_root_scatters_into_512_piles_however_few_records_it_has(void **state)
{
    struct order order = order_of("42", ORDER_LEAF_RECORDS);

    (void)state;
    assert_int_equal(order_scatter_bits(&order, root, 0), 9);
    assert_int_equal(order_scatter_bits(&order, root, 1), 9);
    assert_int_equal(order_scatter_bits(&order, root, UINT64_MAX), 9);
}

static void the_number_of_piles_is_the_least_that_leaves_them_half_of_a_leaf(void **state)
{
    static const uint64_t leaf[] = {8, 9, 11, 64, 1001, ORDER_LEAF_RECORDS, ORDER_LEAF_RECORDS - 1, (uint64_t)1 << 31};
    struct order_node node = {.number = 5};

    (void)state;
    for (size_t i = 0; i < sizeof leaf / sizeof *leaf; i++) {
        struct order order = order_of("42", leaf[i]);

        assert_int_equal(order_scatter_bits(&order, node, 0), 0);
        assert_int_equal(order_scatter_bits(&order, node, leaf[i]), 0);
        assert_int_equal(order_scatter_bits(&order, node, leaf[i] + 1), 2);
        for (unsigned bits = 2; bits < 9; bits++) {
            uint64_t most = (leaf[i] << bits) / 2; /* 2c = 2^k T */

            assert_int_equal(order_scatter_bits(&order, node, most), bits);
            assert_int_equal(order_scatter_bits(&order, node, most + 1), bits + 1);
        }
        assert_int_equal(order_scatter_bits(&order, node, leaf[i] << 8), 9);
        assert_int_equal(order_scatter_bits(&order, node, (leaf[i] << 8) + 1), 9);
        assert_int_equal(order_scatter_bits(&order, node, UINT64_MAX), 9);
    }
}

static void any_stretch_of_a_scatter_can_be_asked_for(void **state)
{
    enum { MOST = 5000 };
    static const uint64_t first[] = {0, 1, 2, 31, 32, 33, 1000, 2047, 2048, ((uint64_t)1 << 37) - 1, (uint64_t)1 << 40};
    static const size_t count[] = {0, 1, 2, 31, 32, 33, 64, 2047, 2048, 2049, MOST};
    struct order order = order_of("seed", 64);
    struct order_node node = {.number = UINT64_C(0xfedcba9876543210)};
    uint16_t pile[MOST + 1];
    uint16_t expected[MOST];

    (void)state;
    for (size_t f = 0; f < sizeof first / sizeof *first; f++) {
        for (size_t i = 0; i < MOST; i++)
            expected[i] = (uint16_t)engine_child(&order, node.number, 9, first[f] + i);
        for (unsigned bits = 2; bits <= 9; bits++)
            for (size_t c = bits % 3; c < sizeof count / sizeof *count; c += bits == 9 ? 1 : 3) {
                pile[count[c]] = 0x5eed;
                order_scatter(&order, node, bits, first[f], count[c], pile);
                for (size_t i = 0; i < count[c]; i++)
                    assert_int_equal(pile[i], expected[i] >> (9 - bits));
                assert_int_equal(pile[count[c]], 0x5eed);
            }
    }
}

static void a_leaf_is_a_fisher_yates_shuffle_by_the_words_of_its_stream(void **state)
{
    struct order order = order_of("leaf", ORDER_LEAF_RECORDS);
    uint32_t *expected = malloc(3000 * sizeof *expected);

    (void)state;
    for (uint32_t records = 0; records < 3000; records += records < 140 ? 1 : 953) {
        struct order_node node = {.number = 1000 + records};

        for (uint32_t i = 0; i < records; i++)
            expected[i] = i;
        engine_leaf(&order, node.number, expected, records);
        for (uint32_t i = 0; i < records + 2; i++)
            *table_u64(&table, 77 + i) = i - 1;
        order_leaf_u64(&order, node, &table, 78, records);
        for (uint32_t i = 0; i < records; i++)
            assert_int_equal(*table_u64(&table, 78 + i), expected[i]);
        assert_true(*table_u64(&table, 77) == (uint32_t)-1 && *table_u64(&table, 78 + records) == records);
    }
    free(expected);
}

/* A leaf so large that a few words are rejected: the sum of (2^32 mod b) / 2^32 is about RECORDS^2 / 2^34. */
static void narrow_and_wide_numbers_are_shuffled_alike(void **state)
{
    enum { RECORDS = 200000 };
    struct order order = order_of("alike", ORDER_LEAF_RECORDS);
    struct order_node node = {.number = 3};
    uint32_t *expected = engine_order(&order, node, RECORDS);

    (void)state;
    for (uint32_t i = 0; i < RECORDS; i++) {
        *table_u64(&table, 5 + i) = i;
        *table_u32(&spare, 3 + i) = i;
    }
    order_leaf_u64(&order, node, &table, 5, RECORDS);
    order_leaf_u32(&order, node, &spare, 3, RECORDS);
    for (uint32_t i = 0; i < RECORDS; i++)
        assert_true(*table_u64(&table, 5 + i) == expected[i] && *table_u32(&spare, 3 + i) == expected[i]);
    free(expected);
}

static void a_deep_tree_is_arranged_as_defined(void **state)
{
    static const uint64_t leaf[] = {8, 9, 13, 64, ORDER_LEAF_RECORDS};

    (void)state;
    for (size_t i = 0; i < sizeof leaf / sizeof *leaf; i++) {
        struct order order = order_of("deep", leaf[i]);

        assert_as_defined(&order, root, 0);
        assert_as_defined(&order, root, 1);
        assert_as_defined(&order, root, 7001);
        assert_as_defined(&order, (struct order_node){.number = 77}, 5000);
        assert_as_defined(&order, (struct order_node){.number = 78}, 8);
    }
}

/* ---- Stores ---- */

static void keys_of_stores_are_golden(void **state)
{
    const struct order order = order_of("42", ORDER_LEAF_RECORDS);
    static const uint16_t of_8[20] = {3, 3, 7, 5, 5, 2, 4, 3, 2, 3, 3, 0, 2, 5, 5, 2, 7, 3, 4, 5};
    static const uint16_t of_4096[6] = {2013, 1674, 3716, 2602, 2707, 1405};
    static const uint32_t pile[2] = {0xd560a07b, 0x1585729d};
    struct order batch = order;
    struct random_key key;
    uint16_t got[20];

    (void)state;
    order_batch_key(&order, "a.b-c", &batch.key);
    order_scatter(&batch, (struct order_node){.number = 0}, 3, 0, 20, got);
    assert_memory_equal(got, of_8, sizeof of_8);
    order_scatter(&batch, (struct order_node){.number = 0}, 12, 0, 6, got);
    assert_memory_equal(got, of_4096, sizeof of_4096);
    order_pile_key(&order, 3, 511, &key);
    assert_memory_equal(key.word, pile, sizeof pile);
}

static void the_order_of_the_piles_in_an_epoch_is_golden(void **state)
{
    const struct order order = order_of("42", ORDER_LEAF_RECORDS);
    static const uint32_t none[16] = {10, 7, 13, 6, 14, 5, 2, 4, 3, 1, 9, 8, 0, 12, 15, 11};
    static const uint32_t first[8] = {4, 6, 2, 1, 0, 7, 5, 3};
    static const uint32_t last[16] = {3, 9, 11, 1, 10, 15, 8, 7, 13, 4, 2, 12, 5, 0, 6, 14};
    uint32_t number[16];

    (void)state;
    order_of_epoch(&order, 0, 16, number);
    assert_memory_equal(number, none, sizeof none);
    order_of_epoch(&order, 1, 8, number);
    assert_memory_equal(number, first, sizeof first);
    order_of_epoch(&order, UINT64_MAX, 16, number);
    assert_memory_equal(number, last, sizeof last);
}

/* ---- Uniformity ---- */

enum { FIVE = 5, ORDERS = 120, PER_ORDER = 500, PER_ORDER_FROM_ROOT = 100 };

/* The number, from 0 to 119, of an order of 0 ... 4. */
static unsigned rank_of(const uint32_t number[FIVE])
{
    unsigned rank = 0;

    for (int i = 0; i < FIVE; i++) {
        unsigned smaller = 0;

        for (int k = i + 1; k < FIVE; k++)
            smaller += number[k] < number[i];
        rank = rank * (FIVE - (unsigned)i) + smaller;
    }
    return rank;
}

/* With 119 degrees of freedom: between these limits with a probability of about 0.9998. */
static void assert_even(const unsigned times[ORDERS], double expected)
{
    double sum = 0;

    for (int i = 0; i < ORDERS; i++)
        sum += (times[i] - expected) * (times[i] - expected) / expected;
    assert_true(sum > 70 && sum < 186);
}

static void all_orders_of_a_leaf_are_equally_likely(void **state)
{
    unsigned times[ORDERS] = {0};

    (void)state;
    for (uint32_t seed = 0; seed < ORDERS * PER_ORDER; seed++) {
        struct order order = {.leaf_records = 8};
        uint32_t number[FIVE];

        random_key_init(&order.key, &(uint8_t[]){(uint8_t)seed, (uint8_t)(seed >> 8), (uint8_t)(seed >> 16)}, 3);
        for (uint32_t i = 0; i < FIVE; i++)
            *table_u32(&table, i) = i;
        order_leaf_u32(&order, (struct order_node){.number = 1}, &table, 0, FIVE);
        for (uint32_t i = 0; i < FIVE; i++)
            number[i] = *table_u32(&table, i);
        times[rank_of(number)]++;
    }
    assert_even(times, PER_ORDER);
}

/* A leaf size of 2, though no option allows it, sends five records through a tree of scatters. */
static void all_orders_of_a_tree_are_equally_likely(void **state)
{
    unsigned times[ORDERS] = {0};

    (void)state;
    for (uint32_t seed = 0; seed < ORDERS * PER_ORDER; seed++) {
        struct order order = {.leaf_records = 2};
        uint32_t number[FIVE];
        struct output output = {.number = number};

        random_key_init(&order.key, &(uint8_t[]){(uint8_t)seed, (uint8_t)(seed >> 8), (uint8_t)(seed >> 16)}, 3);
        arrange(&order, (struct order_node){.number = 9}, FIVE, &output);
        times[rank_of(number)]++;
    }
    assert_even(times, PER_ORDER);
}

/* Fewer seeds: each takes a look at 512 piles. */
static void all_orders_from_the_root_are_equally_likely(void **state)
{
    unsigned times[ORDERS] = {0};

    (void)state;
    for (uint32_t seed = 0; seed < ORDERS * PER_ORDER_FROM_ROOT; seed++) {
        struct order order = {.leaf_records = ORDER_LEAF_RECORDS};
        uint32_t number[FIVE];
        struct output output = {.number = number};

        random_key_init(&order.key, &(uint8_t[]){'r', (uint8_t)seed, (uint8_t)(seed >> 8), (uint8_t)(seed >> 16)}, 4);
        arrange(&order, root, FIVE, &output);
        times[rank_of(number)]++;
    }
    assert_even(times, PER_ORDER_FROM_ROOT);
}

/* The order of a store of two piles with two batches, of two records and of three. */
static void store_order(const struct order *order, uint64_t epoch, uint32_t number[FIVE])
{
    struct order batch = *order;
    struct order pile = *order;
    uint32_t piles[2];
    uint16_t pile_of[FIVE];
    unsigned done = 0;

    order_batch_key(order, "a", &batch.key);
    order_scatter(&batch, (struct order_node){.number = 0}, 1, 0, 2, pile_of);
    order_batch_key(order, "b", &batch.key);
    order_scatter(&batch, (struct order_node){.number = 0}, 1, 0, FIVE - 2, pile_of + 2);
    order_of_epoch(order, epoch, 2, piles);
    for (unsigned p = 0; p < 2; p++) {
        uint32_t record[FIVE] = {0};
        unsigned count = 0;

        for (uint32_t i = 0; i < FIVE; i++)
            if (pile_of[i] == piles[p])
                record[count++] = i;
        for (unsigned i = 0; i < count; i++)
            *table_u32(&table, i) = record[i];
        order_pile_key(order, epoch, piles[p], &pile.key);
        order_leaf_u32(&pile, (struct order_node){.number = 0}, &table, 0, count);
        for (unsigned i = 0; i < count; i++)
            number[done++] = *table_u32(&table, i);
    }
}

static void all_orders_of_a_store_are_equally_likely_in_any_epoch(void **state)
{
    (void)state;
    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        unsigned times[ORDERS] = {0};

        for (uint32_t seed = 0; seed < ORDERS * PER_ORDER; seed++) {
            struct order order = {.leaf_records = 8};
            uint32_t number[FIVE];

            random_key_init(&order.key, &(uint8_t[]){'s', (uint8_t)seed, (uint8_t)(seed >> 8), (uint8_t)(seed >> 16)},
                            4);
            store_order(&order, epoch, number);
            times[rank_of(number)]++;
        }
        assert_even(times, PER_ORDER);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_a_seed_is_golden),
        cmocka_unit_test(a_child_of_a_node_has_a_number_of_its_own_and_is_no_root),
        cmocka_unit_test(the_root_scatters_into_512_piles_however_few_records_it_has),
        cmocka_unit_test(the_number_of_piles_is_the_least_that_leaves_them_half_of_a_leaf),
        cmocka_unit_test(any_stretch_of_a_scatter_can_be_asked_for),
        cmocka_unit_test(a_leaf_is_a_fisher_yates_shuffle_by_the_words_of_its_stream),
        cmocka_unit_test(narrow_and_wide_numbers_are_shuffled_alike),
        cmocka_unit_test(a_deep_tree_is_arranged_as_defined),
        cmocka_unit_test(keys_of_stores_are_golden),
        cmocka_unit_test(the_order_of_the_piles_in_an_epoch_is_golden),
        cmocka_unit_test(all_orders_of_a_leaf_are_equally_likely),
        cmocka_unit_test(all_orders_of_a_tree_are_equally_likely),
        cmocka_unit_test(all_orders_from_the_root_are_equally_likely),
        cmocka_unit_test(all_orders_of_a_store_are_equally_likely_in_any_epoch),
    };

    return cmocka_run_group_tests(tests, open_tables, close_tables);
}
