/* A format is written in one way, and read if it is written so. */

#include "support/folders.h"
#include "support/unit.h"

#include "store/store.h"

static struct store store;

static int setup(void **state)
{
    memset(&store, 0, sizeof store);
    return folders_setup(state);
}

static int teardown(void **state)
{
    store_close(&store);
    return folders_teardown(state);
}

static const struct store_format lines = {.piles = 256, .record = {.delimiter = '\n'}};

/* Formats, and what stands in the file. */
static const struct {
    struct store_format format;
    const char *text;
} formats[] = {
    {{.piles = 512, .record = {.delimiter = '\n'}}, "512 piles\nrecords ending with \"\\n\"\nno header\n"},
    {{.piles = 2, .record = {.delimiter = 0}}, "2 piles\nrecords ending with \"\\000\"\nno header\n"},
    {{.piles = 4096, .record = {.delimiter = '"'}, .header_lines = 1},
     "4096 piles\nrecords ending with \"\\\"\"\na header of 1 record\n"},
    {{.piles = 64, .record = {.delimiter = ';'}, .header_lines = 20},
     "64 piles\nrecords ending with \";\"\na header of 20 records\n"},
    {{.piles = 64, .record = {.delimiter = 0xff}, .header_bytes = 1},
     "64 piles\nrecords ending with \"\\377\"\na header of 1 byte\n"},
    {{.piles = 64, .record = {.delimiter = '\\'}, .header_bytes = 80, .header_lines = 2},
     "64 piles\nrecords ending with \"\\\\\"\na header of 80 bytes and 2 records\n"},
    {{.piles = 64, .record = {.kind = RECORD_STRING, .string = (const uint8_t *)"\r\n", .string_bytes = 2}},
     "64 piles\nrecords ending with \"\\015\\n\"\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_STRING, .string = (const uint8_t *)"\n\0\0", .string_bytes = 3}},
     "64 piles\nrecords ending with \"\\n\\000\\000\"\nno header\n"},
    {{.piles = 64,
      .record = {.kind = RECORD_STRING, .starts = true, .string = (const uint8_t *)"\n>", .string_bytes = 2}},
     "64 piles\nrecords starting with \">\"\nno header\n"},
    {{.piles = 64,
      .record = {.kind = RECORD_STRING, .starts = true, .string = (const uint8_t *)"\nFrom ", .string_bytes = 6}},
     "64 piles\nrecords starting with \"From \"\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_LINES, .delimiter = '\n', .count = 4}},
     "64 piles\nrecords of 4 lines ending with \"\\n\"\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_LINES, .delimiter = 0, .count = 1}},
     "64 piles\nrecords of 1 line ending with \"\\000\"\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_SIZE, .count = UINT64_MAX}},
     "64 piles\nrecords of 18446744073709551615 bytes\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_SIZE, .count = 1}}, "64 piles\nrecords of 1 byte\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_CSV, .delimiter = '\n'}, .header_lines = 1},
     "64 piles\nrecords of CSV\na header of 1 record\n"},
    {{.piles = 64, .record = {.kind = RECORD_LENGTH, .coding = LENGTH_TFRECORD}},
     "64 piles\nrecords with length tfrecord\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_LENGTH, .coding = LENGTH_U64BE}, .header_bytes = 8},
     "64 piles\nrecords with length u64be\na header of 8 bytes\n"},
    {{.piles = 64, .record = {.kind = RECORD_LENGTH, .coding = LENGTH_VARINT}},
     "64 piles\nrecords with length varint\nno header\n"},
    {{.piles = 64, .record = {.grouped = true, .delimiter = '\n'}},
     "64 piles\ngroups of records ending with \"\\n\"\nno header\n"},
    {{.piles = 64, .record = {.grouped = true, .kind = RECORD_TAR, .delimiter = '\n'}},
     "64 piles\ngroups of members of tar archives\nno header\n"},
    {{.piles = 64, .record = {.grouped = true, .kind = RECORD_CSV, .delimiter = '\n'}, .header_lines = 1},
     "64 piles\ngroups of records of CSV\na header of 1 record\n"},
    {{.piles = 64, .record = {.kind = RECORD_LINES, .delimiter = '\n', .count = 4}, .header_lines = 1},
     "64 piles\nrecords of 4 lines ending with \"\\n\"\na header of 1 line\n"},
    {{.piles = 64, .record = {.delimiter = '\n'}, .header_start = "#"},
     "64 piles\nrecords ending with \"\\n\"\na header of lines starting with \"#\"\n"},
    {{.piles = 64, .record = {.kind = RECORD_CSV, .delimiter = '\n'}, .header_start = "\"\\\t@"},
     "64 piles\nrecords of CSV\na header of lines starting with \"\\\"\\\\\\011@\"\n"},
    {{.piles = 64,
      .record = {.kind = RECORD_STRING, .starts = true, .string = (const uint8_t *)"\n>", .string_bytes = 2},
      .header_lines = 2,
      .header_bytes = 3},
     "64 piles\nrecords starting with \">\"\na header of 3 bytes and 2 lines\n"},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static void put_format(const char *text)
{
    char whole[4096];
    size_t length = (size_t)snprintf(whole, sizeof whole, "bigshuf store 2\n%s", text);

    folders_put("d/format", whole, length);
}

