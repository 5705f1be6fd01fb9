/*
 * What is wrong with a record that begins with its length, and where, is the same in any pieces of the file; and the
 * ends of records that were found right are found where they are.
 */

#include "fuzz.h"

#include "record/length.h"

enum { FILE_MAX = 2048 };

static uint8_t file[FILE_MAX];
static size_t file_bytes;

/* In pieces of at most `most` bytes, as `sizes` tells. Returns what is wrong. */
static const char *check(enum length_coding coding, struct fuzz sizes, size_t most, uint64_t *start)
{
    struct length_check check = {0};
    struct length_scan scan = {0};
    const char *wrong = NULL;
    size_t end = 0;

    for (size_t at = 0, bytes; at < file_bytes && wrong == NULL; at += bytes) {
        uint32_t ends[FILE_MAX];
        size_t found, scanned;
        uint8_t *piece;

        bytes = fuzz_from_to(&sizes, 1, most);
        bytes = bytes < file_bytes - at ? bytes : file_bytes - at;
        piece = fuzz_copy(file + at, bytes);
        wrong = length_check(&check, coding, piece, bytes);
        found = length_ends(coding, &scan, piece, bytes, ends, FILE_MAX, &scanned);
        end = found > 0 ? at + ends[found - 1] : end;
        free(piece);
        FUZZ_CHECK(scanned == bytes);
        FUZZ_CHECK(wrong != NULL || (check.at == at + bytes && check.start == end));
    }
    *start = check.start;
    return wrong;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes}, sizes;
    const enum length_coding coding = (enum length_coding)(fuzz_byte(&fuzz) % (LENGTH_VARINT + 1));
    const size_t times = fuzz_byte(&fuzz);
    uint64_t start, other;

    sizes = (struct fuzz){fuzz.data, fuzz.bytes < 8 ? fuzz.bytes : 8};
    (void)fuzz_number(&fuzz);
    file_bytes = fuzz_repeat(&fuzz, fuzz.bytes, times, file, FILE_MAX);
    FUZZ_CHECK(check(coding, sizes, 64, &start) == check(coding, sizes, 1, &other) && start == other);
    return 0;
}
