/* Files written through commands: each gets its own, whatever a command does nothing hangs, and failures are heard. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

#include "output/filter.h"
#include "system/signals.h"

static struct filters *filters_good(const char *command, unsigned most)
{
    struct filters *filters = filters_new(command, most);

    assert_non_null(filters);
    return filters;
}

/* Write a file through the command. */
static int feed(struct filters *filters, const char *file, const char *content)
{
    if (filters_start(filters, file) != 0 || filters_write(filters, content, strlen(content)) != 0)
        return -1;
    return filters_end(filters);
}

/* Write far more than a pipe holds. */
static int feed_much(struct filters *filters)
{
    static char much[1 << 16];

    for (int i = 0; i < 64; i++)
        if (filters_write(filters, much, sizeof much) != 0)
            return -1;
    return filters_end(filters);
}

/* How the command fails, with the file "F". */
static void assert_fails(const char *command, const char *message)
{
    char expected[512];
    struct filters *filters = filters_good(command, 2);
    bool failed;

    snprintf(expected, sizeof expected,
             "bigshuf: with FILE=F, %s from command: %s\n"
             "bigshuf: warning: what was made with FILE=F may be incomplete\n",
             message, command);
    scratch_listen();
    failed = feed(filters, "F", "x\n") != 0 || filters_wait(filters) != 0;
    filters_free(filters);
    assert_string_equal(scratch_heard(), expected);
    assert_true(failed);
}

#define TEST(name) UNIT_TEST_IN(name, reports_setup, reports_teardown)

TEST(every_command_gets_its_file_and_name)
{
    for (unsigned most = 1; most < 5; most++) {
        struct filters *filters = filters_good("tr a-z A-Z > \"$FILE.up\"", most);

        assert_int_equal(feed(filters, "one", "first\n"), 0);
        assert_int_equal(feed(filters, "two 2", "second\n"), 0);
        assert_int_equal(feed(filters, "three", ""), 0);
        assert_int_equal(filters_wait(filters), 0);
        filters_free(filters);
        assert_true(scratch_holds("one.up", "FIRST\n"));
        assert_true(scratch_holds("two 2.up", "SECOND\n"));
        assert_true(scratch_holds("three.up", ""));
        scratch_empty(open(".", O_RDONLY | O_DIRECTORY));
    }
}

TEST(a_file_of_any_size_goes_through)
{
    struct filters *filters = filters_good("wc -c | tr -d ' ' > $FILE", 1);

    assert_int_equal(filters_start(filters, "F"), 0);
    assert_int_equal(feed_much(filters), 0);
    assert_int_equal(filters_wait(filters), 0);
    filters_free(filters);
    assert_true(scratch_holds("F", "4194304\n"));
}

/* As the shell is given it: what it passes on has no name twice. */
TEST(a_former_value_of_the_variable_is_gone)
{
    struct filters *filters;

    if (access("/proc/self/environ", F_OK) != 0)
        skip();
    filters = filters_good("tr '\\0' '\\n' </proc/$$/environ | grep ^FILE | sort >found", 1);
    setenv("FILE", "former", 1);
    setenv("FILES", "2", 1);
    assert_int_equal(feed(filters, "F", ""), 0);
    assert_int_equal(filters_wait(filters), 0);
    filters_free(filters);
    unsetenv("FILE");
    unsetenv("FILES");
    assert_true(scratch_holds("found", "FILE=F\nFILES=2\n"));
}

TEST(no_more_run_at_a_time_than_allowed)
{
    for (unsigned most = 1; most <= 3; most++) {
        struct filters *filters =
            filters_good("cat >/dev/null; mkdir run.$FILE; ls -d run.* 2>/dev/null | wc -l >>seen; "
                         "sleep 0.05; rmdir run.$FILE",
                         most);
        char seen[256] = "";
        int fd;

        for (int i = 0; i < 6; i++) {
            static const char *const names[] = {"a", "b", "c", "d", "e", "f"};

            assert_int_equal(feed(filters, names[i], "x"), 0);
        }
        assert_int_equal(filters_wait(filters), 0);
        filters_free(filters);
        fd = open("seen", O_RDONLY);
        assert_true(read(fd, seen, sizeof seen - 1) > 0);
        close(fd);
        for (const char *at = seen; *at != '\0'; at++)
            assert_true(*at < '0' || *at <= (char)('0' + most));
        assert_int_equal(unlink("seen"), 0);
    }
}

