#include <stdint.h>

#include "support/unit.h"

#include "job/room.h"

static const uint64_t MIB = (uint64_t)1 << 20;

#define ALL          .count = UINT64_MAX
#define FIXED(bytes) .format = {.kind = &sizes_kind, .count = (bytes)}
#define RANGE        .range = true, .numbers.delimiter = '\n', .numbers.first = 8

/* The smallest numbers of a range are the shortest; records that are repeated have a byte at least. */
UNIT_TEST(an_output_has_at_least_the_bytes_that_are_known)
{
    static const struct {
        struct options options;
        uint64_t known_bytes, bytes;
    } rows[] = {
        {{ALL}, 1000, 1000},
        {{.count = 3}, 1000, 0},
        {{ALL, .repeat = true}, 1000, 0},
        {{ALL, .probability = "0.5"}, 1000, 0},
        {{ALL, .weight_field.kind = FIELD_NUMBER}, 1000, 0},
        {{ALL, .parts = 2}, 1000, 0},
        {{.count = 3000, .repeat = true}, 1000, 3000},
        {{.count = 3000, .repeat = true}, 0, 0},
        {{.count = 3000, .repeat = true, FIXED(10)}, 1000, 30000},
        {{.count = UINT64_MAX / 2, .repeat = true, FIXED(10)}, 1000, UINT64_MAX},
        {{RANGE, ALL, .numbers.count = 5}, 0, 2 + 2 + 3 + 3 + 3},
        {{RANGE, .count = 3, .numbers.count = 5}, 0, 2 + 2 + 3},
        {{RANGE, .count = 6, .numbers.count = 5}, 0, 2 + 2 + 3 + 3 + 3},
        {{RANGE, .count = 6, .numbers.count = 5, .repeat = true}, 0, 6 * 2},
        {{RANGE, .count = UINT64_MAX - 1, .numbers.count = 5, .repeat = true}, 0, UINT64_MAX},
        {{RANGE, ALL}, 0, 0},
        {{RANGE, ALL, .numbers.full = true}, 0, UINT64_MAX},
        {{RANGE, .count = 3, .numbers.full = true}, 0, 2 + 2 + 3},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(room_output_bytes(&rows[i].options, rows[i].known_bytes), rows[i].bytes);
}

/* Three quarters of memory are not spilled; nobody knows how much a sample keeps, but repeated records are all kept. */
UNIT_TEST(temporary_files_have_at_least_what_does_not_fit)
{
    static const struct {
        struct options options;
        uint64_t known_bytes, bytes; /* with 64 MiB of memory */
        bool rereads;
    } rows[] = {
        {{ALL}, 64 * MIB, 0, false},
        {{ALL}, 64 * MIB + 1, 16 * MIB + 1, false},
        {{.count = 3}, 65 * MIB, 0, false},
        {{ALL, .probability = "0.5"}, 65 * MIB, 0, false},
        {{ALL, .parts = 2, .expected_records = 3}, 65 * MIB, 0, false},
        {{ALL, .parts = 2, .expected_records = UINT64_MAX}, 65 * MIB, 17 * MIB, false},
        {{.count = 3, .repeat = true}, 65 * MIB, 17 * MIB, false},
        {{.count = 3, .repeat = true}, 65 * MIB, 0, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(room_temporary_bytes(&rows[i].options, rows[i].known_bytes, 64 * MIB, rows[i].rereads),
                         rows[i].bytes);
}
