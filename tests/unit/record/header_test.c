/* The beginning of a file as such; what becomes of it in a stream is told by the tests of source. */

#include "support/reports.h"
#include "support/unit.h"

#include "record/header.h"

static const struct record_format lines = {.delimiter = '\n'};
/* Take the beginning off a file with this content. */
static int take(struct header *header, const char *content, struct tail *tail)
{
    int fd, status;

    assert_true(scratch_put("file", content, 0600));
    fd = open("file", O_RDONLY);
    tail_begin(tail);
    status = header_take(header, fd, "file", tail);
    close(fd);
    return status;
}

#define TEST(name) UNIT_TEST_IN(name, reports_setup, reports_teardown)

TEST(without_a_header_nothing_is_read)
{
    struct header header;
    struct tail tail;

    assert_int_equal(header_init(&header, &lines, 0, 0, &fault), 0);
    tail_init(&tail, &lines, false, &fault);
    assert_int_equal(header_take(&header, -1, "file", &tail), 0);
    assert_int_equal(header.rest_bytes, 0);
    assert_true(header.known);
    header_release(&header);
}

TEST(what_was_read_too_much_is_the_rest)
{
    struct header header;
    struct tail tail;
    const uint8_t *missing;
    size_t bytes;

    assert_int_equal(header_init(&header, &lines, 2, 1, &fault), 0);
    tail_init(&tail, &lines, true, &fault);
    assert_int_equal(take(&header, "", &tail), 0);
    assert_false(header.known);
    assert_int_equal(take(&header, "\n\nh\n1\n2", &tail), 0);
    assert_true(header.known);
    assert_int_equal(header.text_bytes, 4);
    assert_memory_equal(header.text, "\n\nh\n", 4);
    assert_int_equal(header.rest_bytes, 3);
    assert_memory_equal(header.rest, "1\n2", 3);
    assert_int_equal(tail_end(&tail, "file", &missing, &bytes), 0);
    assert_int_equal(bytes, 1);
    header_release(&header);
}

TEST(lines_are_taken_off_before_records_that_are_made_of_them)
{
    static const struct record_format fasta = {
        .kind = RECORD_STRING, .string = (const uint8_t *)"\n>", .string_bytes = 2, .starts = true};
    struct header header;
    struct tail tail;
    const uint8_t *missing;
    size_t bytes;

    assert_int_equal(header_init(&header, &fasta, 1, 1, &fault), 0);
    tail_init(&tail, &fasta, true, &fault);
    assert_int_equal(take(&header, "\n>h\n>1\n", &tail), 0);
    assert_int_equal(header.text_bytes, 4);
    assert_memory_equal(header.text, "\n>h\n", 4);
    assert_int_equal(header.rest_bytes, 2);
    assert_memory_equal(header.rest, "1\n", 2);
    assert_int_equal(tail_end(&tail, "file", &missing, &bytes), 0);
    assert_int_equal(bytes, 1);
    assert_int_equal(take(&header, "\n>h", &tail), 0);
    assert_int_equal(header.rest_bytes, 0);
    assert_int_equal(tail_end(&tail, "file", &missing, &bytes), 0);
    assert_int_equal(bytes, 0);
    header_release(&header);
}

TEST(a_file_that_is_shorter_than_its_header_is_refused)
{
    struct header header;
    struct tail tail;

    assert_int_equal(header_init(&header, &lines, 0, 3, &fault), 0);
    tail_init(&tail, &lines, true, &fault);
    for (size_t i = 0; i < 2; i++) {
        assert_says(take(&header, i == 0 ? "1\n2" : "1\n2\n", &tail), -1,
                    "bigshuf: file: shorter than a header of 3 lines\n");
        forgive();
    }
    assert_int_equal(take(&header, "1\n2\n3", &tail), 0);
    header_release(&header);
}

TEST(a_header_that_ends_with_the_file_is_completed)
{
    struct header header;
    struct tail tail;
    const uint8_t *missing;
    size_t bytes;

    assert_int_equal(header_init(&header, &lines, 0, 2, &fault), 0);
    tail_init(&tail, &lines, false, &fault);
    assert_int_equal(take(&header, "h\ni", &tail), 0);
    assert_int_equal(header.text_bytes, 4);
    assert_memory_equal(header.text, "h\ni\n", 4);
    assert_int_equal(header.rest_bytes, 0);
    assert_int_equal(tail_end(&tail, "file", &missing, &bytes), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(take(&header, "h\ni\n", &tail), 0);
    header_release(&header);
}
