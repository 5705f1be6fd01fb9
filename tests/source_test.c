/* One stream out of many files, whatever the sizes of the files, the reads and the buffers. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setgroups, in scratch.h */
#endif

#include "scratch.h"

#include "source.h"
#include "sys.h"

static struct fault fault;

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
static bool delivers(const char *const *names, size_t count, uint8_t delimiter, size_t bytes, const char *expected,
                     size_t expected_bytes)
{
    struct source *source = source_open(names, count, delimiter, &fault);
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

static void assert_delivers(const char *const *names, size_t count, const char *expected)
{
    for (size_t bytes = 1; bytes <= strlen(expected) + 2; bytes++)
        assert_true(delivers(names, count, '\n', bytes, expected, strlen(expected)));
}

static void assert_refused(const char *name, const char *message)
{
    const char *names[] = {name};
    struct source *source;

    scratch_listen();
    source = source_open(names, 1, '\n', &fault);
    assert_string_equal(scratch_heard(), message);
    assert_null(source);
    fault_release(&fault);
    fault_init(&fault);
}

static void put_on_standard_input(const char *name)
{
    CHECK(dup2(open(name, O_RDONLY), STDIN_FILENO) == STDIN_FILENO);
}

/* ---- The stream ---- */

static void files_follow_one_another(void **state)
{
    const char *names[] = {"a", "b", "a"};

    (void)state;
    put("a", "1\n2\n");
    put("b", "3\n");
    assert_delivers(names, 3, "1\n2\n3\n1\n2\n");
}

static void each_file_ends_its_last_record_and_an_empty_one_has_none(void **state)
{
    const char *names[] = {"open", "empty", "closed", "empty", "delimiter", "open"};

    (void)state;
    put("open", "1\n22");
    put("closed", "3\n");
    put("empty", "");
    put("delimiter", "\n");
    assert_delivers(names, 6, "1\n22\n3\n\n1\n22\n");
    assert_delivers(names + 1, 1, "");
    assert_delivers(names, 0, "");
}

static void any_byte_may_be_the_delimiter(void **state)
{
    const char *names[] = {"a", "b"};
    static const char expected[] = "1\n\xff\0"
                                   "2\0";

    (void)state;
    put("a", "1\n\xff");
    put("b", "2");
    assert_true(delivers(names, 2, '\0', 3, expected, 6));
    assert_true(delivers(names, 1, 0xff, 3, "1\n\xff", 3));
}

static void short_reads_are_gone_on_with(void **state)
{
    const char *names[] = {"fifo", "file"};
    uint8_t data[64];
    struct source *source;
    pid_t writer;

    (void)state;
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
    source = source_open(names, 2, '\n', &fault);
    assert_non_null(source);
    assert_int_equal(source_read(source, data, sizeof data), 27);
    assert_memory_equal(data, "xxxxxxxxxxxxxxxxxxxx\nafter\n", 27);
    assert_int_equal(source_read(source, data, sizeof data), 0);
    assert_int_equal(source_read(source, data, sizeof data), 0);
    source_free(source);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
}

static void bytes_that_were_put_back_come_first(void **state)
{
    const char *names[] = {"a"};
    struct source *source;
    uint8_t data[8], again[8];

    (void)state;
    put("a", "123456");
    source = source_open(names, 1, '\n', &fault);
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

static void anything_that_can_be_read_can_be_a_source(void **state)
{
    int left = 5;
    struct source *source = source_over(count_down, &left, set_to_99);
    uint8_t data[8], again[8];

    (void)state;
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

static void known_bytes_are_those_of_regular_files(void **state)
{
    const char *names[] = {"a", "/dev/null", "b", "a"};
    struct source *source;

    (void)state;
    put("a", "1234");
    put("b", "1\n");
    source = source_open(names, 4, '\n', &fault);
    assert_int_equal(source_known_bytes(source), 10);
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
    source = source_open(names, 3, '\n', &fault);
    CHECK(source_known_bytes(source) == 2 + 4);
    source_free(source);
    CHECK(delivers(names, 3, '\n', 5, "2\n1\n2\n", 6));
}

static void a_dash_is_what_is_left_of_standard_input(void **state)
{
    (void)state;
    put("a", "1\n2\n");
    assert_int_equal(scratch_child(read_rest_of_standard_input), 0);
}

static void fail_to_read_standard_input(void)
{
    const char *names[] = {"-"};
    struct source *source = source_open(names, 1, '\n', &fault);
    uint8_t byte;

    CHECK(source != NULL && !fault_any(&fault));
    CHECK(source_read(source, &byte, 1) == -1);
    source_free(source);
}

static void read_closed(void)
{
    close(STDIN_FILENO);
    CHECK(sys_fill_standard() == 0);
    fail_to_read_standard_input();
}

static void read_directory(void)
{
    put_on_standard_input(".");
    fail_to_read_standard_input();
}

static void standard_input_is_not_judged_before_it_is_read(void **state)
{
    (void)state;
    scratch_listen();
    assert_int_equal(scratch_child(read_closed), 0);
    assert_string_equal(scratch_heard(), "bigshuf: -: Bad file descriptor\n");
    scratch_listen();
    assert_int_equal(scratch_child(read_directory), 0);
    assert_string_equal(scratch_heard(), "bigshuf: -: Is a directory\n");
}

/* ---- Failures ---- */

static void refuse_as_user(void)
{
    const char *unreadable[] = {"a", "unreadable"}, *fifo[] = {"a", "fifo"};

    scratch_become_user();
    CHECK(source_open(unreadable, 2, '\n', &fault) == NULL);
    fault_init(&fault);
    CHECK(source_open(fifo, 2, '\n', &fault) == NULL);
}

static void what_cannot_be_read_is_reported_at_once(void **state)
{
    (void)state;
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

static void a_fifo_is_only_looked_at(void **state)
{
    const char *names[] = {"fifo"};
    struct source *source;

    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    source = source_open(names, 1, '\n', &fault); /* would wait for a writer */
    assert_non_null(source);
    source_free(source);
}

static int lowest_free_descriptor(void)
{
    int fd = dup(STDERR_FILENO);

    close(fd);
    return fd;
}

static void no_descriptor_stays_open(void **state)
{
    const char *names[] = {"a", "b"};
    int before = lowest_free_descriptor();
    struct source *source;
    uint8_t byte;

    (void)state;
    put("a", "1\n");
    put("b", "2\n");
    source = source_open(names, 2, '\n', &fault);
    assert_int_equal(lowest_free_descriptor(), before);
    assert_int_equal(source_read(source, &byte, 1), 1);
    source_free(source);
    assert_int_equal(lowest_free_descriptor(), before);
}

static void a_file_that_vanished_since_is_reported(void **state)
{
    const char *names[] = {"a", "b"};
    struct source *source;
    uint8_t data[8];

    (void)state;
    put("a", "1\n");
    put("b", "2\n");
    source = source_open(names, 2, '\n', &fault);
    assert_int_equal(unlink("b"), 0);
    scratch_listen();
    assert_int_equal(source_read(source, data, 8), -1);
    assert_string_equal(scratch_heard(), "bigshuf: b: No such file or directory\n");
    source_free(source);
}

static void a_file_that_shrinks_is_no_end_of_input(void **state)
{
    const char *names[] = {"a"};
    struct source *source;
    uint8_t data[8];

    (void)state;
    put("a", "1\n2\n3\n");
    source = source_open(names, 1, '\n', &fault);
    assert_int_equal(source_read(source, data, 2), 2);
    assert_int_equal(truncate("a", 4), 0);
    scratch_listen();
    assert_int_equal(source_read(source, data, 8), -1);
    assert_string_equal(scratch_heard(), "bigshuf: a: file has shrunk while it was read\n");
    source_free(source);
}

static void a_read_error_names_the_file(void **state)
{
    const char *names[] = {"a", "/proc/self/mem"}; /* nothing is mapped at its beginning */
    struct source *source;
    uint8_t data[8];

    (void)state;
    if (access(names[1], R_OK) != 0)
        skip();
    put("a", "1\n");
    source = source_open(names, 2, '\n', &fault);
    assert_non_null(source);
    scratch_listen();
    assert_int_equal(source_read(source, data, 8), -1);
    assert_string_equal(scratch_heard(), "bigshuf: /proc/self/mem: Input/output error\n");
    source_free(source);
}

/* ---- Names from a file ---- */

static void put_names(const char *content, size_t bytes)
{
    int fd = open("names", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_int_equal(write(fd, content, bytes), bytes);
    close(fd);
}

static void assert_names_refused(const char *from, const char *message)
{
    const char **names;
    size_t count;
    char *data;
    int result;

    scratch_listen();
    result = source_names(from, &names, &count, &data, &fault);
    assert_string_equal(scratch_heard(), message);
    assert_int_equal(result, -1);
    assert_null(names);
    assert_null(data);
    fault_release(&fault);
    fault_init(&fault);
}

static void names_are_separated_or_ended_by_nul(void **state)
{
    static const size_t lengths[] = {8, 9};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char **names;
        size_t count;
        char *data;

        put_names("a\0b c\0-\n\0", lengths[i]);
        assert_int_equal(source_names("names", &names, &count, &data, &fault), 0);
        assert_int_equal(count, 3);
        assert_string_equal(names[0], "a");
        assert_string_equal(names[1], "b c");
        assert_string_equal(names[2], "-\n");
        free(names);
        free(data);
    }
}

static void there_may_be_many_names(void **state)
{
    const size_t total = 5000, name_bytes = 5;
    char *content = malloc(total * name_bytes);
    const char **names;
    size_t count;
    char *data;

    (void)state;
    for (size_t i = 0; i < total; i++)
        snprintf(content + name_bytes * i, name_bytes, "%04zu", i);
    put_names(content, total * name_bytes);
    assert_int_equal(source_names("names", &names, &count, &data, &fault), 0);
    assert_int_equal(count, total);
    for (size_t i = 0; i < total; i++)
        assert_string_equal(names[i], content + name_bytes * i);
    free(names);
    free(data);
    free(content);
}

static void bad_names_are_refused(void **state)
{
    (void)state;
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
    CHECK(source_names("-", &names, &count, &data, &fault) == -1);
}

static void names_from_standard_input(void)
{
    const char **names;
    size_t count;
    char *data;

    put_on_standard_input("names");
    CHECK(source_names("-", &names, &count, &data, &fault) == 0);
    CHECK(count == 1 && strcmp(names[0], "a") == 0);
}

static void a_dash_among_names_from_standard_input_is_refused(void **state)
{
    const char **names;
    size_t count;
    char *data;

    (void)state;
    put_names("a", 2);
    assert_int_equal(scratch_child(names_from_standard_input), 0);
    put_names("a\0-", 3);
    scratch_listen();
    assert_int_equal(scratch_child(refuse_dash), 0);
    assert_string_equal(scratch_heard(), "bigshuf: when reading file names from stdin, no file name of '-' allowed\n");
    assert_int_equal(source_names("names", &names, &count, &data, &fault), 0);
    free(names);
    free(data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_follow_one_another),
        TEST(each_file_ends_its_last_record_and_an_empty_one_has_none),
        TEST(any_byte_may_be_the_delimiter),
        TEST(short_reads_are_gone_on_with),
        TEST(bytes_that_were_put_back_come_first),
        TEST(anything_that_can_be_read_can_be_a_source),
        TEST(known_bytes_are_those_of_regular_files),
        TEST(a_dash_is_what_is_left_of_standard_input),
        TEST(standard_input_is_not_judged_before_it_is_read),
        TEST(what_cannot_be_read_is_reported_at_once),
        TEST(a_fifo_is_only_looked_at),
        TEST(no_descriptor_stays_open),
        TEST(a_file_that_vanished_since_is_reported),
        TEST(a_file_that_shrinks_is_no_end_of_input),
        TEST(a_read_error_names_the_file),
        TEST(names_are_separated_or_ended_by_nul),
        TEST(there_may_be_many_names),
        TEST(bad_names_are_refused),
        TEST(a_dash_among_names_from_standard_input_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
