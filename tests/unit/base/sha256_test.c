#include "support/unit.h"

#include "base/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void assert_digest(const uint8_t digest[32], const char *expected)
{
    char text[65];
    for (size_t i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

static void assert_hash(const char *message, const char *expected)
{
    struct sha256 hash;
    uint8_t digest[32];
    sha256_init(&hash);
    sha256_update(&hash, message, strlen(message));
    sha256_final(&hash, digest);
    assert_digest(digest, expected);
}

/* The examples published with FIPS 180-4. */
UNIT_TEST(published_messages_give_published_digests)
{
    assert_hash("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_hash("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_hash(
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
        "nopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

UNIT_TEST(it_does_not_matter_where_a_message_is_cut)
{
    uint8_t message[200];
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(i * 37);
    for (size_t bytes = 0; bytes <= sizeof message; bytes += bytes < 130 ? 1 : 7) {
        struct sha256 whole;
        uint8_t expected[32];
        sha256_init(&whole);
        sha256_update(&whole, message, bytes);
        sha256_final(&whole, expected);
        for (size_t cut = 0; cut <= bytes; cut++) {
            struct sha256 hash;
            uint8_t digest[32];
            sha256_init(&hash);
            sha256_update(&hash, message, cut);
            sha256_update(&hash, message + cut, bytes - cut);
            sha256_final(&hash, digest);
            assert_memory_equal(digest, expected, sizeof digest);
        }
    }
}

/* Around the lengths at which the padding needs a further block; computed with another implementation. */
UNIT_TEST(padding_fits_every_length_near_a_block)
{
    static const struct {
        size_t count;
        const char *digest;
    } expected[] = {
        {55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"},
        {56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e"},
        {63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"},
        {64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"},
        {65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"},
        {119, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c"},
        {120, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98"},
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char message[128] = "";

        memset(message, 'x', expected[i].count);
        assert_hash(message, expected[i].digest);
    }
}
