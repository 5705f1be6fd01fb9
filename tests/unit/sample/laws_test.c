/* Samples follow the laws that are promised for them. Few records are sampled with many seeds, which are the same in
 * every run, so that these tests pass always or never. */

#include "support/small_run.h"
#include "support/unit.h"

#include "sample/in_order.h"
#include "sample/range.h"
#include "sample/replacement.h"
#include "sample/requests.h"
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

void output_use_margin(struct output *output, const struct record_margin *margin)
{
    (void)output;
    (void)margin;
}

void output_write_behind(struct output *output)
{
    (void)output;
}

typedef void sampler(struct source *source, struct output *to);

/* Sample the text with seeds "0", "1" and so on, to the file `out`, in which a blank line comes after each sample. */
static void sample_often(sampler *sample, const char *text, uint64_t left, unsigned seeds)
{
    struct output *to;

    small_open();
    to = small_output("out");
    assert_non_null(to);
    for (unsigned i = 0; i < seeds; i++) {
        struct source *source = small_source(text);
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

static void shuffle(struct source *source, struct output *to)
{
    shuffle_source(&small.run, source, to);
}

/* As if all records had come to one pile, which seldom happens to as few as here. */
static void shuffle_leaf(struct source *source, struct output *to)
{
    struct gather_order order = {.node = {.number = 3}, .orders = &small.run.order};
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
    replacement_uniform(&small.run, source, NULL, to);
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

static struct field_choice second = {.kind = FIELD_NUMBER, .text = "2", .number = 2};
static const struct weight_place place = {.field = {.choice = &second, .separator = ' '}};

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
    range_different(&small.run, &range, NULL, false, to);
}

static void draw_from_range_repeatedly(struct source *source, struct output *to)
{
    const struct number_range range = {.count = ITEMS, .delimiter = '\n'};

    (void)source;
    range_repeated(&small.run, &range, NULL, to);
}

/* How likely samples are. */
struct law {
    unsigned count;       /* of items; ANY: each item by itself, with probability 1/4 */
    const double *weight; /* of items */
    bool again;           /* may an item come again? */
    bool ascending;       /* items are written in their order */
};

enum { ANY = ITEMS + 1 };

static const double equal[ITEMS] = {1, 1, 1, 1, 1}, weight[ITEMS] = {1, 2, 0, 4, 10};

/* Each next item in proportion to weight, among those that are left if none may come again. */
static double successive(const struct law *law, const unsigned *item)
{
    double probability = 1, left = 0;

    for (unsigned i = 0; i < ITEMS; i++)
        left += law->weight[i];
    for (unsigned i = 0; i < law->count; i++) {
        for (unsigned j = 0; j < i && !law->again; j++)
            if (item[i] == item[j])
                return 0;
        probability *= law->weight[item[i]] / left;
        left -= law->again ? 0 : law->weight[item[i]];
    }
    return probability;
}

/* How likely it is that a sample is of these items in this order. */
static double probability_of(const void *context, const unsigned *item, unsigned count)
{
    const struct law *law = context;
    double probability = 1;

    for (unsigned i = 1; i < count && law->ascending; i++)
        if (item[i] <= item[i - 1])
            return 0;
    if (law->count != ANY && count != law->count)
        return 0;
    if (law->count != ANY)
        return successive(law, item) + (law->ascending ? successive(law, (const unsigned[]){item[1], item[0]}) : 0);
    for (unsigned i = 0; i < ITEMS; i++)
        probability *= i < count ? 0.25 : 0.75;
    return probability;
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

/* How many samples are drawn. */
static unsigned seeds_of_scale(void)
{
    return scratch_scale(3000, 3000, 24000);
}

/* How likely it is by some law that a sample is of these items in this order. */
typedef double likelihood(const void *law, const unsigned *item, unsigned count);

/* In the file `out` only outcomes that the law allows occur, and their counts are likely by it: chi-square is not above
 * `most`, as it is with probability 10^-6 for as many degrees of freedom, which are one less than the outcomes.
 *
 * The power: when each outcome's probability is wrong by a part w of itself (root mean square), n seeds add n w^2 to
 * chi-square on average. So that it is above `most` in 19 cases of 20, this must be 132 for 120 outcomes, 72 for 20, 53
 * for 6: 3000 seeds find w = 0.21, 0.15 and 0.13, and 24000, as at full scale, 0.074, 0.055 and 0.047. A shuffle that
 * exchanges each item with any of all, instead of those that are left, has w = 0.22. */
static void assert_likely(likelihood *likely, const void *law, unsigned degrees, double most)
{
    const unsigned seeds = seeds_of_scale();
    unsigned counted[OUTCOMES];
    unsigned item[ITEMS];
    unsigned allowed = 0;
    unsigned count;
    double chi_square = 0;

    count_outcomes(counted);
    for (unsigned i = 0; i < OUTCOMES; i++) {
        double expected = decode(i, item, &count) ? seeds * likely(law, item, count) : 0;
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

static void assert_law(sampler *sample, uint64_t left, struct law law, unsigned degrees, double most)
{

    sample_often(sample, lines, left, seeds_of_scale());
    assert_likely(probability_of, &law, degrees, most);
}

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, small_teardown)

static const struct law five = {.count = 5, .weight = equal}, two = {.count = 2, .weight = equal},
                        two_ascending = {.count = 2, .weight = equal, .ascending = true},
                        two_again = {.count = 2, .weight = equal, .again = true};

TEST(all_orders_are_equally_likely)
{
    assert_law(shuffle, UINT64_MAX, five, 119, 207.2);
    assert_law(shuffle_leaf, UINT64_MAX, five, 119, 207.2);
}

TEST(all_samples_are_equally_likely)
{
    assert_law(shuffle, 2, two, 19, 63.7);
    assert_law(shuffle_leaf, 2, two, 19, 63.7);
    assert_law(draw_from_range, 2, two, 19, 63.7);
    assert_law(select_some, 2, two_ascending, 9, 44.8);
}

TEST(repeats_are_independent_and_equally_likely)
{
    assert_law(repeat, 2, two_again, 24, 72.2);
    assert_law(draw_from_range_repeatedly, 2, two_again, 24, 72.2);
}

TEST(each_record_stays_by_itself_with_its_probability)
{
    assert_law(select_a_quarter, UINT64_MAX, (struct law){.count = ANY, .ascending = true}, 31, 83.6);
}

TEST(the_next_by_weight_is_drawn_among_those_that_are_left)
{
    assert_law(order_by_weight, UINT64_MAX, (struct law){.count = 4, .weight = weight}, 23, 70.5);
    assert_law(order_by_weight, 2, (struct law){.count = 2, .weight = weight}, 11, 48.9);
    assert_law(select_by_weight, 2, (struct law){.count = 2, .weight = weight, .ascending = true}, 5, 35.9);
}

TEST(repeats_by_weight_are_independent_and_as_likely_as_they_weigh)
{
    assert_law(repeat_by_weight, 2, (struct law){.count = 2, .weight = weight, .again = true}, 15, 56.5);
}

/* ---- Requests ---- */

enum { STAGES_MAX = 2, APART = 1000 /* records, of which all but the items weigh nothing */ };

/* Draws that are repeated, and together give one sample: each from these weights, which are set before it if there are
 * several. */
struct stages {
    struct law law[STAGES_MAX];
    unsigned count;
    bool plain; /* no weights, and nothing but the items */
    bool added; /* the last two items are added */
};

static double probability_of_stages(const void *context, const unsigned *item, unsigned count)
{
    const struct stages *stages = context;
    double probability = 1;

    for (unsigned k = 0; k < stages->count; k++) {
        const struct law *law = &stages->law[k];

        if (count < law->count)
            return 0;
        probability *= successive(law, item);
        item += law->count;
        count -= law->count;
    }
    return count > 0 ? 0 : probability;
}

static unsigned number_of_item(const struct stages *stages, unsigned item)
{
    return stages->plain ? item : (item + 1) * APART - 1;
}

/* As lines of the input, or as requests that add them. */
static void put_items(FILE *file, const struct stages *stages, unsigned begin, unsigned end, double unit, bool adds)
{
    for (unsigned i = begin; i < end; i++) {
        for (unsigned k = 1; k < APART && !stages->plain; k++)
            (void)fputs(adds ? "add 0 z\n" : "z 0\n", file);
        if (adds)
            (void)fprintf(file, "add %.17g %u\n", stages->law[0].weight[i] * unit, i);
        else
            (void)fprintf(file, "%u %.17g\n", i, stages->law[0].weight[i] * unit);
    }
}

static void put_requests(FILE *file, const struct stages *stages, double unit)
{
    for (unsigned repetition = 0; repetition < seeds_of_scale(); repetition++)
        for (unsigned k = 0; k < stages->count; k++) {
            const struct law *law = &stages->law[k];

            for (unsigned i = 0; i < ITEMS && stages->count > 1; i++)
                (void)fprintf(file, "set %u %.17g\n", number_of_item(stages, i), law->weight[i] * unit);
            (void)fprintf(file, "draw %u%s\n", law->count, law->again ? " repeat" : "");
        }
}

/* Write the items of the answers to the file `out`, as sample_often does. */
static void take_answers(const struct stages *stages)
{
    FILE *answers = fopen("answers", "r"), *out = fopen("out", "w");
    char line[64];

    for (unsigned draw = 1; fgets(line, sizeof line, answers) != NULL; draw++) {
        const unsigned count = (unsigned)strtoul(line, NULL, 10);

        for (unsigned i = 0; i < count; i++)
            assert_non_null(fgets(line, sizeof line, answers));
        for (unsigned i = 0; i < count; i++) {
            assert_non_null(fgets(line, sizeof line, answers));
            (void)fprintf(out, "%c\n", line[0]);
        }
        if (draw % stages->count == 0)
            (void)fputc('\n', out);
    }
    fclose(answers);
    fclose(out);
}

static void redirect(int fd, const char *path, int flags, int *before)
{
    const int opened = open(path, flags, 0600);

    *before = dup(fd);
    assert_true(opened >= 0 && *before >= 0);
    assert_int_equal(dup2(opened, fd), fd);
    close(opened);
}

static void answer_requests(const struct stages *stages)
{
    const char *name[] = {"in"};
    const struct source_layout layout = {.format.delimiter = '\n'};
    int in, out;

    redirect(STDIN_FILENO, "requests", O_RDONLY, &in);
    redirect(STDOUT_FILENO, "answers", O_WRONLY | O_CREAT | O_TRUNC, &out);
    small_open();
    struct source *source = source_open(name, 1, &layout);
    requests_answer(&small.run, source, stages->plain ? NULL : &place);
    source_free(source);
    engine_close(&small.run.engine);
    assert_true(dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0);
    close(in);
    close(out);
}

/* With weights of any size: sums of a few steps, of a part of 2^32 steps that is no power of two, and of more. */
static void assert_stages(struct stages stages, unsigned degrees, double most)
{
    static const double units[] = {0x1p-32, 0.75 / 17, 1};

    for (unsigned u = stages.plain ? 2 : 0; u < 3; u++) {
        const unsigned items = stages.added ? ITEMS - 2 : ITEMS;
        FILE *in = fopen("in", "w"), *requests = fopen("requests", "w");

        assert_true(in != NULL && requests != NULL);
        put_items(in, &stages, 0, items, units[u], false);
        put_items(requests, &stages, items, ITEMS, units[u], true);
        put_requests(requests, &stages, units[u]);
        fclose(in);
        fclose(requests);
        answer_requests(&stages);
        take_answers(&stages);
        assert_likely(probability_of_stages, &stages, degrees, most);
    }
}

static const double changed[ITEMS] = {5, 0, 3, 4, 1};

TEST(batches_are_drawn_among_those_that_are_left_and_those_come_back)
{
    assert_stages((struct stages){.law = {{.count = 4, .weight = weight}}, .count = 1}, 23, 70.6);
    assert_stages((struct stages){.law = {two}, .count = 1, .plain = true}, 19, 63.7);
}

TEST(batches_with_repetition_are_independent)
{
    assert_stages((struct stages){.law = {{.count = 2, .weight = weight, .again = true}}, .count = 1}, 15, 56.5);
}

TEST(batches_follow_the_weights_that_were_set_before)
{
    const struct law one = {.count = 1, .weight = weight}, other = {.count = 2, .weight = changed},
                     again = {.count = 2, .weight = changed, .again = true};

    assert_stages((struct stages){.law = {one, other}, .count = 2}, 47, 108.2);
    assert_stages((struct stages){.law = {one, again}, .count = 2}, 63, 131.4);
}

TEST(records_that_were_added_are_drawn_by_their_weights)
{
    assert_stages((struct stages){.law = {{.count = 2, .weight = weight}}, .count = 1, .added = true}, 11, 48.9);
}