TEST(a_failed_command_is_reported_as_by_split)
{
    assert_fails("exit 3", "exit 3");
    assert_fails("cat >/dev/null; exit 1", "exit 1");
    assert_fails("no-such-command-anywhere 2>/dev/null", "exit 127");
    assert_fails("kill -9 $$", "signal KILL");
    assert_fails("kill -TERM $$", "signal TERM");
}

TEST(the_failure_of_an_earlier_command_is_not_forgotten)
{
    struct filters *filters = filters_good("cat >/dev/null; test $FILE != b", 2);
    bool failed = false;

    scratch_listen();
    for (int i = 0; i < 5 && !failed; i++) {
        static const char *const names[] = {"a", "b", "c", "d", "e"};

        failed = feed(filters, names[i], "x\n") != 0;
    }
    failed = failed || filters_wait(filters) != 0;
    filters_free(filters);
    assert_true(failed);
    assert_non_null(
        strstr(scratch_heard(), "bigshuf: with FILE=b, exit 1 from command: cat >/dev/null; test $FILE != b"));
}

TEST(a_command_that_stops_reading_and_succeeds_is_content)
{
    static const char *const commands[] = {"head -c 1 > $FILE", "exit 0", "kill -PIPE $$", "exec <&-; sleep 0.05"};

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct filters *filters = filters_good(commands[i], 1);

        scratch_listen();
        for (int file = 0; file < 2; file++) {
            assert_int_equal(filters_start(filters, "F"), 0);
            assert_int_equal(feed_much(filters), 0);
        }
        assert_int_equal(filters_wait(filters), 0);
        filters_free(filters);
        assert_string_equal(scratch_heard(),
                            "bigshuf: warning: with FILE=F, the command did not read all of its records\n");
    }
}

TEST(of_commands_that_are_content_the_first_file_is_named)
{
    struct filters *filters =
        filters_good("exec <&-; test $FILE = b || until test -e b; do sleep 0.01; done; >$FILE", 2);

    scratch_listen();
    assert_int_equal(filters_start(filters, "a"), 0);
    assert_int_equal(feed_much(filters), 0);
    assert_int_equal(filters_start(filters, "b"), 0);
    while (access("a", F_OK) != 0) /* by then b has ended, and been looked at */
        assert_int_equal(filters_write(filters, "x", 1), 0);
    assert_int_equal(feed_much(filters), 0);
    assert_int_equal(filters_wait(filters), 0);
    filters_free(filters);
    assert_string_equal(scratch_heard(),
                        "bigshuf: warning: with FILE=a, the command did not read all of its records\n");
}

TEST(a_command_that_fails_early_is_not_fed_for_hours)
{
    struct filters *filters = filters_good("exit 5", 1);
    struct timespec moment = {.tv_nsec = 1000000};

    scratch_listen();
    assert_int_equal(filters_start(filters, "F"), 0);
    while (filters_write(filters, "x", 1) == 0)
        nanosleep(&moment, NULL);
    filters_free(filters);
    (void)scratch_heard();
}

static void write_without_reader_after_a_filter(void)
{
    struct filters *filters = filters_new("exit 0", 1);
    int ends[2];

    CHECK(filters != NULL && filters_start(filters, "F") == 0 && feed_much(filters) == 0 && filters_wait(filters) == 0);
    filters_free(filters);
    CHECK(pipe(ends) == 0);
    close(ends[0]);
    (void)!write(ends[1], "x", 1);
}

TEST(sigpipe_is_ignored_for_the_filters_pipes_alone)
{
    assert_int_equal(WTERMSIG(scratch_child(write_without_reader_after_a_filter)), SIGPIPE);
}

