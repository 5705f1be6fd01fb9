#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/unit.h"

#include "command/command_line.h"
#include "shuffle/order.h"
#include "system/hardware.h"

#define TRY_HELP "Try 'bigshuf --help' for more information.\n"

/* What arguments should be, in messages. */
#define WHOLE_NUMBER    "it is a whole number, in digits alone"
#define LOW_AND_HIGH    "it is LO-HI, two whole numbers, the smaller one first, such as 1-100"
#define ONE_BYTE        ": it is one byte, or an escape such as \\t"
#define NUMBER_AND_FILE "it is N:FILE or P%:FILE, such as 100:test or 2.5%:test; P has at most four decimals"
#define UNITS           "K, M, G, T (powers of 1024) or KB, MB, GB, TB (of 1000)"
#define SIZE            "it is a number and a unit, such as 64M or 1.5G: " UNITS ", or % of memory"

enum { WORDS_MAX = 40, TEXT_BYTES = 8192 };

/* The last command line that was parsed, and what came of it. */
static struct {
    struct options options;
    enum command_line_verdict verdict;
    char out[TEXT_BYTES], err[TEXT_BYTES];
    char *words[WORDS_MAX + 1];
} run;

/* A descriptor that is sent elsewhere for a while. */
struct detour {
    int fd, former;
    FILE *file;
};

static struct detour leave(int fd, const char *path)
{
    struct detour detour = {.fd = fd, .former = dup(fd)};

    detour.file = path == NULL ? tmpfile() : fopen(path, "r+");
    assert_non_null(detour.file);
    assert_int_equal(dup2(fileno(detour.file), fd), fd);
    return detour;
}

static void come_back(struct detour detour, char text[TEXT_BYTES])
{
    size_t length;

    dup2(detour.former, detour.fd);
    close(detour.former);
    rewind(detour.file);
    length = fread(text, 1, TEXT_BYTES - 1, detour.file);
    text[length] = '\0';
    fclose(detour.file);
}

/* Parse the words, the first of which is the program's name, with standard output going to the file `out`. */
static void parse_words(int count, char **words, const char *out)
{
    struct detour detours[2];

    options_release(&run.options);
    fflush(NULL);
    detours[0] = leave(STDERR_FILENO, NULL);
    detours[1] = leave(STDOUT_FILENO, out);
    run.verdict = command_line_parse(&run.options, count, words);
    come_back(detours[1], run.out);
    come_back(detours[0], run.err);
}

/* Words that end with NULL. */
static void parse_list(const char *first, ...)
{
    va_list list;
    int count = 0;

    run.words[count++] = (char *)(uintptr_t) "/some/where/else";
    va_start(list, first);
    for (const char *word = first; word != NULL && count < WORDS_MAX; word = va_arg(list, const char *))
        run.words[count++] = (char *)(uintptr_t)word;
    va_end(list);
    run.words[count] = NULL;
    parse_words(count, run.words, NULL);
}

#define parse(...) parse_list(__VA_ARGS__, (char *)NULL)

static void assert_run(void)
{
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, "");
    assert_int_equal(run.verdict, COMMAND_LINE_RUN);
}

static void assert_bad(const char *message)
{
    assert_string_equal(run.err, message);
    assert_string_equal(run.out, "");
    assert_int_equal(run.verdict, COMMAND_LINE_BAD);
}

/* The words are taken without a word. */
#define accept(...) (parse(__VA_ARGS__), assert_run())

/* The words are refused with this message. */
#define refuse(message, ...) (parse(__VA_ARGS__), assert_bad(message))

/* `option` is refused after `first` with each of these values: the message has the value between its two parts. */
static void refuse_each(const char *first, const char *option, const char *const *values, size_t count,
                        const char *message, const char *rest)
{
    char word[300], expected[400];

    for (size_t i = 0; i < count; i++) {
        snprintf(word, sizeof word, "%s%s", option, values[i]);
        snprintf(expected, sizeof expected, "bigshuf: %s%s%s\n", message, values[i], rest);
        refuse(expected, first, word);
    }
}

#define REFUSE_EACH(first, option, values, message, rest)                                                              \
    refuse_each(first, option, values, sizeof(values) / sizeof(values)[0], message, rest)

static int setup(void **state)
{
    (void)state;
    return unsetenv("POSIXLY_CORRECT");
}

static int teardown(void **state)
{
    (void)state;
    options_release(&run.options);
    return 0;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

TEST(test_no_words_mean_standard_input_and_defaults)
{
    accept(NULL);
    assert_int_equal(run.options.file_count, 1);
    assert_string_equal(run.options.files[0], "-");
    assert_null(run.options.files0_from);
    assert_false(run.options.echo);
    assert_false(run.options.range);
    assert_false(run.options.range_full);
    assert_null(run.options.output);
    assert_int_equal(run.options.delimiter, '\n');
    assert_int_equal(run.options.format.kind, RECORD_BYTE);
    assert_int_equal(run.options.format.delimiter, '\n');
    assert_false(run.options.format.starts);
    assert_int_equal(run.options.header.lines, 0);
    assert_int_equal(run.options.header.bytes, 0);
    assert_int_equal(run.options.shards, 0);
    assert_int_equal(run.options.shard_records, 0);
    assert_int_equal(run.options.shard_bytes, 0);
    assert_int_equal(run.options.splits, 0);
    assert_null(run.options.filter);
    assert_null(run.options.compress_program);
    assert_int_equal(run.options.compress_temporary, COMPRESS_AUTO);
    assert_int_equal(run.options.count, UINT64_MAX);
    assert_false(run.options.repeat);
    assert_false(run.options.keep_order);
    assert_null(run.options.probability);
    assert_null(run.options.weights);
    assert_int_equal(run.options.weight_field, 0);
    assert_int_equal(run.options.group_field, 0);
    assert_false(run.options.format.grouped);
    assert_false(run.options.separator_given);
    assert_null(run.options.random_source);
    assert_int_equal(run.options.memory_bytes, 0);
    assert_int_equal(run.options.temporary_count, 0);
    assert_null(run.options.seed);
    assert_int_equal(run.options.leaf_records, ORDER_LEAF_RECORDS);
    assert_int_equal(run.options.parallel, 0);
    assert_int_equal(run.options.expected_records, UINT64_MAX);
    assert_int_equal(run.options.progress, OPTIONS_PROGRESS_USUAL);
    assert_false(run.options.verbose);
}

TEST(test_not_even_a_program_name_is_needed)
{
    char *none[] = {NULL};

    parse_words(0, none, NULL);
    assert_run();
    assert_string_equal(run.options.files[0], "-");
}

TEST(test_every_option_has_its_place)
{
    accept("-o", "out", "-z", "-S", "9M", "-T", "one", "-v", "--seed=s", "--tune=leaf-records=8", "--parallel=3",
           "file");
    assert_string_equal(run.options.output, "out");
    assert_int_equal(run.options.delimiter, '\0');
    assert_int_equal(run.options.memory_bytes, 9 << 20);
    assert_int_equal(run.options.temporary_count, 1);
    assert_string_equal(run.options.temporary[0], "one");
    assert_true(run.options.verbose);
    assert_string_equal(run.options.seed, "s");
    assert_int_equal(run.options.leaf_records, 8);
    assert_int_equal(run.options.parallel, 3);
    assert_int_equal(run.options.file_count, 1);
    assert_string_equal(run.options.files[0], "file");
}

TEST(test_letters_have_long_names)
{
    accept("--output=out", "--zero-terminated", "--buffer-size=9M", "--temporary-directory=one", "--verbose");
    assert_string_equal(run.options.output, "out");
    assert_int_equal(run.options.delimiter, '\0');
    assert_int_equal(run.options.memory_bytes, 9 << 20);
    assert_string_equal(run.options.temporary[0], "one");
    assert_true(run.options.verbose);
}

TEST(test_long_names_may_be_cut_short_and_letters_joined)
{
    accept("--para", "3", "--out=x", "-zvS9M");
    assert_int_equal(run.options.parallel, 3);
    assert_string_equal(run.options.output, "x");
    assert_int_equal(run.options.delimiter, '\0');
    assert_true(run.options.verbose);
    assert_int_equal(run.options.memory_bytes, 9 << 20);
}

TEST(test_options_may_follow_files_and_argv_stays)
{
    accept("b", "-z", "a", "--", "-v", "-");
    assert_int_equal(run.options.delimiter, '\0');
    assert_false(run.options.verbose);
    assert_int_equal(run.options.file_count, 4);
    assert_string_equal(run.options.files[0], "b");
    assert_string_equal(run.options.files[1], "a");
    assert_string_equal(run.options.files[2], "-v");
    assert_string_equal(run.options.files[3], "-");
    assert_string_equal(run.words[0], "/some/where/else");
    assert_string_equal(run.words[1], "b");
    assert_string_equal(run.words[2], "-z");
    assert_ptr_equal(run.options.files[0], run.words[1]);
}

TEST(test_options_end_at_the_first_file_if_posixly_correct)
{
    setenv("POSIXLY_CORRECT", "1", 1);
    parse("-v", "a", "-z");
    unsetenv("POSIXLY_CORRECT");
    assert_run();
    assert_true(run.options.verbose);
    assert_int_equal(run.options.delimiter, '\n');
    assert_int_equal(run.options.file_count, 2);
    assert_string_equal(run.options.files[1], "-z");
    parse("a", "-z");
    assert_int_equal(run.options.delimiter, '\0');
}

/* Options by which to tell one of shuf from all others, and what GNU shuf 9.1 understands. */
static bool is_echo(void)
{
    return run.options.echo;
}

static bool is_range(void)
{
    return run.options.range;
}

static bool is_count(void)
{
    return run.options.count == 1;
}

static bool is_output(void)
{
    return run.options.output != NULL;
}

static bool is_random_source(void)
{
    return run.options.random_source != NULL;
}

static bool is_repeat(void)
{
    return run.options.repeat;
}

static bool is_zero_terminated(void)
{
    return run.options.delimiter == '\0';
}

static bool is_help(void)
{
    return run.verdict == COMMAND_LINE_DONE && strstr(run.out, "Usage: ") == run.out;
}

static bool is_version(void)
{
    return run.verdict == COMMAND_LINE_DONE && strstr(run.out, "bigshuf ") == run.out;
}

TEST(test_every_beginning_of_a_name_that_shuf_understands_is_understood)
{
    static const struct {
        const char *name;
        size_t shortest; /* so many letters, and any more, are understood by shuf */
        const char *argument;
        bool (*is_set)(void);
    } names[] = {
        {"echo", 1, "", is_echo},
        {"input-range", 1, "=1-1", is_range},
        {"head-count", 3, "=1", is_count},
        {"output", 1, "=out", is_output},
        {"random-source", 2, "=source", is_random_source},
        {"repeat", 2, "", is_repeat},
        {"zero-terminated", 1, "", is_zero_terminated},
        {"help", 3, "", is_help},
        {"version", 1, "", is_version},
    };
    char word[64];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t length = 1; length <= strlen(names[i].name); length++) {
            snprintf(word, sizeof word, "--%.*s%s", (int)length, names[i].name, names[i].argument);
            parse(word);
            assert_int_equal(run.verdict == COMMAND_LINE_BAD, length < names[i].shortest);
            assert_int_equal(names[i].is_set(), length >= names[i].shortest);
        }
    }
}

