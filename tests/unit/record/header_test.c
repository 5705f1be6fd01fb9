/* The beginning of a file as such; what becomes of it in a stream is told by the tests of source. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>

#include "record/header.h"
#include "system/fault.h"
#include "system/io.h"

static const struct record_format lines = {.delimiter = '\n'};

static struct header header;
static struct tail tail;

static int teardown(void **state)
{
    header_release(&header);
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, reports_setup, teardown)

/* A header of so many bytes and then so many lines is to be taken off. */
static void begin(const struct record_format *format, uint64_t header_bytes, uint64_t header_lines)
{
    const struct header_rule rule = {.bytes = header_bytes, .lines = header_lines};

    header_init(&header, format, &rule);
    tail_init(&tail, format, header_bytes + header_lines > 0);
}

/* As a stream does it. */
static size_t read_file(void *fd, void *data, size_t bytes)
{
    const ssize_t got = io_read(*(int *)fd, data, bytes);

    if (got < 0)
        fault_report("file", errno);
    return (size_t)got;
}

/* Take the beginning off a file with this content. */
static void take(const char *content)
{
    int fd;

    assert_true(scratch_put("file", content, 0600));
    fd = open("file", O_RDONLY);
    tail_begin(&tail);
    header_take(&header, read_file, &fd, "file", &tail);
    close(fd);
}

/* A file with this content begins with a header of this text; the rest, of which so many bytes are missing at the end,
 * was read too much. */
static void assert_takes(const char *content, const char *text, const char *rest, size_t missing_bytes)
{
    const uint8_t *missing;

    take(content);
    assert_int_equal(header.text_bytes, strlen(text));
    assert_memory_equal(header.text, text, strlen(text));
    assert_int_equal(header.rest_bytes, strlen(rest));
    if (rest[0] != '\0')
        assert_memory_equal(header.rest, rest, strlen(rest));
    assert_int_equal(tail_end(&tail, "file", &missing), missing_bytes);
}

TEST(without_a_header_nothing_is_read)
{
    begin(&lines, 0, 0);
    header_take(&header, NULL, NULL, "file", &tail);
    assert_int_equal(header.rest_bytes, 0);
    assert_true(header.known);
}

TEST(what_was_read_too_much_is_the_rest)
{
    begin(&lines, 2, 1);
    take("");
    assert_false(header.known);
    assert_takes("\n\nh\n1\n2", "\n\nh\n", "1\n2", 1);
    assert_true(header.known);
}

TEST(lines_are_taken_off_before_records_that_are_made_of_them)
{
    static const struct record_format fasta = {
        .kind = &string_start_kind, .string = (const uint8_t *)"\n>", .string_bytes = 2};

    begin(&fasta, 1, 1);
    assert_takes("\n>h\n>1\n", "\n>h\n", "1\n", 1);
    assert_takes("\n>h", "\n>h\n", "", 0);
}

TEST(a_file_that_is_shorter_than_its_header_is_refused)
{
    static const char *const contents[] = {"1\n2", "1\n2\n"};

    begin(&lines, 0, 3);
    for (size_t i = 0; i < 2; i++)
        assert_ends(take(contents[i]), "bigshuf: file: shorter than a header of 3 lines\n");
    take("1\n2\n3");
}

TEST(a_header_that_ends_with_the_file_is_completed)
{
    begin(&lines, 0, 2);
    assert_takes("h\ni", "h\ni\n", "", 0);
    take("h\ni\n");
}

