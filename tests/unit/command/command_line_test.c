/*
 * What a command line means, as data: the words, and what is said of the options that they give (said_options.h), or
 * the message. Where there are models, what is taken and refused was found by asking them: coreutils 9.1 in the C
 * locale.
 */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/said_options.h"
#include "support/unit.h"

#include "command/command_line.h"
#include "record/kind.h"
#include "system/hardware.h"

#define TRY_HELP "Try 'bigshuf --help' for more information.\n"

/* What arguments should be, in messages. */
#define WHOLE_NUMBER ": it is a whole number, in digits alone"
#define LOW_AND_HIGH ": it is LO-HI, two whole numbers, the smaller one first, such as 1-100"
#define ONE_BYTE     ": it is one byte, or an escape such as \\t"
#define UNITS        "K, M, G, T (powers of 1024) or KB, MB, GB, TB (of 1000)"
#define BYTES        ": it is a number of bytes, or a number and a unit: " UNITS
#define SIZE         ": it is a number and a unit, such as 64M or 1.5G: " UNITS ", or % of memory"
#define SPLIT        ": it is N:FILE or P%:FILE, such as 100:test or 2.5%:test; P has at most four decimals"
#define PILE         ": it is J or J-K, whole numbers from 0, K not below J"
#define PART         ": it is R/W, part R of W: from 1/W to W/W, W below 2^32"
#define PILES        ": it is a power of two from 2 to 4096"
#define BATCH        ": it is 1 to 200 of the bytes A-Z a-z 0-9 . _ -, the first no dot, and not format or header"
#define ESCAPE       ": after a backslash there is one of abfnrtv, a second one, or a byte's number: \\xff, \\0"
#define SAME_ORDER   ", so that all parts are of one order"
#define TRIED        "\nTry 'bigshuf --help' for more information."

enum { WORDS_MAX = 40, TEXT_BYTES = 12288 };

enum verdict { REFUSED = EXIT_FAILURE, TO_DO, PRINTED };