static bool is_same_record(const struct record_format *one, const struct record_format *other)
{
    if (one->kind != other->kind || one->grouped != other->grouped || one->starts != other->starts)
        return false;
    switch (one->kind) {
    case RECORD_BYTE:
        return one->delimiter == other->delimiter;
    case RECORD_STRING:
        return one->string_bytes == other->string_bytes && memcmp(one->string, other->string, one->string_bytes) == 0;
    case RECORD_LINES:
        return one->delimiter == other->delimiter && one->count == other->count;
    case RECORD_SIZE:
        return one->count == other->count;
    case RECORD_LENGTH:
        return one->coding == other->coding;
    default:
        return true;
    }
}

static bool is_same_format(const struct store_format *one, const struct store_format *other)
{
    return one->piles == other->piles && is_same_record(&one->record, &other->record) &&
           one->header_bytes == other->header_bytes && one->header_lines == other->header_lines &&
           strcmp(one->header_start, other->header_start) == 0;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

TEST(the_first_to_join_makes_the_store_and_its_format)
{
    for (int i = 0; i < FORMATS; i++) {
        char path[16], file[32], text[2048];

        snprintf(path, sizeof path, "store%d", i);
        snprintf(file, sizeof file, "store%d/format", i);
        snprintf(text, sizeof text, "bigshuf store 2\n%s", formats[i].text);
        assert_int_equal(store_join(&store, path, &formats[i].format), 0);
        assert_true(scratch_holds(file, text));
        assert_int_equal(scratch_count(path), 1);
        assert_true(is_same_format(&store.format, &formats[i].format));
        store_close(&store);
    }
}

TEST(a_format_is_read_as_it_was_made)
{
    assert_int_equal(mkdir("d", 0755), 0);
    for (int i = 0; i < FORMATS; i++) {
        put_format(formats[i].text);
        assert_int_equal(store_open(&store, "d"), 0);
        assert_true(is_same_format(&store.format, &formats[i].format));
        store_close(&store);
        assert_int_equal(store_join(&store, "d", &formats[i].format), 0);
        assert_true(is_same_format(&store.format, &formats[i].format));
        if (store.format.record.kind == RECORD_STRING)
            assert_ptr_equal(store.format.record.string, store.string);
        store_close(&store);
        store_close(&store);
    }
}

TEST(the_longest_strings_are_kept)
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    struct store_format format = {.piles = 2,
                                  .record = {.kind = RECORD_STRING, .string = string, .string_bytes = sizeof string}};

    memset(string, 0xfe, sizeof string);
    assert_int_equal(store_join(&store, "ends", &format), 0);
    assert_true(is_same_format(&store.format, &format));
    store_close(&store);
    string[0] = '\n';
    format.record.starts = true;
    assert_int_equal(store_join(&store, "starts", &format), 0);
    assert_true(is_same_format(&store.format, &format));
}

