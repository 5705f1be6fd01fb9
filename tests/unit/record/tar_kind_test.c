/* The ends of members are the same wherever the stream is cut, and those that the headers say, read one by one. */

#include "support/tar_archive.h"
#include "support/unit.h"

#include "record/record.h"

enum { MEMBERS_MAX = 64 };

static const struct record_format members_of_tar = {.kind = &tar_kind};

static struct tar_archive archive;
static uint32_t expected[MEMBERS_MAX];
static size_t members;

/* The plain twin: the headers of each member are read, and its data counted. */
static void read_members(void)
{
    static uint8_t collected[TAR_HEADERS_BYTES_MAX];
    struct tar_headers headers = {.data = collected};
    struct tar_member member;
    const char *why;

    members = 0;
    for (size_t at = 0; at < archive.bytes; at = expected[members++]) {
        tar_headers_begin(&headers);
        do {
            memcpy(collected, archive.data + at, headers.wanted);
            headers.bytes = headers.wanted;
        } while (tar_headers_look(&headers, &member, &why) == TAR_MORE);
        assert_string_equal(why != NULL ? why : "", "");
        expected[members] = (uint32_t)(at + headers.bytes + member.data_bytes);
    }
}

/* One of each kind. */
static void fill(void)
{
    archive.bytes = 0;
    tar_archive_add(&archive, '0', "0001.txt", "");
    tar_archive_add(&archive, '0', "0001.cls", "5");
    tar_archive_add(&archive, 'x', "PaxHeaders/0002", "21 path=0002.jpg.012\n12 size=700\n16 mtime=1234.5\n");
    tar_archive_header(&archive, '0', "0002.jpg", 0);
    tar_archive_data(&archive, (char[700]){1}, 700);
    tar_archive_add(&archive, 'x', "PaxHeaders/0003", "13 size=1024\n8 size=\n14 sized=1024\n13 msize=600\n");
    tar_archive_add(&archive, '0', "0003.jpg", "size is not in pax");
    tar_archive_add(&archive, 'x', "PaxHeaders/0003", "13 size=1024\n");
    tar_archive_add(&archive, 'L', "././@LongLink", "a name that is not very long");
    tar_archive_add(&archive, 'K', "././@LongLink", "a name");
    tar_archive_header(&archive, '0', "0004.jpg", 0);
    tar_archive_data(&archive, (char[1024]){'9', ' '}, 1024);
    tar_archive_add(&archive, '5', "directory/", "");
    tar_archive_header(&archive, '7', "0005.jpg", 0);
    memcpy(archive.data + archive.header + 124, "\x80\0\0\0\0\0\0\0\0\0\3\1", 12);
    tar_archive_sum(&archive);
    tar_archive_data(&archive, (char[769]){2}, 769);
    tar_archive_header(&archive, '\0', "0006", 0);
    memset(archive.data + archive.header + 257, 0, 8);
    memcpy(archive.data + archive.header + 124, "      1001 ", 12);
    tar_archive_sum(&archive);
    tar_archive_data(&archive, (char[513]){3}, 513);
    read_members();
    assert_int_equal(members, 8);
}

/* Bytes come `step` at a time, ends `room` at a time. */
static void check(size_t step, size_t room)
{
    struct record_scan scan = {0};
    size_t found = 0;

    for (size_t at = 0, scanned; at < archive.bytes; at += scanned) {
        const size_t bytes = archive.bytes - at < step ? archive.bytes - at : step;
        uint8_t *piece = malloc(bytes);
        uint32_t ends[MEMBERS_MAX];
        size_t count;

        assert_non_null(piece);
        memcpy(piece, archive.data + at, bytes);
        count = record_ends(&members_of_tar, &scan, piece, bytes, ends, room, &scanned);
        assert_true(count <= room);
        assert_true(scanned == bytes || (count == room && scanned == ends[count - 1]));
        for (size_t i = 0; i < count; i++)
            assert_int_equal(at + ends[i], expected[found++]);
        free(piece);
    }
    assert_int_equal(found, members);
    assert_memory_equal(&scan, &(struct record_scan){0}, sizeof scan);
}

UNIT_TEST(members_end_where_their_headers_say)
{
    fill();
    for (size_t step = 1; step < 1100; step++)
        check(step, MEMBERS_MAX);
    for (size_t room = 1; room < 10; room++)
        check(archive.bytes, room);
}

UNIT_TEST(data_are_not_touched)
{
    const uint64_t bytes = (uint64_t)1 << 31;
    uint32_t end;
    size_t scanned;
    struct record_scan scan = {0};

    archive.bytes = 0;
    tar_archive_header(&archive, '0', "large", bytes);
    assert_int_equal(record_ends(&members_of_tar, &scan, archive.data, TAR_BLOCK_BYTES, &end, 1, &scanned), 0);
    /* Were one byte looked at, it would be of no memory. */
    assert_int_equal(record_ends(&members_of_tar, &scan, NULL, (size_t)bytes - 1, &end, 1, &scanned), 0);
    assert_int_equal(scanned, bytes - 1);
    assert_int_equal(record_ends(&members_of_tar, &scan, archive.data, 1, &end, 1, &scanned), 1);
    assert_int_equal(end, 1);
}