/* The last command line that was parsed, and what came of it. */
static struct {
    struct options options;
    enum verdict verdict;
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

/* Parse the words, the first of which is the program's name, with standard output going to the file `out`: in a child,
 * as that may end the run; and here if there is something to be done. */
static void parse_words(int count, char **words, const char *out)
{
    struct detour detours[2];
    pid_t child;
    int status;

    command_line_release(&run.options);
    fflush(NULL);
    detours[0] = leave(STDERR_FILENO, NULL);
    detours[1] = leave(STDOUT_FILENO, out);
    child = fork();
    if (child == 0)
        _exit(command_line_parse(&run.options, count, words) ? TO_DO : PRINTED);
    assert_int_equal(waitpid(child, &status, 0), child);
    come_back(detours[1], run.out);
    detours[1] = leave(STDERR_FILENO, NULL);
    run.verdict = (enum verdict)WEXITSTATUS(status);
    if (run.verdict == TO_DO)
        assert_true(command_line_parse(&run.options, count, words));
    come_back(detours[1], run.err);
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
    assert_int_equal(run.verdict, TO_DO);
}

static void assert_bad(const char *message)
{
    assert_string_equal(run.err, message);
    assert_string_equal(run.out, "");
    assert_int_equal(run.verdict, REFUSED);
}

/* The words are taken without a word. */
#define accept(...) (parse(__VA_ARGS__), assert_run())

/* The words are refused with this message. */
#define refuse(message, ...) (parse(__VA_ARGS__), assert_bad(message))

/* A line of words, and what comes of them: what is said of the options, or the message behind "bigshuf: ". */
struct line {
    const char *words; /* a blank between two */
    const char *said;
};

/* Parse the words of a line. */
static void parse_line(const char *words)
{
    static char line[TEXT_BYTES];
    int count = 1;

    snprintf(line, sizeof line, "%s", words);
    run.words[0] = line + strlen(line);
    for (char *word = line, *next; word != NULL && count < WORDS_MAX; word = next) {
        next = strchr(word, ' ');
        if (next != NULL)
            *next++ = '\0';
        run.words[count++] = word;
    }
    run.words[count] = NULL;
    parse_words(count, run.words, NULL);
}

/* What came of the words, in the form of struct line. */
static void tell(char text[TEXT_BYTES])
{
    char *said;

    if (run.verdict == TO_DO) {
        said = said_options(&run.options, ' ');
        said[strlen(said) - 1] = '\0';
        snprintf(text, TEXT_BYTES, "%s%s", run.err, said);
        free(said);
    } else {
        assert_int_equal(strncmp(run.err, "bigshuf: ", strlen("bigshuf: ")), 0);
        snprintf(text, TEXT_BYTES, "%.*s", (int)strlen(run.err) - 10, run.err + 9);
    }
}

static void check_lines(const struct line *lines, size_t count)
{
    char text[TEXT_BYTES];

    for (size_t i = 0; i < count; i++) {
        parse_line(lines[i].words);
        tell(text);
        if (strcmp(text, lines[i].said) != 0)
            print_error("%s\n", lines[i].words);
        assert_string_equal(text, lines[i].said);
    }
}

#define CHECK_LINES(lines) check_lines(lines, sizeof(lines) / sizeof(lines)[0])

static int setup(void **state)
{
    (void)state;
    return unsetenv("POSIXLY_CORRECT");
}

static int teardown(void **state)
{
    (void)state;
    command_line_release(&run.options);
    return 0;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* The option itself, without its value; the name of a kind belongs to it. */
static int name_bytes(const char *word)
{
    return (int)strcspn(word, strncmp(word, "--records=", 10) == 0 ? ":" : "=");
}

TEST(test_words_mean_options_in_any_order_and_spelling)
{
    static const struct line lines[] = {
        {"-o out -z -S 9M -T one -v --seed=s --parallel=3 file",
         "--zero-terminated --seed=s --output=out --buffer-size=9437184b --temporary-directory=one --parallel=3 "
         "--verbose -- file"},
        {"--output=out --zero-terminated --buffer-size=9M --temporary-directory=one --verbose",
         "--zero-terminated --output=out --buffer-size=9437184b --temporary-directory=one --verbose -- -"},
        {"--para 3 --out=x -zv", "--zero-terminated --output=x --parallel=3 --verbose -- -"},
        {"b -z a -- -v -", "--zero-terminated -- b a -v -"},
        {"-ern2 a", "--echo --head-count=2 --repeat -- a"},
        {"b -e - -- -n1", "--echo -- b - -n1"},
        {"--echo", "--echo --"},
        {"-ri5-5", "--input-range=5-5 --repeat --"},
        {"-rn1i3-3", "invalid line count: '1i3-3'" WHOLE_NUMBER},
        {"--head-count -e", "invalid line count: '-e'" WHOLE_NUMBER},
        {"--header", "--header=1 -- -"},
        {"--header 2", "--header=1 -- 2"},
        {"--verb", "--verbose -- -"},
        {"--record=lines:4", "--records=lines:4 -- -"},
        {"--hea=x", "invalid line count: 'x'" WHOLE_NUMBER},
        {"x -o --re --head 3 -vr -- --hea=2", "--head-count=3 --repeat --output=--re --verbose -- x --hea=2"},
        {"-o --help", "--output=--help -- -"},
        {"--files0-from=-", "--files0-from=- --"},
        {"-Z --expect-records=18446744073709551614", "--compressed --expect-records=18446744073709551614 -- -"},
        {"--tune=leaf-records=9 --tune=leaf-records=10", "--tune=leaf-records=10 -- -"},
        {"--compress-temporary=never --compress-temporary=always", "--compress-temporary=always -- -"},
        {"--compress-temporary=always --compress-temporary=auto", "-- -"},
        {"--progress --no-progress", "--no-progress -- -"},
        {"--no-progress --progress", "--progress -- -"},
        {"--keep-order -n18446744073709551615", "--head-count=18446744073709551615 --keep-order -- -"},
    };

    CHECK_LINES(lines);
}

/* The last one counts, or the least, or all; or two that are not the same are an error. */
TEST(test_options_may_be_given_again)
{
    static const struct line lines[] = {
        {"-n2 --head-count=1 -n 3", "--head-count=1 -- -"},
        {"-n3 -nx", "invalid line count: 'x'" WHOLE_NUMBER},
        {"--seed=1 --seed=", "--seed= -- -"},
        {"--probability=1 --probability=0.50", "--probability=0.50 -- -"},
        {"--header=2 --header=0", "-- -"},
        {"--weight-field=3 --weight-field=2", "--weight-field=2 -- -"},
        {"-T b -Ta --temporary-directory b",
         "--temporary-directory=b --temporary-directory=a --temporary-directory=b -- -"},
        {"--split=10:a --split 0.5%:b:c", "--split=10:a --split=0.5000%:b:c -- -"},
        {"--filter=a --filter=b --split=1:a", "--split=1:a --filter=b -- -"},
        {"-o a --output=a", "--output=a -- -"},
        {"-o a -o b", "multiple output files specified"},
        {"--random-source=a --random-source a", "--random-source=a -- -"},
        {"--random-source=a --random-source=b", "multiple random sources specified"},
        {"-i1-2 -i1-2", "multiple -i options specified"},
        {"-i1-2 -ix", "multiple -i options specified"},
        {"-t, --field-separator=\\054", "--field-separator=\\054 -- -"},
        {"-t, -t;", "incompatible tabs"},
        {"--delimiter=xy --delimiter=\\377", "--delimiter=\\377 -- -"},
        {"--csv --records=csv", "--records=csv -- -"},
        {"--csv --records=tar", "multiple kinds of records specified"},
        {"--records=lines:2 --records=lines:3", "multiple kinds of records specified"},
    };

    CHECK_LINES(lines);
}

TEST(test_kinds_of_records_are_named)
{
    static const struct line lines[] = {
        {"--records=lines:4", "--records=lines:4 -- -"},
        {"--records=lines:4 -z", "--zero-terminated --records=lines:4 -- -"},
        {"--records=lines:4 --delimiter=;", "--delimiter=\\073 --records=lines:4 -- -"},
        {"--records=bytes:784", "--records=bytes:784 -- -"},
        {"--records=bytes:2K", "--records=bytes:2048 -- -"},
        {"--records=start:>", "--records=start:> -- -"},
        {"--records=start:a:b\\n", "--records=start:a:b\\n -- -"},
        {"--records=end:\\r\\n", "--records=end:\\015\\012 -- -"},
        {"--records=end:;", "--delimiter=\\073 -- -"},
        {"--delimiter=\\r\\n", "--records=end:\\015\\012 -- -"},
        {"--delimiter=\\0\\0", "--records=end:\\000\\000 -- -"},
        {"--delimiter \\x1e", "--delimiter=\\036 -- -"},
        {"--delimiter=\\0 -z", "--zero-terminated -- -"},
        {"--csv", "--records=csv -- -"},
        {"--records csv", "--records=csv -- -"},
        {"--records=fasta", "--records=start:> -- -"},
        {"--records=tar", "--records=tar -- -"},
        {"--records=tfrecord", "--records=tfrecord -- -"},
        {"--records=u32le", "--records=u32le -- -"},
        {"--records=u32be", "--records=u32be -- -"},
        {"--records=u64le", "--records=u64le -- -"},
        {"--records=u64be", "--records=u64be -- -"},
        {"--records=varint", "--records=varint -- -"},
        {"--records=lines:0", "--records=lines must be at least 1"},
        {"--records=lines:x", "invalid --records=lines argument 'x'" WHOLE_NUMBER},
        {"--records=bytes:0", "--records=bytes must be at least 1"},
        {"--records=bytes:5%", "invalid --records=bytes argument '5%'" BYTES},
        {"--records=start:", "--records=start must not be empty"},
        {"--records=start:a\nb", "--records=start must not have a newline"},
        {"--records=end:", "--records=end must not be empty"},
        {"--records=end:\\q", "invalid --records=end argument '\\q'" ESCAPE},
        {"--delimiter=", "--delimiter must not be empty"},
        {"--delimiter=\\400", "--delimiter argument '\\400' too large"},
        {"--header-start=", "--header-start must not be empty"},
        {"--header-start=a\nb", "--header-start must not have a newline"},
    };

    CHECK_LINES(lines);
}

/* The message names all that there are. */
TEST(test_other_kinds_are_refused)
{
    static const char *const kinds[] = {"", "x", "CSV", "line:4", "lines", "csv:", "fasta:>"};
    char valid[256] = "", word[32], message[512];
    size_t count;
    const struct record_kind *const *rows = kind_rows(&count);

    for (size_t i = 0; i < count; i++)
        snprintf(valid + strlen(valid), sizeof valid - strlen(valid), "%s%s%s%s",
                 i == 0           ? ""
                 : i + 1 == count ? " or "
                                  : ", ",
                 rows[i]->name, rows[i]->argument != NULL ? ":" : "",
                 rows[i]->argument != NULL ? rows[i]->argument : "");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        snprintf(word, sizeof word, "--records=%s", kinds[i]);
        snprintf(message, sizeof message, "bigshuf: invalid record kind '%s': it is one of %s\n", kinds[i], valid);
        refuse(message, word);
    }
}

/* As long as a delimiter may be, and one byte longer. */
TEST(test_strings_of_records_have_a_length_that_fits)
{
    static const struct {
        const char *option;
        size_t most;
    } options[] = {{"--delimiter", 255}, {"--records=end", 255}, {"--records=start", 254}, {"--header-start", 254}};
    char word[300], message[128];

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        size_t bytes = (size_t)snprintf(word, sizeof word, "%s%c", options[i].option,
                                        strchr(options[i].option, '=') != NULL ? ':' : '=');

        memset(word + bytes, 'x', options[i].most + 1);
        word[bytes + options[i].most] = '\0';
        accept(word);
        word[bytes + options[i].most] = 'x';
        word[bytes + options[i].most + 1] = '\0';
        snprintf(message, sizeof message, "bigshuf: %s must be at most %zu bytes\n", options[i].option,
                 options[i].most);
        refuse(message, word);
    }
}

