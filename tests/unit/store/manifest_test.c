/* A manifest says what was written, and nothing else is taken for one. */

/* tags: bytes */

#include "support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/xxh64.h"
#include "store/manifest.h"

enum { PILES = 4, INPUTS = 5, TEXT_ROOM = 4096 };

static const char head[] = "bigshuf batch 1\n"
                           "key 000102030405060708090a0b0c0d0eff\n"
                           "header 12 0123456789abcdef\n";
static const char inputs[] = "input 688895 corpus/a.txt\n"
                             "input - -\n"
                             "input 0 \n"
                             "input 18446744073709551614 two\\012lines \\134 \\177\\001\n"
                             "input 7 \303\244 \377\n";
static const char piles[] = "piles 4\n"
                            "0000                 1234                56789 0123456789abcdef\n"
                            "0001                    0                    0 ef46db3751d8e999\n"
                            "0002  9223372036854719016  9223372036854719016 ffffffffffffffff\n"
                            "0003                    1                    2 0000000000000000\n";

static const struct manifest_input input[INPUTS] = {
    {"corpus/a.txt", 688895}, {"-", MANIFEST_UNKNOWN}, {"", 0}, {"two\nlines \\ \177\1", MANIFEST_UNKNOWN - 1},
    {"\303\244 \377", 7},
};

/* With the others, all that there may be. */
#define MOST (INT64_MAX - 56789 - 2)

static struct manifest_pile pile[PILES] = {
    {1234, 56789, 0x0123456789abcdef},
    {0, 0, 0xef46db3751d8e999},
    {MOST, MOST, UINT64_MAX},
    {1, 2, 0},
};

static struct manifest example(void)
{
    struct manifest manifest = {
        .header_bytes = 12,
        .header_checksum = 0x0123456789abcdef,
        .pile = pile,
        .piles = PILES,
    };

    manifest_set_inputs(&manifest, input, INPUTS);
    for (int i = 0; i < MANIFEST_KEY_BYTES; i++)
        manifest.key[i] = (uint8_t)i;
    manifest.key[MANIFEST_KEY_BYTES - 1] = 0xff;
    return manifest;
}

/* The lines and their checksum. Returns their length. */
static size_t seal(char text[TEXT_ROOM], const char *one, const char *two, const char *three)
{
    size_t length = (size_t)snprintf(text, TEXT_ROOM, "%s%s%s", one, two, three);
    struct xxh64 checksum;

    xxh64_init(&checksum, 0);
    xxh64_update(&checksum, text, length);
    return length +
           (size_t)snprintf(text + length, TEXT_ROOM - length, "checksum %016" PRIx64 "\n", xxh64_value(&checksum));
}

/* The text is in a piece of memory of its own, so that a tool sees what is read beyond. */
static bool is_refused(const char *text, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    struct manifest manifest;
    bool refused;

    assert_non_null(copy);
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    refused = !manifest_parse(&manifest, copy, bytes);
    manifest_release(&manifest);
    free(copy);
    return refused;
}

static bool are_refused(const char *one, const char *two, const char *three)
{
    char text[TEXT_ROOM];
    size_t bytes = seal(text, one, two, three);

    return is_refused(text, bytes);
}

UNIT_TEST(what_is_written_is_this_to_the_byte_and_comes_back)
{
    struct manifest manifest = example(), after;
    char expected[TEXT_ROOM];
    const size_t expected_bytes = seal(expected, head, inputs, piles);
    size_t bytes;
    char *text = manifest_text(&manifest, &bytes);

    assert_int_equal(bytes, expected_bytes);
    assert_memory_equal(text, expected, bytes);
    assert_int_equal(strncmp(text + manifest.piles_at, "0000 ", 5), 0);
    assert_true(manifest_parse(&after, text, bytes));
    assert_int_equal(after.piles_at, manifest.piles_at);
    assert_int_equal(after.bytes, INT64_MAX);
    assert_false(after.known);
    assert_null(manifest_difference(&manifest, &after, true));
    manifest_release(&after);
    manifest_release(&after);
    free(text);
}

UNIT_TEST(how_inputs_were_read_comes_back)
{
    struct manifest before = example(), after;
    size_t bytes;
    char *text;

    before.decompressed = true;
    text = manifest_text(&before, &bytes);
    assert_true(manifest_parse(&after, text, bytes));
    assert_true(after.decompressed);
    manifest_release(&after);
    free(text);
}

