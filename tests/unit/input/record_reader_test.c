#include "input/record_reader.h"

#include "support/engine.h"
#include "support/scratch.h"
#include "support/unit.h"
#include "system/pool.h"

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

static const struct record_format lines = {.delimiter = '\n'};

static size_t length_0(size_t i, uint64_t random)
{
    (void)i;
    (void)random;
    return 0;
}

static size_t length_to_20(size_t i, uint64_t random)
{
    (void)i;
    return random % 21;
}

/* Mostly short, some much longer. */
static size_t length_uneven(size_t i, uint64_t random)
{
    (void)i;
    return random % 20 == 0 ? random / 64 % 500 : random / 64 % 10;
}

/* A source's text is walked over record by record, in order, with a buffer of `bytes` bytes. */
static void walk(struct source *source, const struct engine_text *text, const struct record_format *format,
                 size_t bytes)
{
    uint8_t *buffer = calloc(1, bytes + POOL_SLACK_BYTES);
    const uint8_t *from = source_base(source) != NULL ? source_base(source) : buffer;
    const uint8_t *to = source_base(source) != NULL ? from + source_space(source) : buffer + bytes;
    struct record_reader reader;
    struct record_piece piece;

    record_reader_init(&reader, format, source, buffer, bytes);
    for (size_t i = 0; i < text->records; i++)
        for (size_t at = text->start[i]; at < text->start[i + 1]; at += piece.bytes) {
            size_t left = text->start[i + 1] - at;

            assert_true(record_reader_next(&reader, &piece));
            assert_int_equal(piece.bytes, left < bytes ? left : bytes);
            assert_int_equal(piece.offset, at);
            assert_int_equal(piece.first, at == text->start[i]);
            assert_int_equal(piece.last, piece.bytes == left);
            assert_true(piece.data >= from && piece.data + piece.bytes <= to);
            assert_memory_equal(piece.data, text->data + at, piece.bytes);
        }
    assert_false(record_reader_next(&reader, &piece));
    assert_false(record_reader_next(&reader, &piece));
    free(buffer);
}

/* It comes from memory, and from a file that is lent. */
static void assert_walks(struct engine_text *text, const struct record_format *format, size_t bytes)
{
    static const char *const names[] = {"lent"};
    const struct source_layout layout = {.format = *format};
    struct source *source = engine_text_source(text);
    FILE *file = fopen("lent", "wb");
    uint64_t memory;

    walk(source, text, format, bytes);
    source_free(source);
    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, text->bytes, file), text->bytes);
    assert_int_equal(fclose(file), 0);
    source = source_open(names, 1, &layout);
    assert_true(source_map(source, &memory));
    walk(source, text, format, bytes);
    source_free(source);
}

TEST(records_come_one_by_one_with_their_offsets)
{
    struct engine_text text = engine_text_make(3000, length_to_20, '\n');

    assert_walks(&text, &lines, 21);
    assert_walks(&text, &lines, 1000);
    assert_walks(&text, &lines, text.bytes);
    assert_walks(&text, &lines, text.bytes + 1);
    engine_text_free(&text);
}

TEST(records_longer_than_the_buffer_come_in_pieces_as_long_as_it)
{
    struct engine_text text = engine_text_make(500, length_uneven, '\n');

    for (size_t bytes = 1; bytes < 520; bytes += bytes < 40 ? 1 : 47)
        assert_walks(&text, &lines, bytes);
    engine_text_free(&text);
}

/* A record that ends where the buffer does is whole, and one that is a multiple of it has no empty last piece. */
TEST(a_record_may_be_as_long_as_the_buffer_or_several)
{
    uint8_t data[] = "123\n1234567\n12345678\n\n";
    size_t start[] = {0, 4, 12, 21, 22};
    struct engine_text text = {.data = data, .bytes = 22, .start = start, .records = 4};

    assert_walks(&text, &lines, 4);
    assert_walks(&text, &lines, 8);
    assert_walks(&text, &lines, 9);
}

TEST(more_records_fit_into_the_buffer_than_ends_are_kept)
{
    struct engine_text text = engine_text_make(5 * (size_t)RECORD_READER_ENDS + 7, length_0, '\n');

    assert_walks(&text, &lines, text.bytes + 100);
    assert_walks(&text, &lines, RECORD_READER_ENDS);
    assert_walks(&text, &lines, RECORD_READER_ENDS + 1);
    engine_text_free(&text);
}

TEST(any_byte_may_be_the_delimiter)
{
    static const struct record_format formats[] = {{.delimiter = '\0'}, {.delimiter = 0xff}};

    for (int i = 0; i < 2; i++) {
        struct engine_text text = engine_text_make(1000, length_uneven, formats[i].delimiter);

        assert_walks(&text, &formats[i], 100);
        engine_text_free(&text);
    }
}

/* Where a record ends depends on what came before, which may have left the buffer. */
TEST(records_of_any_format_come_whole)
{
    static const struct {
        struct record_format format;
        const char *text;
        size_t start[4];
    } cases[] = {
        {{.kind = &string_end_kind, .string = (const uint8_t *)"--", .string_bytes = 2},
         "a-b--c--d-\n--",
         {0, 5, 8, 13}},
        {{.kind = &lines_kind, .delimiter = '\n', .count = 3}, "1\n2\n3\n\n\n\n7\n\n9\n", {0, 6, 9, 14}},
        {{.kind = &sizes_kind, .count = 5}, "01234\n1\n3456789", {0, 5, 10, 15}},
        {{.kind = &csv_kind}, "a,\"b\n\"\"c\"\n1,2\n\"\n\n\"\n", {0, 10, 14, 19}},
        {{.kind = &length_kinds_varint}, "\3abc\4\1\2\3\4\7defghij", {0, 4, 9, 17}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct engine_text text = {.bytes = strlen(cases[i].text), .records = 3};

        text.data = malloc(text.bytes);
        text.start = malloc(sizeof cases[i].start);
        memcpy(text.data, cases[i].text, text.bytes);
        memcpy(text.start, cases[i].start, sizeof cases[i].start);
        assert_int_equal(text.start[3], text.bytes);
        for (size_t bytes = 1; bytes <= text.bytes + 1; bytes++)
            assert_walks(&text, &cases[i].format, bytes);
        engine_text_free(&text);
    }
}

TEST(an_empty_source_has_no_records)
{
    struct engine_text text = engine_text_make(0, length_0, '\n');

    assert_walks(&text, &lines, 10);
    engine_text_free(&text);
}
