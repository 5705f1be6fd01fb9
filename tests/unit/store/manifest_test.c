/* A manifest says what was written, and nothing else is taken for one. */

/* tags: bytes */

#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "store/manifest.h"

enum { PILES = 4, SPOTS = 6, AT = 5000, LIST_AT = MANIFEST_HEAD_BYTES + PILES * MANIFEST_PILE_BYTES };

/* Pile 0 has three extents, pile 2 none, and pile 3 two. */
static const struct manifest_spot spots[SPOTS] = {
    {{100, 10}, 0}, {{200, 1}, 3}, {{300, 20}, 0}, {{0, 100}, 1}, {{4996, 4}, 3}, {{400, 30}, 0},
};

static struct manifest example(struct manifest_pile pile[PILES])
{
    struct manifest manifest = {.decompressed = true,
                                .header_bytes = 12,
                                .header_checksum = 0x0123456789abcdef,
                                .pile = pile,
                                .piles = PILES,
                                .known = true};

    memcpy(manifest.key, "0123456789abcdef", MANIFEST_KEY_BYTES);
    manifest_add_input(&manifest, "corpus/a.txt", 688895);
    pile[0] = (struct manifest_pile){.records = 60, .bytes = 60, .checksum = 7};
    pile[1] = (struct manifest_pile){.records = 1, .bytes = 100, .checksum = UINT64_MAX};
    pile[2] = (struct manifest_pile){.checksum = 8};
    pile[3] = (struct manifest_pile){.records = 2, .bytes = 5, .checksum = 9};
    return manifest;
}

/* Malloc'd: the example, as it is written; *bytes of it. */
static uint8_t *written(size_t *bytes)
{
    struct manifest_pile pile[PILES];
    struct manifest manifest = example(pile);

    return manifest_write(&manifest, spots, SPOTS, AT, bytes);
}

/* Is it refused? The data are in a piece of memory of their own, so that a tool sees what is read beyond. */
static bool is_refused(const uint8_t *data, size_t bytes, uint64_t file_bytes)
{
    struct manifest_end end;
    struct manifest manifest = {.piles = 0};
    uint8_t *copy = malloc(bytes);
    bool refused;

    assert_non_null(copy);
    memcpy(copy, data, bytes);
    refused = !manifest_find(&end, copy + bytes - MANIFEST_END_BYTES, file_bytes) ||
              end.bytes + MANIFEST_END_BYTES > bytes || !manifest_parse(&manifest, copy, &end);
    manifest_release(&manifest);
    free(copy);
    return refused;
}

/* Make the checksums right again, as whoever can write a batch can. */
static void seal(uint8_t *data, size_t bytes)
{
    uint8_t *end = data + bytes - MANIFEST_END_BYTES;

    store64le(end + 24, xxh64(data, bytes - MANIFEST_END_BYTES));
    store64le(end + 32, xxh64(end, MANIFEST_END_BYTES - 8));
}

UNIT_TEST(what_is_written_comes_back)
{
    struct manifest_pile pile[PILES];
    struct manifest before = example(pile), after;
    struct manifest_extent extent;
    struct manifest_end end;
    size_t bytes;
    uint8_t *data = written(&bytes);

    assert_int_equal(bytes, LIST_AT + 3 * MANIFEST_EXTENT_BYTES + MANIFEST_END_BYTES);
    assert_true(manifest_find(&end, data + bytes - MANIFEST_END_BYTES, AT + bytes));
    assert_int_equal(end.at, AT);
    assert_true(manifest_parse(&after, data, &end));
    assert_null(manifest_difference(&before, &after, true));
    assert_true(after.known);
    assert_true(after.decompressed);
    assert_int_equal(after.records, 63);
    assert_int_equal(after.bytes, 165);
    assert_int_equal(after.pile[0].first.place, 100);
    assert_int_equal(after.pile[0].more, AT + LIST_AT);
    extent = manifest_load_extent(data + LIST_AT + MANIFEST_EXTENT_BYTES);
    assert_int_equal(extent.place, 400);
    assert_int_equal(after.pile[1].more, 0);
    assert_int_equal(after.pile[3].more, AT + LIST_AT + 2 * MANIFEST_EXTENT_BYTES);
    manifest_release(&after);
    manifest_release(&after);
    free(data);
}

