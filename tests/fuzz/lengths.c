/*
 * What is wrong with a record that begins with its length, and where, is the same whatever pieces its file comes in:
 * nothing if its lengths and checksums are those that the definitions give; and the ends of records that were found
 * right are found where they are.
 */

#include "fuzz.h"

#include "../support/length_twin.h"

enum { FILE_MAX = 2048, DATA_MAX = 200 };

static uint8_t file[FILE_MAX];
static size_t file_bytes;

/* Records of some lengths, each with the same byte over and over; and then, maybe, something else. */
static void make_file(struct fuzz *fuzz, enum length_coding coding)
{
    uint8_t data[DATA_MAX];

    file_bytes = 0;
    for (size_t left = fuzz_byte(fuzz) % 16; left > 0; left--) {
        const size_t bytes = fuzz_byte(fuzz) % DATA_MAX;

        if (bytes + 16 > FILE_MAX - file_bytes)
            break;
        memset(data, fuzz_byte(fuzz), bytes);
        file_bytes += length_twin_put(coding, file + file_bytes, data, bytes);
    }
    for (size_t left = fuzz_byte(fuzz); left > 0 && fuzz->bytes > 0 && file_bytes < FILE_MAX; left--)
        file[file_bytes++] = fuzz_byte(fuzz);
}

/* Change a byte, or cut off the end. */
static void damage(struct fuzz *fuzz)
{
    const size_t at = fuzz_from_to(fuzz, 0, FILE_MAX - 1);
    const uint8_t change = fuzz_byte(fuzz);

    if (at < file_bytes && change > 0)
        file[at] ^= change;
    else if (at < file_bytes)
        file_bytes = at;
}

/* The definition: where the first record begins that is wrong or not whole, and what is wrong with it. */
static const char *find_wrong(enum length_coding coding, size_t *start)
{
    const size_t sum = coding == LENGTH_TFRECORD ? 4 : 0;

    for (*start = 0; *start < file_bytes;) {
        const uint8_t *record = file + *start;
        const size_t bytes = file_bytes - *start;
        uint64_t length;
        const size_t prefix = length_twin_prefix(coding, record, bytes, &length);
        uint8_t expected[4];

        if (prefix == 0 || prefix + sum > bytes)
            return NULL;
        length_twin_put_sum(expected, record, prefix);
        if (memcmp(expected, record + prefix, sum) != 0)
            return "the checksum of its length is wrong";
        if (length == UINT64_MAX)
            return "its length is no number below 2^63";
        if (length > bytes || prefix + sum + length + sum > bytes)
            return NULL;
        length_twin_put_sum(expected, record + prefix + sum, (size_t)length);
        if (memcmp(expected, record + prefix + sum + length, sum) != 0)
            return "the checksum of its data is wrong";
        *start += prefix + sum + (size_t)length + sum;
    }
    return NULL;
}

static void check_pieces(enum length_coding coding, struct fuzz sizes)
{
    struct length_check check = {0};
    struct length_scan scan = {0};
    const char *expected, *wrong = NULL;
    size_t start, end = 0;

    expected = find_wrong(coding, &start);
    for (size_t at = 0, bytes; at < file_bytes && wrong == NULL; at += bytes) {
        uint32_t ends[FILE_MAX];
        size_t found, scanned;
        uint8_t *piece;

        bytes = fuzz_from_to(&sizes, 1, 64);
        bytes = bytes < file_bytes - at ? bytes : file_bytes - at;
        piece = fuzz_copy(file + at, bytes);
        wrong = length_check(&check, coding, piece, bytes);
        found = length_ends(coding, &scan, piece, bytes, ends, FILE_MAX, &scanned);
        end = found > 0 ? at + ends[found - 1] : end;
        free(piece);
        FUZZ_CHECK(scanned == bytes);
        FUZZ_CHECK(wrong != NULL || (check.at == at + bytes && check.start == end));
    }
    FUZZ_CHECK((wrong == NULL) == (expected == NULL) && (wrong == NULL || strcmp(wrong, expected) == 0));
    FUZZ_CHECK(check.start == start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    const enum length_coding coding = (enum length_coding)(fuzz_byte(&fuzz) % (LENGTH_VARINT + 1));

    make_file(&fuzz, coding);
    check_pieces(coding, fuzz);
    damage(&fuzz);
    check_pieces(coding, fuzz);
    return 0;
}
