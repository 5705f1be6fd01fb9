#include "support/tar_archive.h"
#include "support/unit.h"

#include "record/record.h"
#include "record/tar_headers.h"

static struct tar_archive archive;
static uint8_t collected[TAR_HEADERS_BYTES_MAX];
static struct tar_headers headers = {.data = collected};
static struct tar_member member;
static const char *why;

/* What becomes of the archive's first member. */
static enum tar_verdict look(void)
{
    enum tar_verdict verdict;

    tar_headers_begin(&headers);
    do {
        assert_true(headers.wanted <= archive.bytes);
        memcpy(collected + headers.bytes, archive.data + headers.bytes, headers.wanted - headers.bytes);
        headers.bytes = headers.wanted;
        verdict = tar_headers_look(&headers, &member, &why);
        assert_true((verdict == TAR_MORE) == (headers.wanted > headers.bytes));
        assert_true((verdict == TAR_REFUSED) == (why != NULL));
    } while (verdict == TAR_MORE);
    archive.bytes = 0;
    return verdict;
}

static void assert_text(struct tar_text text, const char *expected)
{
    assert_int_equal(text.bytes, strlen(expected));
    assert_memory_equal(text.data, expected, text.bytes);
}

static void assert_member(const char *name, uint64_t data_bytes)
{
    assert_int_equal(look(), TAR_MEMBER);
    assert_text(member.name, name);
    assert_int_equal(member.data_bytes, data_bytes);
}

static void assert_refused(const char *expected)
{
    assert_int_equal(look(), TAR_REFUSED);
    assert_non_null(strstr(why, expected));
}

UNIT_TEST(a_member_has_its_name_and_its_data_in_whole_blocks)
{
    static const uint64_t sizes[][2] = {{0, 0}, {1, 512}, {512, 512}, {513, 1024}, {077777777777, 0100000000000}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tar_archive_header(&archive, '0', "a/b.c", sizes[i][0]);
        assert_member("a/b.c", sizes[i][1]);
        assert_false(member.directory);
        assert_null(member.target.data);
    }
}

UNIT_TEST(names_end_where_their_fields_end)
{
    char name[101];

    memset(name, 'n', sizeof name - 1);
    name[100] = '\0';
    tar_archive_header(&archive, '0', name, 0);
    assert_member(name, 0);
    tar_archive_header(&archive, '0', "name", 0);
    tar_archive_set(&archive, 345, "prefix/of it");
    assert_member("prefix/of it/name", 0);
    tar_archive_header(&archive, '0', "name", 0); /* the prefix of GNU tar is none */
    tar_archive_set(&archive, 257, "ustar  ");
    tar_archive_set(&archive, 345, "07777777777");
    assert_member("name", 0);
}

UNIT_TEST(sizes_are_octal_or_binary)
{
    static const struct {
        char field[13];
        uint64_t data_bytes; /* UINT64_MAX: it is none */
    } cases[] = {
        {"00000000001", 512},
        {"     100001 ", 33280},
        {"777777777777", 0x1000000000},
        {"           ", 0},
        {"\0\0\0\0\0\0\0\0\0\0\0", 0},
        {"\x80\0\0\0\0\0\0\x12\x34\x56\x78\x9a", 0x1234567a00},
        {"\x80\0\0\0\0\0\0\0\0\0\0\1", 512},
        {"\x80\0\1\0\0\0\0\0\0\0\0\0", UINT64_MAX},
        {"\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", UINT64_MAX},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", UINT64_MAX},
        {"00000000008", UINT64_MAX},
        {"0000000 001", UINT64_MAX},
        {"-0000000001", UINT64_MAX},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tar_archive_header(&archive, '0', "name", 0);
        memcpy(archive.data + 124, cases[i].field, 12);
        tar_archive_sum(&archive);
        if (cases[i].data_bytes == UINT64_MAX)
            assert_refused("size is no number");
        else
            assert_member("name", cases[i].data_bytes);
    }
}

