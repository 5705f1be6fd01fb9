/* What command lines mean. */

#include <stdint.h>
#include <string.h>

#include "support/unit.h"

#include "command/command_line.h"
#include "job/task.h"

/* The task of a command line with words between single blanks. */
static enum task task_of_words(const char *line)
{
    enum { WORDS_MAX = 16 };
    char text[256], program[] = "bigshuf", *words[WORDS_MAX + 1] = {program};
    struct options options;
    enum task task;
    int count = 1;

    assert_true(strlen(line) < sizeof text);
    strcpy(text, line);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < WORDS_MAX);
        words[count++] = word;
    }
    assert_true(command_line_parse(&options, count, words));
    task = task_of(&options);
    command_line_release(&options);
    return task;
}

UNIT_TEST(test_the_options_tell_the_task)
{
    static const struct {
        const char *line;
        enum task task;
    } rows[] = {
        {"", TASK_SHUFFLE},
        {"-n 3 a b", TASK_SHUFFLE},
        {"-e a b", TASK_SHUFFLE},
        {"-i 1-9 -n 3", TASK_SHUFFLE},
        {"-n 3 --keep-order", TASK_KEEP_ORDER},
        {"-i 1-9 -n 3 --keep-order", TASK_KEEP_ORDER},
        {"--probability=0.5", TASK_PROBABILITY},
        {"-r", TASK_REPEAT},
        {"-r -n 3 -e a b", TASK_REPEAT},
        {"--weights=w", TASK_WEIGHTED},
        {"--weight-field=1 -n 3", TASK_WEIGHTED},
        {"--weight-field=1 -n 3 --keep-order", TASK_WEIGHTED},
        {"--weight-field=1 -r", TASK_WEIGHTED_REPEAT},
        {"-n 0", TASK_NOTHING},
        {"-n 0 --expect-records=3", TASK_SHUFFLE},
        {"--scatter=s", TASK_ADD_BATCH},
        {"--scatter=s --sweep", TASK_SWEEP},
        {"--gather=s", TASK_GATHER},
        {"--gather=s -n 0", TASK_GATHER},
        {"--gather=s --list", TASK_LIST},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(task_of_words(rows[i].line), rows[i].task);
}

UNIT_TEST(test_no_records_are_nothing_but_their_header)
{
    assert_int_equal(task_of_words("-n 0"), TASK_NOTHING);
    assert_int_equal(task_of_words("-n 0 -r"), TASK_NOTHING);
    assert_int_equal(task_of_words("-n 0 -i 1-9"), TASK_NOTHING);
    assert_int_equal(task_of_words("-n 0 --weights=w"), TASK_NOTHING);
    assert_int_equal(task_of_words("-n 0 --header"), TASK_SHUFFLE);
    assert_int_equal(task_of_words("-n 0 --header-bytes=1 -r"), TASK_SHUFFLE);
    assert_int_equal(task_of_words("-n 0 --header=0"), TASK_NOTHING);
}

UNIT_TEST(test_a_random_source_gives_the_orders_of_gnu)
{
    assert_int_equal(task_of_words("--random-source=f"), TASK_GNU);
    assert_int_equal(task_of_words("--random-source=f -n 3"), TASK_GNU_SAMPLE);
    assert_int_equal(task_of_words("--random-source=f -n 3 -e a b"), TASK_GNU);
    assert_int_equal(task_of_words("--random-source=f -r"), TASK_GNU_REPEAT);
    assert_int_equal(task_of_words("--random-source=f -r -e a b"), TASK_GNU_REPEAT);
}

UNIT_TEST(test_samples_of_large_ranges_are_drawn)
{
    assert_int_equal(task_of_words("-i 1-134217728 -n 1"), TASK_SHUFFLE);
    assert_int_equal(task_of_words("-i 0-134217728 -n 67108864"), TASK_RANGE);
    assert_int_equal(task_of_words("-i 0-134217728 -n 67108865"), TASK_SHUFFLE);
    assert_int_equal(task_of_words("-i 0-18446744073709551615 -n 1"), TASK_RANGE);
    assert_int_equal(task_of_words("-i 0-18446744073709551615"), TASK_SHUFFLE);
    assert_int_equal(task_of_words("-i 0-134217728 -n 1 --keep-order"), TASK_RANGE);
    assert_int_equal(task_of_words("-i 0-134217728 --probability=0"), TASK_PROBABILITY);
    assert_int_equal(task_of_words("-i 0-134217728 -n 1 --weights=w"), TASK_WEIGHTED);
}

UNIT_TEST(test_a_random_source_draws_an_eighth_of_any_range)
{
    assert_int_equal(task_of_words("-i 1-16 -n 2 --random-source=f"), TASK_RANGE_GNU);
    assert_int_equal(task_of_words("-i 1-16 -n 3 --random-source=f"), TASK_GNU);
    assert_int_equal(task_of_words("-i 1-16 --random-source=f"), TASK_GNU);
}

UNIT_TEST(test_repeated_numbers_are_drawn_from_any_range)
{
    assert_int_equal(task_of_words("-i 1-2 -r"), TASK_RANGE_REPEAT);
    assert_int_equal(task_of_words("-i 1-2 -r --random-source=f"), TASK_RANGE_REPEAT);
    assert_int_equal(task_of_words("-i 1-2 -r --weights=w"), TASK_WEIGHTED_REPEAT);
}

UNIT_TEST(test_numbers_that_are_drawn_have_no_source)
{
    for (enum task task = TASK_ADD_BATCH; task < TASK_RANGE; task++)
        assert_false(task_is_drawn(task));
    assert_true(task_is_drawn(TASK_RANGE));
    assert_true(task_is_drawn(TASK_RANGE_GNU));
    assert_true(task_is_drawn(TASK_RANGE_REPEAT));
}