TEST(every_pair_of_formats_differs_but_one_and_itself)
{
    assert_int_equal(mkdir("d", 0755), 0);
    for (int i = 0; i < FORMATS; i++)
        for (int j = 0; j < FORMATS; j++) {
            put_format(formats[i].text);
            folders_listen();
            assert_int_equal(store_join(&store, "d", &formats[j].format), i == j ? 0 : -1);
            assert_int_equal(strstr(scratch_heard(), "bigshuf: d/format: the store has ") != NULL, i != j);
            store_close(&store);
        }
}

#define EMPTY ": it has no batches, so remove it, unless others are about to write some\n"

TEST(it_is_said_how_a_format_differs)
{
    static const struct {
        struct store_format wanted;
        const char *message;
    } cases[] = {
        {{.piles = 512, .record = {.delimiter = '\n'}},
         "bigshuf: d/format: the store has 256 piles, not 512 piles" EMPTY},
        {{.record = {.kind = RECORD_SIZE, .count = 16}},
         "bigshuf: d/format: the store has records ending with \"\\n\", not records of 16 bytes" EMPTY},
        {{.record = {.delimiter = '\n'}, .header_lines = 1},
         "bigshuf: d/format: the store has no header, not a header of 1 record" EMPTY},
    };

    assert_int_equal(store_join(&store, "d", &lines), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        store_close(&store);
        folders_assert_ends(store_join(&store, i == 0 ? "d/" : "d", &cases[i].wanted), cases[i].message);
    }
    assert_int_equal(mkdir("d/batch", 0755), 0);
    store_close(&store);
    folders_assert_ends(store_join(&store, "d", &cases[0].wanted),
                        "bigshuf: d/format: the store has 256 piles, not 512 piles\n");
}

static void assert_not_known(const char *text, size_t bytes)
{
    folders_put("d/format", text, bytes);
    folders_listen();
    assert_int_equal(store_open(&store, "d"), -1);
    if (strcmp(scratch_heard(), "bigshuf: d/format: not a format of a store that this version knows\n") != 0)
        fail_msg("of '%.*s' it is said: %s", (int)bytes, text, scratch.text);
    store_close(&store);
}

#define OF_512 "bigshuf store 2\n512 piles\n"
#define OF_CSV OF_512 "records of CSV\n"

