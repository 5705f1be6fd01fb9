/* One stream out of many files, whatever the sizes of the files, the reads and the buffers. */

#include "support/reports.h"
#include "support/unit.h"

#include "input/source.h"
#include "system/sys.h"

static struct source *source; /* of the running test; freed after it */
static struct pool pool;

static const struct source_layout lines = {.format = {.delimiter = '\n'}};

static int setup(void **state)
{
    source = NULL;
    return reports_setup(state);
}

static int teardown(void **state)
{
    source_free(source);
    pool_close(&pool);
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

static void put(const char *name, const char *content)
{
    assert_true(scratch_put(name, content, 0644));
}

/* Open the files of these names, which have a space between them, in place of those before. */
static void reopen(const struct source_layout *layout, const char *files)
{
    static char text[256];
    static const char *names[16];
    size_t count = 0;

    snprintf(text, sizeof text, "%s", files);
    for (char *name = strtok(text, " "); name != NULL; name = strtok(NULL, " "))
        names[count++] = name;
    source_free(source);
    source = source_open(names, count, layout);
}

/* The next read of so many bytes delivers just this. */
static void assert_reads(size_t bytes, const char *expected)
{
    uint8_t data[64];

    assert_int_equal(source_read(source, data, bytes), strlen(expected));
    assert_memory_equal(data, expected, strlen(expected));
}

/* Do the files deliver just this, from a source that lends if it can, twice, and at most `bytes` at a time? */
static bool lends(const struct source_layout *layout, const char *files, size_t bytes, const char *expected,
                  size_t expected_bytes)
{
    uint64_t memory;
    bool good;

    reopen(layout, files);
    if (!source_map(source, &memory))
        return true;
    good = memory <= source_space(source);
    for (int again = 0; again < 2 && good; again++) {
        const uint8_t *data = NULL;
        size_t done = 0, got;

        source_rewind(source);
        while (good && (got = source_lend(source, &data, bytes)) > 0) {
            good = data >= source_base(source) && data + got <= source_base(source) + source_space(source) &&
                   got <= bytes && done + got <= expected_bytes && memcmp(data, expected + done, got) == 0;
            done += got;
            source_forget(source, data + got);
        }
        good = good && done == expected_bytes && source_delivered_bytes(source) == done &&
               source_arrived_bytes(source) == done;
    }
    source_check(source);
    return good;
}

/* Do the files, read through buffers of `bytes`, deliver just this, with every buffer but the last one full? */
static bool reads(const struct source_layout *layout, const char *files, size_t bytes, const char *expected,
                  size_t expected_bytes)
{
    uint8_t *data = malloc(expected_bytes + bytes);
    size_t done = 0;
    size_t got = bytes;
    bool good = data != NULL;

    reopen(layout, files);
    while (good && got > 0) {
        got = source_read(source, data + done, bytes);
        done += got;
        good = done <= expected_bytes && (got == bytes || done == expected_bytes);
    }
    good =
        good && done == expected_bytes && memcmp(data, expected, done) == 0 && source_delivered_bytes(source) == done;
    free(data);
    return good;
}

static bool delivers(const struct source_layout *layout, const char *files, size_t bytes, const char *expected,
                     size_t expected_bytes)
{
    return reads(layout, files, bytes, expected, expected_bytes) &&
           lends(layout, files, bytes, expected, expected_bytes);
}

static void assert_laid_out(const struct source_layout *layout, const char *files, const char *expected)
{
    for (size_t bytes = 1; bytes <= strlen(expected) + 2; bytes++)
        assert_true(delivers(layout, files, bytes, expected, strlen(expected)));
}

/* The files are refused at once. */
static void assert_refused(const struct source_layout *layout, const char *files, const char *message)
{
    assert_ends(reopen(layout, files), message);
}

static void read_to_the_end(void)
{
    uint8_t data[64];

    while (source_read(source, data, sizeof data) > 0)
        ;
}

/* What is read next is refused. */
static void assert_does_not_read(const char *message)
{
    assert_ends(read_to_the_end(), message);
}

/* The files are refused when they are read. */
static void assert_fails(const struct source_layout *layout, const char *files, const char *message)
{
    reopen(layout, files);
    assert_does_not_read(message);
}

static void assert_header(const struct source_layout *layout, const char *files, const char *expected)
{
    const uint8_t *header;
    size_t bytes;

    reopen(layout, files);
    header = source_header(source, &bytes);
    assert_int_equal(bytes, strlen(expected));
    if (bytes > 0)
        assert_memory_equal(header, expected, bytes);
}

static void put_on_standard_input(const char *name)
{
    CHECK(dup2(open(name, O_RDONLY), STDIN_FILENO) == STDIN_FILENO);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* ---- The stream ---- */

TEST(files_follow_one_another)
{
    put("a", "1\n2\n");
    put("b", "3\n");
    assert_laid_out(&lines, "a b a", "1\n2\n3\n1\n2\n");
}

TEST(each_file_ends_its_last_record_and_an_empty_one_has_none)
{
    put("open", "1\n22");
    put("closed", "3\n");
    put("empty", "");
    put("delimiter", "\n");
    assert_laid_out(&lines, "open empty closed empty delimiter open", "1\n22\n3\n\n1\n22\n");
    assert_laid_out(&lines, "empty", "");
    assert_laid_out(&lines, "", "");
}

TEST(any_byte_may_be_the_delimiter)
{
    static const char expected[] = "1\n\xff\0"
                                   "2\0";
    const struct source_layout nul = {.format = {.delimiter = '\0'}};
    const struct source_layout ff = {.format = {.delimiter = 0xff}};

    put("a", "1\n\xff");
    put("b", "2");
    assert_true(delivers(&nul, "a b", 3, expected, 6));
    assert_true(delivers(&ff, "a", 3, "1\n\xff", 3));
}

TEST(short_reads_are_gone_on_with)
{
    pid_t writer;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    put("file", "after\n");
    writer = fork();
    if (writer == 0) {
        int fd = open("fifo", O_WRONLY);

        for (int i = 0; i < 20; i++) {
            CHECK(write(fd, "x", 1) == 1);
            usleep(100);
        }
        _exit(0);
    }
    reopen(&lines, "fifo file");
    assert_reads(64, "xxxxxxxxxxxxxxxxxxxx\nafter\n");
    assert_reads(64, "");
    assert_reads(64, "");
    assert_int_equal(waitpid(writer, NULL, 0), writer);
}

TEST(bytes_that_were_put_back_come_first)
{
    put("a", "123456");
    reopen(&lines, "a");
    assert_reads(4, "1234");
    source_unread(source, (const uint8_t *)"234", 3);
    assert_int_equal(source_delivered_bytes(source), 1);
    assert_reads(2, "23");
    assert_reads(8, "456\n");
    assert_int_equal(source_delivered_bytes(source), 7);
    source_unread(source, (const uint8_t *)"\n", 1);
    assert_reads(8, "\n");
    assert_int_equal(source_delivered_bytes(source), 7);
}

/* A context that is a number counts down to the end of its stream. */
static size_t count_down(void *context, uint8_t *data, size_t bytes)
{
    int *left = context;
    size_t done = 0;

    for (; done<bytes && * left> 0; done++)
        data[done] = (uint8_t)(*left)--;
    return done;
}

static void set_to_99(void *context)
{
    *(int *)context = 99;
}

TEST(anything_that_can_be_read_can_be_a_source)
{
    int left = 5;

    source = source_over(count_down, &left, set_to_99);
    assert_int_equal(source_known_bytes(source), 0);
    assert_reads(3, "\5\4\3");
    source_unread(source, (const uint8_t *)"\4\3", 2);
    assert_reads(8, "\4\3\2\1");
    assert_int_equal(source_delivered_bytes(source), 5);
    assert_reads(8, "");
    source_free(source);
    source = NULL;
    assert_int_equal(left, 99);
}

TEST(known_bytes_are_those_of_regular_files)
{
    put("a", "1234");
    put("b", "1\n");
    reopen(&lines, "a /dev/null b a");
    assert_int_equal(source_known_bytes(source), 10);
}

/* ---- Layouts ---- */

#define STRING(text) .kind = &string_end_kind, .string = (const uint8_t *)(text), .string_bytes = sizeof(text) - 1
#define START(text)  .kind = &string_start_kind, .string = (const uint8_t *)(text), .string_bytes = sizeof(text) - 1

static const struct source_layout csv_comment = {.format = {.kind = &csv_kind}, .header = {.bytes = 1}};
static const struct source_layout paragraphs = {.format = {STRING("\n\n")}};
static const struct source_layout fasta = {.format = {START("\n>")}};
static const struct source_layout mbox = {.format = {START("\nFrom ")}};
static const struct source_layout groups = {.format = {.kind = &lines_kind, .delimiter = '\n', .count = 4}};
static const struct source_layout fixed = {.format = {.kind = &sizes_kind, .count = 4}};
static const struct source_layout csv = {.format = {.kind = &csv_kind}};
static const struct source_layout csv_header = {.format = {.kind = &csv_kind}, .header = {.lines = 1}};
static const struct source_layout header = {.format = {.delimiter = '\n'}, .header = {.lines = 2}};
static const struct source_layout fixed_header = {.format = {.kind = &sizes_kind, .count = 4}, .header = {.bytes = 3}};
static const struct source_layout fasta_header = {.format = {START("\n>")}, .header = {.lines = 1}};

/* A child that writes `content` to the FIFO `name`. */
static void feed(const char *name, const char *content)
{
    assert_int_equal(mkfifo(name, 0600), 0);
    if (fork() == 0) {
        int fd = open(name, O_WRONLY);

        for (; *content != '\0'; content++)
            CHECK(write(fd, content, 1) == 1);
        _exit(0);
    }
}

static void reap(const char *name)
{
    assert_true(wait(NULL) > 0);
    assert_int_equal(unlink(name), 0);
}

TEST(what_is_missing_of_the_delimiter_is_added_to_each_file)
{
    put("whole", "1\n\n");
    put("half", "2\n3\n");
    put("none", "4");
    put("empty", "");
    assert_laid_out(&paragraphs, "whole half none empty whole", "1\n\n2\n3\n\n4\n\n1\n\n");
}

TEST(starts_of_records_move_to_their_ends)
{
    put("a", ">1\nA\n>2\n");
    put("b", ">3\n>");
    put("empty", "");
    put("c", ">4\n>5");
    put("bare", ">");
    assert_laid_out(&fasta, "a", "1\nA\n>2\n>");
    assert_laid_out(&fasta, "a b empty c bare", "1\nA\n>2\n>3\n>\n>4\n>5\n>\n>");
    put("a", "From a\n From\nFro");
    put("b", "From b\n");
    assert_laid_out(&mbox, "a b empty", "a\n From\nFro\nFrom b\nFrom ");
}

TEST(text_before_the_first_start_is_refused)
{
    put("a", ">1\n");
    put("b", "\n>1\n");
    assert_refused(&fasta, "a b", "bigshuf: b: text before the first '>'\n");
    put("a", "Fro");
    assert_refused(&mbox, "a", "bigshuf: a: text before the first 'From '\n");
    feed("fifo", "1\n>");
    assert_fails(&fasta, "fifo", "bigshuf: fifo: text before the first '>'\n");
    reap("fifo");
}

TEST(a_short_group_of_lines_is_refused)
{
    put("a", "1\n2\n3\n4\n");
    put("b", "5\n6\n7\n8");
    assert_laid_out(&groups, "a b", "1\n2\n3\n4\n5\n6\n7\n8\n");
    put("b", "5\n6\n7");
    assert_fails(&groups, "a b", "bigshuf: b: 3 lines are left over at the end: records are of 4 lines\n");
    put("a", "1\n2\n3\n4\n5\n");
    assert_fails(&groups, "a b", "bigshuf: a: 1 line is left over at the end: records are of 4 lines\n");
}

TEST(a_size_that_is_no_multiple_is_refused_at_once_if_it_is_known)
{
    put("a", "12345678");
    put("empty", "");
    put("b", "1234");
    assert_laid_out(&fixed, "a empty b", "123456781234");
    put("b", "12345");
    assert_refused(&fixed, "a empty b", "bigshuf: b: size is not a multiple of 4 bytes\n");
    assert_refused(&fixed_header, "a", "bigshuf: a: size after the header is not a multiple of 4 bytes\n");
    feed("fifo", "123456");
    assert_fails(&fixed, "fifo", "bigshuf: fifo: size is not a multiple of 4 bytes\n");
    reap("fifo");
}

static void refuse_size_of_standard_input(void)
{
    put_on_standard_input("a");
    reopen(&fixed, "-");
}

TEST(the_size_of_standard_input_may_be_known_too)
{
    put("a", "123");
    assert_ends(refuse_size_of_standard_input(), "bigshuf: -: size is not a multiple of 4 bytes\n");
}

TEST(an_unclosed_quote_is_refused_with_its_line)
{
    put("a", "1,\"\n\n\"\n\"\"\n");
    put("b", "1\n2,\"3\n\n4\"\n5,\"\"\"6\n7");
    assert_fails(&csv, "a b", "bigshuf: b: unclosed quote that starts in line 5\n");
    put("b", "\"");
    assert_fails(&csv, "a b", "bigshuf: b: unclosed quote that starts in line 1\n");
    assert_refused(&csv_header, "b", "bigshuf: b: unclosed quote that starts in line 1\n");
}

TEST(an_added_line_end_is_like_that_of_the_first_record)
{
    put("a", "\"1\n\"\r\n2\n3");
    put("b", "4");
    assert_laid_out(&csv, "a b", "\"1\n\"\r\n2\n3\r\n4\r\n");
    assert_laid_out(&csv, "b", "4\n");
    put("b", "4\r");
    assert_laid_out(&csv, "a b", "\"1\n\"\r\n2\n3\r\n4\r\n");
    put("a", "\n2\r\n3");
    assert_laid_out(&csv, "a", "\n2\r\n3\n");
    assert_true(scratch_put("a", "#1", 0600) && scratch_put("b", "#2\r\n3", 0600));
    assert_laid_out(&csv_comment, "a b", "1\n2\r\n3\r\n");
}

/* ---- Headers ---- */

TEST(headers_are_taken_off)
{
    put("a", "h\ni\n1\n2");
    put("empty", "");
    put("b", "h\ni\n3\n");
    put("bare", "h\ni");
    assert_laid_out(&header, "a empty b bare a", "1\n2\n3\n1\n2\n");
    assert_header(&header, "a empty b bare a", "h\ni\n");
    assert_laid_out(&header, "empty b", "3\n");
    assert_header(&header, "empty b", "h\ni\n");
    assert_laid_out(&header, "empty", "");
    assert_header(&header, "empty", "");
    put("bare", "h\ni");
    assert_header(&header, "bare", "h\ni\n");
    assert_laid_out(&header, "bare", "");
    assert_laid_out(&lines, "bare", "h\ni\n");
    assert_header(&lines, "bare", "");
}

TEST(headers_of_every_format_are_taken_off)
{
    put("a", "\"h\n\",i\r\n1\r\n2");
    put("b", "\"h\n\",i");
    assert_laid_out(&csv_header, "a b", "1\r\n2\r\n");
    assert_header(&csv_header, "a b", "\"h\n\",i\r\n");
    put("a", ">h\n>1\n>2\n");
    put("b", ">h");
    assert_laid_out(&fasta_header, "a b", "1\n>2\n>");
    assert_header(&fasta_header, "a b", ">h\n");
    put("a", "h\n>1\n2\n");
    put("b", "h\n>3");
    assert_laid_out(&fasta_header, "a b", "1\n2\n>3\n>");
    assert_header(&fasta_header, "a b", "h\n");
    put("b", ">h");
    put("a", ">h\n>");
    assert_laid_out(&fasta_header, "a b", "\n>");
    put("a", "npy1234");
    put("b", "npy");
    assert_laid_out(&fixed_header, "a b", "1234");
    assert_header(&fixed_header, "a b", "npy");
}

TEST(headers_do_not_count_as_bytes)
{
    put("a", "h\ni\n1\n2\n");
    put("b", "h\ni\n");
    put("empty", "");
    reopen(&header, "a b empty");
    assert_int_equal(source_known_bytes(source), 4);
}

TEST(headers_that_differ_are_refused)
{
    put("a", "h\ni\n1\n2\n");
    put("b", "h\nj\n");
    assert_refused(&header, "a b", "bigshuf: b: header differs from that of a\n");
    put("b", "h\n");
    assert_refused(&header, "a b", "bigshuf: b: shorter than a header of 2 lines\n");
    put("b", "h\nii\n");
    assert_refused(&header, "a b", "bigshuf: b: header differs from that of a\n");
    put("a", "npy1234");
    put("b", "np");
    assert_refused(&fixed_header, "a b", "bigshuf: b: shorter than a header of 3 bytes\n");
}

TEST(a_header_may_come_through_a_fifo)
{
    const uint8_t *text;
    size_t bytes;

    put("a", "h\ni\n3\n");
    feed("fifo", "h\ni\n1\n2");
    reopen(&header, "fifo a");
    assert_reads(64, "1\n2\n3\n");
    text = source_header(source, &bytes);
    assert_int_equal(bytes, 4);
    assert_memory_equal(text, "h\ni\n", 4);
    reap("fifo");
    feed("fifo", "h\nj\n1\n");
    assert_fails(&header, "a fifo", "bigshuf: fifo: header differs from that of a\n");
    reap("fifo");
    feed("fifo", "h\nj\n1\n");
    assert_fails(&header, "fifo a", "bigshuf: a: header differs from that of fifo\n");
    reap("fifo");
}

TEST(a_header_may_be_long_but_not_too_long)
{
    const size_t most = (size_t)1 << 20;
    const struct source_layout layout = {.format = {.delimiter = '\n'}, .header = {.lines = 1}};
    char *text = malloc(most + 4);
    size_t bytes;

    assert_non_null(text);
    memset(text, 'h', most);
    memcpy(text + most - 1, "\n1\n", 4);
    put("a", text);
    assert_laid_out(&layout, "a", "1\n");
    reopen(&layout, "a");
    assert_memory_equal(source_header(source, &bytes), text, most);
    assert_int_equal(bytes, most);
    memcpy(text + most - 1, "h\n1", 4);
    put("a", text);
    assert_refused(&layout, "a", "bigshuf: a: header is larger than 1048576 bytes\n");
    free(text);
}

static bool is_known(const char *files)
{
    reopen(&lines, files);
    return source_is_known(source);
}

TEST(what_will_come_is_known_if_all_files_are_regular)
{
    int left = 5;

    put("a", "1\n");
    put("empty", "");
    assert_int_equal(symlink("a", "link"), 0);
    assert_true(is_known("a"));
    assert_false(is_known("a /dev/null"));
    assert_false(is_known("a /dev/null empty"));
    assert_false(is_known("/dev/null empty"));
    assert_true(is_known("empty"));
    assert_true(is_known("a link empty"));
    source_free(source);
    source = source_over(count_down, &left, set_to_99);
    assert_false(source_is_known(source));
    source_free(source);
    source = NULL;
}

static void assert_name_at(uint64_t offset, const char *name, uint64_t name_ends)
{
    uint64_t end;

    assert_string_equal(source_name_at(source, offset, &end), name);
    assert_true(end == name_ends);
}

/* "1\n22\n" from a, nothing from the empty ones, "3\n" from b, "1\n22\n" from a again. */
TEST(every_byte_comes_from_a_file_with_a_name)
{
    static const char *const name_of = "aaaaabbaaaaa";
    static const uint64_t ends[] = {5, 5, 5, 5, 5, 7, 7, 12, 12, 12, 12, 12};

    put("a", "1\n22");
    put("b", "3\n");
    put("empty", "");
    for (size_t step = 1; step <= 13; step++) {
        uint8_t data[13];
        size_t done = 0;

        reopen(&lines, "empty a empty b a empty");
        for (size_t got = 1; got > 0; done += got) {
            got = source_read(source, data, step);
            for (size_t i = 0; i < done + got; i++) {
                uint64_t end;

                assert_int_equal(source_name_at(source, i, &end)[0], name_of[i]);
                assert_true(end == ends[i] || end == UINT64_MAX);
                assert_true(end == ends[i] || ends[i] >= done + got); /* unknown only as long as it must be */
            }
        }
        assert_int_equal(done, 12);
        for (size_t i = 0; i < done; i++)
            assert_name_at(i, (const char[]){name_of[i], '\0'}, ends[i]);
    }
}

TEST(the_end_of_a_file_is_known_when_it_has_been_reached)
{
    put("a", "1\n22");
    put("b", "3\n");
    reopen(&lines, "a b");
    assert_reads(3, "1\n2");
    assert_name_at(2, "a", UINT64_MAX);
    assert_reads(2, "2\n"); /* with the delimiter that was added */
    assert_name_at(4, "a", 5);
    assert_reads(1, "3");
    assert_name_at(4, "a", 5);
    assert_name_at(5, "b", UINT64_MAX);
    source_unread(source, (const uint8_t *)"3", 1);
    assert_reads(8, "3\n");
    assert_name_at(0, "a", 5);
    assert_name_at(6, "b", 7);
}

TEST(what_is_no_file_is_called_input)
{
    int left = 5;

    source = source_over(count_down, &left, set_to_99);
    assert_reads(8, "\5\4\3\2\1");
    assert_name_at(3, "input", UINT64_MAX);
    source_free(source);
    source = NULL;
}

/* ---- Standard input ---- */

static void read_rest_of_standard_input(void)
{
    char skipped[2];

    put_on_standard_input("a");
    CHECK(read(STDIN_FILENO, skipped, 2) == 2);
    reopen(&lines, "- a -");
    CHECK(source_known_bytes(source) == 2 + 4);
    CHECK(reads(&lines, "- a -", 5, "2\n1\n2\n", 6));
    CHECK(lseek(STDIN_FILENO, 2, SEEK_SET) == 2);
    CHECK(lends(&lines, "- a -", 5, "2\n1\n2\n", 6));
    CHECK(lseek(STDIN_FILENO, 0, SEEK_CUR) == 4);
}

TEST(a_dash_is_what_is_left_of_standard_input)
{
    put("a", "1\n2\n");
    assert_int_equal(scratch_child(read_rest_of_standard_input), 0);
}

static void open_closed(void)
{
    close(STDIN_FILENO);
    CHECK(sys_fill_standard() == 0);
    reopen(&lines, "a -");
}

static void open_directory(void)
{
    put_on_standard_input(".");
    reopen(&lines, "a -");
}

TEST(a_standard_input_that_cannot_be_read_is_reported_at_once)
{
    put("a", "1\n");
    assert_ends(open_closed(), "bigshuf: -: Bad file descriptor\n");
    assert_ends(open_directory(), "bigshuf: -: Is a directory\n");
}

/* ---- Lending ---- */

/* A source over one file of lines, large enough to be of several pages, that lends. */
static void lend_lines(const char *name, size_t bytes)
{
    char *content = malloc(bytes + 1);
    uint64_t memory;

    assert_non_null(content);
    memset(content, 'x', bytes);
    for (size_t i = 99; i < bytes; i += 100)
        content[i] = '\n';
    content[bytes] = '\0';
    put(name, content);
    free(content);
    reopen(&lines, name);
    assert_null(source_base(source));
    assert_true(source_map(source, &memory));
    assert_true(memory >= bytes && memory <= source_space(source));
}

TEST(what_is_lent_of_a_file_is_in_one_piece_and_ends_on_pages)
{
    const size_t page = sys_page_bytes(), bytes = 10 * page + 7;
    const uint8_t *data, *next = NULL;
    size_t done = 0, got;

    lend_lines("a", bytes);
    while ((got = source_lend(source, &data, 2 * page + 100)) > 0) {
        assert_true(next == NULL || data == next);
        assert_true(got == 2 * page || done + got == bytes + 1);
        next = data + got;
        done += got;
    }
    assert_int_equal(done, bytes + 1);
    assert_non_null(next);
    assert_int_equal(*(next - 1), '\n');
}

TEST(a_file_that_grows_is_lent_up_to_the_size_that_it_had)
{
    const size_t bytes = 3 * sys_page_bytes() + 7;
    const uint8_t *data;

    lend_lines("a", bytes);
    assert_int_equal(truncate("a", (off_t)bytes + 10000), 0);
    assert_int_equal(source_lend(source, &data, 2 * bytes), bytes + 1);
    assert_int_equal(data[bytes - 1], 'x');
    assert_int_equal(data[bytes], '\n');
    assert_int_equal(source_lend(source, &data, 2 * bytes), 0);
    source_check(source);
}

TEST(a_file_that_becomes_shorter_is_told_when_it_is_opened_or_checked)
{
    const char *const message = "bigshuf: a: file has changed while it was read\n";
    const size_t bytes = 3 * sys_page_bytes() + 7;
    const uint8_t *data;

    lend_lines("a", bytes);
    assert_int_equal(truncate("a", 100), 0);
    assert_ends(source_lend(source, &data, bytes), message);
    lend_lines("a", bytes);
    assert_true(source_lend(source, &data, sys_page_bytes()) > 0);
    assert_int_equal(truncate("a", 100), 0);
    assert_ends(source_check(source), message);
}

static void modify(const char *name)
{
    const struct timespec times[] = {{.tv_sec = 1}, {.tv_sec = 1}};

    assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

TEST(a_file_of_the_same_size_that_was_modified_is_told)
{
    lend_lines("a", 1000);
    modify("a");
    assert_ends(source_check(source), "bigshuf: a: file has changed while it was read\n");
}

static void look_at_what_has_gone(void)
{
    const size_t bytes = 3 * sys_page_bytes();
    const uint8_t *data = NULL;

    lend_lines("a", bytes);
    CHECK(source_lend(source, &data, 2 * bytes) > bytes);
    CHECK(truncate("a", 100) == 0);
    CHECK(((const volatile uint8_t *)data)[bytes - 1] == '\n');
}

TEST(looking_at_what_has_gone_is_a_failed_read)
{
    assert_ends(look_at_what_has_gone(), "bigshuf: a: file has changed while it was read\n");
}

TEST(what_is_not_regular_or_has_been_read_is_not_lent)
{
    int left = 5;
    uint64_t memory;

    source = source_over(count_down, &left, set_to_99);
    assert_false(source_map(source, &memory));
    assert_null(source_base(source));
    put("a", "1\n");
    reopen(&lines, "a /dev/null");
    assert_false(source_map(source, &memory));
    reopen(&lines, "a");
    assert_reads(1, "1");
    assert_false(source_map(source, &memory));
    source_check(source);
}

/* ---- Holding ---- */

enum { BLOCK = 1024, BLOCKS = 64, BYTES = BLOCKS * (BLOCK + 4) + POOL_SLACK_BYTES };

static void hold(const char *files)
{
    assert_int_equal(pool_open(&pool, BYTES, BLOCK), 0);
    reopen(&lines, files);
    source_hold(source, &pool);
}

static void open_files(void)
{
    assert_true(scratch_put("a", "one\ntwo\nthree", 0644));
    assert_true(scratch_put("b", "four\nfive", 0644));
    hold("a b");
}

/* A file of bytes that count, of which none is a newline but the last. */
static void put_bytes(size_t bytes)
{
    FILE *file = fopen("a", "w");

    assert_non_null(file);
    for (size_t i = 0; i < bytes; i++)
        fputc(i + 1 < bytes ? (int)(uint8_t)(i | 1) : '\n', file);
    assert_int_equal(fclose(file), 0);
    hold("a");
}

/* Does the source lend just this, in pieces of at most `bytes`, one behind the other? */
static void assert_lends(size_t bytes, const char *expected)
{
    const uint8_t *data;
    size_t done = 0;
    size_t got;

    while (done < strlen(expected)) {
        got = source_lend(source, &data, bytes);
        assert_in_range(got, 1, bytes);
        assert_memory_equal(data, expected + done, got);
        assert_ptr_equal(data, source_base(source) != NULL ? source_base(source) + done : data);
        done += got;
    }
}

TEST(all_that_is_held_is_lent_as_often_as_it_is_wanted)
{
    const uint8_t *data;

    open_files();
    assert_int_equal(source_fill(source, 10), 10);
    assert_int_equal(source_fill(source, 100), 14); /* with what was missing at the ends of both files */
    assert_int_equal(source_fill(source, 100), 0);
    assert_int_equal(source_delivered_bytes(source), 0);
    assert_int_equal(source_space(source), 24);
    for (size_t bytes = 1; bytes < 30; bytes++) {
        assert_true(source_holds(source));
        assert_lends(bytes, "one\ntwo\nthree\nfour\nfive\n");
        assert_int_equal(source_lend(source, &data, bytes), 0);
        assert_int_equal(source_delivered_bytes(source), 24);
        assert_int_equal(source_arrived_bytes(source), 24);
        source_rewind(source);
    }
}

TEST(what_was_let_go_is_lent_and_then_the_rest_is_read)
{
    uint8_t data[64];

    open_files();
    assert_int_equal(source_fill(source, 6), 6);
    assert_lends(4, "one\n");
    source_let_go(source);
    assert_int_equal(source_arrived_bytes(source), 6);
    assert_false(source_holds(source));
    assert_lends(4, "one\ntw");
    assert_null(source_base(source));
    assert_int_equal(source_read(source, data, sizeof data), 18);
    assert_memory_equal(data, "o\nthree\nfour\nfive\n", 18);
    assert_int_equal(source_delivered_bytes(source), 24);
    assert_int_equal(source_arrived_bytes(source), 24);
    source_forget(source, pool.memory + 6);
    assert_int_equal(pool_free(&pool), BLOCKS);
}

TEST(blocks_leave_when_all_of_them_is_forgotten)
{
    const uint8_t *data;

    put_bytes(10 * BLOCK + 100);
    assert_int_equal(source_fill(source, 20 * BLOCK), 10 * BLOCK + 100);
    assert_int_equal(pool_free(&pool), BLOCKS - 20);
    assert_int_equal(pool.pinned, 20);
    assert_int_equal(source_lend(source, &data, BYTES), 10 * BLOCK + 100);
    for (size_t i = 0; i < 10 * BLOCK; i++)
        assert_int_equal(data[i], (uint8_t)(i | 1));
    source_forget(source, data + BLOCK - 1);
    assert_int_equal(pool_free(&pool), BLOCKS - 20);
    source_forget(source, data + BLOCK);
    assert_int_equal(pool_free(&pool), BLOCKS - 19);
    source_forget(source, data + 4 * BLOCK + 5);
    assert_int_equal(pool_free(&pool), BLOCKS - 16);
    assert_int_equal(pool.pinned, 16);
    source_forget(source, data + 10 * BLOCK + 100);
    source_forget(source, data + 10 * BLOCK + 100);
    assert_int_equal(pool_free(&pool), BLOCKS);
    assert_int_equal(pool.pinned, 0);
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_not_equal(pool_get(&pool), POOL_NONE);
    assert_int_equal(pool_get(&pool), POOL_NONE);
}

TEST(what_is_held_does_not_outgrow_its_pool)
{
    put_bytes(100);
    assert_ends(source_fill(source, BLOCKS * BLOCK + 1), "bigshuf: memory: Cannot allocate memory\n");
    assert_int_equal(source_fill(source, 10), 10);
    assert_ends(source_fill(source, BLOCKS * BLOCK), "bigshuf: memory: Cannot allocate memory\n");
    assert_int_equal(source_fill(source, BLOCKS * BLOCK - 10), 90);
    assert_int_equal(pool_free(&pool), 0);
}

TEST(bytes_put_back_are_held_too)
{
    uint8_t data[8];

    open_files();
    assert_int_equal(source_read(source, data, 8), 8);
    source_unread(source, data, 8);
    assert_int_equal(source_fill(source, 24), 24);
    assert_lends(24, "one\ntwo\nthree\nfour\nfive\n");
}

/* ---- Failures ---- */

static void refuse_as_user(const char *files)
{
    scratch_become_user();
    reopen(&lines, files);
}

TEST(what_cannot_be_read_is_reported_at_once)
{
    const char *nameless = "";

    assert_ends(source_open(&nameless, 1, &lines), "bigshuf: '': No such file or directory\n");
    assert_refused(&lines, "missing", "bigshuf: missing: No such file or directory\n");
    assert_refused(&lines, ".", "bigshuf: .: Is a directory\n");
    put("a", "1\n");
    assert_refused(&lines, "a/b", "bigshuf: a/b: Not a directory: there is no folder 'a'\n");
    assert_true(scratch_put("unreadable", "1\n", 0));
    assert_int_equal(mkfifo("fifo", 0), 0);
    assert_int_equal(chmod(".", 0755), 0);
    assert_ends(refuse_as_user("a unreadable"), "bigshuf: unreadable: Permission denied\n");
    assert_ends(refuse_as_user("a fifo"), "bigshuf: fifo: Permission denied\n");
}

TEST(a_fifo_is_only_looked_at)
{
    assert_int_equal(mkfifo("fifo", 0600), 0);
    reopen(&lines, "fifo"); /* would wait for a writer */
}

static int lowest_free_descriptor(void)
{
    int fd = dup(STDERR_FILENO);

    close(fd);
    return fd;
}

TEST(no_descriptor_stays_open)
{
    int before = lowest_free_descriptor();

    put("a", "1\n");
    put("b", "2\n");
    reopen(&lines, "a b");
    assert_int_equal(lowest_free_descriptor(), before);
    assert_reads(1, "1");
    source_free(source);
    source = NULL;
    assert_int_equal(lowest_free_descriptor(), before);
}

TEST(a_file_that_vanished_since_is_reported)
{
    put("a", "1\n");
    put("b", "2\n");
    reopen(&lines, "a b");
    assert_int_equal(unlink("b"), 0);
    assert_does_not_read("bigshuf: b: No such file or directory\n");
}

TEST(a_file_that_shrinks_is_no_end_of_input)
{
    put("a", "1\n2\n3\n");
    reopen(&lines, "a");
    assert_reads(2, "1\n");
    assert_int_equal(truncate("a", 4), 0);
    assert_does_not_read("bigshuf: a: file has changed while it was read\n");
}

TEST(a_file_that_is_modified_is_not_read_as_if_it_were_one)
{
    const char *const message = "bigshuf: a: file has changed while it was read\n";

    put("a", "1\n2\n3\n");
    reopen(&lines, "a");
    assert_reads(2, "1\n");
    modify("a");
    assert_does_not_read(message);
    for (int replaced = 0; replaced < 2; replaced++) {
        put("a", "1\n2\n3\n");
        reopen(&lines, "a");
        assert_reads(9, "1\n2\n3\n");
        if (replaced) {
            put("b", "1\n2\n4\n");
            assert_int_equal(rename("b", "a"), 0);
        } else {
            modify("a");
        }
        source_rewind(source);
        assert_does_not_read(message);
    }
}

TEST(a_file_that_grows_is_read_up_to_where_it_ended)
{
    put("a", "1\n2");
    put("b", "3\n");
    reopen(&lines, "a b");
    for (int time = 0; time < 3; time++) {
        put("a", "1\n2\n4\n");
        assert_reads(9, "1\n2\n3\n");
        source_rewind(source);
    }
    assert_int_equal(truncate("a", 3), 0);
    modify("a");
    assert_does_not_read("bigshuf: a: file has changed while it was read\n");
}

TEST(a_file_that_grows_and_begins_or_ended_in_another_way_is_told)
{
    static const char *const others[] = {"0\n2\n4\n", "1\n3\n4\n"};

    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            put("a", "1\n2\n");
            reopen(&lines, "a");
            if (again) {
                assert_reads(9, "1\n2\n");
                source_rewind(source);
            } else {
                assert_reads(1, "1");
            }
            put("a", others[i]);
            assert_does_not_read("bigshuf: a: file has changed while it was read\n");
        }
}

TEST(a_read_error_names_the_file)
{
    if (access("/proc/self/mem", R_OK) != 0)
        skip();
    put("a", "1\n");
    assert_fails(&lines, "a /proc/self/mem", /* nothing is mapped at its beginning */
                 "bigshuf: /proc/self/mem: Input/output error\n");
}

static void look_at_standard_input(void)
{
    uint8_t data[16];
    uint64_t end;
    int ends[2];

    put_on_standard_input("a");
    CHECK(is_known("- a -"));
    CHECK(!is_known("/dev/null -"));
    reopen(&lines, "- a -");
    CHECK(source_read(source, data, 16) == 8);
    CHECK(strcmp(source_name_at(source, 3, &end), "-") == 0 && end == 4);
    CHECK(strcmp(source_name_at(source, 4, &end), "a") == 0 && end == 8);
    CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    CHECK(!is_known("-"));
    CHECK(!is_known("- a -"));
}

TEST(standard_input_is_known_if_it_is_a_regular_file)
{
    put("a", "1\n2\n");
    assert_int_equal(scratch_child(look_at_standard_input), 0);
}
