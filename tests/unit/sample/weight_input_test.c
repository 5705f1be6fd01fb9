/* Where a reader's buffer ends there may be anything: a weight, a byte before it, or the end of its record. */

#include "support/small_run.h"
#include "support/unit.h"

#include "sample/weight_input.h"
#include "shuffle/transfer.h"

/* The second fields of two records are 7 and 8. */
static void assert_weights_are_7_and_8(void)
{
    static const char *const names[] = {"records"}, *const expected[] = {"7", "8"};
    static const struct source_layout layout = {.format = {.delimiter = '\n'}};
    const struct weight_place second = {.field = {.number = 2, .separator = '\t'}};
    struct source *source = source_open(names, 1, &layout);
    struct weight_input *weights;
    struct transfer passage;
    struct record_piece piece;
    struct decimal weight, exact;
    size_t count = 0;

    small_open(1, ORDER_LEAF_RECORDS);
    weights = weight_input_open(&small.run.engine, &small.run.format, second, source);
    transfer_init(&passage, &small.run.engine, &small.run.format, source, NULL);
    for (; weight_input_next(weights, &passage.reader, &piece, &weight); count += piece.last) {
        assert_true(count < 2);
        assert_int_equal(decimal_read(expected[count], 1, &exact), DECIMAL_OK);
        assert_true(weight.mantissa == exact.mantissa && weight.exponent == exact.exponent);
    }
    assert_int_equal(count, 2);
    weight_input_end(weights);
    weight_input_free(weights);
    source_free(source);
    small_close();
}

/* The records are `before`, many times `x`, and `after`. */
static void put_long(const char *before, char x, size_t times, const char *after)
{
    FILE *file = fopen("records", "wb");

    assert_non_null(file);
    fputs(before, file);
    for (size_t i = 0; i < times; i++)
        putc(x, file);
    fputs(after, file);
    assert_int_equal(fclose(file), 0);
}

enum { LONG = 3000000 };

/* So long that the record comes in many pieces, or so that its last field is in one or another. */
UNIT_TEST_IN(a_weight_stands_anywhere_in_a_record_of_any_length, small_setup, small_teardown)
{
    const size_t piece = engine_memory(ENGINE_MEMORY_MIN, 1).buffer_bytes / 2 - POOL_SLACK_BYTES; /* as in transfer.c */

    put_long("a\t7\t", 'x', LONG, "\nb\t8\n");
    assert_weights_are_7_and_8();
    put_long("", 'x', LONG, "\t7\nb\t8\n");
    assert_weights_are_7_and_8();
    put_long("", 'x', LONG, "\t7\tb\nb\t8\r\n");
    assert_weights_are_7_and_8();
    put_long("a\t7", ' ', LONG, "\r\nb\t8\n");
    assert_weights_are_7_and_8();
    for (size_t i = 0; i < 12; i++) {
        put_long("", 'x', piece - 6 + i, "\t 7 \nb\t8\n");
        assert_weights_are_7_and_8();
    }
}