/* Whoever can write a manifest can write its checksum. */
UNIT_TEST(numbers_of_piles_that_make_no_sense_are_refused)
{
    static const struct {
        const char *piles;
        bool good;
    } some[] = {
        {"piles 1\n0000                    0                    1 0000000000000000\n", false},
        {"piles 1\n0000                    1                    0 0000000000000000\n", false},
        {"piles 1\n0000                    1                    1 0000000000000000\n", true},
        {"piles 1\n0000                    3                    2 0000000000000000\n", false},
        {"piles 01\n0000                    1                    1 0000000000000000\n", false},
        {"piles  1\n0000                    1                    1 0000000000000000\n", false},
        {"piles 1\n0000                    1  9223372036854775807 0000000000000000\n", true},
        {"piles 1\n0000                    1  9223372036854775808 0000000000000000\n", false},
        {("piles 2\n0000                    1  9223372036854775806 0000000000000000\n"
          "0001                    1                    1 0000000000000000\n"),
         true},
        {("piles 2\n0000                    1  9223372036854775807 0000000000000000\n"
          "0001                    1                    1 0000000000000000\n"),
         false},
    };
    struct manifest_pile found;

    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        if (are_refused(head, inputs, some[i].piles) == some[i].good)
            fail_msg("wrong: %s", some[i].piles);
    assert_false(manifest_parse_pile(strchr(some[0].piles, '\n') + 1, 0, &found));
    assert_true(manifest_parse_pile(strchr(some[2].piles, '\n') + 1, 0, &found));
}

UNIT_TEST(every_byte_matters_and_so_does_every_length)
{
    char text[TEXT_ROOM] = "";
    const size_t bytes = seal(text, head, inputs, piles);

    assert_false(is_refused(text, bytes));
    for (size_t i = 0; i < bytes; i++) {
        for (unsigned bit = 1; bit < 256; bit *= 2) {
            text[i] = (char)(text[i] ^ (char)bit);
            if (!is_refused(text, bytes))
                fail_msg("byte %zu may be %02x", i, (unsigned char)text[i]);
            text[i] = (char)(text[i] ^ (char)bit);
        }
        if (!is_refused(text, i))
            fail_msg("%zu bytes are enough", i);
    }
    assert_true(is_refused(text, bytes + 1)); /* a NUL byte */
}

/* Each text has the right checksum. */
UNIT_TEST(what_could_have_been_written_in_another_way_is_refused)
{
    static const char *const other_heads[] = {
        "bigshuf batch 2\nkey 000102030405060708090a0b0c0d0eff\nheader 12 0123456789abcdef\n",
        "bigshuf batch 1\nkey 000102030405060708090A0b0c0d0eff\nheader 12 0123456789abcdef\n",
        "bigshuf batch 1\nkey 000102030405060708090a0b0c0d0e\nheader 12 0123456789abcdef\n",
        "bigshuf batch 1\nkey  000102030405060708090a0b0c0d0eff\nheader 12 0123456789abcdef\n",
        "bigshuf batch 1\nkey 000102030405060708090a0b0c0d0eff\nheader 012 0123456789abcdef\n",
        "bigshuf batch 1\nkey 000102030405060708090a0b0c0d0eff\nheader 12 123456789abcdef\n",
        "bigshuf batch 1\nkey 000102030405060708090a0b0c0d0eff\nheader 18446744073709551616 0123456789abcdef\n",
        "bigshuf batch 1\nkey 000102030405060708090a0b0c0d0eff\n",
        "bigshuf batch 1\nheader 12 0123456789abcdef\nkey 000102030405060708090a0b0c0d0eff\n",
        "key 000102030405060708090a0b0c0d0eff\nheader 12 0123456789abcdef\n",
        "",
    };
    static const char *const other_inputs[] = {"inputs 1 a\n", "input 1 a\n\n", "input 1 a\ninput ", "key 0\n"};
    static const char *const other_piles[] = {
        "",
        "piles 0\n0000                    0                    0 0000000000000000\n",
        "piles 1\n",
        "piles 1\n0001                    0                    0 0000000000000000\n",
        "piles 1\n0000 0 0 0000000000000000\n",
        "piles 1\n0000 00000000000000000000                    0 0000000000000000\n",
        "piles 1\n0000                   0                     0 0000000000000000\n",
        "piles 1\n0000 18446744073709551616                    0 0000000000000000\n",
        "piles 1\n0000                    0                    0 000000000000000F\n",
        "piles 1\n0000                    0                    0 0000000000000000\n\n",
        ("piles 2\n0000                    0                    0 0000000000000000\n"
         "0000                    0                    0 0000000000000000\n"),
        "piles 4294967296\n",
        "piles 1\n0000                    0                    0 0000000000000000\ninput 1 a\n",
    };

    for (size_t i = 0; i < sizeof other_heads / sizeof other_heads[0]; i++)
        if (!are_refused(other_heads[i], inputs, piles))
            fail_msg("not refused: %s", other_heads[i]);
    for (size_t i = 0; i < sizeof other_inputs / sizeof other_inputs[0]; i++)
        if (!are_refused(head, other_inputs[i], piles))
            fail_msg("not refused: %s", other_inputs[i]);
    for (size_t i = 0; i < sizeof other_piles / sizeof other_piles[0]; i++)
        if (!are_refused(head, inputs, other_piles[i]))
            fail_msg("not refused: %s", other_piles[i]);
    assert_false(are_refused(head, "", piles));
    assert_false(are_refused(head, inputs, "piles 0\n"));
}