TEST(a_header_that_looks_the_same_is_told_how_it_differs)
{
    static const struct {
        const char *first, *second, *how;
    } cases[] = {
        {"a,b\n1\n", "a,c\n1\n", ""},
        {"a,b\n1\n", "a,b\r\n1\n", " only by carriage returns"},
        {"a,b\r\n1\n", "a,b\n1\n", " only by carriage returns"},
        {"a,b\n1\n",
         "\xef\xbb\xbf"
         "a,b\n1\n",
         " only by a byte-order mark"},
        {"\xef\xbb\xbf"
         "a,b\n1\n",
         "a,b\n1\n", " only by a byte-order mark"},
        {"a,b\n1\n",
         "\xef\xbb\xbf"
         "a,b\r\n1\n",
         " only by a byte-order mark and carriage returns"},
        {"\xef\xbb\xbf"
         "a,b\n1\n",
         "\xef\xbb\xbf"
         "a,b\r\n1\n",
         " only by carriage returns"},
        {"a,b\n1\n", "a,b\r,c\n1\n", ""},
        {"\r\n1\n", "\n1\n", " only by carriage returns"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[128];

        begin(&lines, 0, 1);
        take(cases[i].first);
        snprintf(expected, sizeof expected, "bigshuf: file: header differs from that of file%s\n", cases[i].how);
        assert_ends(take(cases[i].second), expected);
        header_release(&header);
    }
    begin(&lines, 0, 1);
}

/* A header of lines that begin with a string is to be taken off. */
static void begin_started(const struct record_format *format, const char *start)
{
    const struct header_rule rule = {.start = start};

    header_init(&header, format, &rule);
    tail_init(&tail, format, true);
}

TEST(lines_that_begin_with_a_string_are_a_header)
{
    begin_started(&lines, "##");
    assert_takes("##a\n##b\n#c\n##d\n1", "##a\n##b\n", "#c\n##d\n1", 1);
    assert_takes("##a\n##b\n", "##a\n##b\n", "", 0);
    assert_takes("##a\n##b", "##a\n##b\n", "", 0);
    assert_takes("##a\n##b\n#", "##a\n##b\n", "#", 1);
    take("");
    assert_ends(take("##a\n1\n"), "bigshuf: file: header differs from that of file\n");
    assert_ends(take("1\n"), "bigshuf: file: header differs from that of file\n");
}

TEST(no_line_may_begin_with_the_string)
{
    begin_started(&lines, "@");
    assert_takes("1\n@2\n", "", "1\n@2\n", 0);
    assert_takes("\n@2", "", "\n@2", 1);
    assert_ends(take("@h\n1\n"), "bigshuf: file: header differs from that of file\n");
}

TEST(lines_are_taken_off_before_records_that_are_no_lines)
{
    static const struct record_format csv = {.kind = &csv_kind};

    begin_started(&csv, "#");
    assert_takes("# it's 5\"\n#\n\"1\n2\"\r\n3", "# it's 5\"\n#\n", "\"1\n2\"\r\n3", 2);
}

TEST(headers_of_later_files_may_be_any_if_that_is_said)
{
    const struct header_rule rule = {.start = "#", .may_differ = true};

    header_init(&header, &lines, &rule);
    tail_init(&tail, &lines, true);
    assert_takes("#a\n1\n", "#a\n", "1\n", 0);
    assert_takes("#b\n#c\n2\n", "#a\n", "2\n", 0);
    assert_int_equal(header.own_bytes, 6);
    assert_takes("3\n", "#a\n", "3\n", 0);
    assert_takes("#d", "#a\n", "", 0);
}

/* The first read ends within a line, or within the string. */
TEST(a_header_goes_on_over_any_end_of_a_read)
{
    static char content[10000], text[5000];

    for (size_t bytes = 4090; bytes < 4100; bytes++) {
        memset(text, 'x', bytes);
        text[0] = text[1] = '#';
        snprintf(text + bytes, sizeof text - bytes, "\n##y\n");
        snprintf(content, sizeof content, "%s#1\n2\n", text);
        begin_started(&lines, "##");
        take(content);
        assert_int_equal(header.text_bytes, strlen(text));
        assert_memory_equal(header.text, text, strlen(text));
        header_release(&header);
    }
    begin_started(&lines, "##");
}
