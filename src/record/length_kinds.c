/* Records that begin with their length (length.h). Each byte of a file is checked, instead of only moving the scan on.
 */

#include "record/length.h"
#include "record/record.h"
#include "record/tail.h"
#include "system/fault.h"

static size_t find_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                        uint32_t *ends, size_t room, size_t *scanned)
{
    const size_t found = length_ends(format->kind->coding, &scan->length, data, bytes, ends, room, scanned);

    scan->open = scan->length.taken > 0 || scan->length.left > 0;
    return found;
}

static void follow(struct tail *tail, const char *name, const uint8_t *data, size_t bytes)
{
    const char *wrong = length_check(&tail->lengths, tail->format->kind->coding, data, bytes);

    if (wrong != NULL)
        fault_say("%s: record at byte %llu: %s", name, (unsigned long long)tail->lengths.start, wrong);
    tail->scan.open = tail->lengths.at > tail->lengths.start;
}

static void refuse(const struct tail *tail, const char *name)
{
    fault_say("%s: record at byte %llu is cut short", name, (unsigned long long)tail->lengths.start);
}

/* The checksum of the first length is right. */
static bool is_tfrecord(const uint8_t *data, size_t bytes)
{
    enum { HEAD_BYTES = 12 };
    struct length_check check = {0};

    return bytes >= HEAD_BYTES && length_check(&check, LENGTH_TFRECORD, data, HEAD_BYTES) == NULL;
}

#define KIND(word, code, help, ...)                                                                                    \
    const struct record_kind length_kinds_##word = {.name = #word,                                                     \
                                                    .text = (help),                                                    \
                                                    .traits = RECORD_HEADER,                                           \
                                                    .stored = "records with length " #word,                            \
                                                    .ends = find_ends,                                                 \
                                                    .follow = follow,                                                  \
                                                    .refuse = refuse,                                                  \
                                                    .coding = LENGTH_##code,                                           \
                                                    __VA_ARGS__}

KIND(tfrecord, TFRECORD, "TFRecord, with its checksums", .file = "a TFRecord file", .is_begun = is_tfrecord);
KIND(u32le, U32LE, "their length in 4 bytes before\neach, little-endian", );
KIND(u32be, U32BE, "the same, big-endian", );
KIND(u64le, U64LE, "in 8 bytes, little-endian", );
KIND(u64be, U64BE, "in 8 bytes, big-endian", );
KIND(varint, VARINT, "as in Protocol Buffers", );