UNIT_TEST(the_line_of_a_pile_can_be_read_by_itself)
{
    static const char good[] = "0007                 1234                56789 0123456789abcdef\n";
    struct manifest_pile found;
    char line[sizeof good];

    assert_int_equal(sizeof good - 1, MANIFEST_PILE_BYTES);
    assert_true(manifest_parse_pile(good, 7, &found));
    assert_int_equal(found.records, 1234);
    assert_int_equal(found.bytes, 56789);
    assert_int_equal(found.checksum, 0x0123456789abcdef);
    assert_false(manifest_parse_pile(good, 6, &found));
    for (size_t i = 0; i < MANIFEST_PILE_BYTES; i++) /* other digits, or fewer, would be another pile's */
        for (const char *wrong = "gF-+,.x\n\t\r/:`\177\377"; *wrong != '\0'; wrong++) {
            memcpy(line, good, sizeof line);
            line[i] = *wrong;
            if (line[i] != good[i] && manifest_parse_pile(line, 7, &found))
                fail_msg("byte %zu may be %02x", i, (unsigned)(unsigned char)*wrong);
        }
}

/* Of inputs, and then of what the piles hold. */
UNIT_TEST(it_is_said_how_manifests_differ)
{
    struct manifest one = example(), other;
    struct manifest_input others[INPUTS];
    struct manifest_pile piles_of_other[PILES];
    static const char *const said[] = {"with another seed", "of other inputs", "of other data"};

    for (int what = 0; what < 10; what++) {
        const char *expected = what == 0 ? NULL : said[what == 1 ? 0 : what < 6 ? 1 : 2];

        memcpy(others, input, sizeof others);
        memcpy(piles_of_other, pile, sizeof piles_of_other);
        others[0].bytes += what == 2;
        others[0].bytes = what == 3 ? MANIFEST_UNKNOWN : others[0].bytes;
        others[INPUTS - 1].name = what == 4 ? "other" : others[INPUTS - 1].name;
        other = example();
        manifest_set_inputs(&other, others, what == 5 ? INPUTS - 1 : INPUTS);
        other.key[MANIFEST_KEY_BYTES - 1] ^= what == 1;
        other.pile = piles_of_other;
        piles_of_other[PILES - 1].records += what == 6;
        piles_of_other[0].checksum ^= what == 7;
        other.header_bytes += what == 8;
        other.header_checksum += what == 9;
        if (expected == NULL)
            assert_null(manifest_difference(&one, &other, true));
        else
            assert_string_equal(manifest_difference(&one, &other, true), expected);
        assert_int_equal(manifest_difference(&one, &other, false) == NULL, what == 0 || what > 5);
    }
    assert_false(one.known);
    manifest_set_inputs(&one, input, 1);
    assert_true(one.known);
}
