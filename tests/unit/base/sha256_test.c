#include "support/unit.h"

#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

/* The examples published with FIPS 180-4. Longer messages and pieces are seeds in order.sh. */
UNIT_TEST(published_messages_give_published_digests)
{
    static const char *const published[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };

    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        struct sha256 hash;
        uint8_t digest[32];
        char text[65];

        sha256_init(&hash);
        sha256_update(&hash, published[i][0], strlen(published[i][0]));
        sha256_final(&hash, digest);
        for (size_t k = 0; k < 32; k++)
            snprintf(text + 2 * k, 3, "%02x", digest[k]);
        assert_string_equal(text, published[i][1]);
    }
}
