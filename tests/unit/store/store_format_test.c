/* A format is written in one way, and read if it is written so. */

/* tags: bytes */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/unit.h"

#include "base/xxh64.h"
#include "store/store.h"

#define TITLE  "bigshuf store 3\n"
#define OF_512 TITLE "512 piles\n"
#define OF_CSV OF_512 "records of csv\n"
#define KEY    "0123456789abcdef0123456789abcdef"

enum { CHECKSUM_BYTES = 26 };

static const char *const texts[] = {
    TITLE "512 piles\nrecords of delimiter \"\\n\"\nno header\n",
    TITLE "2 piles\nrecords of delimiter \"\\000\"\nno header\n",
    TITLE "4096 piles\nrecords of delimiter \"\\\"\"\nheader of lines 1\n",
    TITLE "64 piles\nrecords of delimiter \"\\377\"\nheader of bytes 1\n",
    TITLE "64 piles\nrecords of delimiter \"\\\\\"\nheader of bytes 80\n",
    OF_512 "records of delimiter \"\\015\\n\"\nno header\n",
    OF_512 "records of delimiter \"\\n\\000\\000\"\nno header\n",
    OF_512 "records of end \"//\"\nheader of lines \"#\" 2\n",
    OF_512 "records of paragraph\nno header\n",
    OF_512 "records of start \">\"\nheader of lines 2\n",
    OF_512 "records of lines 4 \"\\n\"\nheader of lines 1\n",
    OF_512 "records of lines 1 \"\\000\"\nno header\n",
    OF_512 "records of bytes 18446744073709551615\nno header\n",
    OF_512 "records of csv \"\\011\" backslash\nno header\n",
    OF_512 "records of tfrecord\nno header\n",
    OF_512 "frames of tar\nno header\n",
    OF_CSV "header of lines \"\\\"\\\\\\011@\"\n",
    OF_512 "records of delimiter \"\\n\"\nunique records key " KEY "\nno header\n",
    OF_CSV "groups by \"id\" \"/a/\\\"b\\n\\\\\" separated by \",\" key " KEY "\nheader of lines 1\n",
};

/* Is it read, with a checksum after it? Then it is what is written for that. */
static bool is_known(const char *text, size_t bytes)
{
    char again[STORE_FORMAT_TEXT_BYTES], sealed[STORE_FORMAT_TEXT_BYTES];
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    struct store_format found;

    memcpy(sealed, text, bytes);
    bytes += (size_t)sprintf(sealed + bytes, "checksum %016" PRIx64 "\n", xxh64(text, bytes));
    if (!store_format_parse(&found, string, sealed, bytes))
        return false;
    assert_int_equal(store_format_text(&found, again), bytes);
    assert_memory_equal(again, sealed, bytes);
    return true;
}

UNIT_TEST(a_format_is_read_as_it_was_written)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(is_known(texts[i], strlen(texts[i])));
}

static void assert_comes_back(const struct store_format *format)
{
    char text[STORE_FORMAT_TEXT_BYTES];
    const size_t bytes = store_format_text(format, text);

    assert_int_equal(bytes, strlen(text));
    assert_true(is_known(text, bytes - CHECKSUM_BYTES));
}

UNIT_TEST(the_longest_strings_are_kept)
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    struct store_format format = {
        .piles = 2, .record = {.kind = &string_delimiter_kind, .string = string, .string_bytes = sizeof string}};

    memset(string, 0xfe, sizeof string);
    assert_comes_back(&format);
    string[0] = '\n';
    format.record.kind = &string_start_kind;
    memset(format.header_start, '\\', sizeof format.header_start - 1);
    assert_comes_back(&format);
    format.keys = STORE_KEYS_UNIQUE;
    format.fields = KEY_FIELDS_MAX;
    for (unsigned i = 0; i < KEY_FIELDS_MAX; i++)
        memset(format.field[i], 0xfe, STORE_FORMAT_FIELD_BYTES - 1);
    memcpy(format.key, KEY, sizeof format.key);
    assert_comes_back(&format);
}

