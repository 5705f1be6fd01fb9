/* A format is written in one way, and read if it is written so. */

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

#include "store/store.h"

/* Formats, and what stands in the file. */
static const struct {
    struct store_format format;
    const char *text;
} formats[] = {
    {{.piles = 512, .record = {.delimiter = '\n'}}, "512 piles\nrecords ending with \"\\n\"\nno header\n"},
    {{.piles = 2, .record = {.delimiter = 0}}, "2 piles\nrecords ending with \"\\000\"\nno header\n"},
    {{.piles = 4096, .record = {.delimiter = '"'}, .header_lines = 1},
     "4096 piles\nrecords ending with \"\\\"\"\na header of 1 record\n"},
    {{.piles = 64, .record = {.delimiter = 0xff}, .header_bytes = 1},
     "64 piles\nrecords ending with \"\\377\"\na header of 1 byte\n"},
    {{.piles = 64, .record = {.delimiter = '\\'}, .header_bytes = 80},
     "64 piles\nrecords ending with \"\\\\\"\na header of 80 bytes\n"},
    {{.piles = 64, .record = {.kind = &string_end_kind, .string = (const uint8_t *)"\r\n", .string_bytes = 2}},
     "64 piles\nrecords ending with \"\\015\\n\"\nno header\n"},
    {{.piles = 64, .record = {.kind = &string_end_kind, .string = (const uint8_t *)"\n\0\0", .string_bytes = 3}},
     "64 piles\nrecords ending with \"\\n\\000\\000\"\nno header\n"},
    {{.piles = 64, .record = {.kind = &string_start_kind, .string = (const uint8_t *)"\n>", .string_bytes = 2}},
     "64 piles\nrecords starting with \">\"\nno header\n"},
    {{.piles = 64, .record = {.kind = &lines_kind, .delimiter = '\n', .count = 4}},
     "64 piles\nrecords of 4 lines ending with \"\\n\"\nno header\n"},
    {{.piles = 64, .record = {.kind = &lines_kind, .delimiter = 0, .count = 1}},
     "64 piles\nrecords of 1 line ending with \"\\000\"\nno header\n"},
    {{.piles = 64, .record = {.kind = &sizes_kind, .count = UINT64_MAX}},
     "64 piles\nrecords of 18446744073709551615 bytes\nno header\n"},
    {{.piles = 64, .record = {.kind = &sizes_kind, .count = 1}}, "64 piles\nrecords of 1 byte\nno header\n"},
    {{.piles = 64, .record = {.kind = &csv_kind, .delimiter = '\n'}, .header_lines = 1},
     "64 piles\nrecords of CSV\na header of 1 record\n"},
    {{.piles = 64, .record = {.kind = &length_kinds_tfrecord}}, "64 piles\nrecords with length tfrecord\nno header\n"},
    {{.piles = 64, .record = {.kind = &length_kinds_varint}}, "64 piles\nrecords with length varint\nno header\n"},
    {{.piles = 64, .record = {.grouped = true, .delimiter = '\n'}},
     "64 piles\ngroups of records ending with \"\\n\"\nno header\n"},
    {{.piles = 64, .record = {.grouped = true, .kind = &tar_kind, .delimiter = '\n'}},
     "64 piles\ngroups of members of tar archives\nno header\n"},
    {{.piles = 64, .record = {.kind = &lines_kind, .delimiter = '\n', .count = 4}, .header_lines = 1},
     "64 piles\nrecords of 4 lines ending with \"\\n\"\na header of 1 line\n"},
    {{.piles = 64, .record = {.delimiter = '\n'}, .header_start = "#"},
     "64 piles\nrecords ending with \"\\n\"\na header of lines starting with \"#\"\n"},
    {{.piles = 64, .record = {.kind = &csv_kind, .delimiter = '\n'}, .header_start = "\"\\\t@"},
     "64 piles\nrecords of CSV\na header of lines starting with \"\\\"\\\\\\011@\"\n"},
    {{.piles = 64,
      .record = {.kind = &string_start_kind, .string = (const uint8_t *)"\n>", .string_bytes = 2},
      .header_lines = 2},
     "64 piles\nrecords starting with \">\"\na header of 2 lines\n"},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* The whole text of a format of the table. Returns its length. */
static size_t whole_text(int number, char text[STORE_FORMAT_TEXT_BYTES])
{
    return (size_t)snprintf(text, STORE_FORMAT_TEXT_BYTES, "bigshuf store 2\n%s", formats[number].text);
}

/* A format is what its text is. */
static void assert_comes_back(const struct store_format *format, const char *expected)
{
    char text[STORE_FORMAT_TEXT_BYTES], again[STORE_FORMAT_TEXT_BYTES];
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    const size_t bytes = store_format_text(format, text);
    struct store_format found;

    assert_int_equal(bytes, strlen(text));
    if (expected != NULL)
        assert_string_equal(text, expected);
    assert_true(store_format_parse(&found, string, text, bytes));
    assert_ptr_equal(found.record.kind, format->record.kind);
    assert_int_equal(store_format_text(&found, again), bytes);
    assert_string_equal(again, text);
}

UNIT_TEST(a_format_is_read_as_it_was_written)
{
    char expected[STORE_FORMAT_TEXT_BYTES];

    for (int i = 0; i < FORMATS; i++) {
        (void)whole_text(i, expected);
        assert_comes_back(&formats[i].format, expected);
    }
}

UNIT_TEST(the_longest_strings_are_kept)
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    struct store_format format = {
        .piles = 2, .record = {.kind = &string_end_kind, .string = string, .string_bytes = sizeof string}};

    memset(string, 0xfe, sizeof string);
    assert_comes_back(&format, NULL);
    string[0] = '\n';
    format.record.kind = &string_start_kind;
    memset(format.header_start, '\\', sizeof format.header_start - 1);
    assert_comes_back(&format, NULL);
}

static void assert_not_known(const char *text, size_t bytes)
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    struct store_format found;

    if (store_format_parse(&found, string, text, bytes))
        fail_msg("it is a format: '%.*s'", (int)bytes, text);
}

#define OF_512 "bigshuf store 2\n512 piles\n"
#define OF_CSV OF_512 "records of CSV\n"

UNIT_TEST(a_format_written_in_another_way_is_not_known)
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
    char text[STORE_FORMAT_TEXT_BYTES];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_not_known(texts[i], strlen(texts[i]));
    for (int i = 0; i < FORMATS; i++) { /* cut short, or with a NUL byte */
        size_t length = whole_text(i, text);

        assert_not_known(text, length + 1);
        while (length-- > 0) {
            text[length] = '\0';
            assert_not_known(text, length);
        }
    }
    snprintf(text, sizeof text, "bigshuf store 2\n2 piles\nrecords ending with \"%0*d\"\nno header\n",
             RECORD_DELIMITER_BYTES_MAX + 1, 0);
    assert_not_known(text, strlen(text));
    snprintf(text, sizeof text, "bigshuf store 2\n2 piles\nrecords starting with \"%0*d\"\nno header\n",
             RECORD_DELIMITER_BYTES_MAX, 0);
    assert_not_known(text, strlen(text));
}
