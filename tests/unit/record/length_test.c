/* Lengths of all sizes, and damage, wherever pieces end. */

#include "support/unit.h"

#include "record/length.h"

#include <string.h>

#define OF(text) (text), sizeof(text) - 1

/* One length; 0: it is no number below 2^63. */
static const struct {
    enum length_coding coding;
    const char *text;
    size_t bytes;
    uint64_t length;
} rows[] = {
    {LENGTH_U32LE, OF("\xff\xff\xff\xff"), UINT32_MAX},
    {LENGTH_U32BE, OF("\xff\xff\xff\xff"), UINT32_MAX},
    {LENGTH_U32BE, OF("\0\0\1\2"), 258},
    {LENGTH_U64LE, OF("\xff\xff\xff\xff\xff\xff\xff\x7f"), INT64_MAX},
    {LENGTH_U64BE, OF("\x7f\xff\xff\xff\xff\xff\xff\xff"), INT64_MAX},
    {LENGTH_VARINT, OF("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), INT64_MAX},
    {LENGTH_VARINT, OF("\xff\xff\xff\xff\xff\xff\xff\xff\xff\0"), INT64_MAX},
    {LENGTH_VARINT, OF("\x85\x80\0"), 5},
    {LENGTH_TFRECORD, OF("\000\000\000\000\000\000\000\200\225\010g\266"), 0},
    {LENGTH_U64LE, OF("\0\0\0\0\0\0\0\x80"), 0},
    {LENGTH_U64LE, OF("\xff\xff\xff\xff\xff\xff\xff\xff"), 0},
    {LENGTH_U64BE, OF("\x80\0\0\0\0\0\0\0"), 0},
    {LENGTH_VARINT, OF("\x80\x80\x80\x80\x80\x80\x80\x80\x80\1"), 0},
    {LENGTH_VARINT, OF("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), 0},
    {LENGTH_VARINT, OF("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"), 0},
};

UNIT_TEST(a_length_is_less_than_2_to_63)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct length_check check = {0};
        const uint8_t *text = (const uint8_t *)rows[i].text;
        const char *wrong;

        assert_null(length_check(&check, rows[i].coding, text, rows[i].bytes - 1));
        wrong = length_check(&check, rows[i].coding, text + rows[i].bytes - 1, 1);
        assert_string_equal(wrong != NULL ? wrong : "", rows[i].length > 0 ? "" : "its length is no number below 2^63");
        assert_true(rows[i].length == 0 || check.scan.left == rows[i].length);
        assert_int_equal(check.start, 0);
    }
}

UNIT_TEST(every_damaged_byte_of_tfrecord_is_found)
{
    enum { FIRST = 16, ALL = 35 };
    uint8_t file[] = "\000\000\000\000\000\000\000\000)\003\230\007\330\352\202\242"
                     "\003\000\000\000\000\000\000\000\260\231I\016abcnW\361!";

    for (size_t bit = 0; bit < (size_t)8 * ALL; bit++)
        for (size_t step = 1; step <= ALL; step++) {
            const size_t start = bit / 8 < FIRST ? 0 : FIRST;
            struct length_check check = {0};
            const char *wrong = NULL;

            file[bit / 8] ^= (uint8_t)(1u << bit % 8);
            for (size_t at = 0; at < ALL && wrong == NULL; at += step)
                wrong = length_check(&check, LENGTH_TFRECORD, file + at, ALL - at < step ? ALL - at : step);
            assert_string_equal(wrong, bit / 8 - start < 12 ? "the checksum of its length is wrong"
                                                            : "the checksum of its data is wrong");
            assert_int_equal(check.start, start);
            file[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    assert_null(length_check(&(struct length_check){0}, LENGTH_TFRECORD, file, ALL));
}

/* Each file of events of TensorBoard begins with a record of 24 bytes, and so with these 12. */
UNIT_TEST(the_beginning_of_a_file_by_tensorflow_is_right)
{
    static const uint8_t head[12] = {24, 0, 0, 0, 0, 0, 0, 0, 0xa3, 0x7f, 0x4b, 0x22};

    assert_null(length_check(&(struct length_check){0}, LENGTH_TFRECORD, head, sizeof head));
}
