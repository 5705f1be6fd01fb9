/* What end_to_end/gnu.sh cannot come to: numbers of 8 bytes. */

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
