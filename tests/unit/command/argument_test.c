/* What is taken and what is refused where there are models, and how, was found by asking them: coreutils 9.1 in the C
 * locale. */

#include "support/scratch.h"
#include "support/unit.h"

#include <errno.h>
#include <limits.h>

#include "command/argument.h"

#define TRY_HELP "Try 'bigshuf --help' for more information.\n"

enum { UNTOUCHED = 111, MESSAGE_BYTES = 256 };

/* ---- One call, with a fault of its own, and what it says ---- */

static struct fault fault;

static void begin(void)
{
    fault_init(&fault);
    scratch_listen();
}

static void end(const char *message)
{
    const char *heard = scratch_heard();

    fault_release(&fault);
    assert_string_equal(heard, message);
}

static void assert_count(const char *text, uint64_t expected)
{
    uint64_t count = expected + 1;
    int result;

    begin();
    result = argument_count(&fault, text, &count);
    end("");
    assert_int_equal(result, 0);
    assert_int_equal(count, expected);
}

static void assert_no_count(const char *text)
{
    uint64_t count = UNTOUCHED;
    char message[MESSAGE_BYTES];
    int result;

    snprintf(message, sizeof message, "bigshuf: invalid line count: '%s'\n", text);
    begin();
    result = argument_count(&fault, text, &count);
    end(message);
    assert_int_equal(result, -1);
    assert_int_equal(count, UNTOUCHED);
}

static void assert_range(const char *text, uint64_t low, uint64_t high)
{
    uint64_t first = low + 1, last = high + 1;
    int result;

    begin();
    result = argument_range(&fault, text, &first, &last);
    end("");
    assert_int_equal(result, 0);
    assert_int_equal(first, low);
    assert_int_equal(last, high);
}

/* `culprit` is the part that is no good, `error` the cause that is told, or 0 if there is none. */
static void assert_no_range(const char *text, const char *culprit, int error)
{
    uint64_t first = UNTOUCHED, last = UNTOUCHED;
    char message[MESSAGE_BYTES];
    int result;

    snprintf(message, sizeof message, "bigshuf: invalid input range: '%s'%s%s\n", culprit, error == 0 ? "" : ": ",
             error == 0 ? "" : strerror(error));
    begin();
    result = argument_range(&fault, text, &first, &last);
    end(message);
    assert_int_equal(result, -1);
    assert_int_equal(first, UNTOUCHED);
    assert_int_equal(last, UNTOUCHED);
}

static void assert_field(const char *text, uint64_t expected)
{
    uint64_t field = expected + 1;
    int result;

    begin();
    result = argument_field(&fault, text, &field);
    end("");
    assert_int_equal(result, 0);
    assert_int_equal(field, expected);
}

static void assert_no_field(const char *text, const char *message)
{
    uint64_t field = UNTOUCHED;
    int result;

    begin();
    result = argument_field(&fault, text, &field);
    end(message);
    assert_int_equal(result, -1);
    assert_int_equal(field, UNTOUCHED);
}

static void assert_separator(const char *text, uint8_t expected)
{
    uint8_t separator = UNTOUCHED;
    int result;

    begin();
    result = argument_separator(&fault, text, &separator);
    end("");
    assert_int_equal(result, 0);
    assert_int_equal(separator, expected);
}

static void assert_no_separator(const char *text, const char *message)
{
    uint8_t separator = UNTOUCHED;
    int result;

    begin();
    result = argument_separator(&fault, text, &separator);
    end(message);
    assert_int_equal(result, -1);
    assert_int_equal(separator, UNTOUCHED);
}

/* One of the readers of a plain 64-bit number. */
typedef int number_function(struct fault *fault, const char *spelling, const char *text, uint64_t *value);

static int from_3(struct fault *to, const char *spelling, const char *text, uint64_t *value)
{
    return argument_number(to, spelling, text, 3, value);
}

static void assert_number(number_function *read, const char *text, uint64_t expected)
{
    uint64_t value = expected + 1;
    int result;

    begin();
    result = read(&fault, "--it", text, &value);
    end("");
    assert_int_equal(result, 0);
    assert_int_equal(value, expected);
}

static void assert_no_number(number_function *read, const char *text, const char *message)
{
    uint64_t value = UNTOUCHED;
    int result;

    begin();
    result = read(&fault, "--it", text, &value);
    end(message);
    assert_int_equal(result, -1);
    assert_int_equal(value, UNTOUCHED);
}

