/* Records one by one, whatever the buffer, from memory and from a file that is lent. */

#include "input/record_reader.h"

#include "support/scratch.h"
#include "support/unit.h"

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

enum { RECORDS_MAX = 6000 };

static const struct record_format lines = {.delimiter = '\n'};

/* The records that are to come: their bytes, and where they start. */
static struct {
    uint8_t data[1 << 17];
    size_t start[RECORDS_MAX + 1];
    size_t records;
    size_t read; /* by the source over them */
} text;

static size_t read_text(void *context, uint8_t *data, size_t bytes)
{
    const size_t left = text.start[text.records] - text.read;
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

static void add(const char *record, size_t bytes)
{
    memcpy(text.data + text.start[text.records], record, bytes);
    text.start[text.records + 1] = text.start[text.records] + bytes;
    text.records++;
}

/* Lines of up to `most` bytes, and every 20th of so many more. */
static void make_lines(size_t records, unsigned most, unsigned more, uint8_t delimiter)
{
    static const char letters[600] = "abcdefghijklmnopqrstuvwxyz";

    text.records = 0;
    for (unsigned i = 0; i < records; i++) {
        add(letters, i * 7919u % (most + 1) + (i % 20 == 19 ? i * 104729u % (more + 1) : 0) + 1);
        text.data[text.start[text.records] - 1] = delimiter;
    }
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
    for (size_t i = 0; i < text.records; i++)
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
    assert_int_equal(fwrite(text.data, 1, text.start[text.records], file), text.start[text.records]);
    assert_int_equal(fclose(file), 0);
    source = source_open(names, 1, &layout);
    assert_true(source_map(source, &memory));
    walk(source, format, bytes);
}

TEST(records_come_whole_or_in_pieces_as_long_as_the_buffer)
{
    static const struct record_format ff = {.delimiter = 0xff};

    make_lines(500, 9, 500, '\n');
    for (size_t bytes = 1; bytes < 520; bytes += bytes < 40 ? 1 : 47)
        assert_walks(&lines, bytes);
    assert_walks(&lines, text.start[text.records]);
    assert_walks(&lines, text.start[text.records] + 1);
    make_lines(500, 9, 500, 0xff);
    assert_walks(&ff, 100);
    make_lines(0, 0, 0, '\n');
    assert_walks(&lines, 10);
}

TEST(more_records_fit_into_the_buffer_than_ends_are_kept)
{
    make_lines(5 * RECORD_READER_ENDS + 7, 0, 0, '\n');
    assert_walks(&lines, text.start[text.records] + 100);
    assert_walks(&lines, RECORD_READER_ENDS);
    assert_walks(&lines, RECORD_READER_ENDS + 1);
}

/* Where a record ends depends on what came before, which may have left the buffer. */
TEST(records_of_any_format_come_whole)
{
    static const struct {
        struct record_format format;
        const char *record[4];
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
        text.records = 0;
        for (size_t k = 0; k < 4; k++)
            add(cases[i].record[k], strlen(cases[i].record[k]));
        for (size_t bytes = 1; bytes <= text.start[4] + 1; bytes++)
            assert_walks(&cases[i].format, bytes);
    }
}