TEST(test_shuf_s_arguments_are_taken_as_shuf_does)
{
    static const struct line lines[] = {
        {"-n0", "--head-count=0 -- -"},
        {"-n010", "--head-count=10 -- -"},
        {"-n+3", "--head-count=3 -- -"},
        {"-n\t\n\v\f\r+3", "--head-count=3 -- -"},
        {"-n99999999999999999999999", "-- -"},
        {"-n-1", "invalid line count: '-1'" WHOLE_NUMBER},
        {"-n+-", "invalid line count: '+-'" WHOLE_NUMBER},
        {"-n++3", "invalid line count: '++3'" WHOLE_NUMBER},
        {"-n1K", "invalid line count: '1K'" WHOLE_NUMBER},
        {"-n0x1", "invalid line count: '0x1'" WHOLE_NUMBER},
        {"-n1%", "invalid line count: '1%'" WHOLE_NUMBER "; a sample of about 1% is --probability=0.01"},
        {"-n-99999999999999999999", "invalid line count: '-99999999999999999999'" WHOLE_NUMBER},
        {"-n18446744073709551616x", "invalid line count: '18446744073709551616x'" WHOLE_NUMBER},
        {"-i 5-7", "--input-range=5-7 --"},
        {"-i05-007", "--input-range=5-7 --"},
        {"-i\t+5-\v+7", "--input-range=5-7 --"},
        {"-i5-4", "--input-range=5-4 --"},
        {"-i18446744073709551615-18446744073709551614", "--input-range=18446744073709551615-18446744073709551614 --"},
        {"-i1-18446744073709551615", "--input-range=1-18446744073709551615 --"},
        {"-i0-18446744073709551615", "--input-range=0-18446744073709551615 --"},
        {"-i5-3", "invalid input range: '5-3'" LOW_AND_HIGH},
        {"-i5x-7", "invalid input range: '5x'" LOW_AND_HIGH},
        {"-i1K-2K", "invalid input range: '1K'" LOW_AND_HIGH},
        {"-i5-7x", "invalid input range: '7x'" LOW_AND_HIGH},
        {"-i5-", "invalid input range: ''" LOW_AND_HIGH},
        {"-i5-7-9", "invalid input range: '7-9'" LOW_AND_HIGH},
        {"-i-5-3", "invalid input range: ''" LOW_AND_HIGH},
        {"-i5--7", "invalid input range: '-7'" LOW_AND_HIGH},
        {"-i5", "invalid input range: '5'" LOW_AND_HIGH},
        {"-i1-18446744073709551616",
         "invalid input range: '18446744073709551616': Value too large for defined data type"},
        {"-i99999999999999999999-x",
         "invalid input range: '99999999999999999999': Value too large for defined data type"},
        {"-i18446744073709551616x-3", "invalid input range: '18446744073709551616x'" LOW_AND_HIGH},
        {"-i1-2 a b", "extra operand 'a'" TRIED},
        {"-i1-2 -- -b a", "extra operand '-b'" TRIED},
    };

    CHECK_LINES(lines);
}