static void assert_threads(const char *text, unsigned expected)
{
    unsigned threads = expected + 1;
    int result;

    begin();
    result = argument_parallel(&fault, "--it", text, &threads);
    end("");
    assert_int_equal(result, 0);
    assert_int_equal(threads, expected);
}

static void assert_delimiter(const char *text, const char *expected, size_t expected_bytes)
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    size_t bytes;
    int result;

    begin();
    result = argument_delimiter(&fault, "--it", text, string, &bytes);
    end("");
    assert_int_equal(result, 0);
    assert_int_equal(bytes, expected_bytes);
    assert_memory_equal(string, expected, expected_bytes);
}

static void assert_no_delimiter(const char *text, const char *message)
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    size_t bytes;
    int result;

    begin();
    result = argument_delimiter(&fault, "--it", text, string, &bytes);
    end(message);
    assert_int_equal(result, -1);
}

static void assert_start(const char *text, const char *message)
{
    bool is_good = message[0] == '\0';
    size_t bytes;
    int result;

    begin();
    result = argument_start(&fault, "--it", text, &bytes);
    end(message);
    assert_int_equal(result, is_good ? 0 : -1);
    if (is_good)
        assert_int_equal(bytes, strlen(text));
}

/* ---- Counts ---- */

UNIT_TEST(test_counts_are_decimal)
{
    assert_count("0", 0);
    assert_count("3", 3);
    assert_count("010", 10);
    assert_count("18446744073709551615", UINT64_MAX);
}

UNIT_TEST(test_a_count_may_begin_with_blanks_and_a_plus_sign)
{
    assert_count(" 3", 3);
    assert_count("+3", 3);
    assert_count(" \t\n\v\f\r+3", 3);
}

UNIT_TEST(test_a_count_beyond_64_bits_is_the_largest)
{
    assert_count("18446744073709551616", UINT64_MAX);
    assert_count("99999999999999999999999", UINT64_MAX);
}

