/* Files written through commands, and the moments at which commands do something: nothing ever hangs. outputs.sh tests
 * what commands read, how many run at a time, and the messages when they fail. */

/* tags: threads */

#include "support/reports.h"
#include "support/unit.h"

#include <time.h>

#include "output/filter.h"
#include "system/fault.h"
#include "system/signals.h"

#define TEST(name) UNIT_TEST_IN(name, reports_setup, reports_teardown)

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

static void await(const char *file)
{
    struct timespec moment = {.tv_nsec = 5000000};

    while (access(file, F_OK) != 0)
        nanosleep(&moment, NULL);
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
    assert_non_null(strstr(scratch_ended(), "bigshuf: b: 'cat >/dev/null; test $FILE != b' failed: exit status 1\n"));
}

TEST(when_all_have_finished_nothing_is_incomplete)
{
    if (scratch_begin_end()) {
        struct filters *filters = filters_new("cat >$FILE", 2);

        feed(filters, "F", "x\n");
        filters_wait(filters);
        die("something else");
    }
    assert_string_equal(scratch_ended(), "bigshuf: something else\n");
    assert_true(scratch_holds("F", "x\n"));
}

TEST(a_command_that_stops_reading_and_succeeds_is_content)
{
    static const char *const commands[] = {"head -c 1 > $FILE", "exit 0", "exec <&-; sleep 0.05"};

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

/* Also if all signals that bigshuf catches are blocked, as a worker has it. */
TEST(a_command_has_its_signals_as_usual)
{
    static const char *const commands[] = {"kill -TERM $$; echo alive > $FILE", "kill -XFSZ $$; echo alive > $FILE"};

    for (size_t i = 0; i < 2; i++) {
        if (scratch_begin_end()) {
            struct filters *filters = filters_new(commands[i], 2);
            sigset_t before;

            signals_install();
            signals_block(&before);
            feed(filters, "F", "x\n");
            finish(filters);
            _exit(99);
        }
        assert_non_null(strstr(scratch_ended(), "killed by signal "));
    }
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
        die("something else");
    }
    assert_string_equal(scratch_ended(), "bigshuf: something else\n"
                                         "bigshuf: warning: what was made with FILE=F may be incomplete\n");
    await("told");
    assert_int_equal(access("F", F_OK), -1);
}

/* The commands end when the test lets them, which is later. The run fails when none of them can be terminated any more.
 */
TEST(a_run_that_fails_names_the_files_and_waits_for_nobody)
{
    int go;

    assert_int_equal(mkfifo("go", 0600), 0);
    if (scratch_begin_end()) {
        struct filters *filters = filters_new("trap '' TERM; touch ready.$FILE; read line <go; touch gone", 3);

        feed(filters, "F1", "x");
        feed(filters, "F2", "x");
        filters_start(filters, "F3");
        await("ready.F1");
        await("ready.F2");
        await("ready.F3");
        die("something else");
    }
    assert_string_equal(scratch_ended(), "bigshuf: something else\n"
                                         "bigshuf: warning: what was made with FILE=F1 to FILE=F3 may be incomplete\n");
    go = open("go", O_RDWR | O_CLOEXEC);
    assert_int_equal(write(go, "1\n2\n3\n", 6), 6);
    await("gone");
    close(go);
}
