#include "support/small_run.h"
#include "support/unit.h"

#include "sample/weight_input.h"
#include "shuffle/transfer.h"

/* ---- Reading them ---- */

enum { WEIGHTS_MAX = 4096 };

static const struct stream_layout layout = {.format = {.delimiter = '\n'}};
static struct decimal weight[WEIGHTS_MAX];
static size_t count; /* weights that were read */

/* Read the weights of the records in a file, or several. */
static void read_laid_out(const struct stream_layout *of, const char *const *names, size_t files,
                          struct weight_place place)
{
    struct source *source;
    struct weight_input *weights;
    struct transfer passage;
    struct record_piece piece;

    small_open(1, ORDER_LEAF_RECORDS);
    count = 0;
    source = source_open(names, files, of);
    assert_non_null(source);
    weights = weight_input_open(&small.run.engine, &small.run.format, place, source);
    transfer_init(&passage, &small.run.engine, &small.run.format, source, NULL);
    while (weight_input_next(weights, &passage.reader, &piece, &weight[count]))
        count += piece.last;
    weight_input_end(weights);
    weight_input_free(weights);
    source_free(source);
    small_close();
}

static void read_weights(const char *const *names, size_t files, struct weight_place place)
{
    read_laid_out(&layout, names, files, place);
}

static void read_fields(const char *records, uint64_t field, uint8_t separator)
{
    static const char *const names[] = {"records"};

    assert_true(scratch_put("records", records, 0600));
    read_weights(names, 1, (struct weight_place){.field = {.number = field, .separator = separator}});
}

static void read_lines(const char *records, const char *lines)
{
    static const char *const names[] = {"records"};

    assert_true(scratch_put("records", records, 0600));
    assert_true(scratch_put("weights", lines, 0600));
    read_weights(names, 1, (struct weight_place){.file = "weights"});
}

static void assert_weights(const char *const *expected, size_t wanted)
{
    assert_int_equal(count, wanted);
    for (size_t i = 0; i < wanted; i++) {
        struct decimal exact;

        assert_int_equal(decimal_read(expected[i], strlen(expected[i]), &exact), DECIMAL_OK);
        assert_true(weight[i].mantissa == exact.mantissa && weight[i].exponent == exact.exponent);
    }
}

#define TEST(name) UNIT_TEST_IN(name, small_setup, small_teardown)

TEST(weights_are_a_field_of_each_record)
{
    static const char *const expected[] = {"1", "0.25", "0", "3e5"};

    read_fields("1\ta\n0.25\tb\tc\n0\n3e5\t\n", 1, '\t');
    assert_weights(expected, 4);
    read_fields("a\t1\n\t0.25\tc\n\t0\nx y\t3e5\t", 2, '\t');
    assert_weights(expected, 4);
    read_fields("a,,1\n\t,,0.25,\n,,0\nx,y z, 3e5 \n", 3, ',');
    assert_weights(expected, 4);
    read_fields("", 1, ',');
    assert_int_equal(count, 0);
}

TEST(weights_are_the_lines_of_a_file)
{
    static const char *const expected[] = {"1", "0.25", "0", "3e5"};

    read_lines("a\nb\n\nd\n", "1\n0.25\n0\n3e5\n");
    assert_weights(expected, 4);
    read_lines("a\nb\n\nd", "1\n 0.25\t\n0\n3e5");
    assert_weights(expected, 4);
    read_lines("", "");
    assert_int_equal(count, 0);
}

/* The lines of a weights' file end with a newline, whatever the records end with. */
TEST(any_byte_may_end_the_records)
{
    static const char *const expected[] = {"1", "2"};
    static const char *const names[] = {"records"};
    static const struct stream_layout semicolons = {.format = {.delimiter = ';'}};
    struct source *source;
    struct weight_input *weights;
    struct record_piece piece;
    struct transfer passage;

    assert_true(scratch_put("records", "1\na;2\n;", 0600));
    assert_true(scratch_put("weights", "1\n2\n", 0600));
    for (int i = 0; i < 2; i++) {
        struct weight_place place = {.file = i == 0 ? "weights" : NULL, .field = {.number = 1, .separator = '\n'}};

        small_open(1, ORDER_LEAF_RECORDS);
        small.run.format.delimiter = ';';
        source = source_open(names, 1, &semicolons);
        weights = weight_input_open(&small.run.engine, &small.run.format, place, source);
        transfer_init(&passage, &small.run.engine, &small.run.format, source, NULL);
        for (count = 0; weight_input_next(weights, &passage.reader, &piece, &weight[count]); count++)
            assert_true(piece.first && piece.last);
        assert_weights(expected, 2);
        weight_input_end(weights);
        weight_input_free(weights);
        source_free(source);
        small_close();
    }
}

