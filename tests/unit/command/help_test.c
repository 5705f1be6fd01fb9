/* Standard output is closed by what is tested here, so that happens in children. */

#include "support/scratch.h"
#include "support/unit.h"

#include <errno.h>
#include <limits.h>

#include "command/help.h"

static const struct option_row rows[] = {
    {"short", 's', GROUP_INPUT, NULL, "says it on one line", NULL, 0},
    {"long", UCHAR_MAX + 1, GROUP_INPUT, "X", "says it on\ntwo lines", NULL, 0},
    {"beside", 'b', GROUP_INPUT, "AS-LONG-AS-CAN-B", "stands beside", NULL, 0},
    {"below", 'c', GROUP_OTHER, "A-LETTER-LONGER-YE", "stands below", NULL, 0},
    {"maybe", UCHAR_MAX + 2, GROUP_OTHER, "[Y]", "may stand alone", NULL, 0},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static void send_output(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT, 0600);

    CHECK(fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
    if (fd != STDOUT_FILENO)
        close(fd);
}

static void print_all(void)
{
    struct fault fault;

    fault_init(&fault);
    send_output("help");
    CHECK(help_print(&fault, rows, ROW_COUNT) == 0);
    CHECK(fcntl(STDOUT_FILENO, F_GETFD) == -1);
    send_output("common");
    CHECK(help_print_common(&fault) == 0);
    CHECK(fcntl(STDOUT_FILENO, F_GETFD) == -1);
    send_output("version");
    CHECK(help_print_version(&fault) == 0);
    CHECK(fcntl(STDOUT_FILENO, F_GETFD) == -1);
    CHECK(!fault_any(&fault));
}

enum { TEXT_BYTES = 4096 };

static void read_text(const char *name, char text[TEXT_BYTES])
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t got = read(fd, text, TEXT_BYTES - 1);

    close(fd);
    assert_true(got > 0);
    text[got] = '\0';
}

/* The file `help` has this in it. */
static void assert_helps(const char *part)
{
    char text[TEXT_BYTES];

    read_text("help", text);
    assert_non_null(strstr(text, part));
}

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

TEST(test_help_has_the_usage_the_rows_by_groups_and_the_units)
{
    assert_int_equal(scratch_child(print_all), 0);
    assert_helps("Usage: bigshuf [OPTION]... [FILE]...\n"
                 "  or:  bigshuf -e [OPTION]... [ARG]...\n"
                 "  or:  bigshuf -i LO-HI [OPTION]...\n");
    assert_helps("\n\nInput:\n"
                 "  -s, --short                    says it on one line\n"
                 "      --long=X                   says it on\n"
                 "                                 two lines\n"
                 "  -b, --beside=AS-LONG-AS-CAN-B  stands beside\n"
                 "\nOther:\n"
                 "  -c, --below=A-LETTER-LONGER-YE\n"
                 "                                 stands below\n"
                 "      --maybe[=Y]                may stand alone\n"
                 "\n");
    assert_helps("\nSIZE is a number and a unit: ");
    assert_helps(" BYTES is a number of bytes,\n");
}

TEST(test_the_common_options_fit_a_terminal_of_24_lines_with_a_prompt)
{
    char text[TEXT_BYTES];
    const char *line = text;
    size_t count, lines = 0;
    const int *codes = option_table_common(&count);

    assert_int_equal(scratch_child(print_all), 0);
    read_text("common", text);
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1, lines++)
        assert_in_range(end - line, 0, 79);
    assert_int_equal(*line, '\0');
    assert_in_range(lines, 1, 23);
    assert_int_equal(strncmp(text, "Usage: bigshuf [OPTION]... [FILE]...\n", 37), 0);
    assert_non_null(strstr(text, "bigshuf --help"));
    for (size_t i = 0; i < count; i++) {
        const struct option_row *row = option_table_row(codes[i]);
        char option[64];

        snprintf(option, sizeof option, "  %c%c%c --%s", option_table_has_letter(row) ? '-' : ' ',
                 option_table_has_letter(row) ? row->code : ' ', option_table_has_letter(row) ? ',' : ' ', row->name);
        assert_non_null(strstr(text, option));
    }
}

TEST(test_version_is_that_of_the_build)
{
    assert_int_equal(scratch_child(print_all), 0);
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
    fault_release(&fault);
    fault_init(&fault);
    CHECK(help_print_common(&fault) == -1);
}

TEST(test_what_cannot_be_written_is_a_failure)
{
    char line[128], expected[512];
    int status;

    if (access("/dev/full", W_OK) != 0)
        skip();
    snprintf(line, sizeof line, "bigshuf: write error: %s\n", strerror(ENOSPC));
    snprintf(expected, sizeof expected, "%s%s%s", line, line, line);
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