UNIT_TEST(every_bit_matters_and_so_does_every_length)
{
    size_t bytes;
    uint8_t *data = written(&bytes);

    assert_false(is_refused(data, bytes, AT + bytes));
    for (size_t i = 0; i < bytes; i++)
        for (unsigned bit = 1; bit < 256; bit *= 2) {
            data[i] = (uint8_t)(data[i] ^ bit);
            if (!is_refused(data, bytes, AT + bytes))
                fail_msg("byte %zu may be %02x", i, data[i]);
            data[i] = (uint8_t)(data[i] ^ bit);
        }
    assert_true(is_refused(data, bytes, AT + bytes + 1));
    assert_true(is_refused(data, bytes, AT + bytes - 1));
    assert_true(is_refused(data, bytes, bytes));
    free(data);
}

/* Number `column` of those of a pile, or, as if it were one more, of the list of extents. */
UNIT_TEST(numbers_that_make_no_sense_are_refused_whatever_the_checksum)
{
    static const struct {
        unsigned pile, column;
        uint64_t number;
        bool good;
    } rows[] = {
        {0, 0, 0, false},          {0, 0, 59, true},
        {0, 0, 61, false},         {0, 1, 0, false},
        {0, 1, 59, false},         {0, 1, 61, false},
        {0, 1, UINT64_MAX, false}, {0, 2, 1, true},
        {0, 3, 4990, true},        {0, 3, 4991, false},
        {0, 3, UINT64_MAX, false}, {0, 4, 0, false},
        {0, 4, 9, false},          {0, 4, UINT64_MAX, false},
        {0, 5, 0, false},          {0, 5, AT + LIST_AT + 16, false},
        {2, 0, 1, false},          {2, 1, 1, false},
        {2, 3, 1, false},          {2, 4, 1, false},
        {2, 5, 1, false},          {1, 5, AT + LIST_AT, false},
        {4, 0, 4980, true},        {4, 0, 4981, false},
        {4, 1, 19, false},         {4, 1, 21, false},
        {4, 5, 0, false},          {4, 4, INT64_MAX, false},
    };
    size_t bytes;
    uint8_t *data = written(&bytes);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t *at = data + MANIFEST_HEAD_BYTES + rows[i].pile * MANIFEST_PILE_BYTES + 8 * rows[i].column;
        const uint64_t before = load64le(at);

        store64le(at, rows[i].number);
        seal(data, bytes);
        if (is_refused(data, bytes, AT + bytes) == rows[i].good)
            fail_msg("row %zu", i);
        store64le(at, before);
    }
    for (unsigned piles = 0; piles <= PILES + 2; piles++) {
        store64le(data + MANIFEST_HEAD_BYTES - 8, piles);
        seal(data, bytes);
        assert_int_equal(is_refused(data, bytes, AT + bytes), piles != PILES);
    }
    store64le(data + MANIFEST_HEAD_BYTES - 8, PILES);
    store64le(data + MANIFEST_KEY_BYTES, 4); /* a flag that nobody knows */
    seal(data, bytes);
    assert_true(is_refused(data, bytes, AT + bytes));
    free(data);
}

/* What piles have together is no more than there is. */
UNIT_TEST(extents_that_overlap_make_no_more_of_it)
{
    struct manifest_pile pile[2] = {{.records = 1, .bytes = 60}, {.records = 1, .bytes = 40}};
    struct manifest_spot both[2] = {{{0, 60}, 0}, {{0, 40}, 1}};
    struct manifest manifest = {.pile = pile, .piles = 2};
    size_t bytes;
    uint8_t *data = manifest_write(&manifest, both, 2, 100, &bytes);

    assert_false(is_refused(data, bytes, 100 + bytes));
    free(data);
    data = manifest_write(&manifest, both, 2, 99, &bytes);
    assert_true(is_refused(data, bytes, 99 + bytes));
    free(data);
}

UNIT_TEST(inputs_are_told_apart_by_names_sizes_and_order)
{
    struct manifest one = {.known = true}, other = {.known = true};

    manifest_add_input(&one, "a", 1);
    manifest_add_input(&one, "b", MANIFEST_UNKNOWN);
    assert_false(one.known);
    manifest_add_input(&other, "a", 1);
    manifest_add_input(&other, "b", 2);
    assert_true(other.known);
    assert_int_not_equal(one.digest, other.digest);
    other = (struct manifest){.known = true};
    manifest_add_input(&other, "b", MANIFEST_UNKNOWN);
    manifest_add_input(&other, "a", 1);
    assert_string_equal(manifest_difference(&one, &other, false), "of other inputs");
}