TEST(test_other_arguments_are_taken_as_sort_and_cut_do)
{
    static const struct line lines[] = {
        {"--group-field=007", "--group-field=7 -- -"},
        {"--weight-field=18446744073709551615", "--weight-field=18446744073709551615 -- -"},
        {"--group-field=0", "fields are numbered from 1" TRIED},
        {"--split-field=", "invalid field value ''" WHOLE_NUMBER TRIED},
        {"--weight-field=1,2", "invalid field value '1,2'" WHOLE_NUMBER TRIED},
        {"--weight-field=18446744073709551616", "field number '18446744073709551616' is too large" TRIED},
        {"-t\\t", "--field-separator=\\011 -- -"},
        {"-t\\", "--field-separator=\\134 -- -"},
        {"-t\\\\", "--field-separator=\\134 -- -"},
        {"-t0", "--field-separator=\\060 -- -"},
        {"-t\\0", "--field-separator=\\000 -- -"},
        {"-t\xff", "--field-separator=\\377 -- -"},
        {"-t ", "empty tab"},
        {"-t,,", "multi-character tab ',,'" ONE_BYTE},
        {"-t\\q", "multi-character tab '\\q'" ONE_BYTE},
        {"-t\\tx", "multi-character tab '\\tx'" ONE_BYTE},
        {"-S 8192", "--buffer-size=8388608b -- -"},
        {"-S8388608b", "--buffer-size=8388608b -- -"},
        {"-S1M", "-S 1M: memory must be at least 8 MiB"},
        {"--buffer-size=8388607b", "--buffer-size 8388607b: memory must be at least 8 MiB"},
        {"-S0%", "-S 0%: memory must be at least 8 MiB"},
        {"-S0", "-S 0: memory must be at least 8 MiB: a number without a unit is KiB"},
        {"-Sx", "invalid -S argument 'x'" SIZE},
        {"--buff=9Mx", "invalid --buffer-size argument '9Mx'" SIZE},
        {"-Sa\nb", "invalid -S argument 'a\\nb'" SIZE},
        {"-S1Z", "-S argument '1Z' too large"},
        {"--parallel=4294967295", "--parallel=4294967295 -- -"},
        {"--parallel=99999999999999999999", "--parallel=4294967295 -- -"},
        {"--parallel=0", "number in parallel must be nonzero"},
        {"--parallel=2x", "invalid --parallel argument '2x'" WHOLE_NUMBER},
    };

    CHECK_LINES(lines);
}

