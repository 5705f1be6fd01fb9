#include "support/unit.h"

#include "base/xxh64.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 0x1234567 };

static uint64_t hash_of(const void *data, size_t bytes, uint64_t seed)
{
    struct xxh64 hash;
    xxh64_init(&hash, seed);
    xxh64_update(&hash, data, bytes);
    return xxh64_value(&hash);
}

static void fill(uint8_t *data, size_t bytes)
{
    /* The buffer that the published sanity values are about. */
    uint64_t x = 2654435761;
    for (size_t i = 0; i < bytes; i++, x *= 11400714785074694797u)
        data[i] = (uint8_t)(x >> 56);
}

/* The published sanity values, and at and around whole stripes and whole words; these were computed with a program in
 * another language, written from the specification, that gives the published values too. */
UNIT_TEST(the_published_sanity_buffer_gives_the_published_values)
{
    static const struct {
        size_t bytes;
        uint64_t seed, value;
    } expected[] = {
        {0, 0, 0xef46db3751d8e999},
        {0, 2654435761, 0xac75fda2929b17ef},
        {1, 0, 0xe934a84adb052768},
        {1, 2654435761, 0x5014607643a9b4c3},
        {4, 0, 0x9136a0dca57457ee},
        {14, 0, 0x8282dcc4994e35c8},
        {14, 2654435761, 0xc3bd6bf63deb6df0},
        {222, 0, 0xb641ae8cb691c174},
        {222, 2654435761, 0x20cb8ab7ae10c14a},

        {3, 2654435761, 0xaa8584e83660f7d1},
        {8, 2654435761, 0xfe0c047a5353cdac},
        {12, 2654435761, 0x8252819f4e506951},
        {24, 2654435761, 0x8b7c67eb59778e22},
        {31, 2654435761, 0xda673d5feb5c1d79},
        {32, 2654435761, 0xb3f33bdf93ade409},
        {33, 2654435761, 0xe92c292f64bc3071},
        {40, 2654435761, 0x5a57f246772bc540},
        {64, 2654435761, 0xb5eeba99264cc44f},
    };
    uint8_t data[222];

    fill(data, sizeof data);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(hash_of(data, expected[i].bytes, expected[i].seed) == expected[i].value);
}

UNIT_TEST(more_may_follow_a_value_and_no_byte_past_the_data_is_read)
{
    uint8_t data[100];
    struct xxh64 hash;

    fill(data, sizeof data);
    xxh64_init(&hash, SEED);
    for (size_t bytes = 0; bytes < sizeof data; bytes++) {
        uint8_t *exact = malloc(bytes + 1); /* tools that watch memory see a read past the end, and at odd addresses */

        assert_non_null(exact);
        memcpy(exact + 1, data, bytes);
        assert_true(xxh64_value(&hash) == hash_of(exact + 1, bytes, SEED));
        free(exact);
        xxh64_update(&hash, data + bytes, 1);
    }
    assert_true(xxh64_value(&hash) == hash_of(data, sizeof data, SEED));
    assert_true(xxh64(data, 100) == hash_of(data, 100, 0) && hash_of(NULL, 0, 0) == 0xef46db3751d8e999);
}
