/* Members of archives with a mark behind each, however they come in files and are read; and without marks, where they
 * are lent. */

#include "support/reports.h"
#include "support/tar_archive.h"
#include "support/unit.h"

#include "input/archive.h"
#include "record/record.h"

enum { EXPECTED_BYTES = 1 << 18 };

static struct tar_archive archive;
static uint8_t expected[EXPECTED_BYTES], delivered[EXPECTED_BYTES];
static size_t expected_bytes;
static uint8_t expected_lent[EXPECTED_BYTES]; /* with marks behind records alone */
static size_t expected_lent_bytes;
static struct source *source;

static int setup(void **state)
{
    source = NULL;
    expected_bytes = expected_lent_bytes = 0;
    archive.bytes = 0;
    return reports_setup(state);
}

static int teardown(void **state)
{
    source_free(source);
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* What has been put into the archive from `start` on is delivered with this mark. */
static void expect(size_t start, char mark)
{
    memcpy(expected + expected_bytes, archive.data + start, archive.bytes - start);
    memcpy(expected_lent + expected_lent_bytes, archive.data + start, archive.bytes - start);
    expected_bytes += archive.bytes - start;
    expected_lent_bytes += archive.bytes - start;
    expected[expected_bytes++] = (uint8_t)mark;
    if (mark == RECORD_ENDS)
        expected_lent[expected_lent_bytes++] = RECORD_ENDS;
}

static void add(char type, const char *name, const char *data, char mark)
{
    const size_t start = archive.bytes;

    tar_archive_add(&archive, type, name, data);
    expect(start, mark);
}

/* The archive becomes a file with so many blocks of zeros at its end. */
static void put(const char *name, size_t blocks)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    for (; blocks > 0; blocks--)
        tar_archive_data(&archive, "", 1);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, archive.data, archive.bytes), archive.bytes);
    close(fd);
    archive.bytes = 0;
}

static void open_archives(const char *const *names, size_t count)
{
    const struct source_layout layout = {.format = {.kind = &tar_kind}};

    source_free(source);
    source = source_open(names, count, &layout);
    archive_begin(source);
}

/* All that is delivered, in pieces of so many bytes. */
static size_t read_all(size_t piece)
{
    size_t done = 0, got;

    do {
        got = source_read(source, delivered + done, piece);
        done += got;
    } while (got == piece);
    return done;
}

/* The same, lent: behind each record that ends as the margin says, there is a mark. */
static size_t lend_all(size_t piece)
{
    const struct record_format format = {.kind = &tar_kind, .margin = source_margin(source)};
    const uint8_t *data;
    size_t done = 0, got;

    while ((got = source_lend(source, &data, piece)) > 0) {
        assert_in_range(got, 1, piece);
        for (size_t at = 0, scanned; at < got; at += scanned) {
            struct record_scan scan = {0};
            uint32_t end;
            const size_t found = record_ends(&format, &scan, data + at, got - at, &end, 1, &scanned);

            memcpy(delivered + done, data + at, scanned);
            done += scanned;
            if (found > 0)
                delivered[done++] = RECORD_ENDS;
        }
    }
    return done;
}

static void assert_delivered(const char *const *names, size_t count)
{
    static const size_t pieces[] = {1, 2, 511, 512, 513, 4000, 1 << 17};
    uint64_t memory;

    open_archives(names, count);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        assert_int_equal(read_all(pieces[i]), expected_bytes);
        assert_memory_equal(delivered, expected, expected_bytes);
        source_rewind(source);
    }
    open_archives(names, count);
    assert_true(source_map(source, &memory));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        assert_int_equal(lend_all(pieces[i]), expected_lent_bytes);
        assert_memory_equal(delivered, expected_lent, expected_lent_bytes);
        source_rewind(source);
    }
    source_unmap(source);
    assert_null(source_margin(source));
    assert_int_equal(read_all(1000), expected_bytes);
    assert_memory_equal(delivered, expected, expected_bytes);
}

TEST(members_with_the_same_key_go_on)
{
    static const char *const names[] = {"a.tar"};
    size_t start;

    add('0', "1.jpg", "picture", '+');
    add('0', "._1.json", "", '+');
    add('0', "1.json", "", '+');
    add('2', "1.link", "", '.');
    add('0', "2.jpg", "another", '.');
    add('5', "2", "", '.');
    add('5', "2", "", '.');
    add('0', "2.json", "{}", '+');
    start = archive.bytes;
    tar_archive_add(&archive, 'x', "PaxHeaders/3", "14 path=2.cls\n");
    tar_archive_add(&archive, '0', "3", "4");
    expect(start, '.');
    put("a.tar", 2);
    assert_delivered(names, 1);
}

TEST(records_end_with_their_archive)
{
    static const char *const names[] = {"a.tar", "b.tar", "a.tar"};

    add('0', "1.a", "", '+');
    add('0', "1.b", "", '.');
    tar_archive_data(&archive, "", 1);
    tar_archive_data(&archive, "", 1);
    add('0', "1.c", "data", '.');
    put("a.tar", 3);
    add('0', "1.a", "", '.');
    add('0', "2.a", "b", '.');
    put("b.tar", 1);
    add('0', "1.a", "", '+');
    add('0', "1.b", "", '.');
    add('0', "1.c", "data", '.');
    assert_delivered(names, 3);
}