UNIT_TEST(test_what_is_no_count_is_refused)
{
    static const char *const texts[] = {
        "",
        " ",
        "x",
        "-1",
        "-0",
        " -0",
        "+",
        "+-",
        "+ 3",
        "++3",
        "3 ",
        "1K",
        "1x",
        "0x1",
        "1.5",
        "1e3",
        "-99999999999999999999",
        "18446744073709551616x",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_no_count(texts[i]);
}

/* ---- Ranges ---- */

UNIT_TEST(test_a_range_is_two_numbers_and_a_hyphen)
{
    assert_range("5-7", 5, 7);
    assert_range("5-5", 5, 5);
    assert_range("0-0", 0, 0);
    assert_range("05-007", 5, 7);
    assert_range("000000000000000000000000000000001-2", 1, 2);
    assert_range("18446744073709551615-18446744073709551615", UINT64_MAX, UINT64_MAX);
}

UNIT_TEST(test_all_numbers_are_a_range)
{
    assert_range("0-18446744073709551615", 0, UINT64_MAX);
}

UNIT_TEST(test_a_range_may_be_empty)
{
    assert_range("5-4", 5, 4);
    assert_range("1-0", 1, 0);
    assert_range("18446744073709551615-18446744073709551614", UINT64_MAX, UINT64_MAX - 1);
}

UNIT_TEST(test_both_ends_may_begin_with_blanks_and_a_plus_sign)
{
    assert_range(" 5-7", 5, 7);
    assert_range("+5-7", 5, 7);
    assert_range("5- 7", 5, 7);
    assert_range("5-+7", 5, 7);
    assert_range("\t+5-\v+7", 5, 7);
}

UNIT_TEST(test_a_range_that_goes_down_is_refused_whole)
{
    assert_no_range("5-3", "5-3", 0);
    assert_no_range("2-0", "2-0", 0);
    assert_no_range("18446744073709551615-0", "18446744073709551615-0", 0);
}

UNIT_TEST(test_an_end_that_is_no_number_is_named)
{
    assert_no_range("a-b", "a", 0);
    assert_no_range("5x-7", "5x", 0);
    assert_no_range("0x5-7", "0x5", 0);
    assert_no_range("5 -7", "5 ", 0);
    assert_no_range("1K-2K", "1K", 0);
    assert_no_range("5-b", "b", 0);
    assert_no_range("5-7x", "7x", 0);
    assert_no_range("5-++7", "++7", 0);
    assert_no_range("5-", "", 0);
    assert_no_range("5- ", " ", 0);
    assert_no_range("5-7-9", "7-9", 0);
}

UNIT_TEST(test_no_end_is_negative)
{
    assert_no_range("-5-3", "", 0);
    assert_no_range("-5", "", 0);
    assert_no_range("-", "", 0);
    assert_no_range("--", "", 0);
    assert_no_range(" -5-7", " ", 0);
    assert_no_range("+-5-7", "+", 0);
    assert_no_range("5--7", "-7", 0);
    assert_no_range("5- -7", " -7", 0);
}

UNIT_TEST(test_a_range_needs_its_hyphen)
{
    assert_no_range("", "", 0);
    assert_no_range("5", "5", 0);
    assert_no_range(" 5", " 5", 0);
    assert_no_range("a", "a", 0);
    assert_no_range("5x", "5x", 0);
}

UNIT_TEST(test_an_end_that_is_too_large_is_told_so)
{
    assert_no_range("1-18446744073709551616", "18446744073709551616", EOVERFLOW);
    assert_no_range("18446744073709551616-18446744073709551617", "18446744073709551616", EOVERFLOW);
    assert_no_range("99999999999999999999-x", "99999999999999999999", EOVERFLOW);
    assert_no_range("99999999999999999999", "99999999999999999999", EOVERFLOW);
    assert_no_range("18446744073709551616x-3", "18446744073709551616x", 0);
    assert_no_range("3-18446744073709551616x", "18446744073709551616x", 0);
    assert_no_range("3-18446744073709551616 ", "18446744073709551616 ", 0);
    assert_no_range("3--18446744073709551616", "-18446744073709551616", 0);
    assert_no_range("5x-18446744073709551616", "5x", 0);
}

/* ---- Fields ---- */

UNIT_TEST(test_fields_are_numbered_from_1)
{
    assert_field("1", 1);
    assert_field("007", 7);
    assert_field("18446744073709551615", UINT64_MAX);
    assert_no_field("0", "bigshuf: fields are numbered from 1\n" TRY_HELP);
    assert_no_field("00", "bigshuf: fields are numbered from 1\n" TRY_HELP);
}

UNIT_TEST(test_what_is_no_field_is_refused)
{
    static const char *const texts[] = {"", "x", "-1", "+1", " 1", "1 ", "1x", "1,2", "1-2", "0x1"};
    char message[MESSAGE_BYTES];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(message, sizeof message, "bigshuf: invalid field value '%s'\n" TRY_HELP, texts[i]);
        assert_no_field(texts[i], message);
    }
}

UNIT_TEST(test_a_field_beyond_64_bits_is_too_large)
{
    assert_no_field("18446744073709551616", "bigshuf: field number '18446744073709551616' is too large\n" TRY_HELP);
}

/* ---- Separators ---- */

UNIT_TEST(test_a_separator_is_one_byte)
{
    assert_separator(",", ',');
    assert_separator("\t", '\t');
    assert_separator("\n", '\n');
    assert_separator("\\", '\\');
    assert_separator("0", '0');
    assert_separator("\xff", 0xff);
}

UNIT_TEST(test_backslash_0_separates_by_nul)
{
    assert_separator("\\0", '\0');
}

UNIT_TEST(test_no_byte_or_several_are_no_separator)
{
    assert_no_separator("", "bigshuf: empty tab\n");
    assert_no_separator("xx", "bigshuf: multi-character tab 'xx'\n");
    assert_no_separator("\\q", "bigshuf: multi-character tab '\\q'\n");
    assert_no_separator("\\tx", "bigshuf: multi-character tab '\\tx'\n");
    assert_no_separator("\\0000", "bigshuf: multi-character tab '\\0000'\n");
    assert_no_separator("\xc3\xa9", "bigshuf: multi-character tab '\xc3\xa9'\n");
}

/* ---- Memory and threads ---- */

UNIT_TEST(test_memory_is_at_least_what_it_takes)
{
    assert_number(argument_memory, "8M", 8 << 20);
    assert_number(argument_memory, "8192", 8 << 20);
    assert_no_number(argument_memory, "8388607b", "bigshuf: --it 8388607b: memory must be at least 8 MiB\n");
    assert_no_number(argument_memory, "0%", "bigshuf: --it 0%: memory must be at least 8 MiB\n");
    assert_no_number(argument_memory, "8Mx", "bigshuf: invalid --it argument '8Mx'\n");
    assert_no_number(argument_memory, "16E", "bigshuf: --it argument '16E' too large\n");
}