/* Read them all, in another pass if `again`, and find 1 and 2. */
static void read_pass(struct weight_input *weights, struct source *source, bool again)
{
    static const char *const expected[] = {"1", "2"};
    struct record_piece piece;
    struct transfer passage;

    if (again)
        weight_input_again(weights, source);
    transfer_init(&passage, &small.run.engine, &small.run.format, source, NULL);
    for (count = 0; weight_input_next(weights, &passage.reader, &piece, &weight[count]); count++)
        assert_true(piece.first && piece.last);
    assert_weights(expected, 2);
    weight_input_end(weights);
}

TEST(weights_come_again_from_the_first)
{
    static const char *const names[] = {"records"};

    assert_true(scratch_put("records", "1\n2\n", 0600) && scratch_put("weights", "1\n2\n", 0600));
    for (int i = 0; i < 2; i++) {
        struct weight_place place = {.file = i == 0 ? "weights" : NULL, .field = {.number = 1, .separator = '\t'}};
        struct source *source;
        struct weight_input *weights;

        small_open(1, ORDER_LEAF_RECORDS);
        source = source_open(names, 1, &layout);
        weights = weight_input_open(&small.run.engine, &small.run.format, place, source);
        for (int pass = 0; pass < 3; pass++) {
            read_pass(weights, source, pass > 0);
            source_rewind(source);
        }
        weight_input_free(weights);
        source_free(source);
        small_close();
    }
}

/* `name` receives `before`, many times `x`, and `after`. */
static void put_long(const char *name, const char *before, char x, size_t times, const char *after)
{
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    fputs(before, file);
    for (size_t i = 0; i < times; i++)
        putc(x, file);
    fputs(after, file);
    assert_int_equal(fclose(file), 0);
}

enum { LONG = 3000000 };

/* So long that the record comes in many pieces, or so that its last field is in one or another. */
TEST(a_weight_stands_anywhere_in_a_record_of_any_length)
{
    static const char *const expected[] = {"7", "8"};
    static const char *const names[] = {"records"};
    const struct weight_place second = {.field = {.number = 2, .separator = '\t'}};
    const size_t piece = engine_memory(ENGINE_MEMORY_MIN, 1).buffer_bytes / 2 - POOL_SLACK_BYTES; /* as in transfer.c */

    put_long("records", "a\t7\t", 'x', LONG, "\nb\t8\n");
    read_weights(names, 1, second);
    assert_weights(expected, 2);
    put_long("records", "", 'x', LONG, "\t7\nb\t8\n");
    read_weights(names, 1, second);
    assert_weights(expected, 2);
    put_long("records", "", 'x', LONG, "\t7\tb\nb\t8\r\n");
    read_weights(names, 1, second);
    assert_weights(expected, 2);
    put_long("records", "a\t7", ' ', LONG, "\r\nb\t8\n");
    read_weights(names, 1, second);
    assert_weights(expected, 2);
    for (size_t i = 0; i < 12; i++) {
        put_long("records", "", 'x', piece - 6 + i, "\t 7 \nb\t8\n");
        read_weights(names, 1, second);
        assert_weights(expected, 2);
    }
}

/* ---- Errors ---- */

/* A file of one line. */
static void assert_field_says(const char *field, const char *said)
{
    char expected[200];

    snprintf(expected, sizeof expected, "bigshuf: records:1: %s\n", said);
    assert_ends(read_fields(field, 1, '\t'), expected);
}

