/* What pax says, and keys. Other names are in archives.sh, and what is refused in archive_mistakes.sh. */

#include "support/tar_archive.h"
#include "support/unit.h"

#include "record/record.h"
#include "record/tar.h"

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
