/* What is taken and what is refused where there are models, and how, was found by asking them: coreutils 9.1 in the C
 * locale. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>
#include <limits.h>

#include "command/argument.h"

#define TRY_HELP "Try 'bigshuf --help' for more information.\n"

/* What arguments should be, in messages. */
#define WHOLE_NUMBER "it is a whole number, in digits alone"
#define ONE_BYTE     ": it is one byte, or an escape such as \\t"
#define UNITS        "K, M, G, T (powers of 1024) or KB, MB, GB, TB (of 1000)"
#define BYTES        "it is a number of bytes, or a number and a unit: " UNITS

enum { UNTOUCHED = 111, MESSAGE_BYTES = 256 };

static int setup(void **state)
{
    (void)state;
    fault_init(&fault);
    return 0;
}

#define TEST(name) UNIT_TEST_IN(name, setup, NULL)

/* The call returns this, and just this is said. */
#define assert_answer(call, result, message)                                                                           \
    do {                                                                                                               \
        assert_says(call, result, message);                                                                            \
        fault_release(&fault);                                                                                         \
        fault_init(&fault);                                                                                            \
    } while (0)

/* One of the readers of a plain 64-bit number. */
typedef int number_function(struct fault *fault, const char *spelling, const char *text, uint64_t *value);

static int count(struct fault *to, const char *spelling, const char *text, uint64_t *value)
{
    (void)spelling;
    return argument_count(to, text, value);
}

static int field(struct fault *to, const char *spelling, const char *text, uint64_t *value)
{
    (void)spelling;
    return argument_field(to, text, value);
}

static int from_3(struct fault *to, const char *spelling, const char *text, uint64_t *value)
{
    return argument_number(to, spelling, text, 3, value);
}

static int parallel(struct fault *to, const char *spelling, const char *text, uint64_t *value)
{
    unsigned threads;
    int result = argument_parallel(to, spelling, text, &threads);

    *value = threads;
    return result;
}

static void assert_number(number_function *read, const char *text, uint64_t expected)
{
    uint64_t value = expected + 1;

    assert_answer(read(&fault, "--it", text, &value), 0, "");
    assert_int_equal(value, expected);
}

static void assert_no_number(number_function *read, const char *text, const char *message)
{
    uint64_t value = UNTOUCHED;

    assert_answer(read(&fault, "--it", text, &value), -1, message);
    assert_int_equal(value, UNTOUCHED);
}

static void assert_range(const char *text, uint64_t low, uint64_t high)
{
    uint64_t first = low + 1, last = high + 1;

    assert_answer(argument_range(&fault, text, &first, &last), 0, "");
    assert_int_equal(first, low);
    assert_int_equal(last, high);
}

/* `culprit` is the part that is no good, `error` the cause that is told, or 0 if there is none. */
static void assert_no_range(const char *text, const char *culprit, int error)
{
    uint64_t first = UNTOUCHED, last = UNTOUCHED;
    char message[MESSAGE_BYTES];

    snprintf(message, sizeof message, "bigshuf: invalid input range: '%s': %s\n", culprit,
             error == 0 ? "it is LO-HI, two whole numbers, the smaller one first, such as 1-100" : strerror(error));
    assert_answer(argument_range(&fault, text, &first, &last), -1, message);
    assert_int_equal(first, UNTOUCHED);
    assert_int_equal(last, UNTOUCHED);
}

static void assert_separator(const char *text, uint8_t expected)
{
    uint8_t separator = UNTOUCHED;

    assert_answer(argument_separator(&fault, text, &separator), 0, "");
    assert_int_equal(separator, expected);
}

static void assert_no_separator(const char *text, const char *message)
{
    uint8_t separator = UNTOUCHED;

    assert_answer(argument_separator(&fault, text, &separator), -1, message);
    assert_int_equal(separator, UNTOUCHED);
}

static void assert_delimiter(const char *text, const char *expected, size_t expected_bytes)
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    size_t bytes;

    assert_answer(argument_delimiter(&fault, "--it", text, string, &bytes), 0, "");
    assert_int_equal(bytes, expected_bytes);
    assert_memory_equal(string, expected, expected_bytes);
}

static void assert_no_delimiter(const char *text, const char *message)
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    size_t bytes;

    assert_answer(argument_delimiter(&fault, "--it", text, string, &bytes), -1, message);
}

static void assert_start(const char *text, const char *message)
{
    bool is_good = message[0] == '\0';
    size_t bytes;

    assert_answer(argument_start(&fault, "--it", text, &bytes), is_good ? 0 : -1, message);
    if (is_good)
        assert_int_equal(bytes, strlen(text));
}

/* ---- Counts ---- */

