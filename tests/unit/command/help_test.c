/* Standard output is closed by what is tested here, so that happens in children. */

#include "support/scratch.h"
#include "support/unit.h"

#include <errno.h>
#include <limits.h>

#include "command/help.h"

static const struct option_row rows[] = {
    {"short", 's', NULL, "says it on one line", NULL, 0},
    {"long", UCHAR_MAX + 1, "X", "says it on\ntwo lines", NULL, 0},
    {"beside", 'b', "AS-LONG-AS-CAN-B", "stands beside", NULL, 0},
    {"below", 'c', "A-LETTER-LONGER-YE", "stands below", NULL, 0},
    {"maybe", UCHAR_MAX + 2, "[Y]", "may stand alone", NULL, 0},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static void send_output(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT, 0600);

    CHECK(fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
    if (fd != STDOUT_FILENO)
        close(fd);
}

static void print_both(void)
{
    struct fault fault;

    fault_init(&fault);
    send_output("help");
    CHECK(help_print(&fault, rows, ROW_COUNT) == 0);
    CHECK(fcntl(STDOUT_FILENO, F_GETFD) == -1);
    send_output("version");
    CHECK(help_print_version(&fault) == 0);
    CHECK(fcntl(STDOUT_FILENO, F_GETFD) == -1);
    CHECK(!fault_any(&fault));
}

/* The file `help` has this in it. */
static void assert_helps(const char *part)
{
    char text[4096];
    int fd = open("help", O_RDONLY | O_CLOEXEC);
    ssize_t got = read(fd, text, sizeof text - 1);

    close(fd);
    assert_true(got > 0);
    text[got] = '\0';
    assert_non_null(strstr(text, part));
}

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

TEST(test_help_has_the_usage_the_rows_and_the_units)
{
    assert_int_equal(scratch_child(print_both), 0);
    assert_helps("Usage: bigshuf [OPTION]... [FILE]...\n"
                 "  or:  bigshuf -e [OPTION]... [ARG]...\n"
                 "  or:  bigshuf -i LO-HI [OPTION]...\n");
    assert_helps("\n"
                 "  -s, --short                    says it on one line\n"
                 "      --long=X                   says it on\n"
                 "                                 two lines\n"
                 "  -b, --beside=AS-LONG-AS-CAN-B  stands beside\n"
                 "  -c, --below=A-LETTER-LONGER-YE\n"
                 "                                 stands below\n"
                 "      --maybe[=Y]                may stand alone\n"
                 "\n");
    assert_helps("\nSIZE is a number and a unit: ");
    assert_helps(" BYTES is a number\nof bytes, ");
}

TEST(test_version_is_that_of_the_build)
{
    assert_int_equal(scratch_child(print_both), 0);
#ifdef BIGSHUF_VERSION
    assert_true(scratch_holds("version", "bigshuf " BIGSHUF_VERSION "\n"));
#else
    assert_true(scratch_holds("version", "bigshuf unknown\n"));
#endif
}

static void print_to_a_full_disk(void)
{
    struct fault fault;

    fault_init(&fault);
    send_output("/dev/full");
    CHECK(help_print(&fault, rows, ROW_COUNT) == -1);
    fault_release(&fault);
    fault_init(&fault);
    CHECK(help_print_version(&fault) == -1);
}

TEST(test_what_cannot_be_written_is_a_failure)
{
    char line[128], expected[256];
    int status;

    if (access("/dev/full", W_OK) != 0)
        skip();
    snprintf(line, sizeof line, "bigshuf: write error: %s\n", strerror(ENOSPC));
    snprintf(expected, sizeof expected, "%s%s", line, line);
    scratch_listen();
    status = scratch_child(print_to_a_full_disk);
    assert_string_equal(scratch_heard(), expected);
    assert_int_equal(status, 0);
}

static void print_to_nothing(void)
{
    struct fault fault;

    fault_init(&fault);
    close(STDOUT_FILENO);
    CHECK(help_print(&fault, rows, ROW_COUNT) == -1);
}

TEST(test_a_closed_output_is_a_failure)
{
    char expected[128];
    int status;

    snprintf(expected, sizeof expected, "bigshuf: write error: %s\n", strerror(EBADF));
    scratch_listen();
    status = scratch_child(print_to_nothing);
    assert_string_equal(scratch_heard(), expected);
    assert_int_equal(status, 0);
}
