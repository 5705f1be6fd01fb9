/* Standard error is one end of a pair of datagram sockets during a test, so that each write arrives by itself. */

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/unit.h"

#include "system/fault.h"
#include "system/signals.h"

static struct {
    int former_stderr, messages;
    char text[16384];
} run;

static int setup(void **state)
{
    int ends[2];

    (void)state;
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
        return -1;
    run.messages = ends[0];
    run.former_stderr = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    dup2(run.former_stderr, STDERR_FILENO);
    close(run.former_stderr);
    close(run.messages);
    return 0;
}

/* What the next write brought; "" if there was none. */
static const char *next_write(void)
{
    ssize_t got = recv(run.messages, run.text, sizeof run.text - 1, MSG_DONTWAIT);

    run.text[got > 0 ? got : 0] = '\0';
    return run.text;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

TEST(test_a_report_is_one_line_that_names_the_file_and_the_cause)
{
    char expected[256];

    snprintf(expected, sizeof expected, "bigshuf: some file: %s\n", strerror(ENOSPC));
    assert_int_equal(fault_report(&run.fault, "some file", ENOSPC), -1);
    assert_string_equal(next_write(), expected);
    assert_string_equal(next_write(), "");
}

TEST(test_error_0_is_an_unexpected_end)
{
    assert_int_equal(fault_report(&run.fault, "a", 0), -1);
    assert_string_equal(next_write(), "bigshuf: a: unexpected end of file\n");
}

TEST(test_a_message_of_ones_own_is_formatted)
{
    assert_int_equal(fault_say(&run.fault, "%s:%d: bad", "names", 3), -1);
    assert_string_equal(next_write(), "bigshuf: names:3: bad\n");
    assert_string_equal(next_write(), "");
}

TEST(test_only_the_first_fault_is_printed)
{
    fault_say(&run.fault, "first");
    assert_int_equal(fault_say(&run.fault, "second"), -1);
    assert_int_equal(fault_report(&run.fault, "third", EIO), -1);
    assert_string_equal(next_write(), "bigshuf: first\n");
    assert_string_equal(next_write(), "");
}

TEST(test_faults_of_different_runs_are_apart)
{
    struct fault other;
    fault_say(&run.fault, "one");
    assert_false(fault_any(&other));
    fault_say(&other, "two");
    assert_string_equal(next_write(), "bigshuf: one\n");
    assert_string_equal(next_write(), "bigshuf: two\n");
}

TEST(test_any_is_true_from_the_first_fault_on)
{
    assert_false(fault_any(&run.fault));
    fault_warn("no fault");
    assert_false(fault_any(&run.fault));
    fault_report(&run.fault, "a", EIO);
    assert_true(fault_any(&run.fault));
    fault_report(&run.fault, "b", EIO);
    assert_true(fault_any(&run.fault));
}

TEST(test_every_warning_and_note_is_printed)
{
    fault_warn("%d of %s", 1, "them");
    fault_say(&run.fault, "fault");
    fault_warn("two");
    fault_note("%s is well", "it");
    assert_string_equal(next_write(), "bigshuf: warning: 1 of them\n");
    assert_string_equal(next_write(), "bigshuf: fault\n");
    assert_string_equal(next_write(), "bigshuf: warning: two\n");
    assert_string_equal(next_write(), "bigshuf: it is well\n");
}

/* The line is erased by the same write, at each message, since it may have been drawn again. */
TEST(test_a_message_erases_the_line_of_progress)
{
    signals_draw("50%", 3);
    assert_string_equal(next_write(), "50%");
    fault_warn("one");
    fault_say(&run.fault, "%0*d", 7000, 0);
    assert_string_equal(next_write(), SIGNALS_ERASE "bigshuf: warning: one\n");
    assert_int_equal(strncmp(next_write(), SIGNALS_ERASE "bigshuf: 0000", 12), 0);
    signals_erase();
    assert_string_equal(next_write(), SIGNALS_ERASE);
    signals_erase();
    fault_note("three");
    assert_string_equal(next_write(), "bigshuf: three\n");
}

TEST(test_errno_stays)
{
    struct fault other;

    close(STDERR_FILENO); /* so that the write fails */
    errno = ENOTDIR;
    fault_warn("a");
    assert_int_equal(errno, ENOTDIR);
    fault_say(&run.fault, "a");
    assert_int_equal(errno, ENOTDIR);
    fault_report(&other, "a", EIO);
    assert_int_equal(errno, ENOTDIR);
}

TEST(test_control_characters_in_a_name_are_printed_as_escapes)
{
    fault_say(&run.fault, "%s", "a\nb\t%s\033\xff\n");
    assert_string_equal(next_write(), "bigshuf: a\\nb\\t%s\\x1b\xff\\n\n");
}

static void assert_shown(const char *name, const char *shown)
{
    char expected[128];

    snprintf(expected, sizeof expected, "bigshuf: %s\n", shown);
    fault_say(&fault, "%s", name);
    assert_string_equal(next_write(), expected);
}

TEST(test_no_control_character_reaches_the_terminal_in_any_guise)
{
    assert_shown("a\x9b"
                 "31m",
                 "a\\x9b31m");                                     /* CSI as terminals of 8 bits have it */
    assert_shown("\x7f|\x80|\x9f|\xa0", "\\x7f|\\x80|\\x9f|\xa0"); /* Latin-1 stays */
    assert_shown("\xc2\x80|\xc2\x9b|\xc2\x9f", "\\xc2\\x80|\\xc2\\x9b|\\xc2\\x9f"); /* U+0080, U+009B, U+009F */
    assert_shown("\xd8\x9c|\xd8\x9b", "\\xd8\\x9c|\xd8\x9b"); /* U+061C, which turns the direction */
    assert_shown("\xe2\x80\x8e|\xe2\x80\x8f", "\\xe2\\x80\\x8e|\\xe2\\x80\\x8f");
    /* NOLINTNEXTLINE(misc-misleading-bidirectional) */
    assert_shown("\xe2\x80\xaa|\xe2\x80\xae", "\\xe2\\x80\\xaa|\\xe2\\x80\\xae");
    assert_shown("\xe2\x81\xa6|\xe2\x81\xa9", "\\xe2\\x81\\xa6|\\xe2\\x81\\xa9");
    assert_shown("\xe2\x80\x8d|\xe2\x80\xa9|\xe2\x80\xaf",
                 "\xe2\x80\x8d|\xe2\x80\xa9|\xe2\x80\xaf"); /* their neighbours */
    assert_shown("\xe2\x81\xa5|\xe2\x81\xaa|\xe2\x82\xa7", "\xe2\x81\xa5|\xe2\x81\xaa|\xe2\x82\xa7");
    assert_shown("\xc1\x9b|\xe0\x82\x9b", "\xc1\\x9b|\xe0\\x82\\x9b"); /* U+009B in more bytes than it takes */
    assert_shown("\xf0\x80\x82\x9b", "\xf0\\x80\\x82\\x9b");
    assert_shown("\xed\xa0\x9b", "\xed\xa0\\x9b");                               /* half of a surrogate pair */
    assert_shown("\xf4\x90\x80\x80", "\xf4\\x90\\x80\\x80");                     /* above U+10FFFF */
    assert_shown("\xe2\x82|\xf0\x9f\x98|\xd0", "\xe2\\x82|\xf0\\x9f\\x98|\xd0"); /* cut short */
}

TEST(test_a_carriage_return_tells_where_it_may_come_from)
{
    assert_shown("a\r: wrong", "a\\r: wrong: \\r is a carriage return, as in lines that end with CRLF");
}

TEST(test_a_folder_that_is_not_there_is_named)
{
    static const struct {
        const char *path;
        int error;
        const char *folder;
    } cases[] = {
        {"/no-such/folder/file", ENOENT, "/no-such"},
        {"/dev/no-such/file", ENOENT, "/dev/no-such"},
        {"/dev/null/file", ENOTDIR, "/dev/null"},
        {"no-such//file", ENOENT, "no-such"},
        {"no-such", ENOENT, NULL},
        {"/no-such", ENOENT, NULL},
        {"/no-such/file", EIO, NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[256];

        snprintf(expected, sizeof expected, "bigshuf: %s: %s%s%s%s\n", cases[i].path, strerror(cases[i].error),
                 cases[i].folder != NULL ? ": there is no folder '" : "",
                 cases[i].folder != NULL ? cases[i].folder : "", cases[i].folder != NULL ? "'" : "");
        fault_report(&fault, cases[i].path, cases[i].error);
        assert_string_equal(next_write(), expected);
    }
}

TEST(test_text_in_utf_8_is_printed_as_it_is)
{
    static const char text[] =
        "\xc2\xa0 \xd0\x9b\xd0\x9f \xe2\x82\xac \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xf0\x9f\x98\x80 "
        "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf";

    assert_shown(text, text);
}

TEST(test_a_cause_is_what_strerror_says)
{
    char text[FAULT_CAUSE_BYTES];

    assert_string_equal(fault_cause(ENOENT, text), strerror(ENOENT));
    assert_ptr_equal(fault_cause(123456, text), text);
    assert_non_null(strstr(text, "123456"));
}

TEST(test_the_cause_is_printed_however_long_the_name)
{
    const size_t lengths[] = {4095, 4096, 4097, 100000};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char *name = malloc(lengths[i] + 1);
        const char *message;

        assert_non_null(name);
        memset(name, 'x', lengths[i]);
        name[lengths[i]] = '\0';
        fault_report(&fault, name, ENAMETOOLONG);
        message = next_write();
        if (lengths[i] < 4096) /* a name that can be opened is whole */
            assert_non_null(strstr(message, name));
        else
            assert_int_equal(strstr(message, "xxx...: ") != NULL, lengths[i] > 4096);
        free(name);
        assert_non_null(strstr(message, strerror(ENAMETOOLONG)));
        assert_int_equal(message[strlen(message) - 1], '\n');
        assert_string_equal(next_write(), "");
    }
}

TEST(test_a_message_of_any_length_ends_its_line)
{
    const int width = 100000;
    const char *message;

    fault_say(&run.fault, "%*d", width, 1);
    message = next_write();
    assert_true(strlen(message) > 4096);
    assert_int_equal(message[strlen(message) - 1], '\n');
    assert_string_equal(next_write(), "");
}

static void *fail_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++)
        fault_report(&run.fault, "shared", ENOSPC);
    return fault_any(&run.fault) ? &run : NULL;
}

TEST(test_threads_that_fail_together_make_one_message)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fail_often, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        void *seen;

        assert_int_equal(pthread_join(threads[i], &seen), 0);
        assert_ptr_equal(seen, &run);
    }
    assert_non_null(strstr(next_write(), "bigshuf: shared: "));
    assert_string_equal(next_write(), "");
}
