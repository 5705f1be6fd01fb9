/* A pile of so many records that its node scatters is in the order of that. */

#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/gather.h"
#include "system/signals.h"

/* The last record is so long that only its last byte is left when blocks are loaded, as many at a time as there can be.
 */
enum { RECORDS = 140000, ALL_BYTES = (1 << 20) + 1 };

static uint32_t expected[RECORDS];
/* Put numbers of the records of a node that scatters to 2^bits children, 0: a leaf, into its order. */
static void arrange(struct order_node node, unsigned bits, uint32_t *number, size_t records)
{
    uint8_t *block = (uint8_t *)number;
    const struct table table = {.block = &block, .blocks = 1, .shift = 31};
    uint16_t *child = malloc((records + 1) * sizeof *child);
    uint32_t *before = malloc((records + 1) * sizeof *before);

    if (bits == 0)
        order_leaf(node, &table, 0, records);
    else
        order_scatter(node, bits, 0, records, child);
    memcpy(before, number, records * sizeof *number);
    for (unsigned j = 0; j < 1u << bits && bits > 0; j++) {
        const struct order_node below = order_child(node, j);
        size_t count = 0;

        for (size_t i = 0; i < records; i++)
            if (child[i] == j)
                number[count++] = before[i];
        arrange(below, order_scatter_bits(below, count), number, count);
        number += count;
    }
    free(child);
    free(before);
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
        struct order_node node;

        small_open();
        small.run.order.leaf_records = i / 2 == 0 ? 40000 : 64;
        node = (struct order_node){.order = &small.run.order, .number = 7};
        for (uint32_t k = 0; k < RECORDS; k++)
            expected[k] = k;
        arrange(node, order_scatter_bits(node, RECORDS), expected, RECORDS);
        gather_numbers(&order, i % 2 == 1, RECORDS);
        assert_written();
        signals_install(); /* another run begins */
        assert_ends_about(gather_numbers(&order, false, i % 2 == 0 ? RECORDS + 1 : RECORDS - 1),
                          "does not hold the records that were put there");
        small_close();
    }
}
