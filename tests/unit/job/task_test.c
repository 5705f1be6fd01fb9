/* What command lines mean, where no end-to-end test could tell at little cost. */

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

    strcpy(text, line);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        words[count++] = word;
    assert_true(command_line_parse(&options, count, words));
    task = task_of(&options);
    command_line_release(&options);
    return task;
}

UNIT_TEST(the_options_tell_the_task)
{
    static const struct {
        const char *line;
        enum task task;
    } rows[] = {
        {"-n 3 a b", TASK_SHUFFLE},
        {"-n 0 -i 1-9", TASK_NOTHING},
        {"-n 0 --expect-records=3", TASK_SHUFFLE},
        {"-n 0 --header=bytes:1 -r", TASK_SHUFFLE},
        {"-n 0 --header=0 --weights=w", TASK_NOTHING},
        {"--weight-field=1 -n 3 --keep-order", TASK_WEIGHTED},
        {"--random-source=f", TASK_GNU},
        {"--random-source=f -n 3", TASK_GNU_SAMPLE},
        {"--random-source=f -n 3 -e a b", TASK_GNU},
        {"-i 1-16 -n 2 --random-source=f", TASK_RANGE},
        {"-i 1-16 -n 3 --random-source=f", TASK_GNU},
        {"-i 1-134217728 -n 1", TASK_SHUFFLE},
        {"-i 0-134217728 -n 67108864", TASK_RANGE},
        {"-i 0-134217728 -n 67108865", TASK_SHUFFLE},
        {"-i 0-18446744073709551615 -n 1", TASK_RANGE},
        {"-i 0-18446744073709551615", TASK_SHUFFLE},
        {"-i 0-134217728 -n 1 --keep-order", TASK_RANGE},
        {"-i 0-134217728 -n 1 --weights=w", TASK_WEIGHTED},
        {"-i 1-2 -r", TASK_RANGE_REPEAT},
        {"-i 1-2 -r --weights=w", TASK_WEIGHTED_REPEAT},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(task_of_words(rows[i].line), rows[i].task);
}
