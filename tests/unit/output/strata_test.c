/* --stratify-field follows its law: few records are dealt with many seeds, which are the same in every run, so that
 * these tests pass always or never. */

#include "support/scratch.h"
#include "support/unit.h"

#include "base/random.h"
#include "output/strata.h"

/* ---- All outcomes of few records ---- */

/* An outcome: the records of one file after the other, each as its number from 1, with a 0 before each file but the
 * first; as the digits of a number, behind a 1. */
enum {
    RECORDS_MAX = 5,
    FILES_MAX = 3,
    BASE = RECORDS_MAX + 1,
    OUTCOMES = 2 * BASE * BASE * BASE * BASE * BASE * BASE * BASE
};

struct case_of {
    const char *text; /* a record: its class, a tab, and its number */
    const struct split *split;
    size_t files;
};

static unsigned counted[OUTCOMES];

/* Each order of the output comes as often as the others. */
static void deal_often(const struct case_of *of, unsigned seeds)
{
    struct key_choice first = {.count = 1, .field = {{.kind = FIELD_NUMBER, .number = 1}}};
    struct random_key key;
    const struct output_plan plan = {.split = of->split,
                                     .splits = of->files - 1,
                                     .split_key = {.format.delimiter = '\n', .place.separator = '\t', .choice = &first},
                                     .key = &key,
                                     .format = {.delimiter = '\n'}};
    const unsigned records = (unsigned)strlen(of->text) / 4;

    memset(counted, 0, sizeof counted);
    for (unsigned i = 0; i < seeds; i++) {
        struct strata *strata = strata_new(&plan, 1 << 16);
        unsigned dealt[FILES_MAX][RECORDS_MAX], count[FILES_MAX] = {0}, outcome = 1, order = i;
        unsigned left[RECORDS_MAX] = {0, 1, 2, 3, 4};
        char seed[16];

        random_key_init(&key, seed, (size_t)snprintf(seed, sizeof seed, "%u", i));
        strata_begin(strata, 1);
        for (unsigned k = 0; k < records; k++)
            strata_count(strata, 0, (const uint8_t *)of->text + 4 * k, 4, true, true);
        strata_settle(strata);
        for (unsigned k = records; k > 0; order /= k--) {
            const unsigned record = left[order % k];
            const size_t file = strata_deal(strata, (const uint8_t *)of->text + 4 * record, 1);

            left[order % k] = left[k - 1];
            dealt[file][count[file]++] = record + 1;
        }
        for (size_t file = 0; file < of->files; file++) {
            outcome *= file > 0 ? BASE : 1;
            for (unsigned k = 0; k < count[file]; k++)
                outcome = outcome * BASE + dealt[file][k];
        }
        counted[outcome]++;
        strata_free(strata);
    }
}

/* The files of an outcome, each record as its place in the text, or false if it is none. */
static bool decode(const struct case_of *of, unsigned outcome, unsigned record[FILES_MAX][RECORDS_MAX],
                   unsigned count[FILES_MAX])
{
    unsigned seen = 0;
    size_t file = of->files - 1;

    memset(count, 0, FILES_MAX * sizeof *count);
    for (; outcome >= BASE; outcome /= BASE) {
        const unsigned number = outcome % BASE;

        if (number == 0 && file-- == 0)
            return false;
        if (number == 0)
            continue;
        if (4 * number > strlen(of->text) || (seen & 1u << number) != 0)
            return false;
        seen |= 1u << number;
        record[file][count[file]++] = number - 1;
    }
    return outcome == 1 && file == 0 && seen == (2u << strlen(of->text) / 4) - 2;
}

static double factorial(unsigned n)
{
    return n > 1 ? n * factorial(n - 1) : 1;
}

/* How likely it is that the files get so many of a class's records, by the sentences at the head of strata.c: where u
 * is a quarter or less away from another number is nothing to percentages that are quarters. */
