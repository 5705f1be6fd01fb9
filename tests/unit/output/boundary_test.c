/* Where files end in a stream of records, held against dividing it record by record, for all ways to get it in pieces.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

#include "output/boundary.h"

enum { STREAM_BYTES = 4096, FILES = STREAM_BYTES };

static const struct record_format lines = {.delimiter = '\n'};

static struct {
    uint8_t data[STREAM_BYTES];
    size_t bytes;
    size_t end[FILES]; /* of each file, as it should be */
    size_t files;
} stream;

/* Lines of up to `most` bytes, their lengths from a simple generator. */
static void make_stream(size_t most)
{
    uint32_t random = 1;

    stream.bytes = 0;
    memset(stream.data, 'x', sizeof stream.data);
    for (;;) {
        size_t length;

        random = random * 1664525 + 1013904223;
        length = (random >> 16) % most + 1;
        if (stream.bytes + length > STREAM_BYTES)
            return;
        stream.bytes += length;
        stream.data[stream.bytes - 1] = '\n';
    }
}

static size_t next_end(size_t from)
{
    const uint8_t *end = memchr(stream.data + from, '\n', stream.bytes - from);

    return (size_t)(end - stream.data) + 1;
}

static void cut_slowly_by_bytes(uint64_t limit)
{
    size_t start = 0;

    stream.files = 0;
    for (size_t at = 0; at < stream.bytes;) {
        size_t end = next_end(at);

        if (at > start && end - start > limit) {
            stream.end[stream.files++] = at;
            start = at;
        }
        at = end;
    }
    stream.end[stream.files++] = stream.bytes;
}

static void cut_slowly_by_records(uint64_t records)
{
    uint64_t count = 0;

    stream.files = 0;
    for (size_t at = 0; at < stream.bytes;) {
        at = next_end(at);
        if (++count % records == 0 && at < stream.bytes)
            stream.end[stream.files++] = at;
    }
    stream.end[stream.files++] = stream.bytes;
}

/* What is written and held must follow one another, and every file end where it should. */
static void assert_cut(uint64_t records, uint64_t limit_bytes, size_t piece)
{
    struct boundary boundary = {.format = &lines, .limit_bytes = limit_bytes};
    size_t written = 0, held = 0, file = 0;

    boundary_begin(&boundary, records);
    for (size_t at = 0; at < stream.bytes;) {
        size_t bytes = stream.bytes - at < piece ? stream.bytes - at : piece;
        enum boundary_step step = boundary_next(&boundary, stream.data + at, &bytes);

        assert_true(bytes <= piece);
        at += bytes;
        if (step == BOUNDARY_HOLD) {
            held += bytes;
        } else if (step == BOUNDARY_WRITE) {
            assert_true(bytes > 0);
            written += held + bytes;
            held = 0;
        } else {
            assert_int_equal(bytes, 0);
            assert_int_equal(written, stream.end[file]);
            file++;
            assert_true(file < stream.files);
            boundary_begin(&boundary, records);
        }
        assert_int_equal(written + held, at);
        assert_true(limit_bytes == UINT64_MAX || held < limit_bytes);
    }
    assert_int_equal(held, 0);
    assert_int_equal(written, stream.end[file]);
    assert_int_equal(file + 1, stream.files);
}

UNIT_TEST(files_get_their_number_of_records_whatever_the_pieces)
{
    static const uint64_t records[] = {1, 2, 3, 100, 511, 512, 513, 1000, 100000, UINT64_MAX};

    for (size_t most = 1; most < 100; most += most + 1) {
        make_stream(most);
        for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
            cut_slowly_by_records(records[i]);
            for (size_t piece = 1; piece <= STREAM_BYTES; piece += piece / 2 + 1)
                assert_cut(records[i], UINT64_MAX, piece);
        }
    }
}

UNIT_TEST(files_get_as_many_bytes_as_fit_whatever_the_pieces)
{
    static const uint64_t limits[] = {1, 2, 7, 50, 99, 100, 101, 1000, 4095, 4096, 100000};

    for (size_t most = 1; most < 1000; most += most + 1) {
        make_stream(most);
        for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
            cut_slowly_by_bytes(limits[i]);
            for (size_t piece = 1; piece <= STREAM_BYTES; piece += piece / 2 + 1)
                assert_cut(UINT64_MAX, limits[i], piece);
        }
    }
}

UNIT_TEST(a_file_that_takes_no_records_is_passed_over)
{
    struct boundary boundary = {.format = &lines, .limit_bytes = UINT64_MAX};
    uint8_t data[] = "a\nb\n";
    size_t bytes = 4;

    boundary_begin(&boundary, 0);
    assert_int_equal(boundary_next(&boundary, data, &bytes), BOUNDARY_NEXT);
    assert_int_equal(bytes, 0);
    boundary_begin(&boundary, 0);
    bytes = 4;
    assert_int_equal(boundary_next(&boundary, data, &bytes), BOUNDARY_NEXT);
    boundary_begin(&boundary, 1);
    bytes = 4;
    assert_int_equal(boundary_next(&boundary, data, &bytes), BOUNDARY_WRITE);
    assert_int_equal(bytes, 2);
}

UNIT_TEST(a_record_is_not_searched_where_nothing_is_cut)
{
    struct boundary boundary = {.format = NULL, .limit_bytes = UINT64_MAX};
    uint8_t data[] = "a\nb\n";
    size_t bytes = 4;

    boundary_begin(&boundary, UINT64_MAX);
    assert_int_equal(boundary_next(&boundary, data, &bytes), BOUNDARY_WRITE);
    assert_int_equal(bytes, 4);
}

/* Whole files come from the first bytes of the stream, in pieces, when a file may have so many. */
static void assert_files_of(const struct record_format *format, size_t bytes, size_t piece, uint64_t limit,
                            size_t file_bytes)
{
    struct boundary boundary = {.format = format, .limit_bytes = limit};
    size_t written = 0, held = 0, start = 0;

    boundary_begin(&boundary, UINT64_MAX);
    for (size_t at = 0; at < bytes;) {
        size_t part = bytes - at < piece ? bytes - at : piece;
        enum boundary_step step = boundary_next(&boundary, stream.data + at, &part);

        at += part;
        held += part;
        if (step == BOUNDARY_WRITE) {
            written += held;
            held = 0;
        } else if (step == BOUNDARY_NEXT) {
            assert_int_equal(written - start, file_bytes);
            start = written;
            boundary_begin(&boundary, UINT64_MAX);
        }
    }
    assert_int_equal(written, bytes);
}

/* The end of such a record depends on all bytes since its beginning, so a lost or doubled one would show. */
UNIT_TEST(a_scan_with_a_memory_is_kept_in_step)
{
    const struct record_format tens = {.kind = &sizes_kind, .count = 10};

    memset(stream.data, '\n', sizeof stream.data);
    for (size_t piece = 1; piece < 64; piece++)
        for (uint64_t limit = 5; limit < 60; limit += 5)
            assert_files_of(&tens, 1000, piece, limit, limit < 10 ? 10 : (size_t)limit / 10 * 10);
}

UNIT_TEST(marks_of_groups_are_not_counted)
{
    const struct record_format groups = {.grouped = true, .delimiter = '\n'};
    const char group[] = "a\n+b\n.";

    for (size_t i = 0; i < 600; i++)
        stream.data[i] = (uint8_t)group[i % 6];
    for (size_t piece = 1; piece < 64; piece++)
        for (uint64_t limit = 1; limit < 30; limit++)
            assert_files_of(&groups, 600, piece, limit, limit < 4 ? 6 : (size_t)limit / 4 * 6);
}
