/* A run fails while commands are at work: nothing ever hangs. All else of filters is in filters.sh. */

/* tags: threads */

#include "support/reports.h"
#include "support/unit.h"

#include <time.h>

#include "output/filter.h"
#include "system/fault.h"

#define TEST(name) UNIT_TEST_IN(name, reports_setup, reports_teardown)

/* Write a file through the command. */
static void feed(struct filters *filters, const char *file, const char *content)
{
    filters_start(filters, file);
    filters_write(filters, content, strlen(content));
    filters_end(filters);
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

/* A run fails while a command has half of its file, and the command has got it. */
TEST(who_has_half_of_a_file_is_told_before_its_pipe_ends)
{
    if (scratch_begin_end()) {
        struct filters *filters = filters_new("exec 2>/dev/null; trap 'touch told; exit' TERM; { read line; touch "
                                              "ready; cat; } > $FILE.part; mv $FILE.part $FILE",
                                              3);

        filters_start(filters, "F");
        filters_write(filters, "half\nmore\n", 10);
        scratch_await("ready");
        die("something else");
    }
    assert_string_equal(scratch_ended(), "bigshuf: something else\n"
                                         "bigshuf: warning: what was made with FILE=F may be incomplete\n");
    scratch_await("told");
    assert_int_equal(access("F", F_OK), -1);
}

/* The commands end when the test lets them, which is later. The run fails when none of them can be terminated any more.
 */
TEST(a_run_that_fails_names_the_files_and_waits_for_nobody)
{
    int go;

    assert_int_equal(mkfifo("go", 0600), 0);
    if (scratch_begin_end()) {
        struct filters *filters = filters_new("trap '' TERM; touch ready.$FILE; read line <go; touch gone.$FILE", 3);

        feed(filters, "F1", "x");
        feed(filters, "F2", "x");
        filters_start(filters, "F3");
        scratch_await("ready.F1");
        scratch_await("ready.F2");
        scratch_await("ready.F3");
        die("something else");
    }
    assert_string_equal(scratch_ended(), "bigshuf: something else\n"
                                         "bigshuf: warning: what was made with FILE=F1 to FILE=F3 may be incomplete\n");
    go = open("go", O_RDWR | O_CLOEXEC);
    assert_int_equal(write(go, "1\n2\n3\n", 6), 6);
    scratch_await("gone.F1");
    scratch_await("gone.F2");
    scratch_await("gone.F3");
    close(go);
}