TEST(test_short_names_do_not_hide_longer_ones)
{
    accept("--header");
    assert_int_equal(run.options.header.lines, 1);
    assert_int_equal(run.options.count, UINT64_MAX);
    accept("--verb");
    assert_true(run.options.verbose);
    accept("--record-li=4");
    assert_false(run.options.repeat);
    refuse("bigshuf: invalid line count: 'x': " WHOLE_NUMBER "\n", "--hea=x");
}

TEST(test_short_names_are_not_offered)
{
    static const char *const words[] = {"--r", "--he", "--h"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        parse(words[i]);
        assert_int_equal(run.verdict, COMMAND_LINE_BAD);
        assert_null(strstr(run.err, "--re'"));
        assert_null(strstr(run.err, "--hea'"));
        assert_null(strstr(run.err, "--head'"));
    }
    parse("--r", "--re");
    assert_null(strstr(run.err, "--re'"));
    accept("x", "-o", "--re", "--head", "3", "-vr", "--", "--hea=2");
    assert_true(run.options.repeat && run.options.verbose);
    assert_string_equal(run.options.output, "--re");
    assert_int_equal(run.options.count, 3);
    assert_int_equal(run.options.file_count, 2);
    assert_string_equal(run.options.files[1], "--hea=2");
}

TEST(test_a_delimiter_of_one_byte_ends_lines)
{
    accept("--delimiter=,");
    assert_int_equal(run.options.format.kind, RECORD_BYTE);
    assert_int_equal(run.options.format.delimiter, ',');
    assert_int_equal(run.options.delimiter, ',');
    accept("--delimiter", "\\x1e");
    assert_int_equal(run.options.delimiter, 0x1e);
    accept("--delimiter=xy", "--delimiter=\\377");
    assert_int_equal(run.options.format.kind, RECORD_BYTE);
    assert_int_equal(run.options.delimiter, 0xff);
}

TEST(test_a_delimiter_of_several_bytes_is_a_string)
{
    char longest[sizeof "--delimiter=" + RECORD_DELIMITER_BYTES_MAX] = "--delimiter=";

    accept("--delimiter=\\r\\n");
    assert_int_equal(run.options.format.kind, RECORD_STRING);
    assert_false(run.options.format.starts);
    assert_int_equal(run.options.format.string_bytes, 2);
    assert_memory_equal(run.options.format.string, "\r\n", 2);
    accept("--delimiter=\\0\\0\\0");
    assert_int_equal(run.options.format.string_bytes, 3);
    assert_memory_equal(run.options.format.string, "\0\0\0", 3);
    memset(longest + strlen(longest), 'x', RECORD_DELIMITER_BYTES_MAX);
    accept(longest);
    assert_int_equal(run.options.format.string_bytes, RECORD_DELIMITER_BYTES_MAX);
    assert_int_equal(run.options.format.string[RECORD_DELIMITER_BYTES_MAX - 1], 'x');
}

TEST(test_groups_of_lines_end_with_newlines_or_nul)
{
    accept("--record-lines=4");
    assert_int_equal(run.options.format.kind, RECORD_LINES);
    assert_int_equal(run.options.format.count, 4);
    assert_int_equal(run.options.format.delimiter, '\n');
    accept("--record-lines=4", "-z");
    assert_int_equal(run.options.format.kind, RECORD_LINES);
    assert_int_equal(run.options.format.delimiter, '\0');
    accept("-z", "--record-lines=1");
    assert_int_equal(run.options.format.kind, RECORD_LINES);
    assert_int_equal(run.options.format.delimiter, '\0');
    assert_int_equal(run.options.format.count, 1);
}

TEST(test_a_record_size_is_bytes_or_in_its_unit)
{
    accept("--record-size=784");
    assert_int_equal(run.options.format.kind, RECORD_SIZE);
    assert_int_equal(run.options.format.count, 784);
    accept("--record-size=2K");
    assert_int_equal(run.options.format.count, 2048);
}

TEST(test_a_record_length_is_written_in_one_of_six_ways)
{
    static const char *const words[] = {"tfrecord", "u32le", "u32be", "u64le", "u64be", "varint"};
    static const char *const others[] = {"", "u16le", "TFRecord", "u32", "varint "};
    char option[64], message[256];

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        snprintf(option, sizeof option, "--record-length=%s", words[i]);
        accept(option);
        assert_int_equal(run.options.format.kind, RECORD_LENGTH);
        assert_int_equal(run.options.format.coding, i);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        snprintf(option, sizeof option, "--record-length=%s", others[i]);
        snprintf(message, sizeof message,
                 "bigshuf: invalid --record-length argument '%s': it is tfrecord, u32le, u32be, u64le, u64be or "
                 "varint\n",
                 others[i]);
        refuse(message, option);
    }
}

TEST(test_what_records_start_with_is_a_delimiter_after_a_newline)
{
    char longest[sizeof "--record-start=" + RECORD_DELIMITER_BYTES_MAX - 1] = "--record-start=";

    accept("--record-start=>");
    assert_int_equal(run.options.format.kind, RECORD_STRING);
    assert_true(run.options.format.starts);
    assert_int_equal(run.options.format.string_bytes, 2);
    assert_memory_equal(run.options.format.string, "\n>", 2);
    accept("--record-start=longer", "--record-start=\\b");
    assert_int_equal(run.options.format.string_bytes, 3);
    assert_memory_equal(run.options.format.string, "\n\\b", 3);
    memset(longest + strlen(longest), 'x', RECORD_DELIMITER_BYTES_MAX - 1);
    accept(longest);
    assert_int_equal(run.options.format.string_bytes, RECORD_DELIMITER_BYTES_MAX);
}

TEST(test_csv_is_a_format)
{
    accept("--csv");
    assert_int_equal(run.options.format.kind, RECORD_CSV);
}

TEST(test_members_of_archives_are_grouped)
{
    accept("--tar");
    assert_int_equal(run.options.format.kind, RECORD_TAR);
    assert_true(run.options.format.grouped);
}