static double probability_of_numbers(const struct case_of *of, const unsigned *number, unsigned all)
{
    double likely = 0;

    for (unsigned quarter = 0; quarter < 4; quarter++) {
        const double u = quarter / 4.0 + 0.125;
        double part = 0;
        unsigned before = 0;
        bool same = true;

        for (size_t j = 0; j + 1 < of->files; j++) {
            unsigned end = before + (unsigned)of->split[j].amount;

            part += (double)of->split[j].amount / 1000000;
            if (of->split[j].is_percentage)
                end = (unsigned)(all * part + u);
            end = end < all ? end : all;
            same = same && number[j] == end - before;
            before = end;
        }
        likely += same ? 0.25 : 0;
    }
    return likely;
}

/* Which of the class's records these are is equally likely, and so is each order in each file. */
static double probability_of(const struct case_of *of, unsigned record[FILES_MAX][RECORDS_MAX], const unsigned *count)
{
    double likely = 1;

    for (const char *letter = "AB"; *letter != '\0'; letter++) {
        unsigned number[FILES_MAX] = {0}, all = 0;

        for (size_t file = 0; file < of->files; file++)
            for (unsigned k = 0; k < count[file]; k++)
                number[file] += of->text[4 * record[file][k]] == *letter;
        for (size_t file = 0; file < of->files; file++) {
            likely *= factorial(number[file]);
            all += number[file];
        }
        likely *= probability_of_numbers(of, number, all) / factorial(all);
    }
    for (size_t file = 0; file < of->files; file++)
        likely /= factorial(count[file]);
    return likely;
}

/* As in laws_test.c: chi-square is above `most` with probability 10^-6. */
static void assert_law(struct case_of of, unsigned degrees, double most)
{
    const unsigned seeds = scratch_scale(2000, 2000, 24000);
    unsigned record[FILES_MAX][RECORDS_MAX], count[FILES_MAX], allowed = 0;
    double chi_square = 0;

    deal_often(&of, seeds);
    for (unsigned i = 0; i < OUTCOMES; i++) {
        const double expected = decode(&of, i, record, count) ? seeds * probability_of(&of, record, count) : 0;

        if (expected == 0) {
            assert_int_equal(counted[i], 0);
            continue;
        }
        allowed++;
        chi_square += (counted[i] - expected) * (counted[i] - expected) / expected;
    }
    assert_int_equal(allowed, degrees + 1);
    if (chi_square > most)
        fail_msg("chi-square is %.1f, more than %.1f", chi_square, most);
}

#define PERCENT(percent)                                                                                               \
    {                                                                                                                  \
        .path = "a", .amount = (percent)*10000, .is_percentage = true                                                  \
    }
static const struct split half[] = {PERCENT(50)}, quarters[] = {PERCENT(25), PERCENT(25)},
                          all[] = {PERCENT(25), PERCENT(75)}, one[] = {{.path = "a", .amount = 1}},
                          two[] = {{.path = "a", .amount = 1}, {.path = "b", .amount = 2}};

UNIT_TEST(the_order_within_each_file_is_as_random_as_that_of_all)
{
    assert_law((struct case_of){"A\t1\nA\t2\nA\t3\nA\t4\n", half, 2}, 23, 70.5);
}

UNIT_TEST(shares_that_are_no_whole_numbers_are_right_on_average)
{
    assert_law((struct case_of){"A\t1\nB\t2\nA\t3\nB\t4\nA\t5\n", half, 2}, 143, 238.2);
    assert_law((struct case_of){"A\t1\nB\t2\nA\t3\nB\t4\n", quarters, 3}, 47, 108.2);
    assert_law((struct case_of){"A\t1\nB\t2\nB\t3\n", all, 3}, 15, 56.5);
}

UNIT_TEST(numbers_of_records_are_taken_as_far_as_there_are_any)
{
    assert_law((struct case_of){"A\t1\nA\t2\nB\t3\n", one, 2}, 3, 30.7);
    assert_law((struct case_of){"A\t1\nA\t2\nA\t3\nB\t4\n", two, 3}, 11, 48.9);
}