TEST(test_arguments_of_its_own_are_taken_or_refused)
{
    static const struct line lines[] = {
        {"--shards=3 -o%d", "--output=%d --shards=3 -- -"},
        {"--shard-bytes=1.5MiB -o%d", "--output=%d --shard-bytes=1572864 -- -"},
        {"--shard-bytes=18446744073709551615 -o%d", "--output=%d --shard-bytes=18446744073709551615 -- -"},
        {"--shard-bytes=K", "invalid --shard-bytes argument 'K'" BYTES},
        {"--shard-bytes=-1", "invalid --shard-bytes argument '-1'" BYTES},
        {"--shard-bytes=1.5", "invalid --shard-bytes argument '1.5'" BYTES},
        {"--shard-bytes=99999999999999999999%", "invalid --shard-bytes argument '99999999999999999999%'" BYTES},
        {"--shard-bytes=3mb", "invalid --shard-bytes argument '3mb'" BYTES},
        {"--shard-bytes=16E", "--shard-bytes argument '16E' too large"},
        {"--shard-bytes=0K", "--shard-bytes must be at least 1"},
        {"--split=a", "invalid --split argument 'a'" SPLIT},
        {"--split=10:", "invalid --split argument '10:'" SPLIT},
        {"--split=101%:a", "--split argument '101%:a' too large"},
        {"--filter=", "invalid --filter argument '': it is a command, such as 'gzip > $FILE.gz'"},
        {"--compress-temporary=alway", "invalid --compress-temporary argument 'alway': it is auto, always or never"},
        {"--probability=50%", "invalid probability: '50%': it is a number from 0 to 1, such as 0.01"},
        {"--probability=1.1", "invalid probability: '1.1': it is a number from 0 to 1, such as 0.01"},
        {"--expect-records=18446744073709551615", "--expect-records argument '18446744073709551615' too large"},
        {"--seed= --part=2/3", "--seed= --part=2/3 -- -"},
        {"--seed= --part=4294967295/4294967295", "--seed= --part=4294967295/4294967295 -- -"},
        {"--part=1", "invalid --part argument '1'" PART},
        {"--part=0/1", "invalid --part argument '0/1'" PART},
        {"--part=2/1", "invalid --part argument '2/1'" PART},
        {"--part=1/2/", "invalid --part argument '1/2/'" PART},
        {"--part=1/4294967296", "invalid --part argument '1/4294967296'" PART},
        {"--scatter=a --piles=4096 --batch=2026-11-20.x_Y --keep=3 b",
         "--scatter=a --piles=4096 --batch=2026-11-20.x_Y --keep=3 -- b"},
        {"--scatter=a --sweep", "--scatter=a --sweep --"},
        {"--scatter=a --piles=1", "invalid --piles argument '1'" PILES},
        {"--scatter=a --piles=511", "invalid --piles argument '511'" PILES},
        {"--scatter=a --piles=8192", "invalid --piles argument '8192'" PILES},
        {"--scatter=a --piles=18446744073709551618", "invalid --piles argument '18446744073709551618'" PILES},
        {"--scatter=a --batch=", "invalid --batch argument ''" BATCH},
        {"--scatter=a --batch=a/b", "invalid --batch argument 'a/b'" BATCH},
        {"--scatter=a --batch=header", "invalid --batch argument 'header'" BATCH},
        {"--gather=a", "--gather=a --"},
        {"--gather=a --pile=7 --epoch=0", "--gather=a --pile=7-7 --"},
        {"--gather=a --pile=3-5 --epoch=18446744073709551615 --seed=b",
         "--seed=b --gather=a --pile=3-5 --epoch=18446744073709551615 --"},
        {"--gather=a --list -z", "--zero-terminated --gather=a --list --"},
        {"--gather=a --pile=-1", "invalid --pile argument '-1'" PILE},
        {"--gather=a --pile=1-", "invalid --pile argument '1-'" PILE},
        {"--gather=a --pile=2-1", "invalid --pile argument '2-1'" PILE},
        {"--gather=a --pile=1-2-3", "invalid --pile argument '1-2-3'" PILE},
        {"--gather=a --pile=2-18446744073709551615", "--pile argument '2-18446744073709551615' too large"},
        {"--tune=leaf-records=8", "--tune=leaf-records=8 -- -"},
        {"--tune=x=1", "invalid --tune argument 'x=1': it is leaf-records=T"},
        {"--tune=leaf-records=7",
         "invalid --tune argument 'leaf-records=7': leaf-records must be from 8 to 2147483648"},
        {"--tune=leaf-records=2147483649",
         "invalid --tune argument 'leaf-records=2147483649': leaf-records must be from 8 to 2147483648"},
    };

    CHECK_LINES(lines);
}

/* Whatever options there are that take numbers. */
TEST(test_numbers_are_digits_alone_and_within_their_range)
{
    static const char *const texts[] = {"", "x", "-1", " 1", "1x", "1%", "0x1", "1K"};
    size_t count;
    const struct option_row *row = option_table_rows(&count);
    char word[64], message[256];

    for (; count > 0; count--, row++) {
        if (row->takes.type != ARGUMENT_COUNT)
            continue;
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            snprintf(word, sizeof word, "--%s=%s", row->name, texts[i]);
            snprintf(message, sizeof message, "bigshuf: invalid --%s argument '%s'" WHOLE_NUMBER "\n", row->name,
                     texts[i]);
            refuse(message, word);
        }
        snprintf(word, sizeof word, "--%s=18446744073709551616", row->name);
        snprintf(message, sizeof message, "bigshuf: --%s argument '18446744073709551616' too large\n", row->name);
        refuse(message, word);
        snprintf(word, sizeof word, "--%s=0", row->name);
        snprintf(message, sizeof message, "bigshuf: --%s must be at least 1\n", row->name);
        parse(word);
        assert_int_equal(strcmp(run.err, message) == 0, row->takes.least == 1);
    }
}

