/* Files written through commands: whatever a command does nothing hangs, and failures are heard. What a command gets,
 * and how many run at a time, is in outputs.sh. */

#include "support/reports.h"
#include "support/unit.h"

#include <time.h>

#include "output/filter.h"
#include "system/fault.h"
#include "system/signals.h"

/* Write a file through the command. */
static void feed(struct filters *filters, const char *file, const char *content)
{
    filters_start(filters, file);
    filters_write(filters, content, strlen(content));
    filters_end(filters);
}

/* Write far more than a pipe holds. */
static void feed_much(struct filters *filters)
{
    static char much[1 << 16];

    for (int i = 0; i < 64; i++)
        filters_write(filters, much, sizeof much);
    filters_end(filters);
}

static void finish(struct filters *filters)
{
    filters_wait(filters);
    filters_free(filters);
}

static void feed_and_finish(const char *command)
{
    struct filters *filters = filters_new(command, 2);

    feed(filters, "F", "x\n");
    finish(filters);
}

static void await(const char *file)
{
    struct timespec moment = {.tv_nsec = 5000000};

    while (access(file, F_OK) != 0)
        nanosleep(&moment, NULL);
}

#define TEST(name) UNIT_TEST_IN(name, reports_setup, reports_teardown)

TEST(a_failed_command_is_reported_as_by_split)
{
    static const char *const cases[][2] = {
        {"exit 3", "exit 3"},
        {"cat >/dev/null; exit 1", "exit 1"},
        {"no-such-command-anywhere 2>/dev/null", "exit 127"},
        {"kill -9 $$", "signal KILL"},
        {"kill -TERM $$", "signal TERM"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[512];

        snprintf(expected, sizeof expected,
                 "bigshuf: with FILE=F, %s from command: %s\n"
                 "bigshuf: warning: what was made with FILE=F may be incomplete\n",
                 cases[i][1], cases[i][0]);
        assert_ends(feed_and_finish(cases[i][0]), expected);
    }
}

TEST(the_failure_of_an_earlier_command_is_not_forgotten)
{
    if (scratch_begin_end()) {
        struct filters *filters = filters_new("cat >/dev/null; test $FILE != b", 2);

        for (int i = 0; i < 5; i++)
            feed(filters, (const char *[]){"a", "b", "c", "d", "e"}[i], "x\n");
        finish(filters);
        _exit(99);
    }
    assert_non_null(
        strstr(scratch_ended(), "bigshuf: with FILE=b, exit 1 from command: cat >/dev/null; test $FILE != b\n"));
}

TEST(when_all_have_finished_nothing_is_incomplete)
{
    if (scratch_begin_end()) {
        struct filters *filters = filters_new("cat >$FILE", 2);

        feed(filters, "F", "x\n");
        filters_wait(filters);
        fault_say("something else");
    }
    assert_string_equal(scratch_ended(), "bigshuf: something else\n");
    assert_true(scratch_holds("F", "x\n"));
}

TEST(a_command_that_stops_reading_and_succeeds_is_content)
{
    static const char *const commands[] = {"head -c 1 > $FILE", "exit 0", "kill -PIPE $$", "exec <&-; sleep 0.05"};

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct filters *filters = filters_new(commands[i], 1);

        scratch_listen();
        for (int file = 0; file < 2; file++) {
            filters_start(filters, "F");
            feed_much(filters);
        }
        finish(filters);
        assert_string_equal(scratch_heard(),
                            "bigshuf: warning: with FILE=F, the command did not read all of its records\n");
    }
}

TEST(of_commands_that_are_content_the_first_file_is_named)
{
    struct filters *filters =
        filters_new("exec <&-; test $FILE = b || until test -e b; do sleep 0.01; done; >$FILE", 2);

    scratch_listen();
    filters_start(filters, "a");
    feed_much(filters);
    filters_start(filters, "b");
    while (access("a", F_OK) != 0) /* by then b has ended, and been looked at */
        filters_write(filters, "x", 1);
    feed_much(filters);
    finish(filters);
    assert_string_equal(scratch_heard(),
                        "bigshuf: warning: with FILE=a, the command did not read all of its records\n");
}

