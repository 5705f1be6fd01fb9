#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/shuffle.h"

/* All of the text in one pile, which counts `records`, to the file "out". */
static void shuffle_one_pile(const struct engine_text *text, uint64_t records)
{
    struct gather_order order = {.node = {.number = 3}, .orders = &small.run.order};
    struct output *to = small_output("out");
    struct piles piles;

    piles_init(&piles, 1, 1, &small.run.engine.pool, &small.place);
    pile_append(&piles, 0, text->data, text->bytes);
    piles_seal(&piles);
    piles.pile[0].records = records;
    shuffle_piles(&small.run, &piles, order, to);
    output_commit(to);
    output_free(to);
    piles_release(&piles);
}

#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

static size_t length_few_large(size_t i, uint64_t random)
{
    return i % 40 == 0 ? small_mebibytes(9) : random % 10;
}

/* A node is divided among its children, a leaf by ranks, which may be started over in turn, and a single record is
 * copied; so are piles that are small enough but for their index. */
QUARTER_RUN(a_pile_that_does_not_fit_is_shuffled_as_defined_in_every_way)
{
    static const struct {
        size_t records;
        size_t (*length)(size_t i, uint64_t random);
        uint64_t leaf_records;
        uint64_t started_over; /* at least */
    } cases[] = {{13000, small_length_to_300, 64, 1},
                 {13000, small_length_to_300, 12500, 1},
                 {13000, small_length_to_300, ORDER_LEAF_RECORDS, 1},
                 {150, length_few_large, ORDER_LEAF_RECORDS, 2},
                 {1, length_few_large, ORDER_LEAF_RECORDS, 0},
                 {225000, small_length_0, 250000, 1},
                 {120000, small_length_0, 25000, 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct engine_text text = engine_text_make(cases[i].records, cases[i].length, '\n');
        uint32_t *number;

        small_open(i % 2 == 0 ? 3 : 1, cases[i].leaf_records);
        number = engine_order((struct order_node){.order = &small.run.order, .number = 3}, text.records);
        shuffle_one_pile(&text, text.records);
        assert_true(small.progress.started_over >= cases[i].started_over);
        small_assert_file("out", &text, number, text.records);
        small_close();
        engine_text_free(&text);
        free(number);
    }
}

/* In whatever way it is shuffled; nothing is written of it. */
QUARTER_RUN(a_pile_of_other_records_than_were_counted_is_a_failure)
{
    static const uint64_t leaf_records[] = {64, 12500, ORDER_LEAF_RECORDS};
    struct engine_text text = engine_text_make(13000, small_length_to_300, '\n');
    const uint64_t counts[] = {1, text.records / 2, text.records - 1, text.records + 1, 2 * text.records};

    for (int i = 0; i < 15; i++) {
        small_open(i % 2 == 0 ? 1 : 3, leaf_records[i % 3]);
        assert_ends(shuffle_one_pile(&text, counts[i / 3]),
                    "bigshuf: temporary file in disk0: does not hold the records that were put there\n");
        small_close();
    }
    engine_text_free(&text);
}