/* Each byte is another, or is there once more, or not at all; or the text ends there. */
UNIT_TEST(there_is_one_way_to_write_a_format)
{
    static const char likely[] = "0129Fx \\\"\r\n-";
    char text[STORE_FORMAT_TEXT_BYTES];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const size_t bytes = strlen(texts[i]);

        assert_false(is_known(texts[i], bytes + 1));
        for (size_t at = 0; at < bytes; at++) {
            memcpy(text, texts[i], at);
            text[at] = '\0';
            assert_false(is_known(text, at));
            strcpy(text + at, texts[i] + at + 1);
            (void)is_known(text, bytes - 1);
            for (size_t k = 0; likely[k] != '\0'; k++) {
                text[at] = likely[k];
                strcpy(text + at + 1, texts[i] + at);
                (void)is_known(text, bytes + 1);
                strcpy(text + at + 1, texts[i] + at + 1);
                (void)is_known(text, bytes);
            }
        }
    }
}

UNIT_TEST(every_bit_of_a_format_matters)
{
    const struct store_format format = {.piles = 2, .record = {.delimiter = '\n'}};
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    char text[STORE_FORMAT_TEXT_BYTES];
    const size_t bytes = store_format_text(&format, text);
    struct store_format found;

    for (size_t i = 0; i < 8 * bytes; i++) {
        text[i / 8] = (char)(text[i / 8] ^ 1 << i % 8);
        assert_false(store_format_parse(&found, string, text, bytes));
        text[i / 8] = (char)(text[i / 8] ^ 1 << i % 8);
    }
    assert_true(store_format_parse(&found, string, text, bytes));
}

UNIT_TEST(what_makes_no_sense_is_not_known)
{
    static const char *const wrong[] = {
        "bigshuf store 2\n512 piles\nrecords of csv\nno header\n",
        OF_512 "records of csv \"\"\nno header\n",
        TITLE "1 piles\nrecords of csv\nno header\n",
        TITLE "3 piles\nrecords of csv\nno header\n",
        TITLE "8192 piles\nrecords of csv\nno header\n",
        OF_512 "no header\n",
        OF_512 "records of TSV\nno header\n",
        OF_512 "records of delimiter \"\"\nno header\n",
        OF_512 "records of start \"\"\nno header\n",
        OF_512 "records of start \"a\\nb\"\nno header\n",
        OF_512 "records of bytes 0\nno header\n",
        OF_512 "records of lines 0 \"\\n\"\nno header\n",
        OF_512 "records of lines 2 \"ab\"\nno header\n",
        OF_512 "records of lines 2 \"\"\nno header\n",
        OF_512 "records of fasta\nno header\n",
        OF_512 "records of tar\nno header\n",
        OF_CSV "header of lines 0\n",
        OF_CSV "groups by separated by \",\" key " KEY "\nno header\n",
        OF_CSV "groups by \"\" separated by \",\" key " KEY "\nno header\n",
        OF_CSV "groups by \"a\\000b\" separated by \",\" key " KEY "\nno header\n",
        OF_CSV "groups by \"/a~2\" separated by \",\" key " KEY "\nno header\n",
        OF_CSV "groups by \"1\" separated by \"\" key " KEY "\nno header\n",
        OF_CSV "groups by \"1\" separated by \",;\" key " KEY "\nno header\n",
        OF_CSV "records by \"1\" separated by \",\" key " KEY "\nno header\n",
        OF_CSV "groups by \"1\" \"2\" \"3\" \"4\" \"5\" \"6\" \"7\" \"8\" \"9\" separated by \",\" key " KEY
               "\nno header\n",
    };
    char text[STORE_FORMAT_TEXT_BYTES];

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(is_known(wrong[i], strlen(wrong[i])));
    for (size_t starts = 0; starts < 2; starts++) {
        snprintf(text, sizeof text, TITLE "2 piles\nrecords of %s \"%0*d\"\nno header\n", starts ? "start" : "end",
                 RECORD_DELIMITER_BYTES_MAX + !starts, 0);
        assert_false(is_known(text, strlen(text)));
    }
}