TEST(test_counts_are_decimal)
{
    assert_number(count, "0", 0);
    assert_number(count, "3", 3);
    assert_number(count, "010", 10);
    assert_number(count, "18446744073709551615", UINT64_MAX);
}

TEST(test_a_count_may_begin_with_blanks_and_a_plus_sign)
{
    assert_number(count, " 3", 3);
    assert_number(count, "+3", 3);
    assert_number(count, " \t\n\v\f\r+3", 3);
}

TEST(test_a_count_beyond_64_bits_is_the_largest)
{
    assert_number(count, "18446744073709551616", UINT64_MAX);
    assert_number(count, "99999999999999999999999", UINT64_MAX);
}

TEST(test_what_is_no_count_is_refused)
{
    static const char *const texts[] = {"",
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
                                        "18446744073709551616x"};
    char message[MESSAGE_BYTES];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(message, sizeof message, "bigshuf: invalid line count: '%s': " WHOLE_NUMBER "\n", texts[i]);
        assert_no_number(count, texts[i], message);
    }
}

/* ---- Ranges ---- */

TEST(test_a_range_is_two_numbers_and_a_hyphen)
{
    assert_range("5-7", 5, 7);
    assert_range("5-5", 5, 5);
    assert_range("0-0", 0, 0);
    assert_range("05-007", 5, 7);
    assert_range("000000000000000000000000000000001-2", 1, 2);
    assert_range("18446744073709551615-18446744073709551615", UINT64_MAX, UINT64_MAX);
}

TEST(test_all_numbers_are_a_range)
{
    assert_range("0-18446744073709551615", 0, UINT64_MAX);
}

TEST(test_a_range_may_be_empty)
{
    assert_range("5-4", 5, 4);
    assert_range("1-0", 1, 0);
    assert_range("18446744073709551615-18446744073709551614", UINT64_MAX, UINT64_MAX - 1);
}

TEST(test_both_ends_may_begin_with_blanks_and_a_plus_sign)
{
    assert_range(" 5-7", 5, 7);
    assert_range("+5-7", 5, 7);
    assert_range("5- 7", 5, 7);
    assert_range("5-+7", 5, 7);
    assert_range("\t+5-\v+7", 5, 7);
}

TEST(test_a_range_that_goes_down_is_refused_whole)
{
    assert_no_range("5-3", "5-3", 0);
    assert_no_range("2-0", "2-0", 0);
    assert_no_range("18446744073709551615-0", "18446744073709551615-0", 0);
}

TEST(test_an_end_that_is_no_number_is_named)
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

TEST(test_no_end_is_negative)
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

TEST(test_a_range_needs_its_hyphen)
{
    assert_no_range("", "", 0);
    assert_no_range("5", "5", 0);
    assert_no_range(" 5", " 5", 0);
    assert_no_range("a", "a", 0);
    assert_no_range("5x", "5x", 0);
}

TEST(test_an_end_that_is_too_large_is_told_so)
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

TEST(test_fields_are_numbered_from_1)
{
    assert_number(field, "1", 1);
    assert_number(field, "007", 7);
    assert_number(field, "18446744073709551615", UINT64_MAX);
    assert_no_number(field, "0", "bigshuf: fields are numbered from 1\n" TRY_HELP);
    assert_no_number(field, "00", "bigshuf: fields are numbered from 1\n" TRY_HELP);
}

TEST(test_what_is_no_field_is_refused)
{
    static const char *const texts[] = {"", "x", "-1", "+1", " 1", "1 ", "1x", "1,2", "1-2", "0x1"};
    char message[MESSAGE_BYTES];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(message, sizeof message, "bigshuf: invalid field value '%s': " WHOLE_NUMBER "\n" TRY_HELP, texts[i]);
        assert_no_number(field, texts[i], message);
    }
}

TEST(test_a_field_beyond_64_bits_is_too_large)
{
    assert_no_number(field, "18446744073709551616",
                     "bigshuf: field number '18446744073709551616' is too large\n" TRY_HELP);
}

/* ---- Separators ---- */

TEST(test_a_separator_is_one_byte)
{
    assert_separator(",", ',');
    assert_separator("\t", '\t');
    assert_separator("\n", '\n');
    assert_separator("\\", '\\');
    assert_separator("0", '0');
    assert_separator("\xff", 0xff);
}

TEST(test_backslash_0_separates_by_nul)
{
    assert_separator("\\0", '\0');
}

TEST(test_no_byte_or_several_are_no_separator)
{
    assert_no_separator("", "bigshuf: empty tab\n");
    assert_no_separator("xx", "bigshuf: multi-character tab 'xx'" ONE_BYTE "\n");
    assert_no_separator("\\q", "bigshuf: multi-character tab '\\q'" ONE_BYTE "\n");
    assert_no_separator("\\tx", "bigshuf: multi-character tab '\\tx'" ONE_BYTE "\n");
    assert_no_separator("\\0000", "bigshuf: multi-character tab '\\0000'" ONE_BYTE "\n");
    assert_no_separator("\xc3\xa9", "bigshuf: multi-character tab '\xc3\xa9'" ONE_BYTE "\n");
}

