/* Each kind of record is held against its definition, byte by byte, whatever the fragments in which the stream comes.
 */

#include "support/length_twin.h"
#include "support/unit.h"

#include "record/record.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1500, ROUNDS = 60 };

#define STRING(text) .kind = &string_end_kind, .string = (const uint8_t *)(text), .string_bytes = sizeof(text) - 1
#define START(text)  .kind = &string_start_kind, .string = (const uint8_t *)(text), .string_bytes = sizeof(text) - 1

/* A format, and the bytes of which data are made that put it to the test. */
struct example {
    struct record_format format;
    const char *alphabet;
    size_t alphabet_bytes;
};

#define MADE_OF(text) (text), sizeof(text) - 1

static const struct example examples[] = {
    {{.delimiter = '\n'}, MADE_OF("\nx")},
    {{.delimiter = '\0'}, MADE_OF("\0\nabcdefghijkl")},
    {{STRING("\n\n")}, MADE_OF("\nx")},
    {{STRING("\n\n")}, MADE_OF("\nabcdefgh")},
    {{STRING("ab")}, MADE_OF("ab")},
    {{STRING("aaa")}, MADE_OF("aaaaaaab")},
    {{STRING("aaa")}, MADE_OF("a")},
    {{STRING("aba")}, MADE_OF("ab")},
    {{STRING("aabaaab")}, MADE_OF("aaab")},
    {{STRING("abacabadabacaba")}, MADE_OF("aaaabbcd")},
    {{STRING("\0\xff")}, MADE_OF("\0\xff\n")},
    {{STRING("abababababababababababababababababababababababababababababababababababababab")}, MADE_OF("ab")},
    {{START("\n>")}, MADE_OF("\n>x")},
    {{START("\nFr")}, MADE_OF("\n\n\nFrx")},
    {{.kind = &lines_kind, .delimiter = '\n', .count = 1}, MADE_OF("\nx")},
    {{.kind = &lines_kind, .delimiter = '\n', .count = 4}, MADE_OF("\nx")},
    {{.kind = &lines_kind, .delimiter = '\0', .count = 7}, MADE_OF("\0abcdefghijkl")},
    {{.kind = &lines_kind, .delimiter = '\n', .count = 1000}, MADE_OF("\nx")},
    {{.kind = &sizes_kind, .count = 1}, MADE_OF("x")},
    {{.kind = &sizes_kind, .count = 7}, MADE_OF("x")},
    {{.kind = &sizes_kind, .count = 500}, MADE_OF("x")},
    {{.kind = &sizes_kind, .count = UINT64_MAX}, MADE_OF("x")},
    {{.kind = &length_kinds_tfrecord}, MADE_OF("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\5\x30")},
    {{.kind = &length_kinds_tfrecord}, MADE_OF("\0\xff")},
    {{.kind = &length_kinds_u32le}, MADE_OF("\0\0\0\0\0\0\0\0\0\0\0\0\1\5\x30")},
    {{.kind = &length_kinds_u32be}, MADE_OF("\0\0\0\0\0\0\0\0\0\0\0\0\1\5\x30")},
    {{.kind = &length_kinds_u64le}, MADE_OF("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\5\x30")},
    {{.kind = &length_kinds_u64be}, MADE_OF("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\5\x30")},
    {{.kind = &length_kinds_u64be}, MADE_OF("\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\5\x30")},
    {{.kind = &length_kinds_varint}, MADE_OF("\0\1\5\x20\x80\x81")},
    {{.kind = &length_kinds_varint}, MADE_OF("\0\x80\x80\x80\x80\x80\x80\x80\x80\x80")},
    {{.kind = &csv_kind}, MADE_OF("\n\"")},
    {{.kind = &csv_kind}, MADE_OF("\n\n\n\n\"x,\r")},
    {{.kind = &csv_kind}, MADE_OF("\nabcdefghijklmnopqrstuvwxyz0123456789\"")},
    {{.kind = &csv_kind}, MADE_OF("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\"")},
    {{.grouped = true, .delimiter = '\n'}, MADE_OF("\n.+x")},
    {{.grouped = true, .delimiter = '\n'}, MADE_OF("\n\n\n\n.++++++")},
    {{.grouped = true, .delimiter = '\n'}, MADE_OF("\nabcdefghijklmnop.")},
    {{.grouped = true, .delimiter = '.'}, MADE_OF(".+x")},
    {{.grouped = true, .delimiter = '+'}, MADE_OF(".+x")},
    {{.grouped = true, .kind = &csv_kind}, MADE_OF("\n\n\n\n..+,\"")},
    {{.grouped = true, STRING("+.")}, MADE_OF(".+x")},
    {{.grouped = true, .kind = &lines_kind, .delimiter = '\n', .count = 2}, MADE_OF("\n.+")},
    {{.grouped = true, .kind = &sizes_kind, .count = 3}, MADE_OF(".+")},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

struct stream {
    uint8_t data[BYTES_MAX];
    size_t bytes;
    uint32_t ends[BYTES_MAX];
    size_t records;
};

static uint64_t noise(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

static size_t count_of(const uint8_t *data, size_t bytes, uint8_t byte)
{
    size_t count = 0;

    for (size_t i = 0; i < bytes; i++)
        count += data[i] == byte;
    return count;
}

/* Is record[0, bytes) a whole one, or a whole member, if nothing shorter is? */
static bool is_record(const struct record_format *format, const uint8_t *record, size_t bytes)
{
    if (format->kind == NULL)
        return record[bytes - 1] == format->delimiter;
    if (format->kind == &lines_kind)
        return record[bytes - 1] == format->delimiter && count_of(record, bytes, format->delimiter) == format->count;
    if (format->kind == &sizes_kind)
        return bytes == format->count;
    if (format->kind == &csv_kind)
        return record[bytes - 1] == '\n' && count_of(record, bytes, '"') % 2 == 0;
    if (length_twin_is_of(format))
        return length_twin_is_record(format->kind->coding, record, bytes);
    return bytes >= format->string_bytes &&
           memcmp(record + bytes - format->string_bytes, format->string, format->string_bytes) == 0;
}

static size_t begin_of_last(const struct stream *stream)
{
    return stream->records > 0 ? stream->ends[stream->records - 1] : 0;
}

static void find_ends(const struct record_format *format, struct stream *stream)
{
    size_t begin = 0;
    bool marked = false; /* is this byte a mark? */

    stream->records = 0;
    for (size_t i = 1; i <= stream->bytes; i++) {
        const bool ends = !marked && is_record(format, stream->data + begin, i - begin);

        if (format->grouped ? marked && stream->data[i - 1] == RECORD_ENDS : ends)
            stream->ends[stream->records++] = (uint32_t)i;
        if (marked || ends)
            begin = i;
        marked = format->grouped && ends;
    }
}

static void make_stream(const struct example *example, struct stream *stream, uint64_t *x)
{
    stream->bytes = (size_t)(noise(x) % BYTES_MAX);
    for (size_t i = 0; i < stream->bytes; i++)
        stream->data[i] = (uint8_t)example->alphabet[noise(x) % example->alphabet_bytes];
    find_ends(&example->format, stream);
}

/* Small and large, so that both the beginnings and the inner loops of the scans are met. */
static size_t some_bytes(size_t most, uint64_t *x)
{
    static const uint64_t scales[] = {2, 10, 100, BYTES_MAX};
    size_t bytes = (size_t)(noise(x) % scales[noise(x) % 4]);

    return bytes < most ? bytes : most;
}

/* Scan a fragment from memory that ends where it ends, and see that the ends in it are those of the stream. Returns the
 * number of bytes that were scanned. */
static size_t check_fragment(const struct record_format *format, struct record_scan *scan, const struct stream *stream,
                             size_t at, size_t bytes, size_t room)
{
    uint8_t *data = malloc(bytes + 1);
    uint32_t *ends = malloc((room + 1) * sizeof *ends);
    size_t before = 0, expected = 0, found, scanned = SIZE_MAX;

    assert_non_null(data);
    assert_non_null(ends);
    memcpy(data + 1, stream->data + at, bytes);
    while (before < stream->records && stream->ends[before] <= at)
        before++;
    while (before + expected < stream->records && stream->ends[before + expected] <= at + bytes && expected < room)
        expected++;
    found = record_ends(format, scan, data + 1, bytes, ends, room, &scanned);
    assert_int_equal(found, expected);
    for (size_t i = 0; i < found; i++)
        assert_int_equal(at + ends[i], stream->ends[before + i]);
    assert_int_equal(scanned, found < room ? bytes : room == 0 ? 0 : ends[room - 1]);
    free(data);
    free(ends);
    return scanned;
}

static void assert_same(const struct record_scan *one, const struct record_scan *other)
{
    assert_int_equal(one->done, other->done);
    assert_int_equal(one->length.left, other->length.left);
    assert_int_equal(one->length.taken, other->length.taken);
    assert_int_equal(one->open, other->open);
    assert_int_equal(one->quoted, other->quoted);
}

UNIT_TEST(ends_are_those_of_the_definition_in_whatever_fragments)
{
    static struct stream stream;
    uint64_t x = 1;

    for (size_t e = 0; e < EXAMPLES; e++) {
        for (int round = 0; round < ROUNDS; round++) {
            struct record_scan scan = {0};

            make_stream(&examples[e], &stream, &x);
            for (size_t at = 0; at < stream.bytes;) {
                size_t bytes = some_bytes(stream.bytes - at, &x);
                size_t room = noise(&x) % 2 == 0 ? BYTES_MAX : some_bytes(BYTES_MAX, &x);

                at += check_fragment(&examples[e].format, &scan, &stream, at, bytes, room);
            }
        }
    }
}

UNIT_TEST(advancing_comes_to_where_finding_the_ends_does)
{
    static struct stream stream;
    uint64_t x = 2;

    for (size_t e = 0; e < EXAMPLES; e++) {
        for (int round = 0; round < ROUNDS; round++) {
            struct record_scan scan = {0};
            struct record_scan advanced = {0};

            make_stream(&examples[e], &stream, &x);
            for (size_t at = 0, bytes; at < stream.bytes; at += bytes) {
                bytes = some_bytes(stream.bytes - at, &x);
                record_advance(&examples[e].format, &advanced, stream.data + at, bytes);
                check_fragment(&examples[e].format, &scan, &stream, at, bytes, BYTES_MAX);
                assert_same(&advanced, &scan);
                if (noise(&x) % 2 == 0)
                    scan = advanced;
            }
        }
    }
}

UNIT_TEST(counting_finds_as_many_records_and_whether_the_last_is_whole)
{
    static struct stream stream;
    uint64_t x = 4;

    for (size_t e = 0; e < EXAMPLES; e++) {
        for (int round = 0; round < ROUNDS; round++) {
            struct record_scan scan = {0};
            uint64_t records = 0;
            bool whole = true;

            make_stream(&examples[e], &stream, &x);
            for (size_t at = 0, bytes; at < stream.bytes; at += bytes) {
                bytes = some_bytes(stream.bytes - at, &x);
                records += record_count(&examples[e].format, &scan, stream.data + at, bytes, &whole);
            }
            assert_int_equal(records, stream.records);
            assert_int_equal(whole, begin_of_last(&stream) == stream.bytes);
        }
    }
}

UNIT_TEST(skipping_records_comes_to_where_finding_their_ends_does)
{
    static struct stream stream;
    uint64_t x = 5;

    for (size_t e = 0; e < EXAMPLES; e++) {
        for (int round = 0; round < ROUNDS; round++) {
            struct record_scan scan = {0};

            make_stream(&examples[e], &stream, &x);
            for (size_t at = 0; at < stream.bytes;) {
                struct record_scan skipped = scan;
                size_t bytes = some_bytes(stream.bytes - at, &x);
                size_t count = some_bytes(BYTES_MAX, &x);
                size_t scanned = check_fragment(&examples[e].format, &scan, &stream, at, bytes, count);

                assert_int_equal(record_skip(&examples[e].format, &skipped, stream.data + at, bytes, count), scanned);
                assert_same(&skipped, &scan);
                at += scanned;
            }
        }
    }
}

/* The delimiter's bytes that make the rest of the stream a record: all, or as many as come to an end before. */
static ssize_t least_missing(const struct record_format *format, const uint8_t *rest, size_t bytes)
{
    uint8_t text[BYTES_MAX + RECORD_DELIMITER_BYTES_MAX];

    memcpy(text, rest, bytes);
    memcpy(text + bytes, format->string, format->string_bytes);
    for (size_t begin = 0;; begin++)
        if (memcmp(text + begin, format->string, format->string_bytes) == 0)
            return (ssize_t)(begin + format->string_bytes - bytes);
}

UNIT_TEST(what_is_missing_ends_the_last_record_and_no_more)
{
    static struct stream stream;
    uint64_t x = 3;

    for (size_t e = 0; e < EXAMPLES; e++) {
        const struct record_format *format = &examples[e].format;

        for (int round = 0; round < ROUNDS && !format->grouped; round++) {
            struct record_scan scan = {0};
            size_t rest, records;
            const uint8_t *missing;
            ssize_t count;

            make_stream(&examples[e], &stream, &x);
            stream.bytes = stream.bytes < BYTES_MAX - 100 ? stream.bytes : BYTES_MAX - 100;
            find_ends(format, &stream);
            record_advance(format, &scan, stream.data, stream.bytes);
            rest = stream.bytes - begin_of_last(&stream);
            records = stream.records;
            count = record_missing(format, &scan, &missing);
            if (count < 0) {
                assert_true(rest > 0);
                assert_true(format->kind != NULL && format->string == NULL);
                continue;
            }
            if (!record_is(format, RECORD_STARTS))
                assert_int_equal(count == 0, rest == 0);
            if (format->kind == &string_end_kind && rest > 0)
                assert_int_equal(count, least_missing(format, stream.data + begin_of_last(&stream), rest));
            memcpy(stream.data + stream.bytes, missing, (size_t)count);
            stream.bytes += (size_t)count;
            find_ends(format, &stream);
            assert_int_equal(begin_of_last(&stream), stream.bytes);
            assert_int_equal(stream.records, records + (count > 0));
        }
    }
}

/* What is missing after `data`, or NULL. */
static const char *missing_after(struct record_format format, const char *data)
{
    static char text[300];
    struct record_scan scan = {0};
    const uint8_t *missing;
    ssize_t count;

    record_advance(&format, &scan, (const uint8_t *)data, strlen(data));
    count = record_missing(&format, &scan, &missing);
    if (count < 0)
        return NULL;
    memcpy(text, missing, (size_t)count);
    text[count] = '\0';
    return text;
}

UNIT_TEST(a_delimiter_is_missing_as_a_whole)
{
    const struct record_format lines = {.delimiter = '\n'};
    const struct record_format string = {STRING("<|endoftext|>")};
    const struct record_format crlf = {STRING("\r\n")};
    const struct record_format paragraphs = {STRING("\n\n")};
    const struct record_format ababa = {STRING("ababa")};

    assert_string_equal(missing_after(lines, ""), "");
    assert_string_equal(missing_after(lines, "1"), "\n");
    assert_string_equal(missing_after(lines, "1\n"), "");
    assert_string_equal(missing_after(string, "1<|endof"), "<|endoftext|>");
    assert_string_equal(missing_after(string, "1 <"), "<|endoftext|>");
    assert_string_equal(missing_after(crlf, "1\r"), "\r\n");
    assert_string_equal(missing_after(crlf, "1\n"), "\r\n");
    assert_string_equal(missing_after(string, "1<|endoftext|>"), "");
    assert_string_equal(missing_after(string, "1<|endoftext|>2"), "<|endoftext|>");
    assert_string_equal(missing_after(paragraphs, "1\n"), "\n");
    assert_string_equal(missing_after(paragraphs, "1\n\n\n"), "\n");
    assert_string_equal(missing_after(ababa, "1ab"), "aba");
    assert_string_equal(missing_after(ababa, "1a"), "ababa");
    assert_string_equal(missing_after(ababa, "1abab"), "a");
}

UNIT_TEST(a_record_with_a_length_is_whole_or_cannot_be_completed)
{
    const struct record_format u32be = {.kind = &length_kinds_u32be};
    const struct record_format varint = {.kind = &length_kinds_varint};

    assert_string_equal(missing_after(u32be, ""), "");
    assert_null(missing_after(u32be, "1234"));
    assert_string_equal(missing_after(varint, "\1\2\2\1\1"), "");
    assert_null(missing_after(varint, "\1\2\2\1"));
    assert_null(missing_after(varint, "\1\2\x82"));
}

UNIT_TEST(what_cannot_be_completed_is_told)
{
    const struct record_format groups = {.kind = &lines_kind, .delimiter = '\n', .count = 4};
    const struct record_format sizes = {.kind = &sizes_kind, .count = 4};
    const struct record_format csv = {.kind = &csv_kind};

    assert_string_equal(missing_after(groups, "1\n2\n3\n4"), "\n");
    assert_string_equal(missing_after(groups, "1\n2\n3\n4\n"), "");
    assert_null(missing_after(groups, "1\n2\n3\n"));
    assert_null(missing_after(groups, "1\n2\n3\n4\n5"));
    assert_string_equal(missing_after(sizes, "12345678"), "");
    assert_null(missing_after(sizes, "1234567"));
    assert_string_equal(missing_after(csv, "1,\"2\n\"\"\",3"), "\n");
    assert_string_equal(missing_after(csv, "1\n"), "");
    assert_null(missing_after(csv, "1,\"2\n"));
}

UNIT_TEST(a_record_that_starts_always_lacks_the_start_of_the_next)
{
    const struct record_format mbox = {START("\nFrom ")};

    assert_string_equal(missing_after(mbox, "a\nb\n"), "From ");
    assert_string_equal(missing_after(mbox, "a\nb"), "\nFrom ");
    assert_string_equal(missing_after(mbox, "a\nFro"), "\nFrom ");
    assert_string_equal(missing_after(mbox, "a\nFrom "), "\nFrom ");
    assert_string_equal(missing_after(mbox, ""), "\nFrom ");
}

UNIT_TEST(any_byte_may_be_the_delimiter)
{
    uint8_t data[512];
    uint32_t ends[4];
    size_t scanned;

    for (int i = 0; i < 512; i++)
        data[i] = (uint8_t)i;
    for (unsigned delimiter = 0; delimiter < 256; delimiter++) {
        const struct record_format format = {.delimiter = (uint8_t)delimiter};
        struct record_scan scan = {0};

        assert_int_equal(record_ends(&format, &scan, data, 512, ends, 4, &scanned), 2);
        assert_int_equal(ends[0], delimiter + 1);
        assert_int_equal(ends[1], delimiter + 257);
    }
}

UNIT_TEST(only_a_delimiter_byte_is_found_without_the_bytes_before)
{
    for (size_t e = 0; e < EXAMPLES; e++)
        assert_int_equal(record_is_sequential(&examples[e].format),
                         examples[e].format.grouped || examples[e].format.kind != NULL);
}

/* The stream without its marks. Returns how many it has. */
static size_t unmark_slowly(const struct record_format *format, const struct stream *stream, uint8_t *members)
{
    size_t begin = 0, bytes = 0;

    for (size_t i = 0; i < stream->bytes; i++) {
        members[bytes++] = stream->data[i];
        if (!is_record(format, members + begin, bytes - begin))
            continue;
        begin = bytes;
        i++; /* the mark */
    }
    return stream->bytes - bytes;
}

UNIT_TEST(marks_are_counted_and_taken_away_in_whatever_fragments)
{
    static struct stream stream;
    static uint8_t members[BYTES_MAX];
    uint64_t x = 6;

    for (size_t e = 0; e < EXAMPLES; e++) {
        for (int round = 0; round < ROUNDS && examples[e].format.grouped; round++) {
            struct record_scan counted = {0}, scan = {0};
            size_t marks, kept = 0, bytes;
            uint64_t count = 0;

            make_stream(&examples[e], &stream, &x);
            marks = unmark_slowly(&examples[e].format, &stream, members);
            for (size_t at = 0; at < stream.bytes; at += bytes) {
                size_t left;

                bytes = some_bytes(stream.bytes - at, &x);
                count += record_marks(&examples[e].format, &counted, stream.data + at, bytes);
                left = record_unmark(&examples[e].format, &scan, stream.data + at, bytes);
                assert_memory_equal(stream.data + at, members + kept, left);
                kept += left;
            }
            assert_int_equal(count, marks);
            assert_int_equal(kept, stream.bytes - marks);
        }
    }
}
