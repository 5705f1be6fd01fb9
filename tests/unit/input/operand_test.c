/* Lists of files. */

#include "support/reports.h"
#include "support/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "input/operand.h"

static void put_names(const char *content, size_t bytes)
{
    int fd = open("names", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_int_equal(write(fd, content, bytes), bytes);
    close(fd);
}

/* What was read last. */
static struct {
    const char **names;
    size_t count;
    char *data;
} list;

static void free_names(void)
{
    free(list.names);
    free(list.data);
    list.names = NULL;
    list.data = NULL;
}

static void read_names_into(const char *from, uint64_t *memory)
{
    free_names();
    operand_list(from, memory, &list.names, &list.count, &list.data);
}

/* With all the memory that they may need. */
static void read_names(const char *from)
{
    uint64_t memory = UINT64_MAX;

    read_names_into(from, &memory);
}

static int teardown_names(void **state)
{
    free_names();
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, reports_setup, teardown_names)

static void assert_names_refused(const char *from, const char *message)
{
    assert_ends(read_names(from), message);
}

/* The list and a few bytes for each name, to the byte. */
TEST(names_take_no_more_memory_than_they_may)
{
    const uint64_t needed = sizeof "a\0bcd" + 2 * OPERAND_ENTRY_BYTES;

    put_names("a\0bcd", sizeof "a\0bcd");
    for (uint64_t memory = needed + 1; memory > 0; memory--) {
        uint64_t taken = memory;

        if (memory < needed) {
            assert_ends(read_names_into("names", &taken),
                        "bigshuf: names: its names take more than 0 MiB: use a larger -S\n");
            continue;
        }
        read_names_into("names", &taken);
        assert_int_equal(taken, needed);
    }
}

TEST(names_are_separated_or_ended_by_nul)
{
    static const size_t lengths[] = {8, 9};

    assert_true(scratch_put("-\n", "", 0600));
    for (size_t i = 0; i < 2; i++) {
        put_names("a\0b c\0-\n\0", lengths[i]);
        read_names("names");
        assert_int_equal(list.count, 3);
        assert_string_equal(list.names[0], "a");
        assert_string_equal(list.names[1], "b c");
        assert_string_equal(list.names[2], "-\n");
    }
}

TEST(there_may_be_many_names)
{
    const size_t total = 5000, name_bytes = 5;
    char *content = malloc(total * name_bytes);

    for (size_t i = 0; i < total; i++)
        snprintf(content + name_bytes * i, name_bytes, "%04zu", i);
    put_names(content, total * name_bytes);
    read_names("names");
    assert_int_equal(list.count, total);
    for (size_t i = 0; i < total; i++)
        assert_string_equal(list.names[i], content + name_bytes * i);
    free(content);
}

#define NUL_ENDS "names end with NUL, not with newlines: make the list with find -print0, or tr '\\n' '\\0'\n"

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

TEST(a_list_of_lines_is_refused)
{
    const char *lines = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";

    put_names("a\0b\n", 4);
    assert_names_refused("names", "bigshuf: names:2: 'b\\n': No such file or directory: " NUL_ENDS);
    put_names(lines, 60);
    assert_names_refused("names",
                         "bigshuf: names:1: '0\\n1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n0\\n1\\n2\\n3\\n4\\n5\\n6\\n"
                         "7\\n8\\n9\\n0\\n1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n': No such file or directory: " NUL_ENDS);
    put_names("a/b/c\n/////////////////////////////////////////////////////////////////", 70);
    assert_names_refused("names",
                         "bigshuf: names:1: 'a/b/c\\n//////////////////////////////////////////////////////...': "
                         "No such file or directory: " NUL_ENDS);
}

static void put_on_standard_input(const char *name)
{
    CHECK(dup2(open(name, O_RDONLY), STDIN_FILENO) == STDIN_FILENO);
}

static void refuse_dash(void)
{
    put_on_standard_input("names");
    read_names("-");
}

static void names_from_standard_input(void)
{
    put_on_standard_input("names");
    read_names("-");
    CHECK(list.count == 1 && strcmp(list.names[0], "a") == 0);
}

TEST(a_dash_among_names_from_standard_input_is_refused)
{
    put_names("a", 2);
    assert_int_equal(scratch_child(names_from_standard_input), 0);
    put_names("a\0-", 3);
    assert_ends(refuse_dash(), "bigshuf: when reading file names from stdin, no file name of '-' allowed\n");
    read_names("names");
}
