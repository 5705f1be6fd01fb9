/* Samples follow the laws that are promised for them. Few records are sampled with many seeds, which are the same in
 * every run, so that these tests pass always or never. */

#include "support/small_run.h"
#include "support/unit.h"

#include "sample/in_order.h"
#include "sample/range.h"
#include "sample/replacement.h"
#include "sample/weighted.h"
#include "shuffle/shuffle.h"

/* An output that may be begun again and again, in the place of output.c. */
struct output {
    FILE *file;
};

struct output *output_open(const struct output_plan *plan)
{
    static struct output output;

    output.file = fopen(plan->path, "w");
    return output.file == NULL ? NULL : &output;
}

void output_begin(struct output *output, uint64_t records, const void *header, size_t header_bytes)
{
    (void)output;
    (void)records;
    (void)header;
    (void)header_bytes;
}

bool output_waits(const struct output *output)
{
    (void)output;
    return false;
}

void output_use_margin(struct output *output, const struct record_margin *margin)
{
    (void)output;
    (void)margin;
}

void output_write_behind(struct output *output)
{
    (void)output;
}

void output_write(struct output *output, uint8_t *data, size_t bytes)
{
    assert_int_equal(fwrite(data, 1, bytes, output->file), bytes);
}

void output_commit(struct output *output)
{
    assert_int_equal(fclose(output->file), 0);
}

void output_free(struct output *output)
{
    (void)output;
}

typedef void sampler(struct source *source, struct output *to);

/* Sample the text with seeds "0", "1" and so on, to the file `out`, in which a blank line comes after each sample. */
static void sample_often(sampler *sample, struct engine_text *text, uint64_t left, unsigned seeds)
{
    struct output *to;

    small_open(1, ORDER_LEAF_RECORDS);
    to = small_output("out");
    assert_non_null(to);
    for (unsigned i = 0; i < seeds; i++) {
        struct source *source = engine_text_source(text);
        char seed[16];

        assert_non_null(source);
        random_key_init(&small.run.order.key, seed, (size_t)snprintf(seed, sizeof seed, "%u", i));
        small_limit(left);
        small.progress.records = 0;
        sample(source, to);
        output_write(to, (uint8_t[]){'\n'}, 1);
        source_free(source);
    }
    output_commit(to);
    output_free(to);
    small_close();
}

static struct engine_text text_of(char *lines, size_t bytes)
{
    return (struct engine_text){.data = (uint8_t *)lines, .bytes = bytes};
}

static void shuffle(struct source *source, struct output *to)
{
    shuffle_source(&small.run, source, to);
}

/* As if all records had come to one pile, which seldom happens to as few as here. */
static void shuffle_leaf(struct source *source, struct output *to)
{
    struct gather_order order = {.kind = GATHER_NODE, .order = &small.run.order, .node = {.number = 3}};
    struct piles piles = {0};
    uint8_t data[64];
    size_t bytes = source_read(source, data, sizeof data);

    piles_init(&piles, 1, 1, &small.run.engine.pool, &small.place);
    pile_append(&piles, 0, data, bytes);
    piles_seal(&piles);
    for (size_t i = 0; i < bytes; i++)
        piles.pile[0].records += data[i] == '\n';
    shuffle_piles(&small.run, &piles, order, to);
    piles_release(&piles);
}

static void repeat(struct source *source, struct output *to)
{
    replacement_uniform(&small.run, source, to);
}

static void select_some(struct source *source, struct output *to)
{
    in_order_first(&small.run, source, to);
}

/* With probability 1/4. */
static void select_a_quarter(struct source *source, struct output *to)
{
    in_order_bernoulli(&small.run, source, (struct in_order_share){.threshold = (uint64_t)1 << 62}, to);
}

/* ---- All outcomes of five items ---- */

enum {
    ITEMS = 5,
    OUTCOMES = 7776, /* up to ITEMS items, each as a digit from 1 in base ITEMS + 1 */
};

/* An item is its number from 0 and its weight. */
static char lines[] = "0 1\n1 2\n2 0\n3 4\n4 10\n";
static const double weight[ITEMS] = {1, 2, 0, 4, 10};
static const double weights = 17;

static const struct weight_place place = {.field = {.number = 2, .separator = ' '}};

static void order_by_weight(struct source *source, struct output *to)
{
    weighted_order(&small.run, source, place, false, to);
}

static void select_by_weight(struct source *source, struct output *to)
{
    weighted_order(&small.run, source, place, true, to);
}

static void repeat_by_weight(struct source *source, struct output *to)
{
    weighted_repeat(&small.run, source, place, to);
}

/* The numbers from 0 to ITEMS - 1; there is no source. */
static void draw_from_range(struct source *source, struct output *to)
{
    const struct number_range range = {.count = ITEMS, .delimiter = '\n'};

    (void)source;
    range_different(&small.run, &range, false, to);
}

