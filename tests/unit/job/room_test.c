#include <stdint.h>

#include "support/unit.h"

#include "job/room.h"

static const uint64_t MIB = (uint64_t)1 << 20;

UNIT_TEST(test_output_is_as_large_as_the_input)
{
    const struct options options = {.count = UINT64_MAX};

    assert_int_equal(room_output_bytes(&options, 1000), 1000);
    assert_int_equal(room_output_bytes(&options, 0), 0);
}

UNIT_TEST(test_of_a_sample_no_size_is_known)
{
    const struct options few = {.count = 3};
    const struct options endless = {.count = UINT64_MAX, .repeat = true};
    const struct options by_chance = {.count = UINT64_MAX, .probability = "0.5"};
    const struct options by_weight = {.count = UINT64_MAX, .weight_field = 1};

    assert_int_equal(room_output_bytes(&few, 1000), 0);
    assert_int_equal(room_output_bytes(&endless, 1000), 0);
    assert_int_equal(room_output_bytes(&by_chance, 1000), 0);
    assert_int_equal(room_output_bytes(&by_weight, 1000), 0);
}

UNIT_TEST(test_repeated_records_have_a_byte_at_least)
{
    struct options options = {.count = 3000, .repeat = true};

    assert_int_equal(room_output_bytes(&options, 1000), 3000);
    assert_int_equal(room_output_bytes(&options, 0), 0);
    options.format = (struct record_format){.kind = &sizes_kind, .count = 10};
    assert_int_equal(room_output_bytes(&options, 1000), 30000);
    options.count = UINT64_MAX / 2;
    assert_int_equal(room_output_bytes(&options, 1000), UINT64_MAX);
}

/* 8 and 9 are the shortest of 8 to 12. */
UNIT_TEST(test_numbers_are_at_least_the_shortest)
{
    struct options options = {
        .range = true, .range_first = 8, .range_count = 5, .count = UINT64_MAX, .delimiter = '\n'};

    assert_int_equal(room_output_bytes(&options, 0), 2 + 2 + 3 + 3 + 3);
    options.count = 3;
    assert_int_equal(room_output_bytes(&options, 0), 2 + 2 + 3);
    options.count = 6;
    assert_int_equal(room_output_bytes(&options, 0), 2 + 2 + 3 + 3 + 3);
    options.repeat = true;
    assert_int_equal(room_output_bytes(&options, 0), 6 * 2);
    options.count = UINT64_MAX - 1;
    assert_int_equal(room_output_bytes(&options, 0), UINT64_MAX);
    options.count = UINT64_MAX;
    assert_int_equal(room_output_bytes(&options, 0), 0);
    options = (struct options){.range = true, .count = UINT64_MAX, .delimiter = '\n'};
    assert_int_equal(room_output_bytes(&options, 0), 0);
    options.range_full = true;
    assert_int_equal(room_output_bytes(&options, 0), UINT64_MAX);
    options.count = 11;
    assert_int_equal(room_output_bytes(&options, 0), 10 * 2 + 3);
}

UNIT_TEST(test_three_quarters_of_memory_stay_out_of_temporary_files)
{
    const struct options options = {.count = UINT64_MAX};

    assert_int_equal(room_temporary_bytes(&options, 64 * MIB, 64 * MIB, false), 0);
    assert_int_equal(room_temporary_bytes(&options, 64 * MIB + 1, 64 * MIB, false), 16 * MIB + 1);
    assert_int_equal(room_temporary_bytes(&options, 0, 64 * MIB, false), 0);
}

UNIT_TEST(test_what_is_kept_beside_records_of_one_size_counts)
{
    struct options options = {.count = UINT64_MAX, .format = {.kind = &sizes_kind, .count = 16}};

    assert_int_equal(room_temporary_bytes(&options, 64 * MIB, 64 * MIB, false), 0);
    options.random_source = "random";
    assert_int_equal(room_temporary_bytes(&options, 48 * MIB, 64 * MIB, false), 0);
    assert_int_equal(room_temporary_bytes(&options, 64 * MIB, 64 * MIB, true), 32 * MIB);
    options.random_source = NULL;
    options.weight_field = 1;
    assert_int_equal(room_temporary_bytes(&options, 64 * MIB, 64 * MIB, false), 48 * MIB);
}

UNIT_TEST(test_of_what_a_sample_keeps_nothing_is_known)
{
    const struct options few = {.count = 3};
    const struct options by_chance = {.count = UINT64_MAX, .probability = "0.5"};
    const struct options repeated = {.count = 3, .repeat = true};

    assert_int_equal(room_temporary_bytes(&few, 65 * MIB, 64 * MIB, false), 0);
    assert_int_equal(room_temporary_bytes(&by_chance, 65 * MIB, 64 * MIB, false), 0);
    assert_int_equal(room_temporary_bytes(&repeated, 65 * MIB, 64 * MIB, false), 17 * MIB); /* all records are kept */
}
