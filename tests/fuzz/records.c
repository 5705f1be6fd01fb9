/*
 * The ends of records are the same in any pieces as byte by byte; others that go over a stream come to the same place;
 * what record_missing adds ends the last record, and no more; and of groups the text is left.
 */

/* tags: bytes */

#include "fuzz.h"

#include "record/group.h"
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
    uint8_t text[STREAM_MAX + RECORD_DELIMITER_BYTES_MAX]; /* of groups; else the same */
    size_t text_bytes;
};

static struct stream stream;

/* ---- Byte by byte ---- */

static bool ends_record(const struct record_format *format, struct record_scan *scan, uint8_t byte)
{
    uint32_t end;
    size_t scanned;

    return record_ends(format, scan, &byte, 1, &end, 1, &scanned) == 1;
}

static void find_ends(const struct record_format *format)
{
    struct record_scan scan = {0};

    stream.records = 0;
    for (size_t at = 0; at < stream.bytes; at++) {
        stream.ends[stream.records] = (uint32_t)at + 1;
        stream.records += ends_record(format, &scan, stream.data[at]);
    }
    stream.text_bytes = stream.bytes;
    memcpy(stream.text, stream.data, stream.bytes);
}

/* The bytes, in frames whose first bytes say how long they are and whether a group ends. */
static void put_frames(const uint8_t *data, size_t bytes)
{
    stream.bytes = stream.text_bytes = stream.records = 0;
    for (size_t at = 0, part; at < bytes; at += part) {
        part = 1 + data[at] % 64;
        part = part < bytes - at ? part : bytes - at;
        if (data[at] % 16 == 0) /* of no text */
            part = 1;
        memset(stream.data + stream.bytes, 0, GROUP_HEAD_BYTES);
        stream.data[stream.bytes] = (uint8_t)(data[at] % 16 == 0 ? 0 : part);
        stream.bytes += GROUP_HEAD_BYTES;
        if (data[at] % 16 > 0) {
            memcpy(stream.data + stream.bytes, data + at, part);
            memcpy(stream.text + stream.text_bytes, data + at, part);
            stream.bytes += part;
            stream.text_bytes += part;
        }
        stream.data[stream.bytes++] = data[at] < 128 ? GROUP_ENDS : GROUP_GOES_ON;
        if (data[at] < 128)
            stream.ends[stream.records++] = (uint32_t)stream.bytes;
    }
}

/* ---- In pieces ---- */

static bool is_same(const struct record_scan *one, const struct record_scan *other)
{
    return one->done == other->done && one->open == other->open && one->quotes == other->quotes &&
           one->length.left == other->length.left && one->length.taken == other->length.taken;
}

static void scan_piece(const struct record_format *format, struct record_scan *scan, size_t from, size_t bytes,
                       size_t room, size_t *records)
{
    for (size_t at = 0, scanned; at < bytes; at += scanned) {
        struct record_scan skipped = *scan;
        uint32_t *ends = fuzz_copy(stream.ends, room * sizeof *ends);
        uint8_t *rest = fuzz_copy(stream.data + from + at, bytes - at);
        size_t found = record_ends(format, scan, rest, bytes - at, ends, room, &scanned);

        FUZZ_CHECK(found <= room && found <= stream.records - *records);
        for (size_t i = 0; i < found; i++)
            FUZZ_CHECK(from + at + ends[i] == stream.ends[*records + i]);
        *records += found;
        FUZZ_CHECK(scanned == (found == room ? ends[found - 1] : bytes - at));
        FUZZ_CHECK(record_skip(format, &skipped, rest, bytes - at, room) == scanned && is_same(&skipped, scan));
        free(ends);
        free(rest);
    }
}

/* Those that move on, count, and leave the text, see the same. */
static void check_pieces(const struct record_format *format, const struct pieces *pieces)
{
    struct record_scan scan = {0}, advanced = {0}, counted = {0}, texts = {0}, moved = {0};
    size_t records = 0, kept = 0;
    uint64_t count = 0;
    bool whole = true;

    for (size_t at = 0, i = 0, bytes; at < stream.bytes; at += bytes, i = (i + 1) % pieces->count) {
        uint8_t *piece;
        size_t left;

        bytes = pieces->bytes[i] < stream.bytes - at ? pieces->bytes[i] : stream.bytes - at;
        scan_piece(format, &scan, at, bytes, pieces->room[i], &records);
        piece = fuzz_copy(stream.data + at, bytes);
        record_advance(format, &advanced, piece, bytes);
        FUZZ_CHECK(is_same(&advanced, &scan));
        if (i % 2 > 0)
            scan = advanced;
        count += record_count(format, &counted, piece, bytes, &whole);
        left = group_text(format, &texts, piece, bytes, NULL);
        FUZZ_CHECK(left <= stream.text_bytes - kept && group_text(format, &moved, piece, bytes, piece) == left);
        FUZZ_CHECK(memcmp(piece, stream.text + kept, left) == 0);
        kept += left;
        free(piece);
    }
    FUZZ_CHECK(records == stream.records && count == records && kept == stream.text_bytes);
    FUZZ_CHECK(whole == (stream.bytes == 0 || (records > 0 && stream.ends[records - 1] == stream.bytes)));
}

/* ---- The end ---- */

/* Add what is missing, if that can be, and no more. */
static void complete(const struct record_format *format)
{
    const size_t records = stream.records;
    const bool whole = records > 0 && stream.ends[records - 1] == stream.bytes;
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
    if (missing == 0 && record_is(format, RECORD_LAST_LINE)) {
        for (size_t at = records > 0 ? stream.ends[records - 1] : 0; at < stream.bytes; at++)
            FUZZ_CHECK(stream.data[at] == '\n' || stream.data[at] == '\r');
        return;
    }
    if (missing > 0)
        memcpy(stream.data + stream.bytes, bytes, (size_t)missing);
    stream.bytes += (size_t)missing;
    find_ends(format);
    FUZZ_CHECK(stream.records == records + (missing > 0) && stream.ends[stream.records - 1] == stream.bytes);
    FUZZ_CHECK(record_is(format, RECORD_STARTS) || whole == (missing == 0));
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
    const bool framed = bytes > 0 && data[0] >= 128;
    struct record_format format = fuzz_format(&fuzz, string);
    const struct pieces pieces = take_pieces(&fuzz);
    const size_t times = fuzz_byte(&fuzz);

    if (framed) {
        uint8_t raw[STREAM_MAX / 16];
        const size_t raw_bytes = fuzz_repeat(&fuzz, fuzz.bytes, times, raw, sizeof raw);

        put_frames(raw, raw_bytes);
        format = (struct record_format){.kind = &tar_kind};
    } else {
        stream.bytes = fuzz_repeat(&fuzz, fuzz.bytes, times, stream.data, STREAM_MAX);
        find_ends(&format);
    }
    check_pieces(&format, &pieces);
    if (!framed)
        complete(&format);
    return 0;
}
