/* The sampler is brought along, so that the numbers it draws can be told to it. Lists of numbers that were drawn with
 * seed "42" were computed with a program of a few lines in another language, written from the definition. */

#include "support/small_run.h"
#include "support/unit.h"

#include "sample/range.h"

static uint64_t draw_or_be_told(struct random_words *words, uint64_t bound);

#define random_draw draw_or_be_told
#include "src/sample/range.c" /* NOLINT(bugprone-suspicious-include): this is the point */
#undef random_draw

static const uint64_t *told; /* what is drawn next, or NULL if that is left to chance */

static uint64_t draw_or_be_told(struct random_words *words, uint64_t bound)
{
    return told != NULL ? *told++ : random_draw(words, bound);
}

static struct number_range range_of(uint64_t first, uint64_t count)
{
    return (struct number_range){.first = first, .count = count, .delimiter = '\n'};
}

static const struct number_range full = {.full = true, .delimiter = '\n'};

typedef void draw_function(struct run *run, const struct number_range *range, struct output *to);

static void repeated(struct run *run, const struct number_range *range, struct output *to)
{
    range_repeated(run, range, to);
}

static void different(struct run *run, const struct number_range *range, struct output *to)
{
    range_different(run, range, false, to);
}

static void assert_draws(draw_function *draw, struct number_range range, uint64_t numbers, const char *expected)
{
    struct output *to;

    small_open(1, ORDER_LEAF_RECORDS);
    to = small_output("out");
    small_limit(numbers);
    draw(&small.run, &range, to);
    assert_true(run_left(&small.run) == 0);
    output_commit(to);
    output_free(to);
    assert_true(scratch_holds("out", expected));
    small_close();
}

#define TEST(name) UNIT_TEST_IN(name, small_setup, small_teardown)

/* ---- Independent draws ---- */

TEST(independent_draws_are_those_of_the_definition)
{
    struct number_range separated = range_of(5, UINT64_MAX - 9);

    assert_draws(repeated, range_of(1000, 100), 20,
                 "1075\n1077\n1059\n1007\n1072\n1063\n1030\n1026\n1013\n1031\n1099\n1019\n1025\n1034\n1094\n1095\n"
                 "1080\n1052\n1027\n1028\n");
    assert_draws(repeated, range_of(7, 1), 3, "7\n7\n7\n");
    assert_draws(repeated, full, 4,
                 "13958845504583284212\n14295442594342297102\n11049428897860578880\n1331736525443641786\n");
    separated.delimiter = '\t';
    assert_draws(repeated, separated, 4,
                 "13958845504583284209\t14295442594342297099\t11049428897860578879\t1331736525443641790\t");
}

/* ---- Different numbers ---- */

TEST(different_numbers_are_the_first_that_appear)
{
    assert_draws(different, range_of(0, 268435456), 10,
                 "169257790\n245476259\n71489636\n165731530\n17684073\n89856510\n123654420\n114134938\n169091507\n"
                 "169728345\n");
    assert_draws(different, range_of(100, 30), 30,
                 "118\n127\n107\n101\n110\n113\n112\n103\n100\n108\n111\n114\n124\n120\n105\n121\n117\n125\n129\n106\n"
                 "128\n122\n116\n102\n115\n123\n119\n104\n109\n126\n");
    assert_draws(different, range_of(0, 13835058055282163712u), 6,
                 "12651750089595875997\n8541738066601645137\n911430223224690763\n5882469961991284289\n"
                 "8714909936759883636\n1485195953843408888\n");
    assert_draws(different, full, 4,
                 "11631306825083165608\n16869000119461167997\n4912730423512331632\n11388984088802193517\n");
}

/* 18446744073709551615 is the number that cannot stand in the set, 18446744073709551614 the one whose bits inverted are
 * 1, and 0 the one whose bits inverted are all ones. */
TEST(every_number_of_the_full_range_is_drawn_once)
{
    static const uint64_t numbers[] = {5, UINT64_MAX, UINT64_MAX,     5, 0, 0, 1, UINT64_MAX - 1, UINT64_MAX,
                                       0, 1,          UINT64_MAX - 1, 7};

    told = numbers;
    assert_draws(different, full, 6, "5\n18446744073709551615\n0\n1\n18446744073709551614\n7\n");
    assert_ptr_equal(told, numbers + sizeof numbers / sizeof *numbers);
    told = NULL;
}

/* All of them belong in the last place but one of a set of 512, which is a block, so that the others go on from the
 * first place. Two of every three draws are of numbers that were drawn before. */
TEST(numbers_that_meet_in_the_set_are_told_apart)
{
    enum { NUMBERS = 200 };
    uint64_t numbers[3 * NUMBERS];
    uint64_t number = 0;
    char expected[8 * NUMBERS] = "";

    for (size_t i = 0; i < NUMBERS; i++, number++) {
        while (spread(number, 512) != 510)
            number++;
        numbers[3 * i] = number;
        numbers[3 * i + 1] = number;
        numbers[3 * i + 2] = numbers[i];
        snprintf(expected + strlen(expected), 8, "%lu\n", (unsigned long)number);
    }
    told = numbers;
    assert_draws(different, full, NUMBERS, expected);
    told = NULL;
}