/* Each in both orders. */
TEST(test_options_that_contradict_each_other_are_refused)
{
    static const struct {
        const char *one, *other, *message;
    } pairs[] = {
        {"-e", "-i1-2", "-e and -i options" TRIED},
        {"--seed=1", "--random-source=a", NULL},
        {"--random-source=a", "--weights=a", NULL},
        {"--random-source=a", "--keep-order", NULL},
        {"--weights=a", "--weight-field=1", NULL},
        {"--probability=1", "-n1", "--probability and -n"},
        {"--probability=1", "-r", NULL},
        {"--probability=1", "--keep-order", NULL},
        {"--probability=1", "--weight-field=1", NULL},
        {"--keep-order", "-r", NULL},
        {"--files0-from=a", "-e", NULL},
        {"--expect-records=1", "-i1-3", "--expect-records and -i"},
        {"-z", "--delimiter=a", "-z and --delimiter other than '\\0'"},
        {"-z", "--records=bytes:2", NULL},
        {"-z", "--records=start:a", NULL},
        {"--delimiter=a", "--records=u32le", NULL},
        {"--delimiter=a", "--csv", NULL},
        {"--delimiter=a", "--records=end:ab", NULL},
        {"-z", "--records=tar", NULL},
        {"--records=lines:2", "--delimiter=ab", "--records=lines and --delimiter of several bytes"},
        {"--weight-field=1", "--records=lines:2", NULL},
        {"--group-field=1", "--records=bytes:2", NULL},
        {"--split-field=1", "--records=end:a", NULL},
        {"--group-field=1", "--records=fasta", NULL},
        {"--weight-field=1", "--records=tar", NULL},
        {"--headers-differ", "--records=tar", NULL},
        {"--header-bytes=1", "--records=tar", NULL},
        {"--header", "--records=u32le", NULL},
        {"--header-start=a", "--records=varint", NULL},
        {"--header-start=a", "--records=bytes:2", NULL},
        {"--header-start=a", "--header", NULL},
        {"--header-start=a", "--header-bytes=3", NULL},
        {"-e", "--records=lines:2", NULL},
        {"-e", "--csv", NULL},
        {"-e", "--delimiter=ab", "-e and --delimiter of several bytes"},
        {"-e", "--headers-differ", NULL},
        {"-i1-2", "--records=tar", "-i and --records=tar"},
        {"-i1-2", "--delimiter=0", "-i and a digit as --delimiter"},
        {"-i1-2", "--header=2", "-i and --header"},
        {"--weight-field=1", "--delimiter=ab", "--weight-field and --delimiter of several bytes"},
        {"--group-field=1", "-e", NULL},
        {"--group-field=1", "--weight-field=1", NULL},
        {"--split-field=1", "-i1-2", "--split-field and -i"},
        {"--split-field=1", "--random-source=a", NULL},
        {"--split-field=1", "--split=2:a", "--split-field and --split of a number of records"},
        {"--split-field=1", "--group-field=2", "--split-field and --group-field of another field"},
        {"--split-field=1", "--shards=2", NULL},
        {"--split-field=1", "--filter=a", NULL},
        {"--shards=2", "--shard-records=2", NULL},
        {"--shard-records=2", "--shard-bytes=2", NULL},
        {"--shard-bytes=2", "-r", "--shard-bytes and -r without -n"},
        {"--split=2:a", "-r", "--split and -r without -n"},
        {"--part=1/2", "-r", NULL},
        {"--part=1/2", "--weights=a", NULL},
        {"--part=1/2", "--random-source=a", NULL},
        {"--pile=1", "--part=1/2", NULL},
        {"--scatter=a", "--gather=b", NULL},
        {"--scatter=a", "-e", NULL},
        {"--scatter=a", "-n1", "--scatter and -n"},
        {"--scatter=a", "-ob", "--scatter and -o"},
        {"--scatter=a", "--keep-order", NULL},
        {"--part=1/2", "--scatter=a", NULL},
        {"--scatter=a", "--split=1:b", NULL},
        {"--scatter=a", "-Tb", "--scatter and -T"},
        {"--scatter=a", "--compress-temporary=auto", NULL},
        {"--sweep", "-Z", NULL},
        {"--sweep", "--batch=a", NULL},
        {"--gather=a", "-r", NULL},
        {"-z", "--gather=a", "-z and --gather without --list"},
        {"--gather=a", "--files0-from=b", NULL},
        {"--gather=a", "--delimiter=b", NULL},
        {"--gather=a", "--csv", NULL},
        {"--gather=a", "--header", NULL},
        {"--gather=a", "--group-field=1", NULL},
        {"--list", "-ob", "--list and -o"},
        {"--list", "--pile=1", NULL},
        {"--list", "--expect-records=3", NULL},
    };
    char message[256];

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const char *one = pairs[i].one, *other = pairs[i].other;

        if (pairs[i].message != NULL)
            snprintf(message, sizeof message, "bigshuf: cannot combine %s\n", pairs[i].message);
        else
            snprintf(message, sizeof message, "bigshuf: cannot combine %.*s and %.*s\n", name_bytes(one), one,
                     name_bytes(other), other);
        refuse(message, one, other);
        refuse(message, other, one);
    }
}

TEST(test_options_that_do_not_are_accepted)
{
    static const char *const lines[] = {
        "-e -r",
        "-e --delimiter=1",
        "-e --weights=a",
        "-i1-2 --delimiter=,",
        "-i1-2 --probability=1",
        "-r --random-source=a",
        "-r --weight-field=1",
        "--weights=a --records=lines:2",
        "--weights=a --group-field=1",
        "--probability=1 --split=2:a",
        "--weight-field=1 --delimiter=;",
        "--weight-field=1 --csv --header",
        "--group-field=1 --delimiter=; -r",
        "--scatter=a --group-field=1",
        "--scatter=a --records=tar",
        "--records=u32le --header-bytes=3",
        "--records=bytes:2 --header",
        "--records=end:ab --header-start=#",
        "--records=fasta --header",
        "--header --header-bytes=3 --headers-differ",
        "--header-start=# --csv",
        "--split-field=1 --split=2%:b --group-field=1 --shard-bytes=2 -o%d",
        "--keep-order --weight-field=1 -n1",
        "-r -n5 --shards=2 -o%d",
        "-n0 --shards=2 -o%d",
        "--split=2:a --filter=b",
        "-o%d --filter=b",
        "--expect-records=3 -e a b c",
        "--gather=a --seed= --part=1/2 --epoch=1",
        "--gather=a --seed=b -n3 -oc --shards=2",
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        parse_line(lines[i]);
        assert_run();
    }
}

