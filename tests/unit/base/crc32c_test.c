#include "support/unit.h"

#include "base/crc32c.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that a compiler's address sanitizer guards on both sides, and that stand where no word begins. */
static uint8_t *make_bytes(size_t bytes)
{
    uint8_t *data = malloc(bytes + 1);
    uint32_t x = 1;

    assert_non_null(data);
    for (size_t i = 0; i < bytes; i++, x = x * 69069 + 12345)
        data[1 + i] = (uint8_t)(x >> 24);
    return data;
}

/* The definition (RFC 3720). Known values are in files of TFRecord, in length_test.c. */
static uint32_t defined_crc(const uint8_t *data, size_t bytes)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < 8 * bytes; i++) {
        crc ^= i % 8 == 0 ? data[i / 8] : 0;
        crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
    }
    return ~crc;
}

UNIT_TEST(every_way_gives_what_the_definition_does_whole_and_in_pieces)
{
    static const size_t lengths[] = {767, 768, 769, 776, 3840, 3841, 10000};
    static const size_t steps[] = {1, 7, 8, 100, 768, 3071};

    for (size_t i = 0; i < 200 + sizeof lengths / sizeof lengths[0]; i++) {
        const size_t bytes = i < 200 ? i : lengths[i - 200], step = steps[i % 6];
        uint8_t *data = make_bytes(bytes);
        const uint32_t whole = defined_crc(data + 1, bytes);

        FOR_EACH_WAY (crc32c_way, way, crc32c_ways) {
            uint32_t crc = 0;

            assert_int_equal(way->crc(0, data + 1, bytes), whole);
            for (size_t at = 0; at < bytes; at += step)
                crc = way->crc(crc, data + 1 + at, bytes - at < step ? bytes - at : step);
            assert_int_equal(crc, whole);
        }
        free(data);
    }
}