static void draw_from_range_repeatedly(struct source *source, struct output *to)
{
    const struct number_range range = {.count = ITEMS, .delimiter = '\n'};

    (void)source;
    range_repeated(&small.run, &range, to);
}

/* How likely it is that a sample is of these items in this order. */
typedef double law(const unsigned *item, unsigned count);

static bool are_different(const unsigned *item, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            if (item[i] == item[j])
                return false;
    return true;
}

static bool are_ascending(const unsigned *item, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (item[i] <= item[i - 1])
            return false;
    return true;
}

static double law_of_five_in_order(const unsigned *item, unsigned count)
{
    return count == 5 && are_different(item, count) ? 1.0 / 120 : 0;
}

static double law_of_two_in_order(const unsigned *item, unsigned count)
{
    return count == 2 && are_different(item, count) ? 1.0 / 20 : 0;
}

static double law_of_two_as_a_set(const unsigned *item, unsigned count)
{
    return count == 2 && are_ascending(item, count) ? 1.0 / 10 : 0;
}

static double law_of_two_with_replacement(const unsigned *item, unsigned count)
{
    (void)item;
    return count == 2 ? 1.0 / 25 : 0;
}

static double law_of_each_by_itself(const unsigned *item, unsigned count)
{
    double probability = 1;

    for (unsigned i = 0; i < ITEMS; i++)
        probability *= i < count ? 0.25 : 0.75;
    return are_ascending(item, count) ? probability : 0;
}

/* Each next one in proportion to weight among those that are left. */
static double successive(const unsigned *item, unsigned count)
{
    double left = weights;
    double probability = are_different(item, count) ? 1 : 0;

    for (unsigned i = 0; i < count && probability > 0; i++) {
        probability *= weight[item[i]] / left;
        left -= weight[item[i]];
    }
    return probability;
}

static double law_of_all_by_weight(const unsigned *item, unsigned count)
{
    return count == 4 ? successive(item, count) : 0;
}

static double law_of_two_by_weight(const unsigned *item, unsigned count)
{
    return count == 2 ? successive(item, count) : 0;
}

static double law_of_two_by_weight_as_a_set(const unsigned *item, unsigned count)
{
    if (count != 2 || !are_ascending(item, count))
        return 0;
    return successive(item, 2) + successive((const unsigned[]){item[1], item[0]}, 2);
}

static double law_of_two_by_weight_with_replacement(const unsigned *item, unsigned count)
{
    return count == 2 ? weight[item[0]] / weights * weight[item[1]] / weights : 0;
}

/* The items of an outcome, or false if it is none. */
static bool decode(unsigned outcome, unsigned item[ITEMS], unsigned *count)
{
    *count = 0;
    for (; outcome > 0; outcome /= ITEMS + 1) {
        if (outcome % (ITEMS + 1) == 0)
            return false;
        memmove(item + 1, item, *count * sizeof *item);
        item[0] = outcome % (ITEMS + 1) - 1;
        ++*count;
    }
    return true;
}

/* Count the samples in the file `out` by their outcomes. */
static void count_outcomes(unsigned counted[OUTCOMES])
{
    FILE *file = fopen("out", "r");
    unsigned outcome = 0;
    char line[16];

    assert_non_null(file);
    memset(counted, 0, OUTCOMES * sizeof *counted);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] != '\n') {
            outcome = outcome * (ITEMS + 1) + (unsigned)(line[0] - '0') + 1;
            assert_in_range(outcome, 1, OUTCOMES - 1);
            continue;
        }
        counted[outcome]++;
        outcome = 0;
    }
    fclose(file);
}

/* Only outcomes that the law allows occur, and their counts are likely by it: chi-square is not above `most`, as it is
 * with probability 10^-6 for as many degrees of freedom, which are one less than the outcomes.
 *
 * The power: when each outcome's probability is wrong by a part w of itself (root mean square), n seeds add n w^2 to
 * chi-square on average. So that it is above `most` in 19 cases of 20, this must be 132 for 120 outcomes, 72 for 20, 53
 * for 6: 4000 seeds find w = 0.18, 0.13 and 0.12, and 24000, as at full scale, 0.074, 0.055 and 0.047. A shuffle that
 * exchanges each item with any of all, instead of those that are left, has w = 0.22. */