TEST(test_what_an_option_needs_is_told)
{
    static const struct line lines[] = {
        {"--keep-order --weights=a", "--keep-order needs -n"},
        {"--shards=2", "--shards needs -o"},
        {"--shard-bytes=2 --filter=a", "--shard-bytes needs -o"},
        {"--filter=a", "--filter needs -o or --split"},
        {"--split-field=1", "--split-field needs --split"},
        {"--headers-differ a", "--headers-differ needs --header, --header-bytes or --header-start"},
        {"--part=1/2", "--part needs --seed" SAME_ORDER},
        {"--gather=a --part=1/2 --seed= -n1", "cannot combine -n and --part with --gather"},
        {"--piles=2 --gather=a", "--piles needs --scatter"},
        {"--batch=a", "--batch needs --scatter"},
        {"--keep=1", "--keep needs --scatter"},
        {"--sweep", "--sweep needs --scatter"},
        {"--pile=2 --scatter=a", "--pile needs --gather"},
        {"--epoch=1", "--epoch needs --gather"},
        {"--list", "--list needs --gather"},
        {"--gather=a b", "extra operand 'b'\n--gather and --sweep take no files" TRIED},
        {"--scatter=a --sweep b", "extra operand 'b'\n--gather and --sweep take no files" TRIED},
        {"--files0-from=names x y", "extra operand 'x'\nfile operands cannot be combined with --files0-from" TRIED},
    };

    CHECK_LINES(lines);
}

/* First what is wrong with an option by itself, then with several together, then with operands. */
TEST(test_of_several_errors_the_first_in_shuf_s_order_is_told)
{
    static const struct line lines[] = {
        {"-e -i1-2 -nx", "invalid line count: 'x'" WHOLE_NUMBER},
        {"-i1-2 a -nx", "invalid line count: 'x'" WHOLE_NUMBER},
        {"-oa -ob --random-source=c --random-source=d", "multiple output files specified"},
        {"-i1-2 -e --seed=1 --random-source=a x", "cannot combine -e and -i options" TRIED},
        {"-i1-2 --seed=1 --random-source=a x", "cannot combine --seed and --random-source"},
        {"-i1-2 --keep-order x", "--keep-order needs -n"},
    };

    CHECK_LINES(lines);
}

TEST(test_no_words_mean_standard_input_and_defaults)
{
    char *none[] = {NULL};

    parse_words(0, none, NULL);
    assert_run();
    assert_int_equal(run.options.file_count, 1);
    assert_string_equal(run.options.files[0], "-");
    assert_int_equal(run.options.delimiter, '\n');
    assert_null(run.options.format.kind);
    assert_int_equal(run.options.format.delimiter, '\n');
    assert_int_equal(run.options.count, UINT64_MAX);
    assert_int_equal(run.options.expected_records, UINT64_MAX);
    assert_int_equal(run.options.pile_last, UINT64_MAX);
    assert_int_equal(run.options.leaf_records, 262144);
}

TEST(test_what_is_not_one_field_follows_from_the_words)
{
    accept("-i0-18446744073709551615");
    assert_true(run.options.range_full);
    assert_int_equal(run.options.range_count, 0);
    accept("-i5-4");
    assert_false(run.options.range_full);
    assert_int_equal(run.options.range_count, 0);
    accept("-i1-18446744073709551615");
    assert_int_equal(run.options.range_count, UINT64_MAX);
    accept("--records=tar");
    assert_true(run.options.format.grouped);
    accept("--group-field=2");
    assert_true(run.options.format.grouped);
    accept("--csv");
    assert_false(run.options.format.grouped);
    accept("--records=start:\\b");
    assert_ptr_equal(run.options.format.kind, &string_start_kind);
    assert_int_equal(run.options.format.string_bytes, 3);
    assert_memory_equal(run.options.format.string, "\n\\b", 3);
    accept("-z", "-e", "a");
    assert_int_equal(run.options.delimiter, '\0');
    accept("-S200%");
    assert_int_equal(run.options.memory_bytes, 2 * hardware_whole_memory());
}

TEST(test_argv_stays)
{
    accept("b", "-z", "a");
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

/* GNU shuf 9.1 understands so many letters of a name, and any more. */
TEST(test_every_beginning_of_a_name_that_shuf_understands_is_understood)
{
    static const struct {
        const char *name;
        size_t shortest;
        const char *argument, *said;
    } names[] = {
        {"echo", 1, "", "--echo --"},
        {"input-range", 1, "=1-1", "--input-range=1-1 --"},
        {"head-count", 3, "=1", "--head-count=1 -- -"},
        {"output", 1, "=out", "--output=out -- -"},
        {"random-source", 2, "=source", "--random-source=source -- -"},
        {"repeat", 2, "", "--repeat -- -"},
        {"zero-terminated", 1, "", "--zero-terminated -- -"},
        {"help", 3, "", "Usage: bigshuf "},
        {"version", 1, "", "bigshuf "},
    };
    char word[64], text[TEXT_BYTES];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t length = 1; length <= strlen(names[i].name); length++) {
            snprintf(word, sizeof word, "--%.*s%s", (int)length, names[i].name, names[i].argument);
            parse(word);
            assert_int_equal(run.verdict == REFUSED, length < names[i].shortest);
            if (run.verdict == PRINTED)
                assert_int_equal(strncmp(run.out, names[i].said, strlen(names[i].said)), 0);
            if (run.verdict != TO_DO)
                continue;
            tell(text);
            assert_string_equal(text, names[i].said);
        }
    }
}

TEST(test_short_names_are_not_offered)
{
    static const char *const words[] = {"--r", "--he", "--h"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        parse(words[i]);
        assert_int_equal(run.verdict, REFUSED);
        assert_null(strstr(run.err, "--re'"));
        assert_null(strstr(run.err, "--hea'"));
        assert_null(strstr(run.err, "--head'"));
    }
    parse("--r", "--re");
    assert_null(strstr(run.err, "--re'"));
}

