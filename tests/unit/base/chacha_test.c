#include "support/unit.h"

#include "base/chacha.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 16, BLOCKS_MAX = 40 };

static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

static const struct chacha_way *plain_way(void)
{
    const struct chacha_way *way = chacha_ways;
    while (way[1].name != NULL)
        way++;
    return way;
}

/* A state whose words are all different, with the given counter. */
static void make_input(uint32_t input[WORDS], uint64_t counter)
{
    for (uint32_t i = 0; i < WORDS; i++)
        input[i] = 0x9e3779b9 * (i + 1);
    memcpy(input, constants, sizeof constants);
    input[12] = (uint32_t)counter;
    input[13] = (uint32_t)(counter >> 32);
}

/* Little-endian words from bytes in hexadecimal. */
static void read_hex(const char *hex, uint32_t *words, size_t count)
{
    memset(words, 0, count * sizeof *words);
    for (size_t i = 0; i < 4 * count; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1]};
        words[i / 4] |= (uint32_t)strtoul(digits, NULL, 16) << (8 * (i % 4));
    }
}

/* RFC 8439, section 2.3.2: the words of the block are given there as numbers. */
UNIT_TEST(every_way_computes_the_block_of_rfc_8439)
{
    static const uint32_t input[WORDS] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0x03020100, 0x07060504,
                                          0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
                                          0x00000001, 0x09000000, 0x4a000000, 0x00000000};
    static const uint32_t expected[WORDS] = {0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033,
                                             0x9aaa2204, 0x4e6cd4c3, 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                             0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
    FOR_EACH_WAY (chacha_way, way, chacha_ways) {
        uint32_t words[WORDS];
        way->run(input, 20, words, 1);
        assert_memory_equal(words, expected, sizeof expected);
    }
}

/* TC1, TC3, TC4, TC7 and TC8 of draft-strombergson-chacha-test-vectors, for 256-bit keys and 8 rounds: blocks 0 and 1.
 */
UNIT_TEST(every_way_computes_the_published_chacha8_streams)
{
    static const struct {
        const char *key, *stream, *blocks;
    } published[] = {
        {"0000000000000000000000000000000000000000000000000000000000000000", "0000000000000000",
         "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
         "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42"
         "d2aefa0deaa5c151bf0adb6c01f2a5adc0fd581259f9a2aadcf20f8fd566a26b"
         "5032ec38bbc5da98ee0c6f568b872a65a08abf251deb21bb4b56e5d8821e68aa"},
        {"0000000000000000000000000000000000000000000000000000000000000000", "0100000000000000",
         "2b8f4bb3798306ca5130d47c4f8d4ed13aa0edccc1be6942090faeeca0d7599b"
         "7ff0fe616bb25aa0153ad6fdc88b954903c22426d478b97b22b8f9b1db00cf06"
         "470bdffbc488a8b7c701ebf4061d75c5969186497c95367809afa80bd843b040"
         "a79abc6e73a91757f1db73c8eacfa543b38f289d065ab2f3032d377b8c37fe46"},
        {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "ffffffffffffffff",
         "e163bbf8c9a739d18925ee8362dad2cdc973df05225afb2aa26396f2a9849a4a"
         "445e0547d31c1623c537df4ba85c70a9884a35bcbf3dfab077e98b0f68135f54"
         "81d4933f8b322ac0cd762c27235ce2b31534e0244a9a2f1fd5e94498d47ff108"
         "790c009cf9e1a348032a7694cb28024cd96d3498361edb1785af752d187ab54b"},
        {"00112233445566778899aabbccddeeffffeeddccbbaa99887766554433221100", "0f1e2d3c4b5a6978",
         "db43ad9d1e842d1272e4530e276b3f568f8859b3f7cf6d9d2c74fa53808cb515"
         "7a8ebf46ad3dcc4b6c7dadde131784b0120e0e22f6d5f9ffa7407d4a21b695d9"
         "c5dd30bf55612fab9bdd118920c19816470c7f5dcd42325dbbed8c57a56281c1"
         "44cb0f03e81b3004624e0650a1ce5afaf9a7cd8163f6dbd72602257dd96e471e"},
        {"c46ec1b18ce8a878725a37e780dfb7351f68ed2e194c79fbc6aebee1a667975d", "1ada31d5cf688221",
         "838751b42d8ddd8a3d77f48825a2ba752cf4047cb308a5978ef274973be374c9"
         "6ad848065871417b08f034e681fe46a93f7d5c61d1306614d4aaf257a7cff08b"
         "16f2fda170cc18a4b58a2667ed962774af792a6e7f3c77992540711a7a136d7e"
         "8a2f8d3f93816709d45a3fa5f8ce72fde15be7b841acba3a2abd557228d9fe4f"},
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        uint32_t input[WORDS] = {0};
        uint32_t expected[2 * WORDS];
        memcpy(input, constants, sizeof constants);
        read_hex(published[i].key, input + 4, 8);
        read_hex(published[i].stream, input + 14, 2);
        read_hex(published[i].blocks, expected, 2 * WORDS);
        FOR_EACH_WAY (chacha_way, way, chacha_ways) {
            uint32_t words[2 * WORDS];
            way->run(input, 8, words, 2);
            assert_memory_equal(words, expected, sizeof expected);
        }
    }
}

/* However many blocks, wherever they are put, also where the counter carries into its high word, and wraps there. */
UNIT_TEST(every_way_gives_what_plain_c_gives_block_by_block_and_writes_no_more)
{
    static const uint64_t limits[] = {40000, (uint64_t)1 << 32, 0x12345678ffffffff, 0};
    static const int rounds[] = {2, 8, 12, 20};

    assert_string_equal(plain_way()->name, "plain");
    for (size_t limit = 0; limit < sizeof limits / sizeof *limits; limit++) {
        for (size_t blocks = 0; blocks <= BLOCKS_MAX; blocks++) {
            const size_t shift = blocks % WORDS;
            uint32_t input[WORDS], expected[(BLOCKS_MAX + 2) * WORDS], words[(BLOCKS_MAX + 2) * WORDS];

            memset(expected, 0xee, sizeof expected);
            for (size_t i = 0; i < blocks; i++) {
                make_input(input, limits[limit] - blocks / 2 + i);
                plain_way()->run(input, rounds[limit], expected + shift + i * WORDS, 1);
            }
            make_input(input, limits[limit] - blocks / 2);
            FOR_EACH_WAY (chacha_way, way, chacha_ways) {
                memset(words, 0xee, sizeof words);
                way->run(input, rounds[limit], words + shift, blocks);
                assert_memory_equal(words, expected, sizeof expected);
            }
            memset(words, 0xee, sizeof words);
            chacha_blocks(input, rounds[limit], words + shift, blocks);
            assert_memory_equal(words, expected, sizeof expected);
        }
    }
}
