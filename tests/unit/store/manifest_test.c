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
    struct manifest_pile found;
    char expected[TEXT_ROOM];
    const size_t expected_bytes = seal(expected, head, inputs, piles);
    size_t bytes;
    char *text = manifest_text(&manifest, &bytes);

    assert_int_equal(bytes, expected_bytes);
    assert_memory_equal(text, expected, bytes);
    assert_true(manifest_parse_pile(text + manifest.piles_at + MANIFEST_PILE_BYTES, 1, &found));
    assert_int_equal(found.checksum, 0xef46db3751d8e999);
    assert_false(manifest_parse_pile(text + manifest.piles_at, 1, &found));
    assert_true(manifest_parse(&after, text, bytes));
    assert_int_equal(after.piles_at, manifest.piles_at);
    assert_int_equal(after.bytes, INT64_MAX);
    assert_false(after.known);
    assert_null(manifest_difference(&manifest, &after, true));
    manifest_release(&after);
    manifest_release(&after);
    free(text);
}

/* Whoever can write a manifest can write its checksum. */
UNIT_TEST(numbers_of_piles_that_make_no_sense_are_refused)
{
    static const struct {
        uint64_t records, bytes, bytes_of_next; /* which has a record, if any */
        bool good;
    } rows[] = {
        {0, 0, 0, true},
        {0, 1, 0, false},
        {1, 0, 0, false},
        {1, 1, 0, true},
        {3, 2, 0, false},
        {1, INT64_MAX, 0, true},
        {1, (uint64_t)INT64_MAX + 1, 0, false},
        {1, INT64_MAX - 1, 1, true},
        {1, INT64_MAX, 1, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char form[] = "piles 2\n%s %20" PRIu64 " %20" PRIu64 " 0000000000000000\n";
        char text[256];
        int at = snprintf(text, sizeof text, form, "0000", rows[i].records, rows[i].bytes);

        (void)snprintf(text + at, sizeof text - (size_t)at, strchr(form, '%'), "0001",
                       (uint64_t)(rows[i].bytes_of_next > 0), rows[i].bytes_of_next);
        assert_int_equal(are_refused(head, inputs, text), !rows[i].good);
    }
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

/* A text with the right checksum is what would be written for it, or refused. */
static void assert_one_way(const char *before, const char *changed, const char *after)
{
    char text[TEXT_ROOM], *again;
    const size_t bytes = seal(text, before, changed, after);
    struct manifest manifest;
    size_t again_bytes;

    if (!manifest_parse(&manifest, text, bytes))
        return;
    again = manifest_text(&manifest, &again_bytes);
    if (again_bytes != bytes || memcmp(again, text, bytes) != 0)
        fail_msg("not refused: %s", text);
    free(again);
    manifest_release(&manifest);
}

/* One without inputs, whose lines nobody reads: each byte is another, or is there once more, or not at all. */
UNIT_TEST(there_is_one_way_to_write_a_manifest)
{
    static const char likely[] = "0123456789abcdefFk -\n";
    char text[TEXT_ROOM];
    const size_t bytes = (size_t)snprintf(text, sizeof text, "%s%s", head, piles);

    for (size_t i = 0; i < bytes; i++) {
        char before[TEXT_ROOM] = "", other[2] = "";

        memcpy(before, text, i);
        assert_one_way(before, "", text + i + 1);
        assert_one_way(before, "", i > 0 && text[i - 1] == '\n' ? strchr(text + i, '\n') + 1 : "");
        for (size_t k = 0; likely[k] != '\0'; k++) {
            other[0] = likely[k];
            assert_one_way(before, other, text + i + 1);
            assert_one_way(before, other, text + i);
        }
    }
}

UNIT_TEST(what_is_no_list_of_inputs_or_of_piles_is_refused)
{
    static const char *const other_inputs[] = {"inputs 1 a\n", "input 1 a\n\n", "input 1 a\ninput ", "key 0\n"};
    static const char *const other_piles[] = {"", "piles 288230376151711744\n" /* times 64 is 2^64 */};

    for (size_t i = 0; i < sizeof other_inputs / sizeof other_inputs[0]; i++)
        assert_true(are_refused(head, other_inputs[i], piles));
    for (size_t i = 0; i < sizeof other_piles / sizeof other_piles[0]; i++)
        assert_true(are_refused(head, inputs, other_piles[i]));
    assert_false(are_refused(head, "", piles));
    assert_false(are_refused(head, inputs, "piles 0\n"));
}