/* A command's view of the signals: those that are ignored or blocked, as a mask in /proc. */
static void signals_of_a_command(void)
{
    struct filters *filters;
    sigset_t before;

    signals_install();
    signals_block(&before); /* as a worker has it */
    filters = filters_new("kill -TERM $$; echo alive > $FILE", 1);
    CHECK(filters != NULL && feed(filters, "F", "") == 0 && filters_wait(filters) == -1);
    filters_free(filters);
    filters = filters_new("kill -XFSZ $$; echo alive > $FILE", 1);
    CHECK(filters != NULL && feed(filters, "F", "") == 0 && filters_wait(filters) == -1);
    filters_free(filters);
    filters = filters_new("kill -PIPE $$; echo alive > $FILE", 1);
    CHECK(filters != NULL && feed(filters, "F", "") == 0 && filters_wait(filters) == 0);
    filters_free(filters);
    CHECK(access("F", F_OK) != 0);
}

TEST(a_command_has_its_signals_as_usual)
{
    scratch_listen();
    assert_int_equal(scratch_child(signals_of_a_command), 0);
    (void)scratch_heard();
}

TEST(a_command_has_no_descriptor_but_its_own)
{
    struct filters *filters = filters_good("cat >/dev/null; ls /proc/self/fd | wc -l | tr -d ' ' > $FILE", 3);
    int others = 0;
    bool same;

    if (access("/proc/self/fd", F_OK) != 0)
        skip();
    assert_int_equal(feed(filters, "first", ""), 0);
    assert_int_equal(feed(filters, "second", ""), 0);
    assert_int_equal(feed(filters, "third", ""), 0);
    assert_int_equal(filters_wait(filters), 0);
    filters_free(filters);
    same = false;
    for (others = 3; others < 9; others++) {
        char expected[16];

        snprintf(expected, sizeof expected, "%d\n", others);
        same = same || (scratch_holds("first", expected) && scratch_holds("third", expected));
    }
    assert_true(same);
}

static void wait_for_all(void)
{
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}

TEST(what_is_not_waited_for_is_told_to_terminate)
{
    struct filters *filters = filters_good("cat > $FILE.part; mv $FILE.part $FILE", 3);

    scratch_listen();
    assert_int_equal(filters_start(filters, "F"), 0);
    assert_int_equal(filters_write(filters, "half\n", 5), 0);
    filters_free(filters);
    wait_for_all();
    assert_int_equal(access("F", F_OK), -1);
    assert_string_equal(scratch_heard(), "bigshuf: warning: what was made with FILE=F may be incomplete\n");
}

TEST(what_a_command_has_started_is_told_to_terminate_too)
{
    struct filters *filters =
        filters_good("(trap 'touch told; exit' TERM; touch ready; while :; do sleep 0.02; done) & wait", 1);
    struct timespec moment = {.tv_nsec = 5000000};

    scratch_listen();
    assert_int_equal(filters_start(filters, "F"), 0);
    while (access("ready", F_OK) != 0)
        nanosleep(&moment, NULL);
    filters_free(filters);
    while (access("told", F_OK) != 0)
        nanosleep(&moment, NULL);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
    (void)scratch_heard();
}

/* The commands end when the test lets them, which is later. */
TEST(an_abort_names_the_files_and_waits_for_nobody)
{
    struct filters *filters = filters_good("trap '' TERM; read line <go", 3);
    int go;

    assert_int_equal(mkfifo("go", 0600), 0);
    scratch_listen();
    assert_int_equal(feed(filters, "F1", "x"), 0);
    assert_int_equal(feed(filters, "F2", "x"), 0);
    assert_int_equal(filters_start(filters, "F3"), 0);
    filters_free(filters);
    assert_string_equal(scratch_heard(), "bigshuf: warning: what was made with FILE=F1 to FILE=F3 may be incomplete\n");
    go = open("go", O_RDWR | O_CLOEXEC);
    assert_int_equal(write(go, "1\n2\n3\n", 6), 6);
    wait_for_all();
    close(go);
    filters_free(filters_good("true", 1));
    filters_free(NULL);
}