static void assert_law(sampler *sample, uint64_t left, law *probability, unsigned degrees, double most)
{
    const unsigned seeds = scratch_scale(4000, 4000, 24000);
    struct engine_text text = text_of(lines, sizeof lines - 1);
    unsigned counted[OUTCOMES];
    unsigned item[ITEMS];
    unsigned allowed = 0;
    unsigned count;
    double chi_square = 0;

    sample_often(sample, &text, left, seeds);
    count_outcomes(counted);
    for (unsigned i = 0; i < OUTCOMES; i++) {
        double expected = decode(i, item, &count) ? seeds * probability(item, count) : 0;
        double excess = counted[i] - expected;

        if (expected == 0) {
            assert_int_equal(counted[i], 0);
            continue;
        }
        allowed++;
        chi_square += excess * excess / expected;
    }
    assert_int_equal(allowed, degrees + 1);
    if (chi_square > most)
        fail_msg("chi-square is %.1f, more than %.1f", chi_square, most);
}

#define TEST(name) UNIT_TEST_IN(name, small_setup, small_teardown)

TEST(all_orders_are_equally_likely)
{
    assert_law(shuffle, UINT64_MAX, law_of_five_in_order, 119, 207.2);
    assert_law(shuffle_leaf, UINT64_MAX, law_of_five_in_order, 119, 207.2);
}

TEST(all_samples_are_equally_likely_in_each_order)
{
    assert_law(shuffle, 2, law_of_two_in_order, 19, 63.7);
    assert_law(shuffle_leaf, 2, law_of_two_in_order, 19, 63.7);
}

TEST(all_samples_in_input_order_are_equally_likely)
{
    assert_law(select_some, 2, law_of_two_as_a_set, 9, 44.8);
}

TEST(all_samples_of_a_range_are_equally_likely_in_each_order)
{
    assert_law(draw_from_range, 2, law_of_two_in_order, 19, 63.7);
}

TEST(repeats_are_independent_and_equally_likely)
{
    assert_law(repeat, 2, law_of_two_with_replacement, 24, 72.2);
    assert_law(draw_from_range_repeatedly, 2, law_of_two_with_replacement, 24, 72.2);
}

TEST(each_record_stays_by_itself_with_its_probability)
{
    assert_law(select_a_quarter, UINT64_MAX, law_of_each_by_itself, 31, 83.6);
}

TEST(the_next_by_weight_is_drawn_among_those_that_are_left)
{
    assert_law(order_by_weight, UINT64_MAX, law_of_all_by_weight, 23, 70.5);
    assert_law(order_by_weight, 2, law_of_two_by_weight, 11, 48.9);
}

TEST(samples_by_weight_in_input_order_have_the_same_law)
{
    assert_law(select_by_weight, 2, law_of_two_by_weight_as_a_set, 5, 35.9);
}

TEST(repeats_by_weight_are_independent_and_as_likely_as_they_weigh)
{
    assert_law(repeat_by_weight, 2, law_of_two_by_weight_with_replacement, 15, 56.5);
}

/* ---- How the mean of a sample varies ---- */

enum { NUMBERS = 100, SAMPLE = 40 };

/* The expected square of the distance between the mean of a sample of the numbers and their own, by the samples in the
 * file `out`. */
static double variance_of_mean(unsigned wanted)
{
    FILE *file = fopen("out", "r");
    unsigned samples = 0;
    unsigned size = 0;
    double sum = 0;
    double squares = 0;
    char line[16];

    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] != '\n') {
            sum += strtod(line, NULL) - (NUMBERS - 1) / 2.0;
            size++;
            continue;
        }
        assert_int_equal(size, SAMPLE);
        squares += sum / SAMPLE * sum / SAMPLE;
        samples++;
        sum = size = 0;
    }
    fclose(file);
    assert_int_equal(samples, wanted);
    return squares / wanted;
}

/* The relative error of a variance of n normal numbers is the root of 2/n; 4.9 times as much comes with probability
 * 10^-6: 0.22 for 1000. With replacement the variance is 1.65 times that without. */
static void assert_variance(sampler *sample, double expected)
{
    const unsigned samples = scratch_scale(1000, 1000, 5000);
    char numbers[NUMBERS * 4];
    struct engine_text text;
    size_t bytes = 0;
    double error;

    for (int i = 0; i < NUMBERS; i++)
        bytes += (size_t)snprintf(numbers + bytes, sizeof numbers - bytes, "%d\n", i);
    text = text_of(numbers, bytes);
    sample_often(sample, &text, SAMPLE, samples);
    error = variance_of_mean(samples) / expected - 1;
    if (error * error > 4.9 * 4.9 * 2 / samples)
        fail_msg("the variance of the mean is %.3f of what it should be", 1 + error);
}

static const double variance_of_numbers = ((double)NUMBERS * NUMBERS - 1) / 12;

TEST(the_mean_of_a_sample_varies_as_without_replacement)
{
    const double expected = variance_of_numbers / SAMPLE * (NUMBERS - SAMPLE) / (NUMBERS - 1);

    assert_variance(shuffle, expected);
    assert_variance(select_some, expected);
}

TEST(the_mean_of_repeats_varies_as_with_replacement)
{
    assert_variance(repeat, variance_of_numbers / SAMPLE);
}