TEST(what_is_no_weight_is_quoted_with_file_and_line)
{
    assert_field_says("-1", "negative weight: '-1'");
    assert_field_says("-inf\t2", "negative weight: '-inf'");
    assert_field_says("nan", "weight is not a number: 'nan'");
    assert_field_says("inf", "infinite weight: 'inf'");
    assert_field_says("1e400", "infinite weight: '1e400'");
    assert_field_says("1x", "invalid weight: '1x'");
    assert_field_says("\t5", "invalid weight: ''");
    assert_field_says("a\033[1m\377", "invalid weight: 'a\\x1b[1m\377'");
    assert_field_says("0123456789012345678901234567890123456789xx",
                      "invalid weight: '0123456789012345678901234567890123456789'");
    assert_ends(read_lines("a\nb\nc\nd\n", "1\n2\n-3\n4\n"), "bigshuf: weights:3: negative weight: '-3'\n");
    assert_ends(read_fields("a 1\nb 2\nc\n", 2, ' '), "bigshuf: records:3: no such field for the weight: 'c'\n");
}

TEST(lines_are_counted_in_each_file)
{
    static const char *const names[] = {"one", "empty", "two", "three"};
    const struct weight_place place = {.field = {.number = 1, .separator = '\t'}};

    assert_true(scratch_put("one", "1\n2\n3", 0600) && scratch_put("empty", "", 0600));
    assert_true(scratch_put("two", "4\n\n5\n", 0600) && scratch_put("three", "?\n", 0600));
    assert_ends(read_weights(names, 4, place), "bigshuf: two:2: invalid weight: ''\n");
    assert_true(scratch_put("two", "4\n", 0600));
    assert_ends(read_weights(names, 4, place), "bigshuf: three:1: invalid weight: '?'\n");
    assert_true(scratch_put("one", "1\n2\nx", 0600));
    assert_ends(read_weights(names, 4, place), "bigshuf: one:3: invalid weight: 'x'\n");
}

TEST(there_are_as_many_weights_as_records)
{
    assert_ends(read_lines("a\nb\nc\n", "1\n2\n"),
                "bigshuf: weights: too few weights: there are more than 2 records\n");
    assert_ends(read_lines("a\nb\nc\n", "1\n2\n3\n4\n"), "bigshuf: weights: too many weights: there are 3 records\n");
    assert_ends(read_lines("", "\n"), "bigshuf: weights: too many weights: there are 0 records\n");
}

TEST(a_file_that_is_not_there_fails_at_once)
{
    static const char *const names[] = {"records"};

    assert_true(scratch_put("records", "a\n", 0600));
    assert_ends(read_weights(names, 1, (struct weight_place){.file = "none"}),
                "bigshuf: none: No such file or directory\n");
}

/* As assert_ends, but the message goes on. */
#define assert_begins(statement, message)                                                                              \
    do {                                                                                                               \
        if (scratch_begin_end()) {                                                                                     \
            statement;                                                                                                 \
            _exit(99);                                                                                                 \
        }                                                                                                              \
        assert_memory_equal(scratch_ended(), message, sizeof message - 1);                                             \
    } while (0)

/* Neither a line of weights nor a record's fields are read in parts, of which the first might pass for a weight. */
TEST(a_weight_of_any_length_is_one_weight)
{
    static const char *const names[] = {"records"};

    assert_true(scratch_put("records", "a\nb\n", 0600));
    put_long("weights", "1.", '0', LONG, "x\n2\n");
    assert_begins(read_weights(names, 1, (struct weight_place){.file = "weights"}), "bigshuf: weights:1: ");
    put_long("records", "1.", '0', LONG, "x\n2\n");
    assert_begins(read_weights(names, 1, (struct weight_place){.field = {.number = 1, .separator = '\t'}}),
                  "bigshuf: records:1: weight is too long: '1.00");
}

TEST(lines_of_the_header_count)
{
    static const char *const names[] = {"one", "two"};
    static const struct stream_layout headed = {.format = {.delimiter = '\n'}, .header = {.bytes = 3, .lines = 2}};
    const struct weight_place place = {.field = {.number = 1, .separator = '\t'}};

    assert_true(scratch_put("one", "#\n#h\ni\n1\n2\n", 0600) && scratch_put("two", "#\n#h\ni\n4\n?\n", 0600));
    assert_ends(read_laid_out(&headed, names, 2, place), "bigshuf: two:5: invalid weight: '?'\n");
}