TEST(a_format_written_in_another_way_is_not_known)
{
    static const char *const texts[] = {
        "bigshuf store 1\n512 piles\nrecords of CSV\nno header\n",
        "bigshuf store 2\r\n512 piles\r\nrecords of CSV\r\nno header\r\n",
        "bigshuf store 2\n0 piles\nrecords of CSV\nno header\n",
        "bigshuf store 2\n1 piles\nrecords of CSV\nno header\n",
        "bigshuf store 2\n3 piles\nrecords of CSV\nno header\n",
        "bigshuf store 2\n8192 piles\nrecords of CSV\nno header\n",
        "bigshuf store 2\n4294967298 piles\nrecords of CSV\nno header\n",
        "bigshuf store 2\n18446744073709551618 piles\nrecords of CSV\nno header\n",
        "bigshuf store 2\n0512 piles\nrecords of CSV\nno header\n",
        "bigshuf store 2\n 512 piles\nrecords of CSV\nno header\n",
        "bigshuf store 2\n-512 piles\nrecords of CSV\nno header\n",
        OF_CSV "no header\n\n",
        OF_CSV "no header\nmore\n",
        "bigshuf store 2\nrecords of CSV\n512 piles\nno header\n",
        OF_512 "no header\n",
        OF_512 "records\nno header\n",
        OF_512 "records of TSV\nno header\n",
        OF_512 "records ending with \"\"\nno header\n",
        OF_512 "records ending with \"\\012\"\nno header\n",
        OF_512 "records ending with \"\\x0a\"\nno header\n",
        OF_512 "records ending with \"\n\"\nno header\n",
        OF_512 "records ending with \"\\n\nno header\n",
        OF_512 "records ending with \"\\\nno header\n",
        OF_512 "records ending with \"\\\"\nno header\n",
        OF_512 "records ending with \"a\"b\"\nno header\n",
        OF_512 "records ending with \n\nno header\n",
        OF_512 "records ending with \"\\e\"\nno header\n",
        OF_512 "records ending with \"\\400\"\nno header\n",
        OF_512 "records starting with \"\"\nno header\n",
        OF_512 "records starting with \"a\\nb\"\nno header\n",
        OF_512 "records of 0 bytes\nno header\n",
        OF_512 "records of 1 bytes\nno header\n",
        OF_512 "records of 2 byte\nno header\n",
        OF_512 "records of 0 lines ending with \"\\n\"\nno header\n",
        OF_512 "records of 2 lines\nno header\n",
        OF_512 "records of 2 lines ending with \"ab\"\nno header\n",
        OF_512 "records of 2 lines ending with \"\"\nno header\n",
        OF_512 "records of 18446744073709551616 bytes\nno header\n",
        OF_CSV "",
        OF_CSV "a header\n",
        OF_CSV "a header of 0 bytes\n",
        OF_CSV "a header of 0 records\n",
        OF_CSV "a header of 1 bytes\n",
        OF_CSV "a header of 0 bytes and 1 record\n",
        OF_CSV "a header of 2 bytes and 0 records\n",
        OF_CSV "a header of 2 bytes and\n",
        OF_CSV "a header of 2 records and 2 bytes\n",
    };
    char text[4096];
    size_t length;

    assert_int_equal(mkdir("d", 0755), 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_not_known(texts[i], strlen(texts[i]));
    for (int i = 0; i < FORMATS; i++) { /* cut short, or with a NUL byte */
        length = (size_t)snprintf(text, sizeof text, "bigshuf store 2\n%s", formats[i].text);
        for (size_t cut = 0; cut < length; cut++)
            assert_not_known(text, cut);
        assert_not_known(text, length + 1);
    }
    length = (size_t)snprintf(text, sizeof text, "bigshuf store 2\n2 piles\nrecords ending with \"%0*d\"\nno header\n",
                              RECORD_DELIMITER_BYTES_MAX + 1, 0);
    assert_not_known(text, length);
    length =
        (size_t)snprintf(text, sizeof text, "bigshuf store 2\n2 piles\nrecords starting with \"%0*d\"\nno header\n",
                         RECORD_DELIMITER_BYTES_MAX, 0);
    assert_not_known(text, length);
}

/* Another digit may be another format, but never this one. */
TEST(every_byte_of_a_format_matters)
{
    const int step = (int)scratch_scale(6, 3, 1);

    assert_int_equal(mkdir("d", 0755), 0);
    for (int f = 0; f < FORMATS; f += step) {
        char text[1024];
        size_t length = (size_t)snprintf(text, sizeof text, "bigshuf store 2\n%s", formats[f].text);

        for (size_t i = 0; i < length; i++)
            for (unsigned bit = 1; bit < 256; bit *= 2) {
                text[i] = (char)(text[i] ^ (char)bit);
                folders_put("d/format", text, length);
                folders_listen();
                if (store_join(&store, "d", &formats[f].format) == 0)
                    fail_msg("byte %zu of %s may be %02x", i, formats[f].text, (unsigned char)text[i]);
                assert_non_null(strstr(scratch_heard(), "bigshuf: d/format: "));
                store_close(&store);
                text[i] = (char)(text[i] ^ (char)bit);
            }
    }
}