/* ---- Memory and threads ---- */

TEST(test_memory_is_at_least_what_it_takes)
{
    assert_number(argument_memory, "8M", 8 << 20);
    assert_number(argument_memory, "8192", 8 << 20);
    assert_no_number(argument_memory, "8388607b", "bigshuf: --it 8388607b: memory must be at least 8 MiB\n");
    assert_no_number(argument_memory, "0%", "bigshuf: --it 0%: memory must be at least 8 MiB\n");
    assert_no_number(argument_memory, "8Mx",
                     "bigshuf: invalid --it argument '8Mx': it is a number and a unit, such as 64M or 1.5G: " UNITS
                     ", or % of memory\n");
    assert_no_number(argument_memory, "16E", "bigshuf: --it argument '16E' too large\n");
}

TEST(test_threads_are_a_maximum)
{
    assert_number(parallel, "1", 1);
    assert_number(parallel, "4294967296", UINT_MAX);
    assert_number(parallel, "18446744073709551616", UINT_MAX);
}

/* ---- Numbers and sizes ---- */

TEST(test_a_number_is_not_below_the_least)
{
    assert_number(from_3, "3", 3);
    assert_number(from_3, "18446744073709551615", UINT64_MAX);
    assert_no_number(from_3, "2", "bigshuf: --it must be at least 3\n");
    assert_no_number(from_3, "3K", "bigshuf: invalid --it argument '3K': " WHOLE_NUMBER "\n");
    assert_no_number(from_3, "18446744073709551616", "bigshuf: --it argument '18446744073709551616' too large\n");
}

TEST(test_a_size_without_unit_is_bytes)
{
    assert_number(argument_bytes, "1", 1);
    assert_number(argument_bytes, "18446744073709551615", UINT64_MAX);
    assert_number(argument_bytes, "3b", 3);
    assert_number(argument_bytes, "3k", 3 << 10);
    assert_number(argument_bytes, "3K", 3 << 10);
    assert_number(argument_bytes, "3G", (uint64_t)3 << 30);
    assert_number(argument_bytes, "3KB", 3000);
    assert_number(argument_bytes, "1.5MiB", 3 << 19);
}

TEST(test_what_is_no_size_is_refused)
{
    assert_no_number(argument_bytes, "", "bigshuf: invalid --it argument '': " BYTES "\n");
    assert_no_number(argument_bytes, "K", "bigshuf: invalid --it argument 'K': " BYTES "\n");
    assert_no_number(argument_bytes, "-1", "bigshuf: invalid --it argument '-1': " BYTES "\n");
    assert_no_number(argument_bytes, "5%", "bigshuf: invalid --it argument '5%': " BYTES "\n");
    assert_no_number(argument_bytes, "99999999999999999999%",
                     "bigshuf: invalid --it argument '99999999999999999999%': " BYTES "\n");
    assert_no_number(argument_bytes, "1.5", "bigshuf: invalid --it argument '1.5': " BYTES "\n");
    assert_no_number(argument_bytes, "3mb", "bigshuf: invalid --it argument '3mb': " BYTES "\n");
    assert_no_number(argument_bytes, "16E", "bigshuf: --it argument '16E' too large\n");
    assert_no_number(argument_bytes, "0", "bigshuf: --it must be at least 1\n");
    assert_no_number(argument_bytes, "0K", "bigshuf: --it must be at least 1\n");
}

/* ---- What ends and begins records ---- */

TEST(test_a_delimiter_may_be_escaped)
{
    assert_delimiter("a", "a", 1);
    assert_delimiter("\\0", "\0", 1);
    assert_delimiter("\\r\\n", "\r\n", 2);
    assert_delimiter("\n", "\n", 1);
    assert_no_delimiter("\\", "bigshuf: invalid --it argument '\\': after a backslash there is one of abfnrtv, a "
                              "second one, or a byte's number: "
                              "\\xff, \\0\n");
    assert_no_delimiter("\\400", "bigshuf: --it argument '\\400' too large\n");
}

TEST(test_strings_have_1_byte_up_to_a_delimiter_s_most)
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

TEST(test_no_record_starts_with_more_than_a_line)
{
    assert_start(">", "");
    assert_start("\\n", "");
    assert_start("a\n", "bigshuf: --it must not have a newline\n");
    assert_start("\n", "bigshuf: --it must not have a newline\n");
}

TEST(test_the_hint_names_help)
{
    scratch_listen();
    argument_hint();
    assert_string_equal(scratch_heard(), TRY_HELP);
}
