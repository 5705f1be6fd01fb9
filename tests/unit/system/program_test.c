/* Child processes: what they are given, how their ends are told, and that none is left. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>

#include "system/program.h"

/* No process is left. */
static int teardown(void **state)
{
    const bool clean = waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;

    return reports_teardown(state) == 0 && clean ? 0 : -1;
}

#define TEST(name) UNIT_TEST_IN(name, reports_setup, teardown)

static void start(struct program *program, const char *script, int input, int output)
{
    const char *const arguments[] = {"sh", "-c", script, NULL};

    assert_int_equal(program_start(program, arguments, (const char *[]){"WORD=said", "OTHER", NULL}, input, output), 0);
}

/* How a script ends, in words. */
static const char *failure_of(const char *script)
{
    static char text[PROGRAM_FAILURE_BYTES];
    struct program program;
    const char *failure;
    int status;

    start(&program, script, -1, -1);
    assert_int_equal(program_wait(&program, 0, &status), 1);
    assert_int_equal(program.process, 0);
    failure = program_failure(status, text);
    return failure != NULL ? failure : "none";
}

TEST(ends_are_told)
{
    assert_string_equal(failure_of("true"), "none");
    assert_string_equal(failure_of("exit 3"), "exit status 3");
    assert_string_equal(failure_of("kill -9 $$"), "killed by signal 9");
}

TEST(a_program_has_its_descriptors_and_the_variables_it_is_to_have)
{
    struct program program;
    int in, out, status;

    assert_true(scratch_put("in", "given\n", 0600));
    in = open("in", O_RDONLY | O_CLOEXEC);
    out = open("out", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(setenv("OTHER", "kept back", 1), 0);
    assert_int_equal(setenv("OTHERS", "passed on", 1), 0);
    start(&program, "cat; echo $WORD $OTHER $OTHERS", in, out);
    assert_int_equal(program_wait(&program, 0, &status), 1);
    close(in);
    close(out);
    assert_int_equal(status, 0);
    assert_true(scratch_holds("out", "given\nsaid passed on\n"));
}

TEST(one_that_runs_can_be_looked_at_told_and_killed)
{
    struct program program = {.process = 0};
    int ends[2], status;

    program_kill(&program);
    program_tell(&program, SIGTERM);
    assert_int_equal(pipe(ends), 0);
    start(&program, "read line", ends[0], -1);
    assert_int_equal(program_wait(&program, WNOHANG, &status), 0);
    program_kill(&program);
    assert_int_equal(program.process, 0);
    start(&program, "read line", ends[0], -1);
    program_tell(&program, SIGTERM);
    assert_int_equal(program_wait(&program, 0, &status), 1);
    assert_int_equal(WTERMSIG(status), SIGTERM);
    close(ends[0]);
    close(ends[1]);
}

TEST(a_wait_that_fails_is_no_end)
{
    struct program program;
    int status;

    start(&program, "exit 0", -1, -1);
    faulty_fail("wait", 1, EIO);
    assert_int_equal(program_wait(&program, 0, &status), -1);
    faulty_stop();
    assert_int_equal(program_wait(&program, 0, &status), 1);
}

TEST(what_cannot_be_started_is_not_there)
{
    const char *const arguments[] = {"true", NULL};
    struct program program;

    faulty_fail("spawn", 1, EAGAIN);
    assert_int_equal(program_start(&program, arguments, NULL, -1, -1), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(program.process, 0);
}

TEST(programs_are_looked_for_as_the_system_does)
{
    char *before = strdup(getenv("PATH"));

    assert_true(program_is_there("sh"));
    assert_false(program_is_there("no-such-program-anywhere"));
    assert_true(scratch_put("here", "#!/bin/sh\n", 0755));
    assert_false(program_is_there("here"));
    setenv("PATH", "nowhere::elsewhere", 1);
    assert_true(program_is_there("here"));
    setenv("PATH", "nowhere:elsewhere", 1);
    assert_false(program_is_there("here"));
    setenv("PATH", "nowhere:", 1);
    assert_true(program_is_there("here"));
    unsetenv("PATH");
    assert_true(program_is_there("sh"));
    setenv("PATH", before, 1);
    free(before);
}