UNIT_TEST(each_changed_bit_of_a_header_is_noticed)
{
    for (size_t bit = 0; bit < (size_t)8 * TAR_BLOCK_BYTES; bit++) {
        tar_archive_header(&archive, '0', "name", 5);
        archive.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
        if (bit / 8 >= 148 && bit / 8 < 156) /* the checksum, of which a zero may be a space */
            look();
        else
            assert_refused("checksum is wrong");
        archive.bytes = 0;
    }
}

UNIT_TEST(long_names_stand_before_the_header)
{
    char name[TAR_NAME_BYTES_MAX + 2] = {'a'};

    memset(name, 'n', TAR_NAME_BYTES_MAX);
    tar_archive_header(&archive, 'L', "././@LongLink", sizeof name - 1);
    tar_archive_data(&archive, name, sizeof name - 1);
    tar_archive_header(&archive, '0', name, 7);
    assert_member(name, 512);
    tar_archive_header(&archive, 'K', "././@LongLink", 7);
    tar_archive_data(&archive, "target", 7);
    tar_archive_header(&archive, 'L', "././@LongLink", 5);
    tar_archive_data(&archive, "name", 5);
    tar_archive_header(&archive, '1', "n", 0);
    assert_member("name", 0);
    assert_text(member.target, "target");
    name[TAR_NAME_BYTES_MAX] = 'n';
    tar_archive_header(&archive, 'L', "././@LongLink", sizeof name);
    tar_archive_data(&archive, name, sizeof name);
    tar_archive_header(&archive, '0', name, 7);
    assert_refused("longer than 4096 bytes");
}

UNIT_TEST(pax_replaces_what_the_header_says)
{
    tar_archive_add(&archive, 'x', "PaxHeaders/n",
                    "30 mtime=1350244992.023960108\n18 comment=size=3\n14 path=a/b.c\n12 size=600\n");
    tar_archive_header(&archive, '0', "n", 0);
    assert_member("a/b.c", 1024);
    tar_archive_add(&archive, 'x', "PaxHeaders/n", "9 path=p\n8 path=\n9 size=5\n8 size=\n16 linkpath=t.u\n");
    tar_archive_header(&archive, '1', "n", 0);
    assert_member("p", 0);
    assert_text(member.target, "t.u");
}

UNIT_TEST(pax_that_is_damaged_is_refused)
{
    static const char *const damaged[] = {
        "9 path=p",
        "9 path=p\n8",
        "11 path=p\n",
        "8 path=p\n",
        "path=p\n",
        "9path=p\n",
        " 9 path=p\n",
        "9 pathhp\n",
        "0 path=p\n",
        "4 =\n9 path=p\n",
        "3 \n9 path=p\n",
        "9 path=p\n\n",
        "99999999999999999999999999 a=b\n",
        "\n",
    };

    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        tar_archive_add(&archive, 'x', "PaxHeaders/n", damaged[i]);
        tar_archive_header(&archive, '0', "n", 0);
        if (strncmp(damaged[i], "4 =\n", 4) == 0) /* a key without a letter is one */
            assert_member("p", 0);
        else
            assert_refused("pax header is damaged");
    }
    tar_archive_add(&archive, 'x', "PaxHeaders/n", "10 size=-1\n");
    tar_archive_header(&archive, '0', "n", 0);
    assert_refused("pax header is damaged");
    tar_archive_add(&archive, 'x', "PaxHeaders/n", "11 size=-1\n");
    tar_archive_header(&archive, '0', "n", 0);
    assert_refused("no number");
    tar_archive_add(&archive, 'x', "PaxHeaders/n", "29 size=18446744073709551617\n");
    tar_archive_header(&archive, '0', "n", 0);
    assert_refused("no number");
}

