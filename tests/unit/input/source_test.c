/* One stream out of many files, whatever the sizes of the files, the reads and the buffers. */

#include "support/scratch.h"
#include "support/unit.h"

#include "input/source.h"
#include "system/sys.h"

static struct fault fault;

static const struct source_layout lines = {.format = {.delimiter = '\n'}};

static int setup(void **state)
{
    fault_init(&fault);
    return scratch_setup(state);
}

static int teardown(void **state)
{
    fault_release(&fault);
    return scratch_teardown(state);
}

static void put(const char *name, const char *content)
{
    assert_true(scratch_put(name, content, 0644));
}

/* Does the source, read through buffers of `bytes`, deliver just this, with every buffer but the last one full? */
static bool delivers(const char *const *names, size_t count, const struct source_layout *layout, size_t bytes,
                     const char *expected, size_t expected_bytes)
{
    struct source *source = source_open(names, count, layout, &fault);
    uint8_t *data = malloc(expected_bytes + bytes);
    size_t done = 0;
    bool good = source != NULL && data != NULL;

    while (good) {
        ssize_t got = source_read(source, data + done, bytes);

        good = got >= 0 && done + (size_t)got <= expected_bytes &&
               ((size_t)got == bytes || done + (size_t)got == expected_bytes);
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    good =
        good && done == expected_bytes && memcmp(data, expected, done) == 0 && source_delivered_bytes(source) == done;
    free(data);
    source_free(source);
    return good;
}

static void assert_laid_out(const struct source_layout *layout, const char *const *names, size_t count,
                            const char *expected)
{
    for (size_t bytes = 1; bytes <= strlen(expected) + 2; bytes++)
        assert_true(delivers(names, count, layout, bytes, expected, strlen(expected)));
}

static void assert_delivers(const char *const *names, size_t count, const char *expected)
{
    assert_laid_out(&lines, names, count, expected);
}

/* The files are refused at once. */
static void assert_all_refused(const struct source_layout *layout, const char *const *names, size_t count,
                               const char *message)
{
    struct source *source;

    scratch_listen();
    source = source_open(names, count, layout, &fault);
    assert_string_equal(scratch_heard(), message);
    assert_null(source);
    fault_release(&fault);
    fault_init(&fault);
}

static void assert_refused(const char *name, const char *message)
{
    assert_all_refused(&lines, &name, 1, message);
}

/* The files are refused when they are read. */
static void assert_fails(const struct source_layout *layout, const char *const *names, size_t count,
                         const char *message)
{
    struct source *source = source_open(names, count, layout, &fault);
    uint8_t data[64];
    ssize_t got;

    assert_non_null(source);
    scratch_listen();
    do
        got = source_read(source, data, sizeof data);
    while (got > 0);
    assert_string_equal(scratch_heard(), message);
    assert_int_equal(got, -1);
    source_free(source);
    fault_release(&fault);
    fault_init(&fault);
}

static void assert_header(const struct source_layout *layout, const char *const *names, size_t count,
                          const char *expected)
{
    struct source *source = source_open(names, count, layout, &fault);
    const uint8_t *header;
    size_t bytes;

    assert_non_null(source);
    header = source_header(source, &bytes);
    assert_int_equal(bytes, strlen(expected));
    if (bytes > 0)
        assert_memory_equal(header, expected, bytes);
    source_free(source);
}

static void put_on_standard_input(const char *name)
{
    CHECK(dup2(open(name, O_RDONLY), STDIN_FILENO) == STDIN_FILENO);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* ---- The stream ---- */

TEST(files_follow_one_another)
{
    const char *names[] = {"a", "b", "a"};

    put("a", "1\n2\n");
    put("b", "3\n");
    assert_delivers(names, 3, "1\n2\n3\n1\n2\n");
}

TEST(each_file_ends_its_last_record_and_an_empty_one_has_none)
{
    const char *names[] = {"open", "empty", "closed", "empty", "delimiter", "open"};

    put("open", "1\n22");
    put("closed", "3\n");
    put("empty", "");
    put("delimiter", "\n");
    assert_delivers(names, 6, "1\n22\n3\n\n1\n22\n");
    assert_delivers(names + 1, 1, "");
    assert_delivers(names, 0, "");
}

TEST(any_byte_may_be_the_delimiter)
{
    const char *names[] = {"a", "b"};
    static const char expected[] = "1\n\xff\0"
                                   "2\0";
    const struct source_layout nul = {.format = {.delimiter = '\0'}};
    const struct source_layout ff = {.format = {.delimiter = 0xff}};

    put("a", "1\n\xff");
    put("b", "2");
    assert_true(delivers(names, 2, &nul, 3, expected, 6));
    assert_true(delivers(names, 1, &ff, 3, "1\n\xff", 3));
}

TEST(short_reads_are_gone_on_with)
{
    const char *names[] = {"fifo", "file"};
    uint8_t data[64];
    struct source *source;
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
    source = source_open(names, 2, &lines, &fault);
    assert_non_null(source);
    assert_int_equal(source_read(source, data, sizeof data), 27);
    assert_memory_equal(data, "xxxxxxxxxxxxxxxxxxxx\nafter\n", 27);
    assert_int_equal(source_read(source, data, sizeof data), 0);
    assert_int_equal(source_read(source, data, sizeof data), 0);
    source_free(source);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
}

TEST(bytes_that_were_put_back_come_first)
{
    const char *names[] = {"a"};
    struct source *source;
    uint8_t data[8], again[8];

    put("a", "123456");
    source = source_open(names, 1, &lines, &fault);
    assert_int_equal(source_read(source, data, 4), 4);
    source_unread(source, data + 1, 3);
    assert_int_equal(source_delivered_bytes(source), 1);
    assert_int_equal(source_read(source, again, 2), 2);
    assert_memory_equal(again, "23", 2);
    assert_int_equal(source_read(source, again, 8), 4);
    assert_memory_equal(again, "456\n", 4);
    assert_int_equal(source_delivered_bytes(source), 7);
    source_unread(source, again + 3, 1);
    assert_int_equal(source_read(source, data, 8), 1);
    assert_int_equal(data[0], '\n');
    assert_int_equal(source_delivered_bytes(source), 7);
    source_free(source);
}

/* A context that is a number counts down to the end of its stream. */
static ssize_t count_down(void *context, uint8_t *data, size_t bytes)
{
    int *left = context;
    size_t done = 0;

    for (; done<bytes && * left> 0; done++)
        data[done] = (uint8_t)(*left)--;
    return *left < 0 ? -1 : (ssize_t)done;
}

static void set_to_99(void *context)
{
    *(int *)context = 99;
}

TEST(anything_that_can_be_read_can_be_a_source)
{
    int left = 5;
    struct source *source = source_over(count_down, &left, set_to_99);
    uint8_t data[8], again[8];

    assert_int_equal(source_known_bytes(source), 0);
    assert_int_equal(source_read(source, data, 3), 3);
    source_unread(source, data + 1, 2);
    assert_int_equal(source_read(source, again, 8), 4);
    assert_memory_equal(again, "\4\3\2\1", 4);
    assert_int_equal(source_delivered_bytes(source), 5);
    assert_int_equal(source_read(source, data, 8), 0);
    left = -1;
    assert_int_equal(source_read(source, data, 8), -1);
    source_free(source);
    assert_int_equal(left, 99);
}

TEST(known_bytes_are_those_of_regular_files)
{
    const char *names[] = {"a", "/dev/null", "b", "a"};
    struct source *source;

    put("a", "1234");
    put("b", "1\n");
    source = source_open(names, 4, &lines, &fault);
    assert_int_equal(source_known_bytes(source), 10);
    source_free(source);
}

/* ---- Layouts ---- */

#define STRING(text) .kind = RECORD_STRING, .string = (const uint8_t *)(text), .string_bytes = sizeof(text) - 1

static const struct source_layout csv_comment = {.format = {.kind = RECORD_CSV}, .header_bytes = 1};
static const struct source_layout paragraphs = {.format = {STRING("\n\n")}};
static const struct source_layout fasta = {.format = {STRING("\n>"), .starts = true}};
static const struct source_layout mbox = {.format = {STRING("\nFrom "), .starts = true}};
static const struct source_layout groups = {.format = {.kind = RECORD_LINES, .delimiter = '\n', .count = 4}};
static const struct source_layout fixed = {.format = {.kind = RECORD_SIZE, .count = 4}};
static const struct source_layout csv = {.format = {.kind = RECORD_CSV}};
static const struct source_layout csv_header = {.format = {.kind = RECORD_CSV}, .header_lines = 1};
static const struct source_layout header = {.format = {.delimiter = '\n'}, .header_lines = 2};
static const struct source_layout fixed_header = {.format = {.kind = RECORD_SIZE, .count = 4}, .header_bytes = 3};
static const struct source_layout fasta_header = {.format = {STRING("\n>"), .starts = true}, .header_lines = 1};

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
    const char *names[] = {"whole", "half", "none", "empty", "whole"};

    put("whole", "1\n\n");
    put("half", "2\n3\n");
    put("none", "4");
    put("empty", "");
    assert_laid_out(&paragraphs, names, 5, "1\n\n2\n3\n\n4\n\n1\n\n");
}

TEST(starts_of_records_move_to_their_ends)
{
    const char *names[] = {"a", "b", "empty", "c", "bare"};

    put("a", ">1\nA\n>2\n");
    put("b", ">3\n>");
    put("empty", "");
    put("c", ">4\n>5");
    put("bare", ">");
    assert_laid_out(&fasta, names, 1, "1\nA\n>2\n>");
    assert_laid_out(&fasta, names, 5, "1\nA\n>2\n>3\n>\n>4\n>5\n>\n>");
    put("a", "From a\n From\nFro");
    put("b", "From b\n");
    assert_laid_out(&mbox, names, 3, "a\n From\nFro\nFrom b\nFrom ");
}

TEST(text_before_the_first_start_is_refused)
{
    const char *names[] = {"a", "b"}, *fifos[] = {"fifo"};

    put("a", ">1\n");
    put("b", "\n>1\n");
    assert_all_refused(&fasta, names, 2, "bigshuf: b: text before the first '>'\n");
    put("a", "Fro");
    assert_all_refused(&mbox, names, 1, "bigshuf: a: text before the first 'From '\n");
    feed("fifo", "1\n>");
    assert_fails(&fasta, fifos, 1, "bigshuf: fifo: text before the first '>'\n");
    reap("fifo");
}

TEST(a_short_group_of_lines_is_refused)
{
    const char *names[] = {"a", "b"};

    put("a", "1\n2\n3\n4\n");
    put("b", "5\n6\n7\n8");
    assert_laid_out(&groups, names, 2, "1\n2\n3\n4\n5\n6\n7\n8\n");
    put("b", "5\n6\n7");
    assert_fails(&groups, names, 2, "bigshuf: b: 3 lines are left over at the end: records are of 4 lines\n");
    put("a", "1\n2\n3\n4\n5\n");
    assert_fails(&groups, names, 2, "bigshuf: a: 1 line is left over at the end: records are of 4 lines\n");
}

TEST(a_size_that_is_no_multiple_is_refused_at_once_if_it_is_known)
{
    const char *names[] = {"a", "empty", "b"}, *fifos[] = {"fifo"};

    put("a", "12345678");
    put("empty", "");
    put("b", "1234");
    assert_laid_out(&fixed, names, 3, "123456781234");
    put("b", "12345");
    assert_all_refused(&fixed, names, 3, "bigshuf: b: size is not a multiple of 4 bytes\n");
    assert_all_refused(&fixed_header, names, 1, "bigshuf: a: size after the header is not a multiple of 4 bytes\n");
    feed("fifo", "123456");
    assert_fails(&fixed, fifos, 1, "bigshuf: fifo: size is not a multiple of 4 bytes\n");
    reap("fifo");
}

static void refuse_size_of_standard_input(void)
{
    const char *names[] = {"-"};

    put_on_standard_input("a");
    CHECK(source_open(names, 1, &fixed, &fault) == NULL);
}

TEST(the_size_of_standard_input_may_be_known_too)
{
    put("a", "123");
    scratch_listen();
    assert_int_equal(scratch_child(refuse_size_of_standard_input), 0);
    assert_string_equal(scratch_heard(), "bigshuf: -: size is not a multiple of 4 bytes\n");
}

TEST(an_unclosed_quote_is_refused_with_its_line)
{
    const char *names[] = {"a", "b"};

    put("a", "1,\"\n\n\"\n\"\"\n");
    put("b", "1\n2,\"3\n\n4\"\n5,\"\"\"6\n7");
    assert_fails(&csv, names, 2, "bigshuf: b: unclosed quote that starts in line 5\n");
    put("b", "\"");
    assert_fails(&csv, names, 2, "bigshuf: b: unclosed quote that starts in line 1\n");
    assert_all_refused(&csv_header, names + 1, 1, "bigshuf: b: unclosed quote that starts in line 1\n");
}

TEST(an_added_line_end_is_like_that_of_the_first_record)
{
    const char *names[] = {"a", "b"};

    put("a", "\"1\n\"\r\n2\n3");
    put("b", "4");
    assert_laid_out(&csv, names, 2, "\"1\n\"\r\n2\n3\r\n4\r\n");
    assert_laid_out(&csv, names + 1, 1, "4\n");
    put("b", "4\r");
    assert_laid_out(&csv, names, 2, "\"1\n\"\r\n2\n3\r\n4\r\n");
    put("a", "\n2\r\n3");
    assert_laid_out(&csv, names, 1, "\n2\r\n3\n");
    assert_true(scratch_put("a", "#1", 0600) && scratch_put("b", "#2\r\n3", 0600));
    assert_laid_out(&csv_comment, names, 2, "1\n2\r\n3\r\n");
}

/* ---- Headers ---- */

TEST(headers_are_taken_off)
{
    const char *names[] = {"a", "empty", "b", "bare", "a"};

    put("a", "h\ni\n1\n2");
    put("empty", "");
    put("b", "h\ni\n3\n");
    put("bare", "h\ni");
    assert_laid_out(&header, names, 5, "1\n2\n3\n1\n2\n");
    assert_header(&header, names, 5, "h\ni\n");
    assert_laid_out(&header, names + 1, 2, "3\n");
    assert_header(&header, names + 1, 2, "h\ni\n");
    assert_laid_out(&header, names + 1, 1, "");
    assert_header(&header, names + 1, 1, "");
    put("bare", "h\ni");
    assert_header(&header, names + 3, 1, "h\ni\n");
    assert_laid_out(&header, names + 3, 1, "");
    assert_laid_out(&lines, names + 3, 1, "h\ni\n");
    assert_header(&lines, names + 3, 1, "");
}

TEST(headers_of_every_format_are_taken_off)
{
    const char *names[] = {"a", "b"};

    put("a", "\"h\n\",i\r\n1\r\n2");
    put("b", "\"h\n\",i");
    assert_laid_out(&csv_header, names, 2, "1\r\n2\r\n");
    assert_header(&csv_header, names, 2, "\"h\n\",i\r\n");
    put("a", ">h\n>1\n>2\n");
    put("b", ">h");
    assert_laid_out(&fasta_header, names, 2, "1\n>2\n>");
    assert_header(&fasta_header, names, 2, ">h\n");
    put("a", "h\n>1\n2\n");
    put("b", "h\n>3");
    assert_laid_out(&fasta_header, names, 2, "1\n2\n>3\n>");
    assert_header(&fasta_header, names, 2, "h\n");
    put("b", ">h");
    put("a", ">h\n>");
    assert_laid_out(&fasta_header, names, 2, "\n>");
    put("a", "npy1234");
    put("b", "npy");
    assert_laid_out(&fixed_header, names, 2, "1234");
    assert_header(&fixed_header, names, 2, "npy");
}

TEST(headers_do_not_count_as_bytes)
{
    const char *names[] = {"a", "b", "empty"};
    struct source *source;

    put("a", "h\ni\n1\n2\n");
    put("b", "h\ni\n");
    put("empty", "");
    source = source_open(names, 3, &header, &fault);
    assert_int_equal(source_known_bytes(source), 4);
    source_free(source);
}

TEST(headers_that_differ_are_refused)
{
    const char *names[] = {"a", "b"};

    put("a", "h\ni\n1\n2\n");
    put("b", "h\nj\n");
    assert_all_refused(&header, names, 2, "bigshuf: b: header differs from that of a\n");
    put("b", "h\n");
    assert_all_refused(&header, names, 2, "bigshuf: b: shorter than a header of 2 lines\n");
    put("b", "h\nii\n");
    assert_all_refused(&header, names, 2, "bigshuf: b: header differs from that of a\n");
    put("a", "npy1234");
    put("b", "np");
    assert_all_refused(&fixed_header, names, 2, "bigshuf: b: shorter than a header of 3 bytes\n");
}

TEST(a_header_may_come_through_a_fifo)
{
    const char *first[] = {"fifo", "a"}, *later[] = {"a", "fifo"};
    const uint8_t *text;
    uint8_t data[64];
    struct source *source;
    size_t bytes;

    put("a", "h\ni\n3\n");
    feed("fifo", "h\ni\n1\n2");
    source = source_open(first, 2, &header, &fault);
    assert_int_equal(source_read(source, data, sizeof data), 6);
    assert_memory_equal(data, "1\n2\n3\n", 6);
    text = source_header(source, &bytes);
    assert_int_equal(bytes, 4);
    assert_memory_equal(text, "h\ni\n", 4);
    source_free(source);
    reap("fifo");
    feed("fifo", "h\nj\n1\n");
    assert_fails(&header, later, 2, "bigshuf: fifo: header differs from that of a\n");
    reap("fifo");
    feed("fifo", "h\nj\n1\n");
    assert_fails(&header, first, 2, "bigshuf: a: header differs from that of fifo\n");
    reap("fifo");
}

TEST(a_header_may_be_long_but_not_too_long)
{
    const size_t most = (size_t)1 << 20;
    const struct source_layout layout = {.format = {.delimiter = '\n'}, .header_lines = 1};
    const char *names[] = {"a"};
    char *text = malloc(most + 4);
    struct source *source;
    size_t bytes;

    assert_non_null(text);
    memset(text, 'h', most);
    memcpy(text + most - 1, "\n1\n", 4);
    put("a", text);
    assert_laid_out(&layout, names, 1, "1\n");
    source = source_open(names, 1, &layout, &fault);
    assert_memory_equal(source_header(source, &bytes), text, most);
    assert_int_equal(bytes, most);
    source_free(source);
    memcpy(text + most - 1, "h\n1", 4);
    put("a", text);
    assert_all_refused(&layout, names, 1, "bigshuf: a: header is larger than 1048576 bytes\n");
    free(text);
}

static bool is_known(const char *const *names, size_t count)
{
    struct source *source = source_open(names, count, &lines, &fault);
    bool known;

    assert_non_null(source);
    known = source_is_known(source);
    source_free(source);
    return known;
}

TEST(what_will_come_is_known_if_all_files_are_regular)
{
    const char *names[] = {"a", "/dev/null", "empty"};
    int left = 5;
    struct source *source = source_over(count_down, &left, set_to_99);

    put("a", "1\n");
    put("empty", "");
    assert_int_equal(symlink("a", "link"), 0);
    assert_true(is_known(names, 1));
    assert_false(is_known(names, 2));
    assert_false(is_known(names, 3));
    assert_false(is_known(names + 1, 2));
    assert_true(is_known(names + 2, 1));
    names[1] = "link";
    assert_true(is_known(names, 3));
    assert_false(source_is_known(source));
    source_free(source);
}

static void assert_name_at(const struct source *source, uint64_t offset, const char *name, uint64_t name_ends)
{
    uint64_t end;

    assert_string_equal(source_name_at(source, offset, &end), name);
    assert_true(end == name_ends);
}

/* "1\n22\n" from a, nothing from the empty ones, "3\n" from b, "1\n22\n" from a again. */
TEST(every_byte_comes_from_a_file_with_a_name)
{
    static const char *const names[] = {"empty", "a", "empty", "b", "a", "empty"};
    static const char *const name_of = "aaaaabbaaaaa";
    static const uint64_t ends[] = {5, 5, 5, 5, 5, 7, 7, 12, 12, 12, 12, 12};

    put("a", "1\n22");
    put("b", "3\n");
    put("empty", "");
    for (size_t step = 1; step <= 13; step++) {
        struct source *source = source_open(names, 6, &lines, &fault);
        uint8_t data[13];
        size_t done = 0;

        for (ssize_t got = 1; got > 0; done += (size_t)got) {
            got = source_read(source, data, step);
            for (size_t i = 0; i < done + (size_t)got; i++) {
                uint64_t end;

                assert_int_equal(source_name_at(source, i, &end)[0], name_of[i]);
                assert_true(end == ends[i] || end == UINT64_MAX);
                assert_true(end == ends[i] || ends[i] >= done + (size_t)got); /* unknown only as long as it must be */
            }
        }
        assert_int_equal(done, 12);
        for (size_t i = 0; i < done; i++)
            assert_name_at(source, i, (const char[]){name_of[i], '\0'}, ends[i]);
        source_free(source);
    }
}

TEST(the_end_of_a_file_is_known_when_it_has_been_reached)
{
    static const char *const names[] = {"a", "b"};
    struct source *source;
    uint8_t data[8];

    put("a", "1\n22");
    put("b", "3\n");
    source = source_open(names, 2, &lines, &fault);
    assert_int_equal(source_read(source, data, 3), 3);
    assert_name_at(source, 2, "a", UINT64_MAX);
    assert_int_equal(source_read(source, data, 2), 2); /* with the delimiter that was added */
    assert_name_at(source, 4, "a", 5);
    assert_int_equal(source_read(source, data, 1), 1);
    assert_name_at(source, 4, "a", 5);
    assert_name_at(source, 5, "b", UINT64_MAX);
    source_unread(source, data, 1);
    assert_int_equal(source_read(source, data, 8), 2);
    assert_name_at(source, 0, "a", 5);
    assert_name_at(source, 6, "b", 7);
    source_free(source);
}

TEST(what_is_no_file_is_called_input)
{
    int left = 5;
    struct source *source = source_over(count_down, &left, set_to_99);
    uint8_t data[8];

    assert_int_equal(source_read(source, data, 8), 5);
    assert_name_at(source, 3, "input", UINT64_MAX);
    source_free(source);
}

/* ---- Standard input ---- */

static void read_rest_of_standard_input(void)
{
    const char *names[] = {"-", "a", "-"};
    struct source *source;
    char skipped[2];

    put_on_standard_input("a");
    CHECK(read(STDIN_FILENO, skipped, 2) == 2);
    source = source_open(names, 3, &lines, &fault);
    CHECK(source_known_bytes(source) == 2 + 4);
    source_free(source);
    CHECK(delivers(names, 3, &lines, 5, "2\n1\n2\n", 6));
}

TEST(a_dash_is_what_is_left_of_standard_input)
{
    put("a", "1\n2\n");
    assert_int_equal(scratch_child(read_rest_of_standard_input), 0);
}

static void fail_to_open_standard_input(void)
{
    const char *names[] = {"a", "-"};

    CHECK(source_open(names, 2, &lines, &fault) == NULL);
}

static void open_closed(void)
{
    close(STDIN_FILENO);
    CHECK(sys_fill_standard() == 0);
    fail_to_open_standard_input();
}

static void open_directory(void)
{
    put_on_standard_input(".");
    fail_to_open_standard_input();
}

TEST(a_standard_input_that_cannot_be_read_is_reported_at_once)
{
    put("a", "1\n");
    scratch_listen();
    assert_int_equal(scratch_child(open_closed), 0);
    assert_string_equal(scratch_heard(), "bigshuf: -: Bad file descriptor\n");
    scratch_listen();
    assert_int_equal(scratch_child(open_directory), 0);
    assert_string_equal(scratch_heard(), "bigshuf: -: Is a directory\n");
}

/* ---- Failures ---- */

static void refuse_as_user(void)
{
    const char *unreadable[] = {"a", "unreadable"}, *fifo[] = {"a", "fifo"};

    scratch_become_user();
    CHECK(source_open(unreadable, 2, &lines, &fault) == NULL);
    fault_init(&fault);
    CHECK(source_open(fifo, 2, &lines, &fault) == NULL);
}

TEST(what_cannot_be_read_is_reported_at_once)
{
    assert_refused("missing", "bigshuf: missing: No such file or directory\n");
    assert_refused("", "bigshuf: '': No such file or directory\n");
    assert_refused(".", "bigshuf: .: Is a directory\n");
    put("a", "1\n");
    assert_refused("a/b", "bigshuf: a/b: Not a directory\n");
    assert_true(scratch_put("unreadable", "1\n", 0));
    assert_int_equal(mkfifo("fifo", 0), 0);
    assert_int_equal(chmod(".", 0755), 0);
    scratch_listen();
    assert_int_equal(scratch_child(refuse_as_user), 0);
    assert_string_equal(scratch_heard(), "bigshuf: unreadable: Permission denied\nbigshuf: fifo: Permission denied\n");
}

TEST(a_fifo_is_only_looked_at)
{
    const char *names[] = {"fifo"};
    struct source *source;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    source = source_open(names, 1, &lines, &fault); /* would wait for a writer */
    assert_non_null(source);
    source_free(source);
}

static int lowest_free_descriptor(void)
{
    int fd = dup(STDERR_FILENO);

    close(fd);
    return fd;
}

TEST(no_descriptor_stays_open)
{
    const char *names[] = {"a", "b"};
    int before = lowest_free_descriptor();
    struct source *source;
    uint8_t byte;

    put("a", "1\n");
    put("b", "2\n");
    source = source_open(names, 2, &lines, &fault);
    assert_int_equal(lowest_free_descriptor(), before);
    assert_int_equal(source_read(source, &byte, 1), 1);
    source_free(source);
    assert_int_equal(lowest_free_descriptor(), before);
}

TEST(a_file_that_vanished_since_is_reported)
{
    const char *names[] = {"a", "b"};
    struct source *source;
    uint8_t data[8];

    put("a", "1\n");
    put("b", "2\n");
    source = source_open(names, 2, &lines, &fault);
    assert_int_equal(unlink("b"), 0);
    scratch_listen();
    assert_int_equal(source_read(source, data, 8), -1);
    assert_string_equal(scratch_heard(), "bigshuf: b: No such file or directory\n");
    source_free(source);
}

TEST(a_file_that_shrinks_is_no_end_of_input)
{
    const char *names[] = {"a"};
    struct source *source;
    uint8_t data[8];

    put("a", "1\n2\n3\n");
    source = source_open(names, 1, &lines, &fault);
    assert_int_equal(source_read(source, data, 2), 2);
    assert_int_equal(truncate("a", 4), 0);
    scratch_listen();
    assert_int_equal(source_read(source, data, 8), -1);
    assert_string_equal(scratch_heard(), "bigshuf: a: file has shrunk while it was read\n");
    source_free(source);
}

TEST(a_read_error_names_the_file)
{
    const char *names[] = {"a", "/proc/self/mem"}; /* nothing is mapped at its beginning */
    struct source *source;
    uint8_t data[8];

    if (access(names[1], R_OK) != 0)
        skip();
    put("a", "1\n");
    source = source_open(names, 2, &lines, &fault);
    assert_non_null(source);
    scratch_listen();
    assert_int_equal(source_read(source, data, 8), -1);
    assert_string_equal(scratch_heard(), "bigshuf: /proc/self/mem: Input/output error\n");
    source_free(source);
}

static void look_at_standard_input(void)
{
    const char *names[] = {"-", "a", "-"};
    const char *behind_device[] = {"/dev/null", "-"};
    struct source *source;
    uint8_t data[16];
    uint64_t end;
    int ends[2];

    put_on_standard_input("a");
    CHECK(is_known(names, 3));
    CHECK(!is_known(behind_device, 2));
    source = source_open(names, 3, &lines, &fault);
    CHECK(source_read(source, data, 16) == 8);
    CHECK(strcmp(source_name_at(source, 3, &end), "-") == 0 && end == 4);
    CHECK(strcmp(source_name_at(source, 4, &end), "a") == 0 && end == 8);
    source_free(source);
    CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    CHECK(!is_known(names, 1));
    CHECK(!is_known(names, 3));
}

TEST(standard_input_is_known_if_it_is_a_regular_file)
{
    put("a", "1\n2\n");
    assert_int_equal(scratch_child(look_at_standard_input), 0);
}

/* ---- Names from a file ---- */

static void put_names(const char *content, size_t bytes)
{
    int fd = open("names", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_int_equal(write(fd, content, bytes), bytes);
    close(fd);
}

/* With all the memory that they may need. */
static int read_names(const char *from, const char ***names, size_t *count, char **data)
{
    uint64_t memory = UINT64_MAX;

    return source_names(from, &memory, names, count, data, &fault);
}

static void assert_names_refused(const char *from, const char *message)
{
    const char **names;
    size_t count;
    char *data;
    int result;

    scratch_listen();
    result = read_names(from, &names, &count, &data);
    assert_string_equal(scratch_heard(), message);
    assert_int_equal(result, -1);
    assert_null(names);
    assert_null(data);
    fault_release(&fault);
    fault_init(&fault);
}

/* The list and a few bytes for each name, to the byte. */
TEST(names_take_no_more_memory_than_they_may)
{
    const uint64_t needed = sizeof "a\0bcd" + 2 * SOURCE_NAME_BYTES;
    const char **names;
    size_t count;
    char *data;

    put_names("a\0bcd", sizeof "a\0bcd");
    for (uint64_t memory = needed + 1; memory > 0; memory--) {
        uint64_t taken = memory;
        int result;

        scratch_listen();
        result = source_names("names", &taken, &names, &count, &data, &fault);
        assert_string_equal(scratch_heard(),
                            memory < needed ? "bigshuf: names: its names take more than 0 MiB: use a larger -S\n" : "");
        assert_int_equal(result, memory < needed ? -1 : 0);
        if (result == 0)
            assert_int_equal(taken, needed);
        free(names);
        free(data);
        fault_release(&fault);
        fault_init(&fault);
    }
}

TEST(names_are_separated_or_ended_by_nul)
{
    static const size_t lengths[] = {8, 9};

    for (size_t i = 0; i < 2; i++) {
        const char **names;
        size_t count;
        char *data;

        put_names("a\0b c\0-\n\0", lengths[i]);
        assert_int_equal(read_names("names", &names, &count, &data), 0);
        assert_int_equal(count, 3);
        assert_string_equal(names[0], "a");
        assert_string_equal(names[1], "b c");
        assert_string_equal(names[2], "-\n");
        free(names);
        free(data);
    }
}

TEST(there_may_be_many_names)
{
    const size_t total = 5000, name_bytes = 5;
    char *content = malloc(total * name_bytes);
    const char **names;
    size_t count;
    char *data;

    for (size_t i = 0; i < total; i++)
        snprintf(content + name_bytes * i, name_bytes, "%04zu", i);
    put_names(content, total * name_bytes);
    assert_int_equal(read_names("names", &names, &count, &data), 0);
    assert_int_equal(count, total);
    for (size_t i = 0; i < total; i++)
        assert_string_equal(names[i], content + name_bytes * i);
    free(names);
    free(data);
    free(content);
}

TEST(bad_names_are_refused)
{
    put_names("a\0b\0\0c", 6);
    assert_names_refused("names", "bigshuf: names:3: invalid zero-length file name\n");
    put_names("\0", 1);
    assert_names_refused("names", "bigshuf: names:1: invalid zero-length file name\n");
    put_names("", 0);
    assert_names_refused("names", "bigshuf: no input from 'names'\n");
    assert_names_refused("missing", "bigshuf: missing: No such file or directory\n");
    assert_names_refused(".", "bigshuf: .: Is a directory\n");
}

static void refuse_dash(void)
{
    const char **names;
    size_t count;
    char *data;

    put_on_standard_input("names");
    CHECK(read_names("-", &names, &count, &data) == -1);
}

static void names_from_standard_input(void)
{
    const char **names;
    size_t count;
    char *data;

    put_on_standard_input("names");
    CHECK(read_names("-", &names, &count, &data) == 0);
    CHECK(count == 1 && strcmp(names[0], "a") == 0);
}

TEST(a_dash_among_names_from_standard_input_is_refused)
{
    const char **names;
    size_t count;
    char *data;

    put_names("a", 2);
    assert_int_equal(scratch_child(names_from_standard_input), 0);
    put_names("a\0-", 3);
    scratch_listen();
    assert_int_equal(scratch_child(refuse_dash), 0);
    assert_string_equal(scratch_heard(), "bigshuf: when reading file names from stdin, no file name of '-' allowed\n");
    assert_int_equal(read_names("names", &names, &count, &data), 0);
    free(names);
    free(data);
}
