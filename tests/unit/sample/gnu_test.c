/* What end_to_end/gnu.sh cannot come to: draws with any bounds in one run, and numbers of 8 bytes. */

#include "support/scratch.h"
#include "support/unit.h"

#include "sample/gnu.h"
#include "system/pool.h"
#include "system/table.h"

enum { BLOCK = 4096, BLOCKS = 64, MOST = 140 };
static struct pool pool;
static struct table table;

static int setup(void **state)
{
    FILE *file;

    if (scratch_setup(state) != 0 || pool_open(&pool, BLOCKS * (BLOCK + 4) + POOL_SLACK_BYTES, BLOCK) != 0 ||
        (file = fopen("digits", "w")) == NULL)
        return -1;
    table_init(&table, &pool);
    for (int i = 1; i <= 1000; i++)
        fprintf(file, "%d\n", i);
    fclose(file);
    return 0;
}

static int teardown(void **state)
{
    table_release(&table);
    pool_close(&pool);
    return scratch_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* shuf refuses 2^64 numbers. What is left of b7e1 / 257 is pushed out by the eight bytes that follow. */
TEST(a_bound_of_whole_bytes_takes_them_as_they_come)
{
    static const struct {
        uint64_t most, number;
    } draws[] = {
        {0, 0},
        {255, 0xb7},
        {0, 0},
        {65535, 0xe151},
        {255, 0x62},
        {UINT64_MAX, 0x8aed2a6abf715880},
        {255, 0x9c},
        {UINT64_MAX >> 8, 0xf4f3c762e7160f},
        {255, 0x38},
        {256, 0xb4da % 257},
        {UINT64_MAX, 0x56a784d9045190cf},
        {255, 0xef},
    };
    struct gnu *gnu;

    assert_true(scratch_put("noise",
                            "\xb7\xe1\x51\x62\x8a\xed\x2a\x6a\xbf\x71\x58\x80\x9c\xf4\xf3\xc7\x62\xe7\x16\x0f\x38\xb4"
                            "\xda\x56\xa7\x84\xd9\x04\x51\x90\xcf\xef",
                            0600));
    gnu = gnu_open("noise");
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++)
        assert_true(gnu_draw(gnu, draws[i].most) == draws[i].number);
    gnu_free(gnu);
}

/* Both widths and the sparse form give the numbers that are expected first. */
static void assert_order(uint64_t records, const uint64_t *expected, uint64_t wanted)
{
    uint64_t sparse[MOST];
    struct gnu *gnu;

    for (size_t number_bytes = 4; number_bytes <= 8; number_bytes += 4) {
        table_clear(&table);
        assert_true(pool_promise(&pool, (uint32_t)pool_blocks_for(&pool, records * number_bytes)));
        table_grow(&table, records, number_bytes);
        gnu = gnu_open("digits");
        gnu_ranks(gnu, &table, records, wanted);
        for (uint64_t i = 0; i < wanted; i++)
            assert_int_equal(table_get(&table, expected[i]), i);
        gnu_free(gnu);
    }
    gnu = gnu_open("digits");
    gnu_sparse(gnu, records - 1, wanted, sparse);
    assert_memory_equal(sparse, expected, (size_t)wanted * sizeof *expected);
    gnu_free(gnu);
}

/* The whole order by Fisher-Yates over an array, for all numbers of records around a batch. */
TEST(sparse_and_dense_are_one_order_however_much_of_it_is_wanted)
{
    uint64_t order[MOST];

    for (uint64_t records = 1; records <= MOST; records++) {
        struct gnu *gnu = gnu_open("digits");

        for (uint64_t i = 0; i < records; i++)
            order[i] = i;
        for (uint64_t i = 0; i < records; i++) {
            uint64_t place = i + gnu_draw(gnu, records - i - 1), number = order[place];

            order[place] = order[i];
            order[i] = number;
        }
        gnu_free(gnu);
        for (uint64_t wanted = records % 7; wanted <= records; wanted += 7)
            assert_order(records, order, wanted);
        assert_order(records, order, records);
    }
}