TEST(test_a_header_is_one_record_or_as_many_as_are_named)
{
    accept("--header", "2");
    assert_int_equal(run.options.header.lines, 1);
    assert_string_equal(run.options.files[0], "2");
    accept("--header=2");
    assert_int_equal(run.options.header.lines, 2);
    accept("--header=2", "--header=0");
    assert_int_equal(run.options.header.lines, 0);
    accept("--header-bytes=128", "--header=3");
    assert_int_equal(run.options.header.bytes, 128);
    assert_int_equal(run.options.header.lines, 3);
}

TEST(test_a_header_is_the_lines_that_begin_with_a_string)
{
    accept("--header-start=##");
    assert_string_equal(run.options.header.start, "##");
    assert_false(run.options.header.may_differ);
    accept("--header-start=@", "--headers-differ");
    assert_string_equal(run.options.header.start, "@");
    assert_true(run.options.header.may_differ);
    refuse("bigshuf: --header-start must not be empty\n", "--header-start=");
    refuse("bigshuf: --header-start must not have a newline\n", "--header-start=a\nb");
}

TEST(test_a_header_goes_with_every_format)
{
    static const char *const formats[] = {
        "-z", "--delimiter=ab", "--record-lines=2", "--record-size=2", "--record-start=a", "--csv"};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        accept(formats[i], "--header");
        assert_int_equal(run.options.header.lines, 1);
        accept("--header-bytes=1", formats[i]);
        assert_int_equal(run.options.header.bytes, 1);
    }
}

TEST(test_formats_that_are_none_are_refused)
{
    char long_delimiter[sizeof "--delimiter=" + RECORD_DELIMITER_BYTES_MAX + 1] = "--delimiter=";
    char long_start[sizeof "--record-start=" + RECORD_DELIMITER_BYTES_MAX] = "--record-start=";

    refuse("bigshuf: --delimiter must not be empty\n", "--delimiter=");
    refuse("bigshuf: invalid --delimiter argument '\\q': after a backslash there is one of abfnrtv, a second one, or a "
           "byte's number: \\xff, \\0\n",
           "--delimiter=\\q");
    refuse("bigshuf: --delimiter argument '\\400' too large\n", "--delimiter=\\400");
    memset(long_delimiter + strlen(long_delimiter), 'x', RECORD_DELIMITER_BYTES_MAX + 1);
    refuse("bigshuf: --delimiter must be at most 255 bytes\n", long_delimiter);
    refuse("bigshuf: --record-start must not be empty\n", "--record-start=");
    refuse("bigshuf: --record-start must not have a newline\n", "--record-start=a\nb");
    memset(long_start + strlen(long_start), 'x', RECORD_DELIMITER_BYTES_MAX);
    refuse("bigshuf: --record-start must be at most 254 bytes\n", long_start);
}

TEST(test_shards_are_a_number_of_files_or_of_what_is_in_each)
{
    accept("--shards=3", "-o", "%d");
    assert_int_equal(run.options.shards, 3);
    assert_string_equal(run.options.output, "%d");
    accept("-o%d", "--shard-records=5");
    assert_int_equal(run.options.shard_records, 5);
    accept("-o%d", "--shard-bytes=100");
    assert_int_equal(run.options.shard_bytes, 100);
    accept("-o%d", "--shard-bytes=100", "--shard-bytes=1M");
    assert_int_equal(run.options.shard_bytes, 1 << 20);
}

TEST(test_splits_keep_their_order)
{
    accept("--split=10:a", "--split", "0.5%:b:c", "-o", "rest", "-n100");
    assert_int_equal(run.options.splits, 2);
    assert_string_equal(run.options.split[0].path, "a");
    assert_int_equal(run.options.split[0].amount, 10);
    assert_false(run.options.split[0].is_percentage);
    assert_string_equal(run.options.split[1].path, "b:c");
    assert_int_equal(run.options.split[1].amount, 5000);
    assert_true(run.options.split[1].is_percentage);
    assert_string_equal(run.options.output, "rest");
    assert_int_equal(run.options.count, 100);
}

TEST(test_splits_that_are_none_are_refused)
{
    refuse("bigshuf: invalid --split argument 'a': " NUMBER_AND_FILE "\n", "--split=a");
    refuse("bigshuf: invalid --split argument '10': " NUMBER_AND_FILE "\n", "--split=10");
    refuse("bigshuf: invalid --split argument '10:': " NUMBER_AND_FILE "\n", "--split=10:");
    refuse("bigshuf: --split argument '101%:a' too large\n", "--split=101%:a");
}

TEST(test_commands_have_their_places)
{
    accept("--filter=gzip >$FILE.gz", "-o", "a");
    assert_string_equal(run.options.filter, "gzip >$FILE.gz");
    accept("--filter=a", "--filter=b", "--split=1:a");
    assert_string_equal(run.options.filter, "b");
    accept("--compress-program=zstd", "--compress-program=zstd");
    assert_string_equal(run.options.compress_program, "zstd");
    refuse("bigshuf: multiple compress programs specified\n", "--compress-program=zstd", "--compress-program=lz4");
}

TEST(test_temporary_files_are_compressed_when_the_last_option_says)
{
    accept("--compress-temporary=never");
    assert_int_equal(run.options.compress_temporary, COMPRESS_NEVER);
    accept("--compress-temporary=never", "--compress-temporary=always");
    assert_int_equal(run.options.compress_temporary, COMPRESS_ALWAYS);
    accept("--compress-temporary=always", "--compress-temporary=auto");
    assert_int_equal(run.options.compress_temporary, COMPRESS_AUTO);
    refuse("bigshuf: invalid --compress-temporary argument 'alway': it is auto, always or never\n",
           "--compress-temporary=alway");
}

TEST(test_numbers_that_are_none_are_refused)
{
    static const struct {
        const char *option;
        bool takes_zero, takes_units;
    } numbers[] = {
        {"--record-lines", false, false}, {"--record-size", false, true}, {"--header", true, false},
        {"--header-bytes", true, false},  {"--shards", false, false},     {"--shard-records", false, false},
        {"--shard-bytes", false, true},
    };
    static const char *const texts[] = {"", "x", "-1", " 1", "1x", "1%", "0x1"};
    char word[64], message[256];

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const char *option = numbers[i].option;

        for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++) {
            snprintf(word, sizeof word, "%s=%s", option, texts[j]);
            snprintf(message, sizeof message, "bigshuf: invalid %s argument '%s': %s\n", option, texts[j],
                     numbers[i].takes_units ? "it is a number of bytes, or a number and a unit: " UNITS : WHOLE_NUMBER);
            refuse(message, word, "-o%d");
        }
        snprintf(word, sizeof word, "%s=18446744073709551616", option);
        snprintf(message, sizeof message, "bigshuf: %s argument '18446744073709551616' too large\n", option);
        refuse(message, word, "-o%d");
        snprintf(word, sizeof word, "%s=18446744073709551615", option);
        accept(word, "-o%d");
        snprintf(word, sizeof word, "%s=1K", option);
        parse(word, "-o%d");
        assert_int_equal(run.verdict, numbers[i].takes_units ? COMMAND_LINE_RUN : COMMAND_LINE_BAD);
        snprintf(word, sizeof word, "%s=0", option);
        snprintf(message, sizeof message, "bigshuf: %s must be at least 1\n", option);
        parse(word, "-o%d");
        if (numbers[i].takes_zero)
            assert_run();
        else
            assert_bad(message);
    }
}

TEST(test_letters_of_shuf_may_be_joined)
{
    accept("-ern2", "a");
    assert_true(run.options.echo);
    assert_true(run.options.repeat);
    assert_int_equal(run.options.count, 2);
    accept("-ri5-5");
    assert_true(run.options.repeat);
    assert_int_equal(run.options.range_count, 1);
    refuse("bigshuf: invalid line count: '1i3-3': " WHOLE_NUMBER "\n", "-rn1i3-3");
    refuse("bigshuf: invalid line count: '-e': " WHOLE_NUMBER "\n", "--head-count", "-e");
}

TEST(test_with_echo_the_operands_are_records_if_there_are_any)
{
    accept("b", "-e", "-", "--", "-n1");
    assert_true(run.options.echo);
    assert_int_equal(run.options.file_count, 3);
    assert_string_equal(run.options.files[0], "b");
    assert_string_equal(run.options.files[1], "-");
    assert_string_equal(run.options.files[2], "-n1");
    accept("--echo");
    assert_true(run.options.echo);
    assert_int_equal(run.options.file_count, 0);
    accept("-er");
    assert_int_equal(run.options.file_count, 0);
}

TEST(test_a_range_is_its_first_number_and_how_many_there_are)
{
    accept("-i", "5-7");
    assert_true(run.options.range);
    assert_int_equal(run.options.range_first, 5);
    assert_int_equal(run.options.range_count, 3);
    assert_false(run.options.range_full);
    assert_int_equal(run.options.file_count, 0);
    accept("--input-range=1-18446744073709551615");
    assert_int_equal(run.options.range_count, UINT64_MAX);
    assert_false(run.options.range_full);
    accept("-i0-18446744073709551614");
    assert_int_equal(run.options.range_count, UINT64_MAX);
    assert_false(run.options.range_full);
}

