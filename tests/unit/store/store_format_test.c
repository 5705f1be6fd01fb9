/* A format is written in one way, and read if it is written so. */

/* tags: bytes */

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

#include "store/store.h"

#define KEY "0123456789abcdef0123456789abcdef"

/* Formats, and what stands in the file. */
static const struct {
    struct store_format format;
    const char *text;
} formats[] = {
    {{.piles = 512, .record = {.delimiter = '\n'}}, "512 piles\nrecords of end \"\\n\"\nno header\n"},
    {{.piles = 2, .record = {.delimiter = 0}}, "2 piles\nrecords of end \"\\000\"\nno header\n"},
    {{.piles = 4096, .record = {.delimiter = '"'}, .header_lines = 1},
     "4096 piles\nrecords of end \"\\\"\"\nheader of lines 1\n"},
    {{.piles = 64, .record = {.delimiter = 0xff}, .header_bytes = 1},
     "64 piles\nrecords of end \"\\377\"\nheader of bytes 1\n"},
    {{.piles = 64, .record = {.delimiter = '\\'}, .header_bytes = 80},
     "64 piles\nrecords of end \"\\\\\"\nheader of bytes 80\n"},
    {{.piles = 64, .record = {.kind = &string_end_kind, .string = (const uint8_t *)"\r\n", .string_bytes = 2}},
     "64 piles\nrecords of end \"\\015\\n\"\nno header\n"},
    {{.piles = 64, .record = {.kind = &string_end_kind, .string = (const uint8_t *)"\n\0\0", .string_bytes = 3}},
     "64 piles\nrecords of end \"\\n\\000\\000\"\nno header\n"},
    {{.piles = 64, .record = {.kind = &string_start_kind, .string = (const uint8_t *)"\n>", .string_bytes = 2}},
     "64 piles\nrecords of start \">\"\nno header\n"},
    {{.piles = 64, .record = {.kind = &lines_kind, .delimiter = '\n', .count = 4}},
     "64 piles\nrecords of lines 4 \"\\n\"\nno header\n"},
    {{.piles = 64, .record = {.kind = &lines_kind, .delimiter = 0, .count = 1}},
     "64 piles\nrecords of lines 1 \"\\000\"\nno header\n"},
    {{.piles = 64, .record = {.kind = &sizes_kind, .count = UINT64_MAX}},
     "64 piles\nrecords of bytes 18446744073709551615\nno header\n"},
    {{.piles = 64, .record = {.kind = &sizes_kind, .count = 1}}, "64 piles\nrecords of bytes 1\nno header\n"},
    {{.piles = 64, .record = {.kind = &csv_kind, .delimiter = '\n', .quotes = {true, '\t', true}}},
     "64 piles\nrecords of csv \"\\011\" backslash\nno header\n"},
    {{.piles = 64, .record = {.kind = &csv_kind, .delimiter = '\n'}, .header_lines = 1},
     "64 piles\nrecords of csv\nheader of lines 1\n"},
    {{.piles = 64, .record = {.kind = &length_kinds_tfrecord}}, "64 piles\nrecords of tfrecord\nno header\n"},
    {{.piles = 64, .record = {.kind = &length_kinds_varint}}, "64 piles\nrecords of varint\nno header\n"},
    {{.piles = 64, .record = {.kind = &tar_kind, .delimiter = '\n'}}, "64 piles\nframes of tar\nno header\n"},
    {{.piles = 64, .record = {.kind = &lines_kind, .delimiter = '\n', .count = 4}, .header_lines = 1},
     "64 piles\nrecords of lines 4 \"\\n\"\nheader of lines 1\n"},
    {{.piles = 64, .record = {.delimiter = '\n'}, .header_start = "#"},
     "64 piles\nrecords of end \"\\n\"\nheader of lines \"#\"\n"},
    {{.piles = 64, .record = {.kind = &csv_kind, .delimiter = '\n'}, .header_start = "\"\\\t@"},
     "64 piles\nrecords of csv\nheader of lines \"\\\"\\\\\\011@\"\n"},
    {{.piles = 64,
      .record = {.kind = &string_start_kind, .string = (const uint8_t *)"\n>", .string_bytes = 2},
      .header_lines = 2},
     "64 piles\nrecords of start \">\"\nheader of lines 2\n"},
    {{.piles = 64, .record = {.delimiter = '\n'}, .keys = STORE_KEYS_UNIQUE, .key = KEY},
     "64 piles\nrecords of end \"\\n\"\nunique records key " KEY "\nno header\n"},
    {{.piles = 64,
      .record = {.kind = &csv_kind, .delimiter = '\n'},
      .header_lines = 1,
      .keys = STORE_KEYS_GROUP,
      .fields = 2,
      .field = {"id", "/a/\"b\n\\"},
      .separator = ',',
      .key = KEY},
     "64 piles\nrecords of csv\n"
     "groups by \"id\" \"/a/\\\"b\\n\\\\\" separated by \",\" key " KEY "\nheader of lines 1\n"},
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
    format.keys = STORE_KEYS_UNIQUE;
    format.fields = KEY_FIELDS_MAX;
    for (unsigned i = 0; i < KEY_FIELDS_MAX; i++)
        memset(format.field[i], 0xfe, STORE_FORMAT_FIELD_BYTES - 1);
    memcpy(format.key, KEY, sizeof format.key);
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
#define OF_CSV OF_512 "records of csv\n"

UNIT_TEST(a_format_written_in_another_way_is_not_known)
{
    static const char *const texts[] = {
        "bigshuf store 1\n512 piles\nrecords of csv\nno header\n",
        "bigshuf store 2\r\n512 piles\r\nrecords of csv\r\nno header\r\n",
        "bigshuf store 2\n0 piles\nrecords of csv\nno header\n",
        "bigshuf store 2\n1 piles\nrecords of csv\nno header\n",
        "bigshuf store 2\n3 piles\nrecords of csv\nno header\n",
        "bigshuf store 2\n8192 piles\nrecords of csv\nno header\n",
        "bigshuf store 2\n4294967298 piles\nrecords of csv\nno header\n",
        "bigshuf store 2\n18446744073709551618 piles\nrecords of csv\nno header\n",
        "bigshuf store 2\n0512 piles\nrecords of csv\nno header\n",
        "bigshuf store 2\n 512 piles\nrecords of csv\nno header\n",
        "bigshuf store 2\n-512 piles\nrecords of csv\nno header\n",
        OF_CSV "no header\n\n",
        OF_CSV "no header\nmore\n",
        "bigshuf store 2\nrecords of csv\n512 piles\nno header\n",
        OF_512 "no header\n",
        OF_512 "records\nno header\n",
        OF_512 "records of TSV\nno header\n",
        OF_512 "records of end \"\"\nno header\n",
        OF_512 "records of end \"\\012\"\nno header\n",
        OF_512 "records of end \"\\x0a\"\nno header\n",
        OF_512 "records of end \"\n\"\nno header\n",
        OF_512 "records of end \"\\n\nno header\n",
        OF_512 "records of end \"\\\nno header\n",
        OF_512 "records of end \"\\\"\nno header\n",
        OF_512 "records of end \"a\"b\"\nno header\n",
        OF_512 "records of end \n\nno header\n",
        OF_512 "records of end \"\\e\"\nno header\n",
        OF_512 "records of end \"\\400\"\nno header\n",
        OF_512 "records of start \"\"\nno header\n",
        OF_512 "records of start \"a\\nb\"\nno header\n",
        OF_512 "records of bytes 0\nno header\n",
        OF_512 "records of lines 0 \"\\n\"\nno header\n",
        OF_512 "records of lines 2\nno header\n",
        OF_512 "records of lines 2 \"ab\"\nno header\n",
        OF_512 "records of lines 2 \"\"\nno header\n",
        OF_512 "records of bytes 18446744073709551616\nno header\n",
        OF_CSV "",
        OF_CSV "header\n",
        OF_CSV "header of lines\n",
        OF_512 "records of fasta\nno header\n",
        OF_512 "records of tar\nno header\n",
        OF_CSV "header of bytes 0\n",
        OF_CSV "header of lines 0\n",
        OF_CSV "header of bytes 0 and 1 record\n",
        OF_CSV "header of lines 2 and 2 bytes\n",
        OF_CSV "groups key " KEY "0\nno header\n",
        OF_CSV "groups key 0123456789ABCDEF0123456789abcdef\nno header\n",
        OF_CSV "groups by separated by \",\" key " KEY "\nno header\n",
        OF_CSV "groups by \"\" separated by \",\" key " KEY "\nno header\n",
        OF_CSV "groups by \"a\\000b\" separated by \",\" key " KEY "\nno header\n",
        OF_CSV "groups by \"1\" separated by \"\" key " KEY "\nno header\n",
        OF_CSV "groups by \"1\" separated by \",;\" key " KEY "\nno header\n",
        OF_CSV "groups by \"1\" key " KEY "\nno header\n",
        OF_CSV "unique by \"1\" separated by \",\" key " KEY "\nno header\n",
        OF_CSV "records by \"1\" separated by \",\" key " KEY "\nno header\n",
        OF_CSV "groups by \"1\" \"2\" \"3\" \"4\" \"5\" \"6\" \"7\" \"8\" \"9\" separated by \",\" key " KEY
               "\nno header\n",
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
    snprintf(text, sizeof text, "bigshuf store 2\n2 piles\nrecords of end \"%0*d\"\nno header\n",
             RECORD_DELIMITER_BYTES_MAX + 1, 0);
    assert_not_known(text, strlen(text));
    snprintf(text, sizeof text, "bigshuf store 2\n2 piles\nrecords of start \"%0*d\"\nno header\n",
             RECORD_DELIMITER_BYTES_MAX, 0);
    assert_not_known(text, strlen(text));
}
