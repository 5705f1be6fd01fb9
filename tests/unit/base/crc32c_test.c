#include "support/length_twin.h"
#include "support/unit.h"

#include "base/crc32c.h"

#include <stdlib.h>
#include <string.h>

/* The first way from `way` on that this processor has. */
static const struct crc32c_way *usable(const struct crc32c_way *way)
{
    while (way->name != NULL && !way->supported())
        way++;
    return way;
}

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

/* The check value of the catalogue of parametrised CRC algorithms (CRC-32/ISCSI), and RFC 3720, appendix B.4. */
UNIT_TEST(known_bytes_give_the_published_values)
{
    static const uint8_t read_command[48] = {0x01, 0xc0, 0, 0, 0, 0, 0,    0, 0,    0, 0, 0,    0, 0, 0, 0,
                                             0x14, 0,    0, 0, 0, 0, 0x04, 0, 0,    0, 0, 0x14, 0, 0, 0, 0x18,
                                             0x28, 0,    0, 0, 0, 0, 0,    0, 0x02, 0, 0, 0,    0, 0, 0, 0};
    uint8_t data[32] = {0};

    assert_int_equal(crc32c(0, data, 0), 0);
    assert_int_equal(crc32c(0, (const uint8_t *)"123456789", 9), 0xe3069283);
    assert_int_equal(crc32c(0, data, sizeof data), 0x8a9136aa);
    memset(data, 0xff, sizeof data);
    assert_int_equal(crc32c(0, data, sizeof data), 0x62a8ab43);
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)i;
    assert_int_equal(crc32c(0, data, sizeof data), 0x46dd794e);
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(31 - i);
    assert_int_equal(crc32c(0, data, sizeof data), 0x113fdb5c);
    assert_int_equal(crc32c(0, read_command, sizeof read_command), 0xd9963a56);
}

UNIT_TEST(every_way_gives_what_the_definition_does)
{
    static const size_t lengths[] = {3071, 3072, 3073, 3080, 6143, 6144, 6151, 10000, 100001};

    for (size_t bytes = 0; bytes < 200; bytes++) {
        uint8_t *data = make_bytes(bytes);

        for (const struct crc32c_way *way = usable(crc32c_ways); way->name != NULL; way = usable(way + 1))
            assert_int_equal(way->crc(0, data + 1, bytes), length_twin_crc(data + 1, bytes));
        free(data);
    }
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint8_t *data = make_bytes(lengths[i]);

        for (const struct crc32c_way *way = usable(crc32c_ways); way->name != NULL; way = usable(way + 1))
            assert_int_equal(way->crc(0, data + 1, lengths[i]), length_twin_crc(data + 1, lengths[i]));
        free(data);
    }
}

UNIT_TEST(pieces_give_what_the_whole_does)
{
    static const size_t steps[] = {1, 7, 8, 100, 3071, 3072, 4000};
    enum { BYTES = 20000 };
    uint8_t *data = make_bytes(BYTES);
    const uint32_t whole = length_twin_crc(data + 1, BYTES);

    for (const struct crc32c_way *way = usable(crc32c_ways); way->name != NULL; way = usable(way + 1)) {
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            uint32_t crc = 0;

            for (size_t at = 0; at < BYTES; at += steps[i])
                crc = way->crc(crc, data + 1 + at, BYTES - at < steps[i] ? BYTES - at : steps[i]);
            assert_int_equal(crc, whole);
        }
    }
    free(data);
}
