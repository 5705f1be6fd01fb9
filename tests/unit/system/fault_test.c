/* How a run ends: what is said, what is done, and that nothing is left. Warnings are caught write by write, from one
 * end of a pair of datagram sockets. */

/* tags: threads */

#include "support/faulty_sys.h"
#include "support/scratch.h"
#include "support/unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "system/fault.h"
#include "system/progress_line.h"
#include "system/signals.h"

static struct {
    int former_stderr, messages;
    char text[16384];
} run;

static int setup(void **state)
{
    int ends[2];

    faulty_reset();
    if (scratch_setup(state) != 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
        return -1;
    run.messages = ends[0];
    run.former_stderr = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    return 0;
}

static int teardown(void **state)
{
    dup2(run.former_stderr, STDERR_FILENO);
    close(run.former_stderr);
    close(run.messages);
    return scratch_teardown(state);
}

/* What the next write brought; "" if there was none. */
static const char *next_write(void)
{
    ssize_t got = recv(run.messages, run.text, sizeof run.text - 1, MSG_DONTWAIT);

    run.text[got > 0 ? got : 0] = '\0';
    return run.text;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* ---- Messages ---- */

/* The line is erased by the same write, at each message, since it may have been drawn again. */
TEST(test_a_message_erases_the_line_of_progress)
{
    progress_line_draw("50%", 3);
    assert_string_equal(next_write(), "50%");
    fault_warn("one");
    assert_string_equal(next_write(), PROGRESS_LINE_ERASE "bigshuf: warning: one\n");
    assert_ends(die("two"), PROGRESS_LINE_ERASE "bigshuf: two\n" PROGRESS_LINE_ERASE);
    progress_line_erase();
    assert_string_equal(next_write(), PROGRESS_LINE_ERASE);
    progress_line_erase();
    fault_note("three");
    assert_string_equal(next_write(), "bigshuf: three\n");
}

TEST(test_a_warning_leaves_errno)
{
    close(STDERR_FILENO); /* so that the write fails */
    errno = ENOTDIR;
    fault_warn("a");
    assert_int_equal(errno, ENOTDIR);
}

TEST(test_no_control_character_reaches_the_terminal_in_any_guise)
{
    static const char *const shown[][2] = {
        {"a\nb\t%s\033\xff\n", "a\\nb\\t%s\\x1b\xff\\n"},
        {"a\x9b"
         "31m",
         "a\\x9b31m"},                                                      /* CSI as terminals of 8 bits have it */
        {"\x7f|\x80|\x9f|\xa0", "\\x7f|\\x80|\\x9f|\xa0"},                  /* Latin-1 stays */
        {"\xc2\x80|\xc2\x9b|\xc2\x9f", "\\xc2\\x80|\\xc2\\x9b|\\xc2\\x9f"}, /* U+0080, U+009B, U+009F */
        {"\xd8\x9c|\xd8\x9b", "\\xd8\\x9c|\xd8\x9b"},                       /* U+061C, which turns the direction */
        {"\xe2\x80\x8e|\xe2\x80\x8f", "\\xe2\\x80\\x8e|\\xe2\\x80\\x8f"},
        /* NOLINTNEXTLINE(misc-misleading-bidirectional) */
        {"\xe2\x80\xaa|\xe2\x80\xae", "\\xe2\\x80\\xaa|\\xe2\\x80\\xae"},
        {"\xe2\x81\xa6|\xe2\x81\xa9", "\\xe2\\x81\\xa6|\\xe2\\x81\\xa9"},
        {"\xe2\x80\x8d|\xe2\x80\xa9|\xe2\x80\xaf", "\xe2\x80\x8d|\xe2\x80\xa9|\xe2\x80\xaf"}, /* their neighbours */
        {"\xe2\x81\xa5|\xe2\x81\xaa|\xe2\x82\xa7", "\xe2\x81\xa5|\xe2\x81\xaa|\xe2\x82\xa7"},
        {"\xc1\x9b|\xe0\x82\x9b", "\xc1\\x9b|\xe0\\x82\\x9b"}, /* U+009B in more bytes than it takes */
        {"\xf0\x80\x82\x9b", "\xf0\\x80\\x82\\x9b"},
        {"\xed\xa0\x9b", "\xed\xa0\\x9b"}, /* half of a surrogate pair */
        {"\xfc\x80\x80\x80", "\xfc\\x80\\x80\\x80"},
        {"\xf4\x90\x80\x80", "\xf4\\x90\\x80\\x80"},                     /* above U+10FFFF */
        {"\xe2\x82|\xf0\x9f\x98|\xd0", "\xe2\\x82|\xf0\\x9f\\x98|\xd0"}, /* cut short */
        {"\xc2\xa0 \xd0\x9b\xd0\x9f \xe2\x82\xac \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xf0\x9f\x98\x80",
         "\xc2\xa0 \xd0\x9b\xd0\x9f \xe2\x82\xac \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xf0\x9f\x98\x80"},
        {"\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"},
    };

    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        char expected[128];

        snprintf(expected, sizeof expected, "bigshuf: %s\n", shown[i][1]);
        fault_note("%s", shown[i][0]);
        assert_string_equal(next_write(), expected);
    }
}

TEST(test_the_cause_is_printed_however_long_the_name)
{
    static const size_t lengths[] = {4095, 4096, 4097, 100000};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char *name = malloc(lengths[i] + 1);
        const char *message;

        assert_non_null(name);
        memset(name, 'x', lengths[i]);
        name[lengths[i]] = '\0';
        if (scratch_begin_end()) {
            die_errno(name, ENAMETOOLONG);
        }
        message = scratch_ended();
        if (lengths[i] < 4096) /* a name that can be opened is whole */
            assert_non_null(strstr(message, name));
        else
            assert_int_equal(strstr(message, "xxx...: ") != NULL, lengths[i] > 4096);
        free(name);
        assert_non_null(strstr(message, strerror(ENAMETOOLONG)));
        assert_int_equal(message[strlen(message) - 1], '\n');
    }
}