TEST(test_the_empty_range_and_the_full_one_are_told_apart)
{
    accept("-i", "5-4");
    assert_true(run.options.range);
    assert_int_equal(run.options.range_count, 0);
    assert_false(run.options.range_full);
    accept("-i", "0-18446744073709551615");
    assert_true(run.options.range);
    assert_int_equal(run.options.range_first, 0);
    assert_int_equal(run.options.range_count, 0);
    assert_true(run.options.range_full);
}

TEST(test_a_range_is_given_once_and_without_operands)
{
    refuse("bigshuf: multiple -i options specified\n", "-i1-2", "-i1-2");
    refuse("bigshuf: multiple -i options specified\n", "-i1-2", "-ix");
    refuse("bigshuf: extra operand 'a'\n" TRY_HELP, "-i1-2", "a", "b");
    refuse("bigshuf: extra operand '-b'\n" TRY_HELP, "-i1-2", "--", "-b", "a");
}

TEST(test_a_bad_range_is_refused)
{
    refuse("bigshuf: invalid input range: '5-3': " LOW_AND_HIGH "\n", "-i", "5-3");
    refuse("bigshuf: invalid input range: 'x': " LOW_AND_HIGH "\n", "-ix", "-i1-2");
}

TEST(test_the_least_of_several_counts_counts)
{
    accept("-n0");
    assert_int_equal(run.options.count, 0);
    accept("-n2", "--head-count=1", "-n", "3");
    assert_int_equal(run.options.count, 1);
    accept("-n99999999999999999999999");
    assert_int_equal(run.options.count, UINT64_MAX);
}

TEST(test_a_bad_count_is_refused_wherever_it_stands)
{
    static const char message[] = "bigshuf: invalid line count: 'x': " WHOLE_NUMBER "\n";

    refuse(message, "-nx");
    refuse(message, "-n3", "-nx");
    refuse(message, "-nx", "-n3");
    refuse("bigshuf: invalid line count: '': " WHOLE_NUMBER "\n", "-n", "", "-e");
}

TEST(test_one_random_source_may_be_named_twice_but_not_two)
{
    accept("--random-source=a", "--random-source", "a");
    assert_string_equal(run.options.random_source, "a");
    refuse("bigshuf: multiple random sources specified\n", "--random-source=a", "--random-source=b");
}

TEST(test_a_probability_stays_as_it_was_given)
{
    accept("--probability=0.50");
    assert_string_equal(run.options.probability, "0.50");
    accept("--probability=1", "--probability=0");
    assert_string_equal(run.options.probability, "0");
}

TEST(test_what_is_no_probability_is_refused)
{
    static const char *const texts[] = {"", "x", "1.1", "2", "-0.5", "0.5x", "50%"};

    REFUSE_EACH("file", "--probability=", texts, "invalid probability: '",
                "': it is a number from 0 to 1, such as 0.01");
}

TEST(test_weights_are_a_file_or_a_field)
{
    accept("--weights=file");
    assert_string_equal(run.options.weights, "file");
    assert_int_equal(run.options.weight_field, 0);
    accept("--weight-field=3", "--weight-field=2");
    assert_null(run.options.weights);
    assert_int_equal(run.options.weight_field, 2);
    refuse("bigshuf: fields are numbered from 1\n" TRY_HELP, "--weight-field=0");
}

TEST(test_groups_are_told_by_a_field)
{
    accept("--group-field=3", "--group-field=2");
    assert_true(run.options.format.grouped);
    assert_int_equal(run.options.group_field, 2);
    refuse("bigshuf: fields are numbered from 1\n" TRY_HELP, "--group-field=0");
}

TEST(test_a_separator_needs_no_field_and_may_be_repeated_but_not_changed)
{
    accept("-t", ",");
    assert_int_equal(run.options.field_separator, ',');
    accept("--field-separator=\\0", "-t\\0");
    assert_int_equal(run.options.field_separator, '\0');
    accept("-t", "\t", "--weight-field=1");
    assert_int_equal(run.options.field_separator, '\t');
    accept("-t\\t", "-t\t", "-t\\x9", "--field-separator=\\011");
    assert_int_equal(run.options.field_separator, '\t');
    accept("-t\\", "-t\\\\");
    assert_int_equal(run.options.field_separator, '\\');
    refuse("bigshuf: incompatible tabs\n", "-t,", "-t;");
    refuse("bigshuf: incompatible tabs\n", "-t\t", "-t,");
    refuse("bigshuf: multi-character tab ',,'" ONE_BYTE "\n", "-t,,");
    refuse("bigshuf: multi-character tab '\\q'" ONE_BYTE "\n", "-t\\q");
    refuse("bigshuf: multi-character tab '\\tx'" ONE_BYTE "\n", "-t\\tx");
}

TEST(test_echo_and_range_exclude_each_other)
{
    static const char message[] = "bigshuf: cannot combine -e and -i options\n" TRY_HELP;

    refuse(message, "-e", "-i1-2");
    refuse(message, "-i1-2", "-e", "a");
}

