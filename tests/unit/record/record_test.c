/* Each kind of record is held against its definition, byte by byte, whatever the fragments in which the stream comes.
 */

/* tags: bytes */

#include "support/csv_twin.h"
#include "support/length_twin.h"
#include "support/unit.h"

#include "record/record.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1500, ROUNDS = 80 };

#define STRING(text) .kind = &string_end_kind, .string = (const uint8_t *)(text), .string_bytes = sizeof(text) - 1
#define START(text)  .kind = &string_start_kind, .string = (const uint8_t *)(text), .string_bytes = sizeof(text) - 1

/* A format, and the bytes of which data are made that put it to the test. */
struct example {
    struct record_format format;
    const char *alphabet;
    size_t alphabet_bytes;
};

#define MADE_OF(text) (text), sizeof(text) - 1

#define CSV(...)                                                                                                       \
    {                                                                                                                  \
        .kind = &csv_kind, .delimiter = '\n', .quotes = { __VA_ARGS__ }                                                \
    }

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
    {{.kind = &csv_kind, .delimiter = '\n'}, MADE_OF("\n\"")},
    {{.kind = &csv_kind, .delimiter = '\n'}, MADE_OF("\n\n\n\n\"x,\r")},
    {{.kind = &csv_kind, .delimiter = '\n'}, MADE_OF("\nabcdefghijklmnopqrstuvwxyz0123456789\"")},
    {{.kind = &csv_kind, .delimiter = '\n'}, MADE_OF("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\"")},
    {CSV(.separated = true, .separator = ';'), MADE_OF("\n\n\";,\r\\x")},
    {CSV(.backslash = true), MADE_OF("\n\"\"\",;\\x")},
    {CSV(.backslash = true), MADE_OF("\n\n\n,,,,,\"\"\"\"\\abcdefghijklmnopqrst")},
    {CSV(.separated = false), MADE_OF("\n\n\n\n,,\"\"abcdef\t\t|")},
    {CSV(.separated = false), MADE_OF("\n\n\n\n\n\n,;\"\"\xef\xbb\xbf")},
    {CSV(.separated = false), MADE_OF("\n\xef\xbb\xbf\"")},
    {{.grouped = true, .delimiter = '\n'}, MADE_OF("\n.+x")},
    {{.grouped = true, .delimiter = '\n'}, MADE_OF("\n\n\n\n.++++++")},
    {{.grouped = true, .delimiter = '\n'}, MADE_OF("\nabcdefghijklmnop.")},
    {{.grouped = true, .delimiter = '.'}, MADE_OF(".+x")},
    {{.grouped = true, .delimiter = '+'}, MADE_OF(".+x")},
    {{.grouped = true, .kind = &csv_kind, .delimiter = '\n'}, MADE_OF("\n\n\n\n..+,\"")},
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
    uint8_t members[BYTES_MAX]; /* the data without the marks of groups */
    size_t member_bytes;
};

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
        return csv_twin(&format->quotes, record, bytes) == CSV_TWIN_WHOLE;
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
    stream->member_bytes = 0;
    for (size_t i = 1; i <= stream->bytes; i++) {
        const bool ends = !marked && is_record(format, stream->data + begin, i - begin);

        if (format->grouped ? marked && stream->data[i - 1] == RECORD_ENDS : ends)
            stream->ends[stream->records++] = (uint32_t)i;
        if (!marked)
            stream->members[stream->member_bytes++] = stream->data[i - 1];
        if (marked || ends)
            begin = i;
        marked = format->grouped && ends;
    }
}

static void make_stream(const struct example *example, struct stream *stream)
{
    stream->bytes = below(BYTES_MAX);
    for (size_t i = 0; i < stream->bytes; i++)
        stream->data[i] = (uint8_t)example->alphabet[below(example->alphabet_bytes)];
    find_ends(&example->format, stream);
}

/* Small and large, so that both the beginnings and the inner loops of the scans are met. */
static size_t some_bytes(size_t most)
{
    static const size_t scales[] = {2, 10, 100, BYTES_MAX};
    const size_t bytes = below(scales[below(4)]);

    return bytes < most ? bytes : most;
}

static void assert_same(const struct record_scan *one, const struct record_scan *other)
{
    assert_int_equal(one->done, other->done);
    assert_int_equal(one->length.left, other->length.left);
    assert_int_equal(one->length.taken, other->length.taken);
    assert_int_equal(one->open, other->open);
    assert_int_equal(one->quotes, other->quotes);
}

/* Scan a fragment from memory that ends where it ends, and see that the ends in it are those of the stream, and that
 * to skip as many records leads to the same place. Returns the number of bytes that were scanned. */
