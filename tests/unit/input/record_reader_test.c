/* Records one by one, whatever the buffer, from memory and from a file that is lent. */

/* tags: bytes */

#include "input/record_reader.h"

#include "support/scratch.h"
#include "support/unit.h"

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

enum { RECORDS = 4 };

/* The records that are to come: their bytes, and where they start. */
static struct {
    uint8_t data[64];
    size_t start[RECORDS + 1];
    size_t read; /* by the source over them */
} text;

static size_t read_text(void *context, uint8_t *data, size_t bytes)
{
    const size_t left = text.start[RECORDS] - text.read;
    const size_t got = bytes < left ? bytes : left;

    (void)context;
    memcpy(data, text.data + text.read, got);
    text.read += got;
    return got;
}

static void release(void *context)
{
    (void)context;
}

/* The source, which is freed, is walked over record by record with a buffer of `bytes` bytes. */
static void walk(struct source *source, const struct record_format *format, size_t bytes)
{
    uint8_t *buffer = calloc(1, bytes + POOL_SLACK_BYTES);
    const uint8_t *from = source_base(source) != NULL ? source_base(source) : buffer;
    const uint8_t *to = from + (source_base(source) != NULL ? source_space(source) : bytes);
    struct record_reader reader;
    struct record_piece piece;

    record_reader_init(&reader, format, source, buffer, bytes);
    for (size_t i = 0; i < RECORDS; i++)
        for (size_t at = text.start[i]; at < text.start[i + 1]; at += piece.bytes) {
            const size_t left = text.start[i + 1] - at;

            assert_true(record_reader_next(&reader, &piece));
            assert_int_equal(piece.bytes, left < bytes ? left : bytes);
            assert_int_equal(piece.offset, at);
            assert_int_equal(piece.first, at == text.start[i]);
            assert_int_equal(piece.last, piece.bytes == left);
            assert_true(piece.data >= from && piece.data + piece.bytes <= to);
            assert_memory_equal(piece.data, text.data + at, piece.bytes);
        }
    assert_false(record_reader_next(&reader, &piece));
    assert_false(record_reader_next(&reader, &piece));
    source_free(source);
    free(buffer);
}

static void assert_walks(const struct record_format *format, size_t bytes)
{
    static const char *const names[] = {"lent"};
    const struct source_layout layout = {.format = *format};
    FILE *file = fopen("lent", "wb");
    struct source *source;
    uint64_t memory;

    text.read = 0;
    walk(source_over(read_text, NULL, release), format, bytes);
    assert_int_equal(fwrite(text.data, 1, text.start[RECORDS], file), text.start[RECORDS]);
    assert_int_equal(fclose(file), 0);
    source = source_open(names, 1, &layout);
    assert_true(source_map(source, &memory));
    walk(source, format, bytes);
}

/* Where a record ends depends on what came before, which may have left the buffer. */
TEST(records_of_any_format_come_whole_or_in_pieces_as_long_as_the_buffer)
{
    static const struct {
        struct record_format format;
        const char *record[RECORDS];
    } cases[] = {
        {{.delimiter = '\n'}, {"123\n", "1234567\n", "12345678\n", "\n"}}, /* as long as the buffer, or several */
        {{.kind = &string_end_kind, .string = (const uint8_t *)"--", .string_bytes = 2},
         {"a-b--", "c--", "d-\n--", "--"}},
        {{.kind = &lines_kind, .delimiter = '\n', .count = 3}, {"1\n2\n3\n", "\n\n\n", "7\n\n9\n", "\n1\n2\n"}},
        {{.kind = &sizes_kind, .count = 5}, {"01234", "\n1\n34", "56789", "-----"}},
        {{.kind = &csv_kind, .delimiter = '\n'}, {"a,\"b\n\"\"c\"\n", "1,2\n", "\"\n\n\"\n", "\n"}},
        {{.kind = &length_kinds_varint}, {"\3abc", "\4\1\2\3\4", "\7defghij", "\1\n"}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < RECORDS; k++) {
            const size_t length = strlen(cases[i].record[k]);

            memcpy(text.data + text.start[k], cases[i].record[k], length);
            text.start[k + 1] = text.start[k] + length;
        }
        for (size_t bytes = 1; bytes <= text.start[RECORDS] + 1; bytes++)
            assert_walks(&cases[i].format, bytes);
    }
}