static const struct {
    const char *one, *other, *message;
} contradictions[] = {
    {"--seed=1", "--random-source=a", "cannot combine --seed and --random-source"},
    {"--random-source=a", "--weights=a", "cannot combine --random-source and --weights"},
    {"--random-source=a", "--weight-field=1", "cannot combine --random-source and --weight-field"},
    {"--random-source=a", "--probability=1", "cannot combine --random-source and --probability"},
    {"--random-source=a", "--keep-order", "cannot combine --random-source and --keep-order"},
    {"--weights=a", "--weight-field=1", "cannot combine --weights and --weight-field"},
    {"--probability=1", "-n1", "cannot combine --probability and -n"},
    {"--probability=1", "-r", "cannot combine --probability and -r"},
    {"--probability=1", "--weights=a", "cannot combine --probability and --weights"},
    {"--probability=1", "--weight-field=1", "cannot combine --probability and --weight-field"},
    {"--probability=1", "--keep-order", "cannot combine --probability and --keep-order"},
    {"--keep-order", "-r", "cannot combine --keep-order and -r"},
    {"--files0-from=a", "-e", "cannot combine --files0-from and -e"},
    {"--files0-from=a", "-i1-2", "cannot combine --files0-from and -i"},
    {"-z", "--delimiter=a", "cannot combine -z and --delimiter other than '\\0'"},
    {"-z", "--delimiter=\\0\\0", "cannot combine -z and --delimiter other than '\\0'"},
    {"-z", "--record-size=2", "cannot combine -z and --record-size"},
    {"-z", "--record-length=u32le", "cannot combine -z and --record-length"},
    {"-z", "--record-start=a", "cannot combine -z and --record-start"},
    {"-z", "--csv", "cannot combine -z and --csv"},
    {"--tar", "-z", "cannot combine --tar and -z"},
    {"--tar", "-e", "cannot combine --tar and -e"},
    {"--tar", "-i1-2", "cannot combine --tar and -i"},
    {"--tar", "--delimiter=\\n", "cannot combine --tar and --delimiter"},
    {"--tar", "--record-lines=2", "cannot combine --tar and --record-lines"},
    {"--tar", "--record-size=2", "cannot combine --tar and --record-size"},
    {"--tar", "--record-start=a", "cannot combine --tar and --record-start"},
    {"--tar", "--csv", "cannot combine --tar and --csv"},
    {"--tar", "--group-field=1", "cannot combine --tar and --group-field"},
    {"--tar", "--split-field=1", "cannot combine --tar and --split-field"},
    {"--tar", "--header", "cannot combine --tar and --header"},
    {"--tar", "--header-bytes=1", "cannot combine --tar and --header-bytes"},
    {"--tar", "--weight-field=1", "cannot combine --tar and --weight-field"},
    {"--tar", "--gather=a", "cannot combine --tar and --gather"},
    {"--csv", "--delimiter=\\n", "cannot combine --csv and --delimiter"},
    {"--csv", "--record-lines=2", "cannot combine --csv and --record-lines"},
    {"--csv", "--record-size=2", "cannot combine --csv and --record-size"},
    {"--csv", "--record-length=u32le", "cannot combine --csv and --record-length"},
    {"--csv", "--record-start=a", "cannot combine --csv and --record-start"},
    {"--delimiter=a", "--record-lines=2", "cannot combine --delimiter and --record-lines"},
    {"--delimiter=a", "--record-size=2", "cannot combine --delimiter and --record-size"},
    {"--delimiter=a", "--record-length=u32le", "cannot combine --delimiter and --record-length"},
    {"--delimiter=a", "--record-start=a", "cannot combine --delimiter and --record-start"},
    {"--record-lines=2", "--record-size=2", "cannot combine --record-lines and --record-size"},
    {"--record-lines=2", "--record-length=u32le", "cannot combine --record-lines and --record-length"},
    {"--record-lines=2", "--record-start=a", "cannot combine --record-lines and --record-start"},
    {"--record-size=2", "--record-length=u32le", "cannot combine --record-size and --record-length"},
    {"--record-size=2", "--record-start=a", "cannot combine --record-size and --record-start"},
    {"--record-length=u32le", "--record-start=a", "cannot combine --record-length and --record-start"},
    {"--record-length=u32le", "--header", "cannot combine --record-length and --header"},
    {"--header-start=a", "--record-size=2", "cannot combine --header-start and --record-size"},
    {"--header-start=a", "--record-length=u32le", "cannot combine --header-start and --record-length"},
    {"--header-start=a", "--header", "cannot combine --header-start and --header"},
    {"--header-start=a", "--header-bytes=3", "cannot combine --header-start and --header-bytes"},
    {"-e", "--delimiter=ab", "cannot combine -e and --delimiter of several bytes"},
    {"-e", "--record-lines=2", "cannot combine -e and --record-lines"},
    {"-e", "--record-size=2", "cannot combine -e and --record-size"},
    {"-e", "--record-length=u32le", "cannot combine -e and --record-length"},
    {"-e", "--record-start=a", "cannot combine -e and --record-start"},
    {"-e", "--csv", "cannot combine -e and --csv"},
    {"-e", "--header", "cannot combine -e and --header"},
    {"-e", "--header-bytes=1", "cannot combine -e and --header-bytes"},
    {"-e", "--header-start=a", "cannot combine -e and --header-start"},
    {"-e", "--headers-differ", "cannot combine -e and --headers-differ"},
    {"-i1-2", "--delimiter=ab", "cannot combine -i and --delimiter of several bytes"},
    {"-i1-2", "--delimiter=0", "cannot combine -i and a digit as --delimiter"},
    {"-i1-2", "--delimiter=9", "cannot combine -i and a digit as --delimiter"},
    {"-i1-2", "--record-lines=2", "cannot combine -i and --record-lines"},
    {"-i1-2", "--record-size=2", "cannot combine -i and --record-size"},
    {"-i1-2", "--record-length=u32le", "cannot combine -i and --record-length"},
    {"-i1-2", "--record-start=a", "cannot combine -i and --record-start"},
    {"-i1-2", "--csv", "cannot combine -i and --csv"},
    {"-i1-2", "--header=2", "cannot combine -i and --header"},
    {"-i1-2", "--header-bytes=1", "cannot combine -i and --header-bytes"},
    {"-i1-2", "--header-start=a", "cannot combine -i and --header-start"},
    {"-i1-2", "--headers-differ", "cannot combine -i and --headers-differ"},
    {"--weight-field=1", "--delimiter=ab", "cannot combine --weight-field and --delimiter of several bytes"},
    {"--weight-field=1", "--record-lines=2", "cannot combine --weight-field and --record-lines"},
    {"--weight-field=1", "--record-size=2", "cannot combine --weight-field and --record-size"},
    {"--weight-field=1", "--record-length=u32le", "cannot combine --weight-field and --record-length"},
    {"--weight-field=1", "--record-start=a", "cannot combine --weight-field and --record-start"},
    {"--part=1/2", "-r", "cannot combine --part and -r"},
    {"--part=1/2", "--keep-order", "cannot combine --part and --keep-order"},
    {"--part=1/2", "--probability=1", "cannot combine --part and --probability"},
    {"--part=1/2", "--random-source=a", "cannot combine --part and --random-source"},
    {"--part=1/2", "--weights=a", "cannot combine --part and --weights"},
    {"--part=1/2", "--weight-field=1", "cannot combine --part and --weight-field"},
    {"--part=1/2", "--scatter=a", "cannot combine --part and --scatter"},
    {"--part=1/2", "--pile=1", "cannot combine --part and --pile"},
    {"--part=1/2", "--list", "cannot combine --part and --list"},
    {"--group-field=1", "-e", "cannot combine --group-field and -e"},
    {"--group-field=1", "-i1-2", "cannot combine --group-field and -i"},
    {"--group-field=1", "--weight-field=1", "cannot combine --group-field and --weight-field"},
    {"--group-field=1", "--delimiter=ab", "cannot combine --group-field and --delimiter of several bytes"},
    {"--group-field=1", "--record-lines=2", "cannot combine --group-field and --record-lines"},
    {"--group-field=1", "--record-size=2", "cannot combine --group-field and --record-size"},
    {"--group-field=1", "--record-start=a", "cannot combine --group-field and --record-start"},
    {"--split-field=1", "-e", "cannot combine --split-field and -e"},
    {"--split-field=1", "-i1-2", "cannot combine --split-field and -i"},
    {"--split-field=1", "--random-source=a", "cannot combine --split-field and --random-source"},
    {"--split-field=1", "--delimiter=ab", "cannot combine --split-field and --delimiter of several bytes"},
    {"--split-field=1", "--record-lines=2", "cannot combine --split-field and --record-lines"},
    {"--split-field=1", "--record-size=2", "cannot combine --split-field and --record-size"},
    {"--split-field=1", "--record-start=a", "cannot combine --split-field and --record-start"},
    {"--split-field=1", "--split=2:a", "cannot combine --split-field and --split of a number of records"},
    {"--split-field=1", "--group-field=2", "cannot combine --split-field and --group-field of another field"},
    {"--split-field=1", "--shards=2", "cannot combine --split-field and --shards"},
    {"--split-field=1", "--filter=a", "cannot combine --split-field and --filter"},
    {"--shards=2", "--shard-records=2", "cannot combine --shards and --shard-records"},
    {"--shards=2", "--shard-bytes=2", "cannot combine --shards and --shard-bytes"},
    {"--shards=2", "-r", "cannot combine --shards and -r without -n"},
    {"--shard-records=2", "--shard-bytes=2", "cannot combine --shard-records and --shard-bytes"},
    {"--shard-records=2", "-r", "cannot combine --shard-records and -r without -n"},
    {"--shard-bytes=2", "-r", "cannot combine --shard-bytes and -r without -n"},
    {"--split=2:a", "-r", "cannot combine --split and -r without -n"},
    {"--scatter=a", "--gather=b", "cannot combine --scatter and --gather"},
    {"--scatter=a", "-e", "cannot combine --scatter and -e"},
    {"--scatter=a", "-i1-2", "cannot combine --scatter and -i"},
    {"--scatter=a", "-n1", "cannot combine --scatter and -n"},
    {"--scatter=a", "-r", "cannot combine --scatter and -r"},
    {"--scatter=a", "-ob", "cannot combine --scatter and -o"},
    {"--scatter=a", "--random-source=b", "cannot combine --scatter and --random-source"},
    {"--scatter=a", "--probability=1", "cannot combine --scatter and --probability"},
    {"--scatter=a", "--weights=b", "cannot combine --scatter and --weights"},
    {"--scatter=a", "--weight-field=1", "cannot combine --scatter and --weight-field"},
    {"--scatter=a", "--split=1:b", "cannot combine --scatter and --split"},
    {"--scatter=a", "-Tb", "cannot combine --scatter and -T"},
    {"--scatter=a", "--compress-program=b", "cannot combine --scatter and --compress-program"},
    {"--scatter=a", "--compress-temporary=auto", "cannot combine --scatter and --compress-temporary"},
    {"--compress-program=b", "--compress-temporary=never",
     "cannot combine --compress-program and --compress-temporary"},
    {"--gather=a", "-e", "cannot combine --gather and -e"},
    {"--gather=a", "-i1-2", "cannot combine --gather and -i"},
    {"--gather=a", "-r", "cannot combine --gather and -r"},
    {"--gather=a", "-z", "cannot combine -z and --gather without --list"},
    {"--gather=a", "--files0-from=b", "cannot combine --gather and --files0-from"},
    {"--gather=a", "--delimiter=b", "cannot combine --gather and --delimiter"},
    {"--gather=a", "--record-lines=2", "cannot combine --gather and --record-lines"},
    {"--gather=a", "--record-size=2", "cannot combine --gather and --record-size"},
    {"--gather=a", "--record-length=u32le", "cannot combine --gather and --record-length"},
    {"--gather=a", "--record-start=b", "cannot combine --gather and --record-start"},
    {"--gather=a", "--csv", "cannot combine --gather and --csv"},
    {"--gather=a", "--group-field=1", "cannot combine --gather and --group-field"},
    {"--gather=a", "--header", "cannot combine --gather and --header"},
    {"--gather=a", "--header-bytes=1", "cannot combine --gather and --header-bytes"},
    {"--gather=a", "--header-start=b", "cannot combine --gather and --header-start"},
    {"--gather=a", "--headers-differ", "cannot combine --gather and --headers-differ"},
    {"--gather=a", "--random-source=b", "cannot combine --gather and --random-source"},
    {"--gather=a", "--probability=1", "cannot combine --gather and --probability"},
};

