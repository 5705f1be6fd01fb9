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

UNIT_TEST(known_strings_give_known_values)
{
    const char *text = "Nobody inspects the spammish repetition";
    assert_true(hash_of("", 0, 0) == 0xef46db3751d8e999);
    assert_true(hash_of("a", 1, 0) == 0xd24ec4f1a98c6e5b);
    assert_true(hash_of("abc", 3, 0) == 0x44bc2cf5ad770999);
    assert_true(hash_of(text, strlen(text), 0) == 0xfbcea83c8a378bf1);
}

struct expectation {
    size_t bytes;
    uint64_t seed, value;
};

static void assert_values(const struct expectation *expected, size_t count)
{
    uint8_t data[222];
    fill(data, sizeof data);
    for (size_t i = 0; i < count; i++)
        assert_true(hash_of(data, expected[i].bytes, expected[i].seed) == expected[i].value);
}

UNIT_TEST(the_published_sanity_buffer_gives_the_published_values)
{
    static const struct expectation published[] = {
        {0, 0, 0xef46db3751d8e999},
        {0, 2654435761, 0xac75fda2929b17ef},
        {1, 0, 0xe934a84adb052768},
        {1, 2654435761, 0x5014607643a9b4c3},
        {4, 0, 0x9136a0dca57457ee},
        {14, 0, 0x8282dcc4994e35c8},
        {14, 2654435761, 0xc3bd6bf63deb6df0},
        {222, 0, 0xb641ae8cb691c174},
        {222, 2654435761, 0x20cb8ab7ae10c14a},
    };
    assert_values(published, sizeof published / sizeof *published);
}

/* At and around whole stripes and whole words; computed with a program in another language, written from the
 * specification, that gives the published values too. */
UNIT_TEST(whole_stripes_and_words_have_nothing_left_over)
{
    static const struct expectation computed[] = {
        {3, 2654435761, 0xaa8584e83660f7d1},  {8, 2654435761, 0xfe0c047a5353cdac},
        {12, 2654435761, 0x8252819f4e506951}, {24, 2654435761, 0x8b7c67eb59778e22},
        {31, 2654435761, 0xda673d5feb5c1d79}, {32, 2654435761, 0xb3f33bdf93ade409},
        {33, 2654435761, 0xe92c292f64bc3071}, {40, 2654435761, 0x5a57f246772bc540},
        {64, 2654435761, 0xb5eeba99264cc44f}};
    assert_values(computed, sizeof computed / sizeof *computed);
}

UNIT_TEST(it_does_not_matter_where_data_is_cut)
{
    uint8_t data[150];
    fill(data, sizeof data);
    for (size_t bytes = 0; bytes <= sizeof data; bytes++) {
        uint64_t expected = hash_of(data, bytes, SEED);
        for (size_t cut = 0; cut <= bytes; cut++) {
            struct xxh64 hash;
            xxh64_init(&hash, SEED);
            xxh64_update(&hash, data, cut);
            xxh64_update(&hash, data + cut, bytes - cut);
            assert_true(xxh64_value(&hash) == expected);
        }
    }
}

UNIT_TEST(many_small_pieces_give_the_value_of_the_whole)
{
    uint8_t data[1000];
    fill(data, sizeof data);
    for (size_t step = 1; step < 70; step++) {
        struct xxh64 hash;
        xxh64_init(&hash, SEED);
        for (size_t at = 0; at < sizeof data; at += step)
            xxh64_update(&hash, data + at, sizeof data - at < step ? sizeof data - at : step);
        assert_true(xxh64_value(&hash) == hash_of(data, sizeof data, SEED));
    }
}

UNIT_TEST(more_may_follow_a_value)
{
    uint8_t data[100];
    fill(data, sizeof data);
    struct xxh64 hash;
    xxh64_init(&hash, SEED);
    for (size_t i = 0; i < sizeof data; i++) {
        assert_true(xxh64_value(&hash) == hash_of(data, i, SEED));
        xxh64_update(&hash, data + i, 1);
    }
    assert_true(xxh64_value(&hash) == hash_of(data, sizeof data, SEED));
}

UNIT_TEST(data_may_lie_at_any_address)
{
    uint8_t data[200];
    uint8_t moved[200 + 32];
    fill(data, sizeof data);
    for (size_t shift = 0; shift < 32; shift++) {
        memcpy(moved + shift, data, sizeof data);
        assert_true(hash_of(moved + shift, sizeof data, SEED) == hash_of(data, sizeof data, SEED));
    }
}

UNIT_TEST(no_byte_past_the_data_is_read)
{
    uint8_t data[100];
    fill(data, sizeof data);
    /* Tools that watch memory see a read past the end; without them the values must be equal all the same. */
    for (size_t bytes = 1; bytes <= sizeof data; bytes++) {
        uint8_t *exact = malloc(bytes);
        assert_non_null(exact);
        memcpy(exact, data, bytes);
        assert_true(hash_of(exact, bytes, SEED) == hash_of(data, bytes, SEED));
        free(exact);
    }
}

UNIT_TEST(no_data_may_be_null)
{
    assert_true(hash_of(NULL, 0, 0) == 0xef46db3751d8e999);
}