TEST(a_command_that_fails_early_is_not_fed_for_hours)
{
    if (scratch_begin_end()) {
        struct filters *filters = filters_new("exit 5", 1);
        struct timespec moment = {.tv_nsec = 1000000};

        filters_start(filters, "F");
        for (;;) {
            filters_write(filters, "x", 1);
            nanosleep(&moment, NULL);
        }
    }
    (void)scratch_ended();
}

static void write_without_reader_after_a_filter(void)
{
    struct filters *filters = filters_new("exit 0", 1);
    int ends[2];

    filters_start(filters, "F");
    feed_much(filters);
    finish(filters);
    CHECK(pipe(ends) == 0);
    close(ends[0]);
    (void)!write(ends[1], "x", 1);
}

TEST(sigpipe_is_ignored_for_the_filters_pipes_alone)
{
    scratch_listen();
    assert_int_equal(WTERMSIG(scratch_child(write_without_reader_after_a_filter)), SIGPIPE);
    (void)scratch_heard();
}

/* What the command does with "F" when all signals that bigshuf catches are blocked, as a worker has it. */
static void feed_as_a_worker(const char *command)
{
    sigset_t before;

    signals_install();
    signals_block(&before);
    feed_and_finish(command);
}

TEST(a_command_has_its_signals_as_usual)
{
    static const char *const signals[] = {"TERM", "XFSZ"};

    for (size_t i = 0; i < 2; i++) {
        char command[64];

        snprintf(command, sizeof command, "kill -%s $$; echo alive > $FILE", signals[i]);
        if (scratch_begin_end()) {
            feed_as_a_worker(command);
            _exit(99);
        }
        assert_non_null(strstr(scratch_ended(), "signal "));
    }
    feed_and_finish("kill -PIPE $$; echo alive > $FILE");
    assert_int_not_equal(access("F", F_OK), 0);
}

/* A run fails while a command has half of its file, and the command has got it. */
TEST(who_has_half_of_a_file_is_told_before_its_pipe_ends)
{
    if (scratch_begin_end()) {
        struct filters *filters = filters_new("exec 2>/dev/null; trap 'touch told; exit' TERM; { read line; touch "
                                              "ready; cat; } > $FILE.part; mv $FILE.part $FILE",
                                              3);

        filters_start(filters, "F");
        filters_write(filters, "half\nmore\n", 10);
        await("ready");
        fault_say("something else");
    }
    assert_string_equal(scratch_ended(), "bigshuf: something else\n"
                                         "bigshuf: warning: what was made with FILE=F may be incomplete\n");
    await("told");
    assert_int_equal(access("F", F_OK), -1);
}

TEST(what_a_command_has_started_is_told_to_terminate_too)
{
    if (scratch_begin_end()) {
        struct filters *filters =
            filters_new("(trap 'touch told; exit' TERM; touch ready; while :; do sleep 0.02; done) & wait", 1);

        filters_start(filters, "F");
        await("ready");
        fault_say("something else");
    }
    (void)scratch_ended();
    await("told");
}

/* The commands end when the test lets them, which is later. */
TEST(a_run_that_fails_names_the_files_and_waits_for_nobody)
{
    int go;

    assert_int_equal(mkfifo("go", 0600), 0);
    if (scratch_begin_end()) {
        struct filters *filters = filters_new("trap '' TERM; read line <go; echo >>gone", 3);

        feed(filters, "F1", "x");
        feed(filters, "F2", "x");
        filters_start(filters, "F3");
        fault_say("something else");
    }
    assert_string_equal(scratch_ended(), "bigshuf: something else\n"
                                         "bigshuf: warning: what was made with FILE=F1 to FILE=F3 may be incomplete\n");
    go = open("go", O_RDWR | O_CLOEXEC);
    assert_int_equal(write(go, "1\n2\n3\n", 6), 6);
    await("gone");
    close(go);
}