TEST(test_words_that_are_no_options_are_usage_errors)
{
    static const char *const words[] = {"--no-such-option",
                                        "-q",
                                        "-S",
                                        "--seed",
                                        "--zero-terminated=1",
                                        "--r",
                                        "--rec",
                                        "--shard=1",
                                        "--csv=1",
                                        "--records",
                                        "--h",
                                        "--he=3",
                                        "--we",
                                        "-i",
                                        "--record-lines=4",
                                        "--tar",
                                        "--compress-program=gzip"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *end;

        parse(words[i]);
        assert_int_equal(run.verdict, REFUSED);
        assert_int_equal(strncmp(run.err, "bigshuf: ", strlen("bigshuf: ")), 0);
        end = strchr(run.err, '\n');
        assert_non_null(end);
        assert_string_equal(end + 1, TRY_HELP);
    }
}

TEST(test_version_is_that_of_the_build)
{
    static const char *const words[] = {"--version", "-V"};

    for (size_t i = 0; i < 2; i++) {
        parse(words[i]);
        assert_int_equal(run.verdict, PRINTED);
        assert_string_equal(run.err, "");
#ifdef BIGSHUF_VERSION
        assert_string_equal(run.out, "bigshuf " BIGSHUF_VERSION "\n");
#else
        assert_int_equal(strncmp(run.out, "bigshuf ", strlen("bigshuf ")), 0);
#endif
    }
}

/* All of them but those for testing. */
TEST(test_help_explains_every_option_and_kind_on_lines_of_80)
{
    size_t count;
    const struct option_row *row = option_table_rows(&count);
    const struct record_kind *const *kind;
    char name[64];

    parse("--help");
    assert_int_equal(run.verdict, PRINTED);
    assert_string_equal(run.err, "");
    assert_int_equal(strncmp(run.out, "Usage: bigshuf [OPTION]... [FILE]...\n", 37), 0);
    for (; count > 0; count--, row++) {
        snprintf(name, sizeof name, "  %c%c%c --%s", row->letter != 0 ? '-' : ' ', row->letter != 0 ? row->letter : ' ',
                 row->letter != 0 ? ',' : ' ', row->name);
        assert_int_equal(strstr(run.out, name) != NULL, strcmp(row->name, "tune") != 0);
    }
    for (kind = kind_rows(&count); count > 0; count--, kind++) {
        snprintf(name, sizeof name, "\n%35s%s%s", "", (*kind)->name, (*kind)->argument != NULL ? ":" : " ");
        assert_non_null(strstr(run.out, name));
    }
    for (const char *line = run.out, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        assert_in_range(end - line, 0, 79);
        assert_true(end == line || end[-1] != ' ');
    }
    assert_int_equal(run.out[strlen(run.out) - 1], '\n');
}

/* With a prompt. */
TEST(test_h_explains_the_common_options_on_a_terminal_of_24_lines)
{
    static const char *const words[] = {"-h", "--usage"};

    for (size_t i = 0; i < 2; i++) {
        size_t lines = 0;

        parse(words[i]);
        assert_int_equal(run.verdict, PRINTED);
        assert_string_equal(run.err, "");
        for (const char *line = run.out; (line = strchr(line, '\n')) != NULL; line++)
            lines++;
        assert_in_range(lines, 15, 23);
        assert_non_null(strstr(run.out, "\n  -n, --head-count=COUNT  "));
        assert_null(strstr(run.out, "--epoch"));
    }
}

TEST(test_a_long_option_with_one_dash_is_no_help)
{
#define LONG_WITH(word) "bigshuf: -h goes with no other letters, as in '" word "': long options begin with two dashes\n"
    refuse(LONG_WITH("-header") TRY_HELP, "-header", "a");
    refuse(LONG_WITH("-zhelp") TRY_HELP, "-n3", "-zhelp");
    parse("-zh");
    assert_int_equal(run.verdict, PRINTED);
    parse("--usage", "a");
    assert_int_equal(run.verdict, PRINTED);
    parse("-n", "3", "-h", "-header");
    assert_int_equal(run.verdict, PRINTED);
#undef LONG_WITH
}

TEST(test_help_is_obeyed_where_it_stands)
{
    parse("a", "--help", "-Sx");
    assert_int_equal(run.verdict, PRINTED);
    parse("-Sx", "--help");
    assert_int_equal(run.verdict, REFUSED);
}

TEST(test_help_that_cannot_be_written_is_a_failure)
{
    char program[] = "x", *words[][3] = {{program, (char *)(uintptr_t) "--help", NULL},
                                         {program, (char *)(uintptr_t) "--version", NULL}};

    if (access("/dev/full", W_OK) != 0)
        skip();
    for (size_t i = 0; i < 2; i++) {
        parse_words(2, words[i], "/dev/full");
        assert_int_equal(run.verdict, REFUSED);
        assert_string_equal(run.err, "bigshuf: write error: No space left on device\n");
    }
}

TEST(test_help_closes_standard_output)
{
    char program[] = "x", help[] = "--help", *words[] = {program, help, NULL};
    struct detour detour = leave(STDOUT_FILENO, NULL);
    bool parsed;
    int open_still;

    command_line_release(&run.options);
    parsed = command_line_parse(&run.options, 2, words);
    open_still = fcntl(STDOUT_FILENO, F_GETFD) != -1;
    come_back(detour, run.out);
    assert_false(parsed);
    assert_false(open_still);
}

TEST(test_release_may_be_called_twice)
{
    parse("a", "-T", "b");
    command_line_release(&run.options);
    command_line_release(&run.options);
    assert_null(run.options.files);
}
