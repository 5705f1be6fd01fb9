/* A pile of so many short records that it is divided in memory is in the order in which its table alone would be. */

#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/gather.h"
#include "system/signals.h"

/* The last record is so long that only its last byte is left when blocks are loaded, as many at a time as there can be.
 */
enum { RECORDS = 140000, ALL_BYTES = (1 << 20) + 1 };

static uint32_t expected[RECORDS];
static size_t collected;

static void collect(void *context, const struct table *from, uint64_t first, uint64_t records)
{
    (void)context;
    for (uint64_t i = 0; i < records; i++)
        expected[collected++] = (uint32_t)table_get(from, first + i);
}

static void arrange(struct order_node node)
{
    struct pool pool;
    struct table table, spare;

    assert_int_equal(pool_open(&pool, 4 << 20, 4096), 0);
    table_take(&table, &pool, RECORDS, sizeof(uint64_t));
    table_take(&spare, &pool, RECORDS, sizeof(uint64_t));
    for (uint32_t i = 0; i < RECORDS; i++)
        table_set(&table, i, i);
    collected = 0;
    order_arrange(node, &table, &spare, RECORDS, collect, NULL);
    table_release(&table);
    table_release(&spare);
    pool_close(&pool);
}

/* The numbers from 0 on are a pile that is said to have so many records; the file gets it. */
static void gather_numbers(const struct gather_order *order, bool spilled, uint64_t counted)
{
    struct output *to = small_output("out");
    static char line[1 << 18];
    struct piles piles;
    unsigned next = 0;
    size_t bytes = 0;

    piles_init(&piles, 1, 1, &small.run.engine.pool, &small.place);
    for (unsigned i = 0; i < RECORDS; i++) {
        const size_t digits = i + 1 < RECORDS ? 1 : ALL_BYTES - bytes - 1;
        const size_t length = (size_t)snprintf(line, sizeof line, "%0*u\n", (int)digits, i);

        pile_append(&piles, 0, (uint8_t *)line, length);
        bytes += length;
    }
    piles_seal(&piles);
    piles.pile[0].records = counted;
    if (spilled)
        pile_flush(&piles, 0);
    gather(&small.run, &piles, *order, &next, to);
    assert_int_equal(next, 1);
    output_commit(to);
    output_free(to);
    piles_release(&piles);
}

static void assert_written(void)
{
    FILE *file = fopen("out", "r");

    for (size_t i = 0; i < RECORDS; i++) {
        unsigned number;

        assert_int_equal(fscanf(file, "%u", &number), 1);
        assert_int_equal(number, expected[i]);
    }
    assert_int_equal(fgetc(file), '\n');
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

/* Its children are leaves, or are not. */
UNIT_TEST_IN(a_divided_pile_is_in_its_order_and_its_records_are_counted, scratch_setup, small_teardown)
{
    for (unsigned i = 0; i < 4; i++) {
        struct gather_order order = {.node = {.number = 7}, .orders = &small.run.order};

        small_open();
        small.run.order.leaf_records = i / 2 == 0 ? 40000 : 64;
        arrange((struct order_node){.order = &small.run.order, .number = 7});
        gather_numbers(&order, i % 2 == 1, RECORDS);
        assert_written();
        signals_install(); /* another run begins */
        assert_ends_about(gather_numbers(&order, false, i % 2 == 0 ? RECORDS + 1 : RECORDS - 1),
                          "does not hold the records that were put there");
        small_close();
    }
}
