/* The framing of files does not depend on how their records come in pieces. */

#include <stdint.h>
#include <string.h>

#include "support/unit.h"

#include "output/framing.h"

static char written[40960];
static size_t written_bytes, writes;

static void collect(void *context, const void *data, size_t bytes)
{
    (void)context;
    writes++;
    memcpy(written + written_bytes, data, bytes);
    written_bytes += bytes;
}

/* What becomes of `records`, in pieces of `piece` bytes. */
static const char *framed(const struct framing *framing, const char *records, size_t piece)
{
    struct framing_file file;
    uint8_t data[512];
    size_t bytes = strlen(records);

    written_bytes = writes = 0;
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)records[i];
    framing_begin(&file, framing, collect, NULL);
    for (size_t at = 0; at < bytes; at += piece)
        framing_write(&file, data + at, bytes - at < piece ? bytes - at : piece);
    written[written_bytes] = '\0';
    return written;
}

UNIT_TEST(without_framing_bytes_pass_through)
{
    struct framing framing = {0};

    assert_string_equal(framed(&framing, "a\nb\n", 3), "a\nb\n");
    assert_int_equal(writes, 2);
    assert_string_equal(framed(&framing, "", 1), "");
}

UNIT_TEST(marks_of_groups_are_left_out)
{
    struct framing framing = {
        .format = {.grouped = true, .delimiter = '\n'}, .header = (const uint8_t *)"h.\n", .header_bytes = 3};

    for (size_t piece = 1; piece < 20; piece++)
        assert_string_equal(framed(&framing, ".a+\n+\n+b\n..\n+\n.", piece), "h.\n.a+\n\nb\n.\n\n");
}

UNIT_TEST(a_header_comes_first_even_without_records)
{
    struct framing framing = {.header = (const uint8_t *)"h1\nh2\n", .header_bytes = 6};

    assert_string_equal(framed(&framing, "a\n", 1), "h1\nh2\na\n");
    assert_string_equal(framed(&framing, "", 1), "h1\nh2\n");
}

UNIT_TEST(every_translated_byte_changes_and_no_other)
{
    struct framing framing = {
        .translates = true, .from = ';', .to = '\n', .header = (const uint8_t *)";", .header_bytes = 1};

    assert_string_equal(framed(&framing, "a;b\n;;", 2), ";a\nb\n\n\n");
}

UNIT_TEST(the_start_moves_from_the_end_to_the_beginning)
{
    struct framing framing = {
        .start = (const uint8_t *)">>>", .start_bytes = 3, .header = (const uint8_t *)"h\n", .header_bytes = 2};

    for (size_t piece = 1; piece < 24; piece++) {
        assert_string_equal(framed(&framing, "one\n>>>two\n2\n>>>\n>>>", piece), "h\n>>>one\n>>>two\n2\n>>>\n");
        assert_string_equal(framed(&framing, "\n>>>", piece), "h\n>>>\n");
        assert_string_equal(framed(&framing, "", piece), "h\n");
    }
}

/* Of an archive that consists of so many blocks of records. */
static size_t archive_bytes(size_t blocks)
{
    const struct framing framing = {.format = {.kind = &tar_kind}};
    struct framing_file file;
    uint8_t block[512] = {1};

    memset(written, 1, sizeof written);
    written_bytes = 0;
    framing_begin(&file, &framing, collect, NULL);
    for (size_t i = 0; i < blocks; i++)
        framing_write(&file, block, sizeof block);
    framing_end(&file);
    for (size_t i = 512 * blocks; i < written_bytes; i++)
        assert_int_equal(written[i], 0);
    return written_bytes;
}

UNIT_TEST(archives_end_with_two_blocks_of_zeros_and_have_whole_tape_records)
{
    assert_int_equal(archive_bytes(0), 10240);
    assert_int_equal(archive_bytes(1), 10240);
    assert_int_equal(archive_bytes(18), 10240);
    assert_int_equal(archive_bytes(19), 20480);
    assert_int_equal(archive_bytes(20), 20480);
    assert_int_equal(archive_bytes(38), 20480);
    assert_int_equal(archive_bytes(39), 30720);
}

UNIT_TEST(what_fits_into_an_archive_leaves_room_for_its_end)
{
    const struct framing archive = {.format = {.kind = &tar_kind}}, lines = {.format = {.delimiter = '\n'}};

    for (uint64_t bytes = 10240; bytes < 40960; bytes += 511) {
        const uint64_t room = framing_room(&archive, bytes);

        assert_true(archive_bytes((size_t)room / 512) <= bytes);
        assert_true(archive_bytes((size_t)room / 512 + 1) > bytes);
    }
    assert_int_equal(framing_room(&archive, 10239), 0);
    assert_int_equal(framing_room(&lines, 10239), 10239);
}