UNIT_TEST(what_cannot_be_moved_is_refused)
{
    static const struct {
        char type;
        const char *why;
    } cases[] = {{'g', "for all members"}, {'S', "sparse"},    {'M', "another volume"}, {'V', "volume label"},
                 {'D', "not known"},       {'X', "not known"}, {'8', "not known"}};
    static const char *const fields[] = {"22 GNU.sparse.major=1\n", "23 GNU.sparse.size=100\n",
                                         "25 SCHILY.realsize=10000\n"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tar_archive_header(&archive, cases[i].type, "name", 0);
        assert_refused(cases[i].why);
        assert_text(member.name, "name");
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        tar_archive_add(&archive, 'x', "PaxHeaders/n", fields[i]);
        tar_archive_header(&archive, '0', "name", 0);
        assert_refused("sparse");
    }
}

UNIT_TEST(what_is_no_file_has_no_data)
{
    for (int digit = '1'; digit <= '6'; digit++) {
        const char type = (char)digit;

        tar_archive_header(&archive, type, "name", 5);
        assert_refused("of a size");
        tar_archive_header(&archive, type, "name", 0);
        assert_member("name", 0);
        assert_int_equal(member.directory, type == '5');
        assert_int_equal(member.target.data != NULL, type == '1');
    }
    tar_archive_header(&archive, '\0', "name/", 0);
    assert_member("name/", 0);
    assert_true(member.directory);
    tar_archive_header(&archive, '\0', "name/", 5);
    assert_refused("of a size");
    tar_archive_header(&archive, '0', "", 5);
    assert_refused("no name");
}

UNIT_TEST(headers_of_one_kind_come_once)
{
    for (size_t i = 0; i < 3; i++) {
        tar_archive_add(&archive, "xLK"[i], "h", "13 path=abcd\n");
        tar_archive_add(&archive, "xLK"[i], "h", "13 path=abcd\n");
        tar_archive_header(&archive, '0', "name", 0);
        assert_refused("second header");
    }
}

UNIT_TEST(headers_have_a_limit)
{
    tar_archive_header(&archive, 'x', "h", TAR_HEADERS_BYTES_MAX - 2 * TAR_BLOCK_BYTES + 1);
    assert_refused("larger than 1 MiB");
    tar_archive_header(&archive, 'L', "h", 077777777777);
    assert_refused("larger than 1 MiB");
}

UNIT_TEST(a_block_of_zeros_is_no_header)
{
    tar_archive_data(&archive, "\0", 1);
    assert_int_equal(look(), TAR_ZEROS);
    tar_archive_add(&archive, 'x', "h", "13 path=abcd\n");
    tar_archive_data(&archive, "\0", 1);
    assert_refused("checksum");
}

UNIT_TEST(the_key_goes_up_to_the_first_dot_of_the_base_name)
{
    static const struct {
        const char *name, *key;
    } cases[] = {
        {"0001.jpg", "0001"},
        {"dir/0001.left.jpg", "dir/0001"},
        {"a.b/0001.cls", "a.b/0001"},
        {"./0001.jpg", "./0001"},
        {"0001", "0001"},
        {"dir.d/0001", "dir.d/0001"},
        {".hidden", ".hidden"},
        {"a/.hidden.jpg", "a/.hidden"},
        {"0001.", "0001"},
        {"..", "."},
        {"a/", "a/"},
        {"a.b/", "a.b/"},
        {"\xc3\xa4.png", "\xc3\xa4"},
        {"/x.y", "/x"},
        {"._0001.jpg", "0001"},
        {"a/._0001.jpg", "a/0001"},
        {"._", "._"},
        {"._.a.b", ".a"},
        {"a/._", "a/._"},
        {"._0001", "0001"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tar_text name = {(const uint8_t *)cases[i].name, strlen(cases[i].name)};
        uint8_t key[TAR_NAME_BYTES_MAX];
        const size_t bytes = tar_headers_key(name, key);

        assert_text((struct tar_text){key, bytes}, cases[i].key);
    }
}
