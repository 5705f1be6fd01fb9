/* Members of archives with a mark behind each, however they come in files and are read; and without marks, where they
 * are lent. What is told of archives is in archives.sh. */

#include "support/reports.h"
#include "support/tar_archive.h"
#include "support/unit.h"

#include "input/archive.h"
#include "record/record.h"

static struct tar_archive archive; /* of the file to come */
static struct source *source;

/* What is delivered when all is read, and lent: with marks behind records alone. */
static struct expected {
    uint8_t data[1 << 17];
    size_t bytes;
} marked, lent;

static int setup(void **state)
{
    source = NULL;
    archive.bytes = marked.bytes = lent.bytes = 0;
    return reports_setup(state);
}

static int teardown(void **state)
{
    source_free(source);
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

static void append(struct expected *expected, const void *data, size_t bytes)
{
    memcpy(expected->data + expected->bytes, data, bytes);
    expected->bytes += bytes;
}

/* A member, behind what has been put into the archive from `start` on for it, is delivered with this mark. */
static void add_behind(size_t start, char type, const char *name, const char *data, char mark)
{
    tar_archive_add(&archive, type, name, data);
    append(&marked, archive.data + start, archive.bytes - start);
    append(&marked, &mark, 1);
    append(&lent, archive.data + start, archive.bytes - start);
    append(&lent, &mark, mark == RECORD_ENDS);
}

static void add(char type, const char *name, const char *data, char mark)
{
    add_behind(archive.bytes, type, name, data, mark);
}

static void add_zeros(size_t blocks)
{
    for (; blocks > 0; blocks--)
        tar_archive_data(&archive, "", 1);
}

/* The archive becomes a file with so many blocks of zeros at its end. */
static void put(const char *name, size_t blocks)
{
    FILE *file = fopen(name, "w");

    add_zeros(blocks);
    assert_int_equal(fwrite(archive.data, 1, archive.bytes, file), archive.bytes);
    assert_int_equal(fclose(file), 0);
    archive.bytes = 0;
}

/* The source delivers so in pieces of so many bytes. */
static void assert_reads(size_t piece)
{
    uint8_t data[sizeof marked.data];
    size_t done = 0, got;

    do {
        assert_true(done + piece <= sizeof data);
        got = source_read(source, data + done, piece);
        done += got;
    } while (got == piece);
    assert_int_equal(done, marked.bytes);
    assert_memory_equal(data, marked.data, done);
    source_rewind(source);
}

/* The same, lent: behind each record that ends as the margin says, there is a mark. */
static void assert_lends(size_t piece)
{
    const struct record_format format = {.kind = &tar_kind, .margin = source_margin(source)};
    static struct expected seen;
    const uint8_t *data;
    size_t got;

    seen.bytes = 0;
    while ((got = source_lend(source, &data, piece)) > 0) {
        assert_in_range(got, 1, piece);
        for (size_t at = 0, scanned; at < got; at += scanned) {
            struct record_scan scan = {0};
            uint32_t end;
            const size_t found = record_ends(&format, &scan, data + at, got - at, &end, 1, &scanned);

            append(&seen, data + at, scanned);
            append(&seen, (const char[]){RECORD_ENDS}, found);
        }
    }
    assert_int_equal(seen.bytes, lent.bytes);
    assert_memory_equal(seen.data, lent.data, lent.bytes);
    source_rewind(source);
}

static void assert_delivered(const char *const *names, size_t count)
{
    static const size_t pieces[] = {1, 2, 511, 512, 513, 4000, 1 << 15};
    const struct source_layout layout = {.format = {.kind = &tar_kind}};
    uint64_t memory;

    source = source_open(names, count, &layout);
    archive_begin(source);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_reads(pieces[i]);
    source_free(source);
    source = source_open(names, count, &layout);
    archive_begin(source);
    assert_true(source_map(source, &memory));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_lends(pieces[i]);
    source_unmap(source);
    assert_null(source_margin(source));
    assert_reads(1000);
}

TEST(members_with_the_same_key_go_on)
{
    static const char *const names[] = {"a.tar"};

    add('0', "1.jpg", "picture", '+');
    add('0', "._1.json", "", '+');
    add('0', "1.json", "", '+');
    add('2', "1.link", "", '.');
    add('0', "2.jpg", "another", '.');
    add('5', "2", "", '.');
    add('5', "2", "", '.');
    add('0', "2.json", "{}", '+');
    tar_archive_add(&archive, 'x', "PaxHeaders/3", "14 path=2.cls\n");
    add_behind(archive.bytes - 2 * TAR_ARCHIVE_BLOCK, '0', "3", "4", '.');
    put("a.tar", 2);
    assert_delivered(names, 1);
}

TEST(records_end_with_their_archive)
{
    static const char *const names[] = {"empty.tar", "a.tar", "b.tar", "a.tar", "empty.tar"};

    put("empty.tar", 20);
    add('0', "1.a", "", '+');
    add('0', "1.b", "", '.');
    add_zeros(2);
    add('0', "1.c", "data", '.');
    put("a.tar", 3);
    add('0', "1.a", "", '.');
    add('0', "2.a", "b", '.');
    put("b.tar", 1);
    add('0', "1.a", "", '+');
    add('0', "1.b", "", '.');
    add('0', "1.c", "data", '.');
    assert_delivered(names, 5);
}

TEST(an_archive_without_members_has_none)
{
    static const char *const names[] = {"a.tar", "a.tar"};

    put("a.tar", 20);
    assert_delivered(names, 2);
}