static size_t check_fragment(const struct record_format *format, struct record_scan *scan, const struct stream *stream,
                             size_t at, size_t bytes, size_t room)
{
    uint8_t *data = malloc(bytes + 1);
    uint32_t *ends = malloc((room + 1) * sizeof *ends);
    struct record_scan skipped = *scan;
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
    assert_int_equal(record_skip(format, &skipped, data + 1, bytes, room), scanned);
    assert_same(&skipped, scan);
    free(data);
    free(ends);
    return scanned;
}

UNIT_TEST(ends_are_those_of_the_definition_in_whatever_fragments)
{
    static struct stream stream;

    for (size_t e = 0; e < EXAMPLES * ROUNDS; e++) {
        const struct example *example = &examples[e % EXAMPLES];
        struct record_scan scan = {0};

        make_stream(example, &stream);
        for (size_t at = 0; at < stream.bytes;)
            at += check_fragment(&example->format, &scan, &stream, at, some_bytes(stream.bytes - at),
                                 below(2) == 0 ? BYTES_MAX : some_bytes(BYTES_MAX));
    }
}

/* Those that move on, count, and take marks away. */
UNIT_TEST(others_that_go_over_a_stream_come_to_where_finding_the_ends_does)
{
    static struct stream stream;

    for (size_t e = 0; e < EXAMPLES * ROUNDS; e++) {
        const struct record_format *format = &examples[e % EXAMPLES].format;
        struct record_scan scan = {0}, advanced = {0}, counted = {0}, marked = {0}, unmarked = {0};
        uint64_t records = 0, marks = 0;
        size_t kept = 0;
        bool whole = true;

        make_stream(&examples[e % EXAMPLES], &stream);
        for (size_t at = 0, bytes, left; at < stream.bytes; at += bytes) {
            bytes = some_bytes(stream.bytes - at);
            check_fragment(format, &scan, &stream, at, bytes, BYTES_MAX);
            record_advance(format, &advanced, stream.data + at, bytes);
            assert_same(&advanced, &scan);
            if (below(2) == 0)
                scan = advanced;
            records += record_count(format, &counted, stream.data + at, bytes, &whole);
            marks += record_marks(format, &marked, stream.data + at, bytes);
            left = format->grouped ? record_unmark(format, &unmarked, stream.data + at, bytes) : bytes;
            assert_memory_equal(stream.data + at, stream.members + kept, left);
            kept += left;
        }
        assert_int_equal(records, stream.records);
        assert_int_equal(whole, begin_of_last(&stream) == stream.bytes);
        assert_int_equal(kept, stream.member_bytes);
        assert_int_equal(marks, stream.bytes - stream.member_bytes);
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

/* Can the last record not be completed, of which there are so many bytes? */
static bool is_hopeless(const struct record_format *format, const uint8_t *rest, size_t bytes)
{
    if (format->kind == &lines_kind)
        return bytes > 0 &&
               count_of(rest, bytes, format->delimiter) + (rest[bytes - 1] != format->delimiter) < format->count;
    if (format->kind == &csv_kind)
        return csv_twin(&format->quotes, rest, bytes) == CSV_TWIN_OPEN;
    return bytes > 0 && format->kind != NULL && format->string == NULL;
}

UNIT_TEST(what_is_missing_ends_the_last_record_and_no_more)
{
    static struct stream stream;

    for (size_t e = 0; e < EXAMPLES * ROUNDS; e++) {
        const struct record_format *format = &examples[e % EXAMPLES].format;
        struct record_scan scan = {0};
        const uint8_t *missing;
        size_t rest, records;
        ssize_t count;

        if (format->grouped)
            continue;
        make_stream(&examples[e % EXAMPLES], &stream);
        stream.bytes = stream.bytes < BYTES_MAX - 100 ? stream.bytes : BYTES_MAX - 100;
        find_ends(format, &stream);
        record_advance(format, &scan, stream.data, stream.bytes);
        rest = stream.bytes - begin_of_last(&stream);
        records = stream.records;
        count = record_missing(format, &scan, &missing);
        assert_int_equal(count < 0, is_hopeless(format, stream.data + begin_of_last(&stream), rest));
        if (count < 0)
            continue;
        if (!record_is(format, RECORD_STARTS))
            assert_int_equal(count == 0, rest == 0);
        if (format->kind == &string_end_kind && rest > 0)
            assert_int_equal(count, least_missing(format, stream.data + begin_of_last(&stream), rest));
        if (count > 0) /* else there is nothing to copy from */
            memcpy(stream.data + stream.bytes, missing, (size_t)count);
        stream.bytes += (size_t)count;
        find_ends(format, &stream);
        assert_int_equal(begin_of_last(&stream), stream.bytes);
        assert_int_equal(stream.records, records + (count > 0));
    }
}