/* ---- The end ---- */

static void *fail_at_once(void *unused)
{
    (void)unused;
    die_errno("shared", EIO);
}

TEST(test_threads_that_fail_together_make_one_message)
{
    char expected[256];

    snprintf(expected, sizeof expected, "bigshuf: shared: %s\n", strerror(EIO));
    for (int round = 0; round < 20; round++) {
        if (scratch_begin_end()) {
            pthread_t thread;

            for (int i = 0; i < 7; i++)
                CHECK(pthread_create(&thread, NULL, fail_at_once, NULL) == 0);
            fail_at_once(NULL);
        }
        assert_string_equal(scratch_ended(), expected);
    }
}

static void warn_of(void *what)
{
    fault_warn("%s", (const char *)what);
}

static void fail_too(void *unused)
{
    (void)unused;
    die("and this as well");
}

/* Only the one that was set last. One that fails ends. */
TEST(test_the_duty_is_done_after_the_message)
{
    static const struct fault_duty before = {warn_of, (char *)"before"}, fails = {fail_too, NULL},
                                   last = {warn_of, (char *)"last"};

    for (int i = 0; i < 3; i++) {
        if (scratch_begin_end()) {
            fault_set_duty(&before);
            fault_set_duty(i == 0 ? NULL : i == 1 ? &fails : &last);
            die("failed");
        }
        assert_string_equal(scratch_ended(), i < 2 ? "bigshuf: failed\n" : "bigshuf: failed\nbigshuf: warning: last\n");
    }
}

/* Otherwise it would wait for itself. */
TEST(test_who_holds_death_off_can_fail_and_leaves_no_file)
{
    if (scratch_begin_end()) {
        sigset_t before;

        signals_install();
        signals_hold(&before);
        CHECK(scratch_put("registered", "x", 0600) && scratch_register("registered") >= 0);
        CHECK(scratch_register("not made yet") >= 0);
        die("failed");
    }
    assert_string_equal(scratch_ended(), "bigshuf: failed\n");
    assert_int_equal(scratch_count("."), 0);
}

static atomic_bool first_has_failed, second_waits;

void real_sys_nap(void);

void sys_nap(void)
{
    atomic_store(&second_waits, true);
    real_sys_nap();
}

/* Who comes second waits, and gives up what the first one waits for. */
static void *fail_second(void *unused)
{
    sigset_t before;

    (void)unused;
    signals_hold(&before);
    while (!atomic_load(&first_has_failed))
        real_sys_nap();
    die("second");
}

static void wait_for_holder(void *unused)
{
    (void)unused;
    atomic_store(&first_has_failed, true);
    while (!atomic_load(&second_waits))
        real_sys_nap();
}

TEST(test_two_can_fail_that_both_hold_death_off)
{
    static const struct fault_duty duty = {.act = wait_for_holder};

    if (scratch_begin_end()) {
        pthread_t thread;
        sigset_t before;

        signals_install();
        fault_set_duty(&duty);
        signals_hold(&before);
        CHECK(pthread_create(&thread, NULL, fail_second, NULL) == 0);
        die("first");
    }
    assert_string_equal(scratch_ended(), "bigshuf: first\n");
}

TEST(test_a_failure_without_a_cause_is_the_end_of_a_file)
{
    assert_ends(die_errno("a", 0), "bigshuf: a: unexpected end of file\n");
}
