/*
 * The ends of records, whatever pieces the stream comes in, are those that the definitions in record.h give byte by
 * byte; record_advance stands where record_ends does; what record_missing adds ends the last record; and marks of
 * groups, and nothing else, are taken away.
 */

#include "fuzz.h"

#include "../support/csv_twin.h"
#include "../support/length_twin.h"
#include "record/record.h"

enum { STREAM_MAX = 2048, PIECES = 16 };

/* How the stream comes: sizes of pieces and room for ends, over and over. */
struct pieces {
    size_t bytes[PIECES];
    size_t room[PIECES];
    size_t count;
};

struct stream {
    uint8_t data[STREAM_MAX + RECORD_DELIMITER_BYTES_MAX];
    size_t bytes;
    uint32_t ends[STREAM_MAX + RECORD_DELIMITER_BYTES_MAX];
    size_t records;
    uint8_t unmarked[STREAM_MAX + RECORD_DELIMITER_BYTES_MAX];
    size_t unmarked_bytes;
};

static struct stream stream;

/* ---- The definitions ---- */

/* A record, or a member of a group, as far as it has come. */
struct beginning {
    size_t bytes;
    uint64_t delimiters;
};

/* Does it end with its last byte, which stands before `end`? */
static bool is_record(const struct record_format *format, const struct beginning *record, const uint8_t *end)
{
    if (format->kind == NULL)
        return record->delimiters == 1;
    if (format->kind == &lines_kind)
        return record->delimiters == format->count;
    if (format->kind == &sizes_kind)
        return record->bytes == format->count;
    if (format->kind == &csv_kind)
        return csv_twin(&format->quotes, end - record->bytes, record->bytes) == CSV_TWIN_WHOLE;
    if (length_twin_is_of(format))
        return length_twin_is_record(format->kind->coding, end - record->bytes, record->bytes);
    return record->bytes >= format->string_bytes &&
           memcmp(end - format->string_bytes, format->string, format->string_bytes) == 0;
}

static void find_ends(const struct record_format *format)
{
    struct beginning record = {0};

    stream.records = 0;
    stream.unmarked_bytes = 0;
    for (size_t at = 0; at < stream.bytes; at++) {
        bool ends;

        stream.unmarked[stream.unmarked_bytes++] = stream.data[at];
        record.bytes++;
        record.delimiters += stream.data[at] == format->delimiter;
        if (!is_record(format, &record, stream.data + at + 1))
            continue;
        record = (struct beginning){0};
        ends = !format->grouped;
        if (format->grouped && at + 1 < stream.bytes)
            ends = stream.data[++at] == RECORD_ENDS;
        stream.ends[stream.records] = (uint32_t)at + 1;
        stream.records += ends;
    }
}

/* ---- Scans ---- */

static void scan_piece(const struct record_format *format, struct record_scan *scan, size_t from, size_t bytes,
                       size_t room, size_t *records)
{
    uint8_t *piece = fuzz_copy(stream.data + from, bytes);

    for (size_t at = 0, scanned; at < bytes; at += scanned) {
        uint32_t *ends = fuzz_copy(stream.ends, room * sizeof *ends);
        uint8_t *rest = fuzz_copy(piece + at, bytes - at);
        size_t found = record_ends(format, scan, rest, bytes - at, ends, room, &scanned);

        FUZZ_CHECK(found <= room && found <= stream.records - *records);
        for (size_t i = 0; i < found; i++)
            FUZZ_CHECK(from + at + ends[i] == stream.ends[*records + i]);
        *records += found;
        FUZZ_CHECK(scanned == (found == room ? ends[found - 1] : bytes - at));
        free(ends);
        free(rest);
    }
    free(piece);
}

static void check_scans(const struct record_format *format, const struct pieces *pieces)
{
    struct record_scan scan = {0}, advanced = {0};
    size_t records = 0;

    for (size_t at = 0, i = 0, bytes; at < stream.bytes; at += bytes, i = (i + 1) % pieces->count) {
        uint8_t *piece;

        bytes = pieces->bytes[i] < stream.bytes - at ? pieces->bytes[i] : stream.bytes - at;
        scan_piece(format, &scan, at, bytes, pieces->room[i], &records);
        piece = fuzz_copy(stream.data + at, bytes);
        record_advance(format, &advanced, piece, bytes);
        free(piece);
        FUZZ_CHECK(scan.done == advanced.done && scan.open == advanced.open && scan.quotes == advanced.quotes);
        FUZZ_CHECK(scan.length.left == advanced.length.left && scan.length.taken == advanced.length.taken);
    }
    FUZZ_CHECK(records == stream.records);
}

static void check_marks(const struct record_format *format, const struct pieces *pieces)
{
    struct record_scan counted = {0}, unmarked = {0};
    size_t kept = 0;

    for (size_t at = 0, i = 0, bytes; at < stream.bytes; at += bytes, i = (i + 1) % pieces->count) {
        uint8_t *piece;
        uint64_t marks;
        size_t left;

        bytes = pieces->bytes[i] < stream.bytes - at ? pieces->bytes[i] : stream.bytes - at;
        piece = fuzz_copy(stream.data + at, bytes);
        marks = record_marks(format, &counted, piece, bytes);
        left = format->grouped ? record_unmark(format, &unmarked, piece, bytes) : bytes;
        FUZZ_CHECK(left + marks == bytes && left <= stream.unmarked_bytes - kept);
        FUZZ_CHECK(memcmp(piece, stream.unmarked + kept, left) == 0);
        kept += left;
        free(piece);
    }
    FUZZ_CHECK(kept == stream.unmarked_bytes);
}

/* ---- The end ---- */

/* Add what is missing, if that can be. */
static void complete(const struct record_format *format)
{
    struct record_scan scan = {0};
    const uint8_t *bytes;
    ssize_t missing;

    record_advance(format, &scan, stream.data, stream.bytes);
    missing = record_missing(format, &scan, &bytes);
    if (missing < 0)
        return;
    if (stream.bytes == 0) {
        FUZZ_CHECK(missing == 0 || record_is(format, RECORD_STARTS));
        return;
    }
    if (missing > 0)
        memcpy(stream.data + stream.bytes, bytes, (size_t)missing);
    stream.bytes += (size_t)missing;
    find_ends(format);
    FUZZ_CHECK(stream.records > 0 && stream.ends[stream.records - 1] == stream.bytes);
}

/* ---- Inputs ---- */

static struct pieces take_pieces(struct fuzz *fuzz)
{
    struct pieces pieces = {.count = 1 + fuzz_byte(fuzz) % PIECES};

    for (size_t i = 0; i < pieces.count; i++) {
        pieces.bytes[i] = fuzz_from_to(fuzz, 1, STREAM_MAX);
        pieces.room[i] = 1 + fuzz_byte(fuzz);
    }
    return pieces;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    const struct record_format format = fuzz_format(&fuzz, string);
    const struct pieces pieces = take_pieces(&fuzz);
    size_t times;

    times = fuzz_byte(&fuzz);
    stream.bytes = fuzz_repeat(&fuzz, fuzz.bytes, times, stream.data, STREAM_MAX);
    find_ends(&format);
    check_scans(&format, &pieces);
    check_marks(&format, &pieces);
    if (!format.grouped)
        complete(&format);
    return 0;
}
