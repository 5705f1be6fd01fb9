/* The sampler is brought along, so that the numbers it draws can be told to it. */

#include "support/small_run.h"
#include "support/unit.h"

#include "sample/range.h"

static uint64_t draw_or_be_told(struct random_words *words, uint64_t bound);

#define random_draw draw_or_be_told
#include "src/sample/range.c" /* NOLINT(bugprone-suspicious-include): this is the point */
#undef random_draw

static const uint64_t *told; /* what is drawn next */

static uint64_t draw_or_be_told(struct random_words *words, uint64_t bound)
{
    (void)words;
    (void)bound;
    return *told++;
}

static void assert_draws(uint64_t numbers, const char *expected)
{
    static const struct number_range full = {.full = true, .delimiter = '\n'};
    struct output *to;

    small_open();
    to = small_output("out");
    small_limit(numbers);
    range_different(&small.run, &full, NULL, false, to);
    assert_true(run_left(&small.run) == 0);
    output_commit(to);
    output_free(to);
    assert_true(scratch_holds("out", expected));
    small_close();
}

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, small_teardown)

/* Also the first number, which marks the empty places of the set. */
TEST(every_number_of_the_full_range_is_drawn_once)
{
    static const uint64_t numbers[] = {5, UINT64_MAX, UINT64_MAX,     5, 0, 0, 1, UINT64_MAX - 1, UINT64_MAX,
                                       0, 1,          UINT64_MAX - 1, 5, 7};

    told = numbers;
    assert_draws(6, "5\n18446744073709551615\n0\n1\n18446744073709551614\n7\n");
    assert_ptr_equal(told, numbers + sizeof numbers / sizeof *numbers);
}

/* All of them belong in the last place but one of a set with twice as many, so that the others go on from the first
 * place. Two of every three draws are of numbers that were drawn before. */
TEST(numbers_that_meet_in_the_set_are_told_apart)
{
    enum { NUMBERS = 200 };
    uint64_t numbers[3 * NUMBERS];
    uint64_t number = 0;
    char expected[8 * NUMBERS] = "";

    for (size_t i = 0; i < NUMBERS; i++, number++) {
        while (spread(number, 2 * NUMBERS) != 2 * NUMBERS - 2)
            number++;
        numbers[3 * i] = number;
        numbers[3 * i + 1] = number;
        numbers[3 * i + 2] = numbers[i];
        snprintf(expected + strlen(expected), 8, "%lu\n", (unsigned long)number);
    }
    told = numbers;
    assert_draws(NUMBERS, expected);
}