UNIT_TEST(test_threads_are_a_maximum)
{
    assert_threads("1", 1);
    assert_threads("4294967296", UINT_MAX);
    assert_threads("18446744073709551616", UINT_MAX);
}

/* ---- Numbers and sizes ---- */

UNIT_TEST(test_a_number_is_not_below_the_least)
{
    assert_number(from_3, "3", 3);
    assert_number(from_3, "18446744073709551615", UINT64_MAX);
    assert_no_number(from_3, "2", "bigshuf: --it must be at least 3\n");
    assert_no_number(from_3, "3K", "bigshuf: invalid --it argument '3K'\n");
    assert_no_number(from_3, "18446744073709551616", "bigshuf: --it argument '18446744073709551616' too large\n");
}

UNIT_TEST(test_a_size_without_unit_is_bytes)
{
    assert_number(argument_bytes, "1", 1);
    assert_number(argument_bytes, "18446744073709551615", UINT64_MAX);
    assert_number(argument_bytes, "3b", 3);
    assert_number(argument_bytes, "3k", 3 << 10);
    assert_number(argument_bytes, "3K", 3 << 10);
    assert_number(argument_bytes, "3G", (uint64_t)3 << 30);
}

UNIT_TEST(test_what_is_no_size_is_refused)
{
    assert_no_number(argument_bytes, "", "bigshuf: invalid --it argument ''\n");
    assert_no_number(argument_bytes, "K", "bigshuf: invalid --it argument 'K'\n");
    assert_no_number(argument_bytes, "-1", "bigshuf: invalid --it argument '-1'\n");
    assert_no_number(argument_bytes, "5%", "bigshuf: invalid --it argument '5%'\n");
    assert_no_number(argument_bytes, "99999999999999999999%",
                     "bigshuf: invalid --it argument '99999999999999999999%'\n");
    assert_no_number(argument_bytes, "3KB", "bigshuf: invalid --it argument '3KB'\n");
    assert_no_number(argument_bytes, "16E", "bigshuf: --it argument '16E' too large\n");
    assert_no_number(argument_bytes, "0", "bigshuf: --it must be at least 1\n");
    assert_no_number(argument_bytes, "0K", "bigshuf: --it must be at least 1\n");
}

/* ---- What ends and begins records ---- */

UNIT_TEST(test_a_delimiter_may_be_escaped)
{
    assert_delimiter("a", "a", 1);
    assert_delimiter("\\0", "\0", 1);
    assert_delimiter("\\r\\n", "\r\n", 2);
    assert_delimiter("\n", "\n", 1);
    assert_no_delimiter("\\", "bigshuf: invalid --it argument '\\'\n");
    assert_no_delimiter("\\400", "bigshuf: --it argument '\\400' too large\n");
}

UNIT_TEST(test_strings_have_1_byte_up_to_a_delimiter_s_most)
{
    char text[RECORD_DELIMITER_BYTES_MAX + 2];

    memset(text, 'x', sizeof text);
    text[RECORD_DELIMITER_BYTES_MAX + 1] = '\0';
    assert_no_delimiter("", "bigshuf: --it must not be empty\n");
    assert_no_delimiter(text, "bigshuf: --it must be at most 255 bytes\n");
    text[RECORD_DELIMITER_BYTES_MAX] = '\0';
    assert_delimiter(text, text, RECORD_DELIMITER_BYTES_MAX);
    assert_start(text, "bigshuf: --it must be at most 254 bytes\n");
    text[RECORD_DELIMITER_BYTES_MAX - 1] = '\0';
    assert_start(text, "");
    assert_start("", "bigshuf: --it must not be empty\n");
}

UNIT_TEST(test_no_record_starts_with_more_than_a_line)
{
    assert_start(">", "");
    assert_start("\\n", "");
    assert_start("a\n", "bigshuf: --it must not have a newline\n");
    assert_start("\n", "bigshuf: --it must not have a newline\n");
}

UNIT_TEST(test_the_hint_names_help)
{
    begin();
    argument_hint();
    end(TRY_HELP);
}