/* Every pair of options is tried in both orders. */
TEST(test_options_that_contradict_each_other_are_refused)
{
    char message[128];

    for (size_t i = 0; i < sizeof contradictions / sizeof contradictions[0]; i++) {
        snprintf(message, sizeof message, "bigshuf: %s\n", contradictions[i].message);
        refuse(message, contradictions[i].one, contradictions[i].other);
        refuse(message, contradictions[i].other, contradictions[i].one);
    }
}

TEST(test_options_that_do_not_are_accepted)
{
    static const char *const pairs[][2] = {
        {"-e", "-r"},
        {"-e", "--random-source=a"},
        {"-e", "--weights=a"},
        {"-i1-2", "--seed=1"},
        {"-i1-2", "--probability=1"},
        {"-n1", "-r"},
        {"-n1", "--keep-order"},
        {"-n1", "--random-source=a"},
        {"-r", "--random-source=a"},
        {"-r", "--weights=a"},
        {"-r", "--weight-field=1"},
        {"--weights=a", "-n1"},
        {"--weights=a", "--seed=1"},
        {"--probability=1", "--seed=1"},
        {"--probability=1", "-t,"},
        {"--files0-from=a", "-n1"},
        {"--files0-from=a", "--weight-field=1"},
        {"-z", "--delimiter=\\0"},
        {"-z", "--record-lines=2"},
        {"-e", "--delimiter=a"},
        {"-e", "--delimiter=1"},
        {"-e", "--split=2:a"},
        {"-i1-2", "--delimiter=,"},
        {"-i1-2", "--delimiter=:"},
        {"-i1-2", "--delimiter=/"},
        {"-i1-2", "-z"},
        {"--weight-field=1", "--delimiter=;"},
        {"--weight-field=1", "--header"},
        {"--weight-field=1", "--csv"},
        {"--group-field=1", "--csv"},
        {"--group-field=1", "--delimiter=;"},
        {"--group-field=1", "--weights=a"},
        {"--group-field=1", "-r"},
        {"--scatter=a", "--group-field=1"},
        {"--weights=a", "--record-lines=2"},
        {"--weights=a", "--csv"},
        {"--random-source=a", "--record-size=2"},
        {"--probability=1", "--record-length=u32le"},
        {"--weights=a", "--record-length=u32le"},
        {"--record-length=u32le", "--header-bytes=3"},
        {"--probability=1", "--record-size=2"},
        {"--probability=1", "--split=2:a"},
        {"--header", "--header-bytes=3"},
        {"--header", "--headers-differ"},
        {"--header-start=#", "--csv"},
        {"--header-start=#", "-z"},
        {"--header-start=#", "--record-lines=4"},
        {"--header-start=#", "--weight-field=2"},
        {"--split=2:a", "--split=2%:b"},
        {"--split-field=1", "--split=2%:b"},
        {"--split=2:a", "--filter=b"},
        {"-o%d", "--filter=b"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        accept(pairs[i][0], pairs[i][1]);
    }
    accept("--split-field=1", "--split=2%:b", "--group-field=1");
    accept("--split-field=1", "--split=2%:b", "--weight-field=2");
    accept("--split-field=1", "--split=2%:b", "--shard-bytes=2", "-o%d");
    accept("--keep-order", "--weight-field=1", "-n1");
    accept("--probability=1", "--shard-records=2", "-o%d");
    accept("--probability=1", "--shard-bytes=2", "-o%d");
    accept("-r", "-n5", "--shards=2", "-o%d");
    accept("-r", "-n5", "--split=50%:a");
    accept("-n0", "--shards=2", "-o%d");
}

TEST(test_outputs_that_need_a_file_say_so)
{
    refuse("bigshuf: --shards needs -o\n", "--shards=2");
    refuse("bigshuf: --shard-records needs -o\n", "--shard-records=2");
    refuse("bigshuf: --shard-bytes needs -o\n", "--shard-bytes=2", "--filter=a");
    refuse("bigshuf: --filter needs -o or --split\n", "--filter=a");
    refuse("bigshuf: --split-field needs --split\n", "--split-field=1");
    refuse("bigshuf: --headers-differ needs --header, --header-bytes or --header-start\n", "--headers-differ", "a",
           "b");
}

UNIT_TEST(test_a_store_that_is_added_to_has_its_places)
{
    accept("--scatter=a");
    assert_string_equal(run.options.scatter, "a");
    assert_null(run.options.gather);
    assert_null(run.options.batch);
    assert_int_equal(run.options.piles, 0);
    assert_int_equal(run.options.keep, 0);
    assert_int_equal(run.options.file_count, 1);
    accept("--scatter=a", "--piles=4096", "--batch=2026-11-20.x_Y", "--keep=3", "b", "c");
    assert_string_equal(run.options.batch, "2026-11-20.x_Y");
    assert_int_equal(run.options.piles, 4096);
    assert_int_equal(run.options.keep, 3);
    assert_int_equal(run.options.file_count, 2);
    accept("--scatter=a", "--sweep");
    assert_true(run.options.sweep);
    assert_int_equal(run.options.file_count, 0);
    refuse("bigshuf: extra operand 'b'\n--gather and --sweep take no files\n" TRY_HELP, "--scatter=a", "--sweep", "b");
    refuse("bigshuf: cannot combine --sweep and --batch\n", "--scatter=a", "--sweep", "--batch=b");
}

UNIT_TEST(test_a_store_that_is_gathered_has_its_places)
{
    accept("--gather=a");
    assert_string_equal(run.options.gather, "a");
    assert_null(run.options.scatter);
    assert_int_equal(run.options.pile_first, 0);
    assert_int_equal(run.options.pile_last, UINT64_MAX);
    assert_int_equal(run.options.epoch, 0);
    assert_int_equal(run.options.file_count, 0);
    accept("--gather=a", "--pile=7", "--epoch=0");
    assert_int_equal(run.options.pile_first, 7);
    assert_int_equal(run.options.pile_last, 7);
    accept("--gather=a", "--pile=3-5", "--epoch=18446744073709551615", "--seed=b", "-n3", "-oc", "--shards=2");
    assert_int_equal(run.options.pile_first, 3);
    assert_int_equal(run.options.pile_last, 5);
    assert_int_equal(run.options.epoch, UINT64_MAX);
    accept("--gather=a", "--list", "-z");
    assert_true(run.options.list);
    assert_int_equal(run.options.delimiter, '\0');
    refuse("bigshuf: extra operand 'b'\n--gather and --sweep take no files\n" TRY_HELP, "--gather=a", "b");
    refuse("bigshuf: cannot combine --list and -o\n", "--gather=a", "--list", "-ob");
    refuse("bigshuf: cannot combine --list and --pile\n", "--gather=a", "--list", "--pile=1");
    refuse("bigshuf: --pile argument '2-18446744073709551615' too large\n", "--gather=a",
           "--pile=2-18446744073709551615");
}

TEST(test_of_progress_and_no_progress_the_last_one_counts)
{
    accept("--progress");
    assert_int_equal(run.options.progress, OPTIONS_PROGRESS_SHOWN);
    accept("--progress", "--no-progress");
    assert_int_equal(run.options.progress, OPTIONS_PROGRESS_HIDDEN);
    accept("--no-progress", "--progress");
    assert_int_equal(run.options.progress, OPTIONS_PROGRESS_SHOWN);
}

TEST(test_any_number_of_records_may_be_expected_where_they_are_read)
{
    accept("--expect-records=0");
    assert_int_equal(run.options.expected_records, 0);
    accept("--expect-records", "18446744073709551614", "--gather=a");
    assert_int_equal(run.options.expected_records, UINT64_MAX - 1);
    accept("--expect-records=3", "-e", "a", "b", "c");
    refuse("bigshuf: --expect-records argument '18446744073709551615' too large\n",
           "--expect-records=18446744073709551615");
    refuse("bigshuf: invalid --expect-records argument '-1': it is a whole number, in digits alone\n",
           "--expect-records=-1");
    refuse("bigshuf: cannot combine --expect-records and -i\n", "-i1-3", "--expect-records=3");
    refuse("bigshuf: cannot combine --expect-records and --list\n", "--gather=a", "--list", "--expect-records=3");
    refuse("bigshuf: cannot combine --expect-records and --sweep\n", "--scatter=a", "--sweep", "--expect-records=3");
}

UNIT_TEST(test_a_part_is_of_several)
{
    static const char *const parts[] = {"", "1", "/", "1/", "/1", "0/1", "2/1", "1/0", "1/2/", "1/4294967296"};

    accept("-");
    assert_int_equal(run.options.parts, 0);
    accept("--seed=", "--part=2/3", "a");
    assert_int_equal(run.options.part, 2);
    assert_int_equal(run.options.parts, 3);
    accept("--seed=", "--part=4294967295/4294967295", "--gather=a", "--epoch=1");
    assert_true(run.options.part == UINT32_MAX && run.options.parts == UINT32_MAX);
    REFUSE_EACH("--seed=", "--part=", parts, "invalid --part argument '",
                "': it is R/W, part R of W: from 1/W to W/W, W below 2^32");
    refuse("bigshuf: --part needs --seed, so that all parts are of one order\n", "--part=1/2");
}

UNIT_TEST(test_what_is_of_a_store_needs_one)
{
    static const char *const of_scatter[] = {"--piles=2", "--batch=a", "--keep=1", "--sweep"};
    static const char *const of_gather[] = {"--pile=2", "--epoch=1", "--list"};
    char message[64];

    for (size_t i = 0; i < 4; i++) {
        snprintf(message, sizeof message, "bigshuf: %.*s needs --scatter\n", (int)strcspn(of_scatter[i], "="),
                 of_scatter[i]);
        refuse(message, of_scatter[i]);
        refuse(message, of_scatter[i], "--gather=a");
    }
    for (size_t i = 0; i < 3; i++) {
        snprintf(message, sizeof message, "bigshuf: %.*s needs --gather\n", (int)strcspn(of_gather[i], "="),
                 of_gather[i]);
        refuse(message, of_gather[i]);
        refuse(message, of_gather[i], "--scatter=a");
    }
    refuse("bigshuf: --pile with --epoch needs --seed, so that all parts are of one order\n", "--gather=a", "--pile=1",
           "--epoch=1");
    refuse("bigshuf: cannot combine --part with --gather and -n\n", "--gather=a", "--part=1/2", "--seed=", "-n1");
}

UNIT_TEST(test_of_stores_what_is_no_number_or_name_is_refused)
{
    static const char *const piles[] = {"", "0", "1", "3", "511", "8192", "-2", "2x", "18446744073709551618"};
    static const char *const pile[] = {"", "-", "-1", "1-", "2-1", "1-2-3", "x", "1 ", "0x1"};
    static const char *const names[] = {"", ".a", "a/b", "a b", "..", "format", "header", "a~1", "\303\244"};
    char word[300];

    REFUSE_EACH("--scatter=a", "--piles=", piles, "invalid --piles argument '",
                "': it is a power of two from 2 to 4096");
    REFUSE_EACH("--gather=a", "--pile=", pile, "invalid --pile argument '",
                "': it is J or J-K, whole numbers from 0, K not below J");
    REFUSE_EACH("--scatter=a", "--batch=", names, "invalid --batch argument '",
                "': it is 1 to 200 of the bytes A-Z a-z 0-9 . _ -, the first no dot, and not format or header");
    snprintf(word, sizeof word, "--batch=%0201d", 1);
    parse("--scatter=a", word);
    assert_int_equal(run.verdict, COMMAND_LINE_BAD);
    snprintf(word, sizeof word, "--batch=%0200d", 1);
    accept("--scatter=a", word);
    refuse("bigshuf: --keep must be at least 1\n", "--scatter=a", "--keep=0");
    refuse("bigshuf: invalid --epoch argument '-1': " WHOLE_NUMBER "\n", "--gather=a", "--epoch=-1");
    refuse("bigshuf: --pile argument '18446744073709551616' too large\n", "--gather=a", "--pile=18446744073709551616");
}

TEST(test_keeping_the_order_needs_a_count)
{
    refuse("bigshuf: --keep-order needs -n\n", "--keep-order");
    refuse("bigshuf: --keep-order needs -n\n", "--keep-order", "--weights=a");
    accept("--keep-order", "-n18446744073709551615");
    assert_true(run.options.keep_order);
}

/* First what is wrong with an option by itself, then with several together, then with operands. */
TEST(test_of_several_errors_the_first_in_shuf_s_order_is_told)
{
    refuse("bigshuf: invalid line count: 'x': " WHOLE_NUMBER "\n", "-e", "-i1-2", "-nx");
    refuse("bigshuf: invalid input range: 'x': " LOW_AND_HIGH "\n", "-e", "-ix");
    refuse("bigshuf: invalid line count: 'x': " WHOLE_NUMBER "\n", "-i1-2", "a", "-nx");
    refuse("bigshuf: multiple output files specified\n", "-oa", "-ob", "--random-source=c", "--random-source=d");
    refuse("bigshuf: multiple random sources specified\n", "--random-source=c", "--random-source=d", "-oa", "-ob");
    refuse("bigshuf: cannot combine -e and -i options\n" TRY_HELP, "-i1-2", "-e", "--seed=1", "--random-source=a", "x");
    refuse("bigshuf: cannot combine --seed and --random-source\n", "-i1-2", "--seed=1", "--random-source=a", "x");
    refuse("bigshuf: --keep-order needs -n\n", "-i1-2", "--keep-order", "x");
}

TEST(test_one_output_may_be_named_twice_but_not_two)
{
    accept("-o", "a", "--output=a");
    assert_string_equal(run.options.output, "a");
    refuse("bigshuf: multiple output files specified\n", "-o", "a", "-o", "b");
}

TEST(test_temporary_directories_keep_their_order)
{
    accept("-T", "b", "-Ta", "--temporary-directory", "b");
    assert_int_equal(run.options.temporary_count, 3);
    assert_string_equal(run.options.temporary[0], "b");
    assert_string_equal(run.options.temporary[1], "a");
    assert_string_equal(run.options.temporary[2], "b");
}

TEST(test_the_last_seed_wins_and_may_be_empty)
{
    parse("--seed=1", "--seed=2");
    assert_string_equal(run.options.seed, "2");
    parse("--seed=1", "--seed=");
    assert_string_equal(run.options.seed, "");
}

TEST(test_memory_is_in_kib_or_in_its_unit_or_a_share)
{
    parse("-S", "8192");
    assert_int_equal(run.options.memory_bytes, 8 << 20);
    parse("-S8388608b");
    assert_int_equal(run.options.memory_bytes, 8 << 20);
    accept("-S200%");
    assert_int_equal(run.options.memory_bytes, 2 * hardware_whole_memory());
}

TEST(test_too_little_memory_names_the_least)
{
    refuse("bigshuf: -S 1M: memory must be at least 8 MiB\n", "-S", "1M");
    refuse("bigshuf: --buffer-size 8388607b: memory must be at least 8 MiB\n", "--buffer-size=8388607b");
    refuse("bigshuf: -S 0: memory must be at least 8 MiB: a number without a unit is KiB\n", "-S0");
}

TEST(test_memory_that_is_no_size_is_refused)
{
    refuse("bigshuf: invalid -S argument 'x': " SIZE "\n", "-Sx");
    refuse("bigshuf: invalid -S argument 'x': " SIZE "\n", "--seed=1", "-Sx");
    refuse("bigshuf: invalid -S argument '': " SIZE "\n", "-S", "");
    refuse("bigshuf: invalid --buffer-size argument '9Mx': " SIZE "\n", "--buff=9Mx");
    refuse("bigshuf: -S argument '1Z' too large\n", "-S", "1Z");
}

TEST(test_parallel_is_a_maximum_from_1_on)
{
    parse("--parallel=1");
    assert_int_equal(run.options.parallel, 1);
    parse("--parallel=4294967295");
    assert_int_equal(run.options.parallel, 4294967295u);
    accept("--parallel=4294967296");
    assert_int_equal(run.options.parallel, UINT_MAX);
    accept("--parallel=99999999999999999999");
    assert_int_equal(run.options.parallel, UINT_MAX);
    refuse("bigshuf: number in parallel must be nonzero\n", "--parallel=0");
    refuse("bigshuf: invalid --parallel argument '2x': " WHOLE_NUMBER "\n", "--parallel=2x");
}

TEST(test_tune_sets_what_it_names)
{
    accept("--tune=leaf-records=2147483648");
    assert_int_equal(run.options.leaf_records, (uint64_t)1 << 31);
    accept("--tune=leaf-records=9", "--tune=leaf-records=10");
    assert_int_equal(run.options.leaf_records, 10);
}

TEST(test_tune_refuses_what_it_does_not_know)
{
    static const char *const values[] = {"", "x=1", "leaf-records", "leaf-records9", "leaf=9", ",leaf-records=9"};

    REFUSE_EACH("file", "--tune=", values, "invalid --tune argument '", "': it is leaf-records=T");
}

TEST(test_tune_refuses_what_is_out_of_range)
{
    static const char *const values[] = {"",  "0",  "7",  "2147483649", "99999999999999999999",
                                         "x", "-8", "8x", "9,",         "9,leaf-records=9"};

    REFUSE_EACH("file", "--tune=leaf-records=", values,
                "invalid --tune argument 'leaf-records=", "': leaf-records must be from 8 to 2147483648");
}

TEST(test_names_from_a_file_exclude_files)
{
    accept("--files0-from=-");
    assert_string_equal(run.options.files0_from, "-");
    assert_int_equal(run.options.file_count, 0);
    refuse("bigshuf: extra operand 'x'\nfile operands cannot be combined with --files0-from\n" TRY_HELP,
           "--files0-from=names", "x", "y");
}

TEST(test_words_that_are_no_options_are_usage_errors)
{
    static const char *const words[] = {"--no-such-option",
                                        "-q",
                                        "-S",
                                        "--seed",
                                        "--zero-terminated=1",
                                        "--r",
                                        "--rec=1",
                                        "--shard=1",
                                        "--record=1",
                                        "--csv=1",
                                        "--delimiter",
                                        "--split",
                                        "--h",
                                        "--he=3",
                                        "--we",
                                        "--echo=1",
                                        "--repeat=1",
                                        "--keep-order=1",
                                        "-i",
                                        "-n",
                                        "-t",
                                        "--random-source",
                                        "--weights"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *end;

        parse(words[i]);
        assert_int_equal(run.verdict, COMMAND_LINE_BAD);
        assert_int_equal(strncmp(run.err, "bigshuf: ", strlen("bigshuf: ")), 0);
        end = strchr(run.err, '\n');
        assert_non_null(end);
        assert_string_equal(end + 1, TRY_HELP);
    }
}

TEST(test_a_bad_word_stays_on_its_line)
{
    refuse("bigshuf: invalid -S argument 'a\\nb': " SIZE "\n", "-S", "a\nb");
}

TEST(test_version_is_that_of_the_build)
{
    static const char *const words[] = {"--version", "-V"};

    for (size_t i = 0; i < 2; i++) {
        parse(words[i]);
        assert_int_equal(run.verdict, COMMAND_LINE_DONE);
        assert_string_equal(run.err, "");
#ifdef BIGSHUF_VERSION
        assert_string_equal(run.out, "bigshuf " BIGSHUF_VERSION "\n");
#else
        assert_int_equal(strncmp(run.out, "bigshuf ", strlen("bigshuf ")), 0);
#endif
    }
}

TEST(test_help_explains_every_option_on_lines_of_80)
{
    static const char *const mentions[] = {"Usage: bigshuf [OPTION]... [FILE]...\n",
                                           "  or:  bigshuf -e [OPTION]... [ARG]...\n",
                                           "  or:  bigshuf -i LO-HI [OPTION]...\n",
                                           "  -e, --echo  ",
                                           "  -i, --input-range=LO-HI  ",
                                           "  -n, --head-count=COUNT  ",
                                           "  -o, --output=FILE  ",
                                           "      --random-source=FILE  ",
                                           "  -r, --repeat  ",
                                           "      --keep-order  ",
                                           "      --probability=P  ",
                                           "      --weights=FILE  ",
                                           "      --weight-field=N  ",
                                           "  -t, --field-separator=C  ",
                                           "  -z, --zero-terminated  ",
                                           "      --files0-from=F  ",
                                           "      --seed=STRING  ",
                                           "      --delimiter=STRING  ",
                                           "      --record-lines=N  ",
                                           "      --record-size=BYTES  ",
                                           "      --record-length=CODING  ",
                                           "      --record-start=STRING  ",
                                           "      --csv  ",
                                           "      --group-field=N  ",
                                           "      --header[=N]  ",
                                           "      --header-bytes=N  ",
                                           "      --header-start=STRING  ",
                                           "      --headers-differ  ",
                                           "      --shards=K  ",
                                           "      --shard-records=N  ",
                                           "      --shard-bytes=BYTES  ",
                                           "      --split=N:FILE|P%:FILE  ",
                                           "      --split-field=N  ",
                                           "      --filter=COMMAND  ",
                                           "      --compress-program=PROG  ",
                                           "      --compress-temporary=WHEN  ",
                                           "  -S, --buffer-size=SIZE  ",
                                           "  -T, --temporary-directory=DIR  ",
                                           "      --parallel=N  ",
                                           "  or:  bigshuf --scatter=DIR [OPTION]... [FILE]...\n",
                                           "  or:  bigshuf --gather=DIR [OPTION]...\n",
                                           "      --scatter=DIR  ",
                                           "      --piles=M  ",
                                           "      --batch=NAME  ",
                                           "      --keep=N  ",
                                           "      --sweep  ",
                                           "      --gather=DIR  ",
                                           "      --pile=J[-K]  ",
                                           "      --epoch=E  ",
                                           "      --list  ",
                                           "      --expect-records=N  ",
                                           "      --progress  ",
                                           "      --no-progress  ",
                                           "      --tune=NAME=VALUE  ",
                                           "  -v, --verbose  ",
                                           "  -h, --usage  ",
                                           "      --help  ",
                                           "  -V, --version  ",
                                           " With no FILE, or when FILE is -, read standard\ninput.\n"};

    parse("--help");
    assert_int_equal(run.verdict, COMMAND_LINE_DONE);
    assert_string_equal(run.err, "");
    assert_int_equal(strncmp(run.out, mentions[0], strlen(mentions[0])), 0);
    for (size_t i = 0; i < sizeof mentions / sizeof mentions[0]; i++)
        assert_non_null(strstr(run.out, mentions[i]));
    for (const char *line = run.out, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        assert_in_range(end - line, 0, 79);
        assert_true(end == line || end[-1] != ' ');
    }
    assert_int_equal(run.out[strlen(run.out) - 1], '\n');
}

TEST(test_h_is_help_with_fewer_options)
{
    static const char *const words[] = {"-h", "--usage"};

    for (size_t i = 0; i < 2; i++) {
        parse(words[i]);
        assert_int_equal(run.verdict, COMMAND_LINE_DONE);
        assert_string_equal(run.err, "");
        assert_non_null(strstr(run.out, "\n  -n, --head-count=COUNT  "));
        assert_null(strstr(run.out, "--tune"));
    }
}

TEST(test_a_long_option_with_one_dash_is_no_help)
{
#define LONG_WITH(word) "bigshuf: -h goes with no other letters, as in '" word "': long options begin with two dashes\n"
    refuse(LONG_WITH("-header") TRY_HELP, "-header", "a");
    refuse(LONG_WITH("-zhelp") TRY_HELP, "-n3", "-zhelp");
    parse("-zh");
    assert_int_equal(run.verdict, COMMAND_LINE_DONE);
    parse("--usage", "a");
    assert_int_equal(run.verdict, COMMAND_LINE_DONE);
    parse("-n", "3", "-h", "-header");
    assert_int_equal(run.verdict, COMMAND_LINE_DONE);
#undef LONG_WITH
}

TEST(test_help_is_obeyed_where_it_stands)
{
    parse("a", "--help", "-Sx");
    assert_int_equal(run.verdict, COMMAND_LINE_DONE);
    refuse("bigshuf: invalid -S argument 'x': " SIZE "\n", "-Sx", "--help");
    accept("-o", "--help");
    assert_string_equal(run.options.output, "--help");
}

TEST(test_help_that_cannot_be_written_is_a_failure)
{
    char program[] = "x", *words[][3] = {{program, (char *)(uintptr_t) "--help", NULL},
                                         {program, (char *)(uintptr_t) "--version", NULL}};

    if (access("/dev/full", W_OK) != 0)
        skip();
    for (size_t i = 0; i < 2; i++) {
        parse_words(2, words[i], "/dev/full");
        assert_int_equal(run.verdict, COMMAND_LINE_BAD);
        assert_string_equal(run.err, "bigshuf: write error: No space left on device\n");
    }
}

TEST(test_help_closes_standard_output)
{
    char program[] = "x", help[] = "--help", *words[] = {program, help, NULL};
    struct detour detour = leave(STDOUT_FILENO, NULL);
    enum command_line_verdict verdict;
    int open_still;

    options_release(&run.options);
    verdict = command_line_parse(&run.options, 2, words);
    open_still = fcntl(STDOUT_FILENO, F_GETFD) != -1;
    come_back(detour, run.out);
    assert_int_equal(verdict, COMMAND_LINE_DONE);
    assert_false(open_still);
}

TEST(test_release_may_be_called_twice)
{
    parse("a", "-T", "b");
    options_release(&run.options);
    options_release(&run.options);
    assert_null(run.options.files);
}
