/* The framing of files does not depend on how their records come in pieces. */

#include "support/reports.h"
#include "support/unit.h"

#include "output/framing.h"

enum { ARCHIVE_BYTES = 40960 };

static uint8_t written[ARCHIVE_BYTES];

/* What has come into the file, which is gone then. */
static size_t read_written(struct sink *sink)
{
    int fd;
    ssize_t bytes;

    sink_complete(sink);
    fd = open(sink_temporary_name(sink), O_RDONLY);
    bytes = read(fd, written, sizeof written);
    assert_true(bytes >= 0);
    close(fd);
    sink_free(sink);
    return (size_t)bytes;
}

/* What becomes of `records`, in pieces of any size. */
static void assert_framed(const struct framing *framing, const char *records, const char *wanted)
{
    const size_t bytes = strlen(records);

    for (size_t piece = 1; piece <= bytes + 1; piece++) {
        struct sink *sink = sink_open("F");
        struct framing_file file;
        uint8_t data[64];

        for (size_t i = 0; i < bytes; i++)
            data[i] = (uint8_t)records[i];
        framing_begin(&file, framing, sink, NULL);
        for (size_t at = 0; at < bytes; at += piece)
            framing_write(&file, data + at, bytes - at < piece ? bytes - at : piece);
        framing_end(&file);
        assert_int_equal(read_written(sink), strlen(wanted));
        assert_memory_equal(written, wanted, strlen(wanted));
    }
}

UNIT_TEST_IN(a_header_comes_first_and_only_records_are_changed, reports_setup, reports_teardown)
{
    const struct framing none = {.start_bytes = 0};
    const struct framing marks = {
        .format = {.grouped = true, .delimiter = '\n'}, .header = (const uint8_t *)"h.\n", .header_bytes = 3};
    const struct framing translated = {
        .translates = true, .from = ';', .to = '\n', .header = (const uint8_t *)";", .header_bytes = 1};
    const struct framing start = {
        .start = (const uint8_t *)">>>", .start_bytes = 3, .header = (const uint8_t *)"h\n", .header_bytes = 2};

    assert_framed(&none, "a\nb\n", "a\nb\n");
    assert_framed(&none, "", "");
    assert_framed(&marks, ".a+\n+\n+b\n..\n+\n.", "h.\n.a+\n\nb\n.\n\n");
    assert_framed(&marks, "", "h.\n");
    assert_framed(&translated, "a;b\n;;", ";a\nb\n\n\n");
    assert_framed(&start, "one\n>>>two\n2\n>>>\n>>>", "h\n>>>one\n>>>two\n2\n>>>\n");
    assert_framed(&start, "\n>>>", "h\n>>>\n");
    assert_framed(&start, "", "h\n");
}

/* Of an archive that consists of so many blocks of records. */
static size_t archive_bytes(size_t blocks)
{
    const struct framing framing = {.format = {.kind = &tar_kind}};
    struct sink *sink = sink_open("F");
    struct framing_file file;
    uint8_t block[512] = {1};
    size_t bytes;

    framing_begin(&file, &framing, sink, NULL);
    for (size_t i = 0; i < blocks; i++)
        framing_write(&file, block, sizeof block);
    framing_end(&file);
    bytes = read_written(sink);
    for (size_t i = 512 * blocks; i < bytes; i++)
        assert_int_equal(written[i], 0);
    return bytes;
}

UNIT_TEST_IN(archives_end_with_two_blocks_of_zeros_and_have_whole_tape_records, reports_setup, reports_teardown)
{
    static const size_t cases[][2] = {{0, 10240},  {1, 10240},  {18, 10240}, {19, 20480},
                                      {20, 20480}, {38, 20480}, {39, 30720}};
    const struct framing archive = {.format = {.kind = &tar_kind}}, lines = {.format = {.delimiter = '\n'}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(archive_bytes(cases[i][0]), cases[i][1]);
    for (uint64_t bytes = 10240; bytes < 40960; bytes += 511) {
        const uint64_t room = framing_room(&archive, bytes);

        assert_true(archive_bytes((size_t)room / 512) <= bytes && archive_bytes((size_t)room / 512 + 1) > bytes);
    }
    assert_int_equal(framing_room(&archive, 10239), 0);
    assert_int_equal(framing_room(&lines, 10239), 10239);
}