TEST(samples_that_are_torn_are_told_once)
{
    static const char *const names[] = {"good.tar", "torn.tar", "torn.tar"};
    static const char *const message =
        "bigshuf: warning: torn.tar: members of '1' do not follow each other, and are taken "
        "apart: tar --sort=name puts them together\n";
    uint64_t memory;

    tar_archive_add(&archive, '0', "1.jpg", "");
    put("good.tar", 2);
    tar_archive_add(&archive, '0', "1.cls", "");
    tar_archive_add(&archive, '0', "2.cls", "");
    tar_archive_add(&archive, '5', "1", "");
    tar_archive_add(&archive, '0', "1.jpg", "");
    tar_archive_add(&archive, '0', "2.jpg", "");
    put("torn.tar", 2);
    open_archives(names, 3);
    scratch_listen();
    assert_true(read_all(1000) > 0);
    source_rewind(source);
    assert_true(read_all(1000) > 0);
    assert_string_equal(scratch_heard(), message);
    open_archives(names, 3);
    assert_true(source_map(source, &memory));
    scratch_listen();
    assert_true(lend_all(1000) > 0);
    source_rewind(source);
    source_unmap(source);
    assert_true(read_all(1000) > 0);
    assert_string_equal(scratch_heard(), message);
}

TEST(an_archive_without_members_has_none)
{
    static const char *const names[] = {"a.tar", "a.tar"};

    put("a.tar", 20);
    assert_delivered(names, 2);
}

/* The archive, which becomes a file behind another one, is refused with this message. */
static void assert_refused(size_t blocks, const char *message)
{
    static const char *const names[] = {"good.tar", "bad.tar", "good.tar"};
    struct tar_archive bad = archive;
    uint64_t memory;

    archive.bytes = 0;
    tar_archive_add(&archive, '0', "good", "good");
    put("good.tar", 2);
    archive = bad;
    put("bad.tar", blocks);
    for (size_t piece = 1; piece < 5000; piece += 1111) {
        open_archives(names, 3);
        assert_ends(read_all(piece), message);
        open_archives(names, 3);
        assert_true(source_map(source, &memory));
        assert_ends(lend_all(piece), message);
    }
}

TEST(what_is_refused_is_told_with_its_place)
{
    tar_archive_add(&archive, '0', "1.a", "data");
    tar_archive_add(&archive, 'S', "2.a", "");
    assert_refused(2, "bigshuf: bad.tar: byte 1024: a sparse file, which cannot be moved: 2.a\n");
}

#define HARD_LINK                                                                                                      \
    "a hard link whose target is not an earlier member of the same sample, and could come after it when shuffled: "    \
    "pack again without hard links (GNU tar --hard-dereference)"

TEST(a_hard_link_leads_to_its_own_record)
{
    tar_archive_add(&archive, '0', "1.a", "data");
    tar_archive_add(&archive, '1', "1.b", "");
    tar_archive_set(&archive, 157, "1.a");
    tar_archive_add(&archive, '1', "2.b", "");
    tar_archive_set(&archive, 157, "2.a");
    assert_refused(2, "bigshuf: bad.tar: byte 1536: " HARD_LINK ": 2.b\n");
    tar_archive_add(&archive, '0', "2.a", "data");
    tar_archive_add(&archive, '1', "2.b", "");
    tar_archive_set(&archive, 157, "1.a");
    assert_refused(2, "bigshuf: bad.tar: byte 1024: " HARD_LINK ": 2.b\n");
}

TEST(a_file_that_ends_too_early_is_told)
{
    tar_archive_add(&archive, '0', "1.a", "data");
    assert_refused(0, "bigshuf: bad.tar: byte 1024: the file ends here, before its archive does\n");
    tar_archive_header(&archive, '0', "1.a", 1000);
    tar_archive_data(&archive, "data", 4);
    assert_refused(0, "bigshuf: bad.tar: byte 1024: the file ends here, before its archive does: 1.a\n");
    tar_archive_add(&archive, '0', "1.a", "data");
    tar_archive_add(&archive, 'L', "name", "2.a");
    assert_refused(0, "bigshuf: bad.tar: byte 2048: the file ends here, before its archive does: name\n");
    tar_archive_data(&archive, "", 1);
    tar_archive_add(&archive, '0', "1.a", "data");
    assert_refused(0, "bigshuf: bad.tar: byte 1536: the file ends here, before its archive does\n");
}

TEST(from_the_midst_of_a_block_on_nothing_is_lent)
{
    static const char *const names[] = {"-"};
    uint64_t memory;
    int fd;

    tar_archive_add(&archive, '0', "1.a", "data");
    expect(0, '.');
    memmove(archive.data + 3, archive.data, archive.bytes);
    archive.bytes += 3;
    put("a.tar", 0);
    assert_int_equal(truncate("a.tar", 3 + 4 * TAR_ARCHIVE_BLOCK), 0);
    fd = open("a.tar", O_RDONLY | O_CLOEXEC);
    assert_int_equal(dup2(fd, 0), 0);
    close(fd);
    assert_int_equal(lseek(0, 3, SEEK_SET), 3);
    open_archives(names, 1);
    assert_false(source_map(source, &memory));
    assert_int_equal(read_all(1000), expected_bytes);
    assert_memory_equal(delivered, expected, expected_bytes);
}

TEST(a_file_of_another_size_is_no_archive)
{
    const struct source_layout layout = {.format = {.kind = &tar_kind}};
    static const char *const names[] = {"short.tar"};

    assert_true(scratch_put("short.tar", "short", 0600));
    assert_ends(source_open(names, 1, &layout),
                "bigshuf: short.tar: truncated, or no tar archive: its size, 5 bytes, is not a multiple of 512\n");
}
