/* What is wrong with a record is found, wherever the pieces of its file end, and where it is. */

#include "support/length_twin.h"
#include "support/unit.h"

#include "record/length.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 2000, RECORDS = 8 };

static const size_t lengths[RECORDS] = {0, 1, 3, 0, 130, 7, 300, 20};

struct file {
    uint8_t data[FILE_BYTES_MAX];
    size_t bytes;
    size_t start[RECORDS + 1];
};

static void make_file(struct file *file, enum length_coding coding)
{
    uint8_t data[300];

    file->bytes = 0;
    for (size_t i = 0; i < RECORDS; i++) {
        file->start[i] = file->bytes;
        memset(data, 'a' + (int)i, sizeof data);
        file->bytes += length_twin_put(coding, file->data + file->bytes, data, lengths[i]);
    }
    file->start[RECORDS] = file->bytes;
}

/* Check what is in data[0, bytes), in pieces of `step` bytes, from memory that ends where they end. */
static const char *check(struct length_check *checked, enum length_coding coding, const uint8_t *data, size_t bytes,
                         size_t step)
{
    const char *wrong = NULL;

    *checked = (struct length_check){0};
    for (size_t at = 0; at < bytes && wrong == NULL; at += step) {
        const size_t count = bytes - at < step ? bytes - at : step;
        uint8_t *piece = malloc(count);

        assert_non_null(piece);
        memcpy(piece, data + at, count);
        wrong = length_check(checked, coding, piece, count);
        free(piece);
    }
    return wrong;
}

static size_t start_of(const struct file *file, size_t at)
{
    size_t i = 0;

    while (i < RECORDS && file->start[i + 1] <= at)
        i++;
    return file->start[i];
}

UNIT_TEST(where_a_file_ends_is_known)
{
    static struct file file;

    for (enum length_coding coding = LENGTH_TFRECORD; coding <= LENGTH_VARINT; coding++) {
        make_file(&file, coding);
        for (size_t bytes = 0; bytes <= file.bytes; bytes++) {
            for (size_t step = 1; step < 20; step += 2) {
                struct length_check checked;

                assert_null(check(&checked, coding, file.data, bytes, step));
                assert_int_equal(checked.at, bytes);
                assert_int_equal(checked.start, start_of(&file, bytes));
            }
        }
    }
}

UNIT_TEST(every_damaged_byte_of_tfrecord_is_found)
{
    static struct file file;

    make_file(&file, LENGTH_TFRECORD);
    for (size_t at = 0; at < file.bytes; at++) {
        const size_t start = start_of(&file, at);

        for (unsigned bit = 0; bit < 8; bit++) {
            for (size_t step = 1; step < 3000; step = 4 * step + 1) {
                struct length_check checked;
                const char *wrong;

                file.data[at] ^= (uint8_t)(1u << bit);
                wrong = check(&checked, LENGTH_TFRECORD, file.data, file.bytes, step);
                file.data[at] ^= (uint8_t)(1u << bit);
                assert_non_null(wrong);
                assert_string_equal(wrong, at - start < 12 ? "the checksum of its length is wrong"
                                                           : "the checksum of its data is wrong");
                assert_int_equal(checked.start, start);
            }
        }
    }
}

/* After a record of one byte, this length is found to make no sense. */
static void assert_refused(enum length_coding coding, const char *length, size_t bytes)
{
    uint8_t file[40];
    const size_t start = length_twin_put(coding, file, (const uint8_t *)"x", 1);

    memcpy(file + start, length, bytes);
    if (coding == LENGTH_TFRECORD) {
        length_twin_put_sum(file + start + bytes, file + start, bytes);
        bytes += 4;
    }
    for (size_t step = 1; step < sizeof file; step++) {
        struct length_check checked;
        const char *wrong = check(&checked, coding, file, start + bytes, step);

        assert_non_null(wrong);
        assert_string_equal(wrong, "its length is no number below 2^63");
        assert_int_equal(checked.start, start);
        assert_null(check(&checked, coding, file, start + bytes - 1, step));
    }
}

UNIT_TEST(a_length_of_2_to_63_or_more_is_refused)
{
    assert_refused(LENGTH_TFRECORD, "\0\0\0\0\0\0\0\x80", 8);
    assert_refused(LENGTH_U64LE, "\0\0\0\0\0\0\0\x80", 8);
    assert_refused(LENGTH_U64LE, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    assert_refused(LENGTH_U64BE, "\x80\0\0\0\0\0\0\0", 8);
    assert_refused(LENGTH_VARINT, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\1", 10);
    assert_refused(LENGTH_VARINT, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
    assert_refused(LENGTH_VARINT, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 10);
}

UNIT_TEST(a_length_may_be_less_than_2_to_63)
{
    static const struct {
        enum length_coding coding;
        const char *text;
        size_t bytes;
        uint64_t length;
    } largest[] = {
        {LENGTH_U32LE, "\xff\xff\xff\xff", 4, UINT32_MAX},
        {LENGTH_U32BE, "\xff\xff\xff\xff", 4, UINT32_MAX},
        {LENGTH_U64LE, "\xff\xff\xff\xff\xff\xff\xff\x7f", 8, INT64_MAX},
        {LENGTH_U64BE, "\x7f\xff\xff\xff\xff\xff\xff\xff", 8, INT64_MAX},
        {LENGTH_VARINT, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9, INT64_MAX},
        {LENGTH_VARINT, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\0", 10, INT64_MAX},
        {LENGTH_VARINT, "\x85\x80\0", 3, 5},
    };

    for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++) {
        const uint8_t *text = (const uint8_t *)largest[i].text;

        for (size_t step = 1; step <= largest[i].bytes; step++) {
            struct length_check checked;

            assert_null(check(&checked, largest[i].coding, text, largest[i].bytes, step));
            assert_true(checked.scan.left == largest[i].length);
            assert_int_equal(checked.start, 0);
        }
    }
}

/* Each file of events of TensorBoard begins with a record of 24 bytes, and so with these 12. */
UNIT_TEST(the_beginning_of_a_file_by_tensorflow_is_right)
{
    static const uint8_t head[12] = {24, 0, 0, 0, 0, 0, 0, 0, 0xa3, 0x7f, 0x4b, 0x22};
    struct length_check checked;

    assert_null(check(&checked, LENGTH_TFRECORD, head, sizeof head, 5));
    assert_int_equal(checked.start, 0);
}
