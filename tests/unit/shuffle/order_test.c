#include "support/unit.h"

#include <string.h>

#include "shuffle/order.h"

enum { BLOCK = 4096, BLOCKS = 1500 };

static struct pool pool;
static struct table table, spare;

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

#define TEST(name) UNIT_TEST_IN(name, open_tables, close_tables)

static struct order_node root_of(const struct order *order)
{
    return (struct order_node){.order = order, .root = true};
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

static void arrange(struct order_node node, uint64_t records, uint32_t *number)
{
    struct output output = {.number = number};

    table.wide = spare.wide = true;
    for (uint64_t i = 0; i < records; i++)
        *table_u64(&table, i) = i;
    order_arrange(node, &table, &spare, records, collect, &output);
    assert_int_equal(output.count, records);
}

/* ---- The order, by definition ---- */

static uint32_t defined_word(const struct order *order, uint64_t stream, uint64_t i)
{
    static struct { /* the block that was computed last */
        struct random_key key;
        uint64_t stream, block;
        uint32_t words[RANDOM_BLOCK_WORDS];
    } last = {.block = UINT64_MAX};
    uint64_t block = i / RANDOM_BLOCK_WORDS;

    if (last.block != block || last.stream != stream || memcmp(&last.key, &order->key, sizeof last.key) != 0) {
        random_blocks(&order->key, stream, block, last.words, 1);
        last.key = order->key;
        last.stream = stream;
        last.block = block;
    }
    return last.words[i % RANDOM_BLOCK_WORDS];
}

/* The child of 512 that record i of a node goes to. */
static unsigned defined_child(const struct order *order, uint64_t node, uint64_t i)
{
    return (defined_word(order, node, i / 2) >> (16 * (i % 2)) & 0xffff) >> 7;
}

static void defined_leaf(const struct order *order, uint64_t node, uint32_t *record, size_t count)
{
    uint64_t words = 0;

    for (size_t i = 0; i + 1 < count; i++) {
        uint64_t bound = count - i;
        uint64_t product;
        uint32_t other;

        do
            product = defined_word(order, node, words++) * bound;
        while ((uint32_t)product < ((uint64_t)1 << 32) % bound);
        other = record[i + (product >> 32)];
        record[i + (product >> 32)] = record[i];
        record[i] = other;
    }
}

/* ---- The tree ---- */

TEST(a_child_of_a_node_has_a_number_of_its_own_and_is_no_root)
{
    const struct order_node root = root_of(NULL);
    struct order_node node = {.number = UINT64_C(0x8123456789abcdef)};

    assert_int_equal(order_child(root, 0).number, 1);
    assert_int_equal(order_child(root, 511).number, 512);
    assert_false(order_child(root, 5).root);
    assert_int_equal(order_child(order_child(root, 2), 7).number, 512 * 3 + 8);
    assert_true(order_child(node, 3).number == node.number * 512 + 4);
}

TEST(the_number_of_piles_is_the_least_that_leaves_them_half_of_a_leaf_but_512_from_the_root)
{
    static const uint64_t leaf[] = {8, 9, 11, 64, 1001, ORDER_LEAF_RECORDS, ORDER_LEAF_RECORDS - 1, (uint64_t)1 << 31};

    for (size_t i = 0; i < sizeof leaf / sizeof *leaf; i++) {
        struct order order = order_of("42", leaf[i]);
        const struct order_node node = {.order = &order, .number = 5};

        assert_int_equal(order_scatter_bits(root_of(&order), 0), 9);
        assert_int_equal(order_scatter_bits(root_of(&order), UINT64_MAX), 9);
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

TEST(any_stretch_of_a_scatter_can_be_asked_for)
{
    enum { MOST = 5000 };
    static const uint64_t first[] = {0, 1, 2, 31, 32, 33, 1000, 2047, 2048, ((uint64_t)1 << 37) - 1, (uint64_t)1 << 40};
    static const size_t count[] = {0, 1, 2, 31, 32, 33, 64, 2047, 2048, 2049, MOST};
    struct order order = order_of("seed", 64);
    struct order_node node = {.order = &order, .number = UINT64_C(0xfedcba9876543210)};
    uint16_t pile[MOST + 1];
    uint16_t expected[MOST];

    for (size_t f = 0; f < sizeof first / sizeof *first; f++) {
        for (size_t i = 0; i < MOST; i++)
            expected[i] = (uint16_t)defined_child(&order, node.number, first[f] + i);
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

/* The last leaf is so large that a few words are rejected: the sum of (2^32 mod b) / 2^32 is about records^2 / 2^34. */
TEST(a_leaf_is_a_fisher_yates_shuffle_by_the_words_of_its_stream)
{
    enum { MOST = 200000 };
    static const uint32_t large[] = {1093, 2046, MOST};
    struct order order = order_of("alike", ORDER_LEAF_RECORDS);
    uint32_t *expected = malloc(MOST * sizeof *expected);

    spare.wide = false;
    for (uint32_t n = 0; n < 143; n++) {
        const uint32_t records = n < 140 ? n : large[n - 140];
        const struct order_node node = {.order = &order, .number = records == MOST ? 3 : 1000 + records};

        for (uint32_t i = 0; i < records; i++)
            expected[i] = i;
        defined_leaf(&order, node.number, expected, records);
        for (uint32_t i = 0; i < records + 2; i++)
            *table_u64(&table, 77 + i) = *table_u32(&spare, 3 + i) = i - 1;
        order_leaf(node, &table, 78, records);
        order_leaf(node, &spare, 4, records);
        for (uint32_t i = 0; i < records; i++)
            assert_true(*table_u64(&table, 78 + i) == expected[i] && *table_u32(&spare, 4 + i) == expected[i]);
        assert_true(*table_u64(&table, 77) == (uint32_t)-1 && *table_u64(&table, 78 + records) == records);
    }
    free(expected);
}

/* ---- Stores ---- */

TEST(keys_of_stores_are_golden)
{
    const struct order order = order_of("42", ORDER_LEAF_RECORDS);
    static const uint16_t of_8[20] = {3, 3, 7, 5, 5, 2, 4, 3, 2, 3, 3, 0, 2, 5, 5, 2, 7, 3, 4, 5};
    static const uint16_t of_4096[6] = {2013, 1674, 3716, 2602, 2707, 1405};
    static const uint32_t pile[2] = {0xd560a07b, 0x1585729d};
    const struct order batch = order_of_batch(&order, "a.b-c");
    uint16_t got[20];

    order_scatter((struct order_node){.order = &batch}, 3, 0, 20, got);
    assert_memory_equal(got, of_8, sizeof of_8);
    order_scatter((struct order_node){.order = &batch}, 12, 0, 6, got);
    assert_memory_equal(got, of_4096, sizeof of_4096);
    assert_memory_equal(order_of_pile(&order, 3, 511).key.word, pile, sizeof pile);
}

TEST(the_order_of_the_piles_in_an_epoch_is_golden)
{
    const struct order order = order_of("42", ORDER_LEAF_RECORDS);
    static const uint32_t none[16] = {10, 7, 13, 6, 14, 5, 2, 4, 3, 1, 9, 8, 0, 12, 15, 11};
    static const uint32_t first[8] = {4, 6, 2, 1, 0, 7, 5, 3};
    static const uint32_t last[16] = {3, 9, 11, 1, 10, 15, 8, 7, 13, 4, 2, 12, 5, 0, 6, 14};
    uint32_t number[16];

    order_of_epoch(&order, 0, 16, number);
    assert_memory_equal(number, none, sizeof none);
    order_of_epoch(&order, 1, 8, number);
    assert_memory_equal(number, first, sizeof first);
    order_of_epoch(&order, UINT64_MAX, 16, number);
    assert_memory_equal(number, last, sizeof last);
}

/* ---- Uniformity ---- */

enum { FIVE = 5, ORDERS = 120, PER_ORDER = 500 };

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

static void leaf_order(const struct order *order, uint32_t number[FIVE])
{
    table.wide = false;
    for (uint32_t i = 0; i < FIVE; i++)
        *table_u32(&table, i) = i;
    order_leaf((struct order_node){.order = order, .number = 1}, &table, 0, FIVE);
    for (uint32_t i = 0; i < FIVE; i++)
        number[i] = *table_u32(&table, i);
}

static void tree_order(const struct order *order, uint32_t number[FIVE])
{
    arrange((struct order_node){.order = order, .number = 9}, FIVE, number);
}

static void root_order(const struct order *order, uint32_t number[FIVE])
{
    arrange(root_of(order), FIVE, number);
}

/* The order of a store of two piles with two batches, of two records and of three. */
static void store_order_in(const struct order *order, uint64_t epoch, uint32_t number[FIVE])
{
    const struct order one = order_of_batch(order, "a"), other = order_of_batch(order, "b");
    uint32_t piles[2];
    uint16_t pile_of[FIVE];
    unsigned done = 0;

    order_scatter((struct order_node){.order = &one}, 1, 0, 2, pile_of);
    order_scatter((struct order_node){.order = &other}, 1, 0, FIVE - 2, pile_of + 2);
    order_of_epoch(order, epoch, 2, piles);
    table.wide = false;
    for (unsigned p = 0; p < 2; p++) {
        const struct order pile = order_of_pile(order, epoch, piles[p]);
        uint32_t record[FIVE] = {0};
        unsigned count = 0;

        for (uint32_t i = 0; i < FIVE; i++)
            if (pile_of[i] == piles[p])
                record[count++] = i;
        for (unsigned i = 0; i < count; i++)
            *table_u32(&table, i) = record[i];
        order_leaf((struct order_node){.order = &pile}, &table, 0, count);
        for (unsigned i = 0; i < count; i++)
            number[done++] = *table_u32(&table, i);
    }
}

static void store_order(const struct order *order, uint32_t number[FIVE])
{
    store_order_in(order, 0, number);
}

static void store_order_of_epoch_1(const struct order *order, uint32_t number[FIVE])
{
    store_order_in(order, 1, number);
}

/* A leaf size of 2, though no option allows it, sends five records through a tree of scatters. From the root there are
 * fewer seeds, since each takes a look at 512 piles. With 119 degrees of freedom, the sum is between these limits with
 * a probability of about 0.9998. */
TEST(all_orders_are_equally_likely)
{
    static const struct {
        void (*order)(const struct order *order, uint32_t number[FIVE]);
        uint64_t leaf_records;
        unsigned per_order;
        char seed; /* the first byte of each; '\0': none */
    } cases[] = {{leaf_order, 8, PER_ORDER, '\0'},
                 {tree_order, 2, PER_ORDER, '\0'},
                 {root_order, ORDER_LEAF_RECORDS, PER_ORDER / 5, 'r'},
                 {store_order, 8, PER_ORDER, 's'},
                 {store_order_of_epoch_1, 8, PER_ORDER, 's'}};

    for (int c = 0; c < 5; c++) {
        const double expected = cases[c].per_order;
        unsigned times[ORDERS] = {0};
        double sum = 0;

        for (uint32_t i = 0; i < ORDERS * cases[c].per_order; i++) {
            const uint8_t seed[] = {(uint8_t)cases[c].seed, (uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i >> 16)};
            const int left_out = cases[c].seed == '\0';
            struct order order = {.leaf_records = cases[c].leaf_records};
            uint32_t number[FIVE];

            random_key_init(&order.key, seed + left_out, (size_t)(4 - left_out));
            cases[c].order(&order, number);
            times[rank_of(number)]++;
        }
        for (int i = 0; i < ORDERS; i++)
            sum += (times[i] - expected) * (times[i] - expected) / expected;
        if (sum <= 70 || sum >= 186)
            fail_msg("case %d: %f", c, sum);
    }
}

UNIT_TEST(piles_stay_within_six_standard_deviations)
{
    enum { RECORDS = 500000, PILES = 512 };
    static const char *const seeds[] = {"42", "", "another"};
    const double expected = (double)RECORDS / PILES;
    uint16_t *pile = malloc(RECORDS * sizeof *pile);

    for (int i = 0; i < 3; i++) {
        const struct order order = order_of(seeds[i], ORDER_LEAF_RECORDS);
        double count[PILES] = {0};

        order_scatter(root_of(&order), ORDER_ROOT_BITS, 0, RECORDS, pile);
        for (int k = 0; k < RECORDS; k++)
            count[pile[k]]++;
        for (int p = 0; p < PILES; p++)
            assert_true((count[p] - expected) * (count[p] - expected) < 36 * expected);
    }
    free(pile);
}
