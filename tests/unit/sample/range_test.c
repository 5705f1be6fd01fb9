/* The sampler is brought along, so that the numbers it draws can be told to it. Lists of numbers that were drawn with
 * seed "42" were computed with a program of a few lines in another language, written from the definition. */

#include "support/small_run.h"
#include "support/unit.h"

#include "sample/range.h"

static uint64_t draw_or_be_told(struct random_words *words, uint64_t bound);

#define random_draw draw_or_be_told
#include "src/sample/range.c" /* NOLINT(bugprone-suspicious-include): this is the point */
#undef random_draw

#include "base/sha256.h"

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

enum how { REPEATED, DIFFERENT, BY_GNU };

/* Draw `numbers` numbers to a file. GNU's generator, if there is one, reads the file "noise". */
static void draw_to(const char *output, enum how how, bool with_gnu, struct number_range range, uint64_t numbers)
{
    struct output *to = small_output(output);
    struct gnu_random *gnu = with_gnu ? gnu_random_open("noise") : NULL;

    small_limit(numbers);
    if (how == REPEATED)
        range_repeated(&small.run, &range, gnu, to);
    else if (how == DIFFERENT)
        range_different(&small.run, &range, false, to);
    else
        range_gnu(&small.run, &range, gnu, to);
    assert_true(run_left(&small.run) == 0);
    output_commit(to);
    gnu_random_free(gnu);
    output_free(to);
}

static void assert_draws(enum how how, struct number_range range, uint64_t numbers, const char *expected)
{
    small_open(1, ORDER_LEAF_RECORDS);
    draw_to("out", how, false, range, numbers);
    assert_true(scratch_holds("out", expected));
    small_close();
}

static void assert_fails(enum how how, bool with_gnu, struct number_range range, uint64_t numbers, const char *message)
{
    small_open(1, ORDER_LEAF_RECORDS);
    assert_true(scratch_put("out", "old", 0600));
    assert_ends(draw_to("out", how, with_gnu, range, numbers), message);
    assert_true(scratch_holds("out", "old"));
    small_close();
}

/* SHA-256 of a file. */
static void hash_file(const char *name, uint8_t digest[32])
{
    FILE *file = fopen(name, "rb");
    struct sha256 hash;
    uint8_t data[1000];
    size_t bytes;

    assert_non_null(file);
    sha256_init(&hash);
    while ((bytes = fread(data, 1, sizeof data, file)) > 0)
        sha256_update(&hash, data, bytes);
    sha256_final(&hash, digest);
    fclose(file);
}

#define TEST(name) UNIT_TEST_IN(name, small_setup, small_teardown)

/* ---- Independent draws ---- */

TEST(independent_draws_are_those_of_the_definition)
{
    struct number_range separated = range_of(5, UINT64_MAX - 9);

    assert_draws(REPEATED, range_of(1000, 100), 20,
                 "1075\n1077\n1059\n1007\n1072\n1063\n1030\n1026\n1013\n1031\n1099\n1019\n1025\n1034\n1094\n1095\n"
                 "1080\n1052\n1027\n1028\n");
    assert_draws(REPEATED, range_of(7, 1), 3, "7\n7\n7\n");
    assert_draws(REPEATED, full, 4,
                 "13958845504583284212\n14295442594342297102\n11049428897860578880\n1331736525443641786\n");
    separated.delimiter = '\t';
    assert_draws(REPEATED, separated, 4,
                 "13958845504583284209\t14295442594342297099\t11049428897860578879\t1331736525443641790\t");
}

TEST(many_independent_draws_are_those_of_the_definition)
{
    static const uint8_t expected[32] = {0x41, 0x38, 0x2d, 0xc5, 0xf5, 0x43, 0xec, 0x10, 0x0d, 0xc3, 0xc2,
                                         0xf4, 0x3b, 0xe2, 0xc1, 0xa8, 0x8a, 0x37, 0x69, 0xfd, 0x1d, 0x40,
                                         0x92, 0x5b, 0x69, 0xa6, 0xf4, 0x47, 0x2f, 0xd8, 0x12, 0x36};
    uint8_t digest[32];

    small_open(1, ORDER_LEAF_RECORDS);
    draw_to("out", REPEATED, false, range_of(0, 3000), 3000);
    hash_file("out", digest);
    assert_memory_equal(digest, expected, 32);
    small_close();
}

TEST(without_a_limit_draws_go_on_until_the_output_fails)
{
    if (access("/dev/full", W_OK) != 0)
        skip();
    small_open(1, ORDER_LEAF_RECORDS);
    assert_ends(draw_to("/dev/full", REPEATED, false, range_of(0, 10), UINT64_MAX),
                "bigshuf: /dev/full: No space left on device\n");
    small_close();
}

TEST(from_an_empty_range_nothing_can_be_drawn)
{
    assert_fails(REPEATED, false, range_of(0, 0), 5, "bigshuf: no lines to repeat\n");
    assert_true(scratch_put("noise", "noise", 0600));
    assert_fails(REPEATED, true, range_of(1, 0), 5, "bigshuf: no lines to repeat\n");
}

/* ---- Different numbers ---- */

TEST(different_numbers_are_the_first_that_appear)
{
    assert_draws(DIFFERENT, range_of(0, 268435456), 10,
                 "169257790\n245476259\n71489636\n165731530\n17684073\n89856510\n123654420\n114134938\n169091507\n"
                 "169728345\n");
    assert_draws(DIFFERENT, range_of(100, 30), 30,
                 "118\n127\n107\n101\n110\n113\n112\n103\n100\n108\n111\n114\n124\n120\n105\n121\n117\n125\n129\n106\n"
                 "128\n122\n116\n102\n115\n123\n119\n104\n109\n126\n");
    assert_draws(DIFFERENT, range_of(0, 13835058055282163712u), 6,
                 "12651750089595875997\n8541738066601645137\n911430223224690763\n5882469961991284289\n"
                 "8714909936759883636\n1485195953843408888\n");
    assert_draws(DIFFERENT, full, 4,
                 "11631306825083165608\n16869000119461167997\n4912730423512331632\n11388984088802193517\n");
}

TEST(many_different_numbers_are_those_of_the_definition)
{
    static const uint8_t expected[32] = {0x4d, 0x4a, 0xd8, 0xff, 0xa0, 0x9d, 0x7f, 0x2e, 0x44, 0x49, 0xc4,
                                         0xdb, 0x57, 0x57, 0x15, 0x34, 0x34, 0x50, 0x96, 0x09, 0xfd, 0x2c,
                                         0xd9, 0x05, 0xfa, 0xad, 0x75, 0x90, 0xf5, 0xbe, 0x67, 0x79};
    uint8_t digest[32];

    small_open(1, ORDER_LEAF_RECORDS);
    draw_to("out", DIFFERENT, false, range_of(0, 3000), 1500);
    hash_file("out", digest);
    assert_memory_equal(digest, expected, 32);
    small_close();
}

/* 18446744073709551615 is the number that cannot stand in the set, 18446744073709551614 the one whose bits inverted are
 * 1, and 0 the one whose bits inverted are all ones. */
TEST(every_number_of_the_full_range_is_drawn_once)
{
    static const uint64_t numbers[] = {5, UINT64_MAX, UINT64_MAX,     5, 0, 0, 1, UINT64_MAX - 1, UINT64_MAX,
                                       0, 1,          UINT64_MAX - 1, 7};

    told = numbers;
    assert_draws(DIFFERENT, full, 6, "5\n18446744073709551615\n0\n1\n18446744073709551614\n7\n");
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
    assert_draws(DIFFERENT, full, NUMBERS, expected);
    told = NULL;
}

/* 262145 numbers take a set of 8 MiB. The memory that the message asks for is enough for it. */
TEST(a_sample_that_does_not_fit_says_how_much_memory_would_do)
{
    enum { NUMBERS = 262145, MEBIBYTES = 9 };
    char message[200];

    snprintf(message, sizeof message, "bigshuf: a sample of %d numbers needs more memory: use -S %dM or more\n",
             NUMBERS, MEBIBYTES);
    assert_fails(DIFFERENT, false, range_of(0, 1u << 28), NUMBERS, message);
    small_open(1, ORDER_LEAF_RECORDS);
    engine_close(&small.run.engine);
    engine_open(&small.run.engine, engine_memory((uint64_t)MEBIBYTES << 20, 1), &small.place);
    draw_to("out", DIFFERENT, false, range_of(0, 1u << 28), NUMBERS);
    small_close();
    small_open(1, ORDER_LEAF_RECORDS);
    draw_to("out", DIFFERENT, false, range_of(0, 1u << 28), NUMBERS - 1);
    small_close();
}

TEST(samples_beyond_all_memory_are_refused)
{
    for (int bits = 40; bits < 64; bits++) {
        uint64_t numbers = ((uint64_t)1 << bits) - 1;
        small_open(1, ORDER_LEAF_RECORDS);
        if (scratch_begin_end()) {
            draw_to("out", DIFFERENT, false, full, numbers);
            _exit(99);
        }
        assert_non_null(strstr(scratch_ended(), "numbers needs more memory: use -S "));
        small_close();
    }
}

/* ---- GNU's generator ---- */

static void put_noise(size_t bytes)
{
    FILE *file = fopen("noise", "wb");
    uint64_t random = bytes;

    for (size_t i = 0; i < bytes; i++)
        putc((int)(engine_random(&random) & 0xff), file);
    fclose(file);
}

static void assert_numbers(const char *name, const uint64_t *number, uint64_t first, size_t count)
{
    FILE *file = fopen(name, "r");

    assert_non_null(file);
    for (size_t i = 0; i < count; i++) {
        char line[32];
        char expected[32];
        unsigned long long expected_number = first + number[i];

        snprintf(expected, sizeof expected, "%llu\n", expected_number);
        assert_non_null(fgets(line, sizeof line, file));
        assert_string_equal(line, expected);
    }
    assert_int_equal(getc(file), EOF);
    fclose(file);
}

static const struct {
    uint64_t first, count; /* 0 stands for 2^64 */
} gnu_ranges[] = {{10, 1}, {1, 5000}, {500, 1u << 30}, {3, UINT64_MAX - 2}, {0, 0}};

TEST(different_numbers_by_gnu_are_those_of_its_generator)
{
    put_noise(100000);
    for (int i = 0; i < 5; i++) {
        uint64_t number[5000];
        size_t numbers = gnu_ranges[i].count == 1 ? 1 : 5000;
        struct number_range range = range_of(gnu_ranges[i].first, gnu_ranges[i].count);
        struct gnu_random *gnu = gnu_random_open("noise");

        gnu_random_sparse(gnu, gnu_ranges[i].count - 1, numbers, number);
        gnu_random_free(gnu);
        range.full = gnu_ranges[i].count == 0;
        small_open(1, ORDER_LEAF_RECORDS);
        draw_to("out", BY_GNU, true, range, numbers);
        assert_numbers("out", number, range.first, numbers);
        small_close();
    }
}

TEST(independent_draws_by_gnu_are_those_of_its_generator)
{
    put_noise(100000);
    for (int i = 0; i < 5; i++) {
        uint64_t number[5000];
        struct number_range range = range_of(gnu_ranges[i].first, gnu_ranges[i].count);
        struct gnu_random *gnu = gnu_random_open("noise");

        for (int k = 0; k < 5000; k++)
            number[k] = gnu_random_draw(gnu, gnu_ranges[i].count - 1);
        gnu_random_free(gnu);
        range.full = gnu_ranges[i].count == 0;
        small_open(1, ORDER_LEAF_RECORDS);
        draw_to("out", REPEATED, true, range, 5000);
        assert_numbers("out", number, range.first, 5000);
        small_close();
    }
}

TEST(random_bytes_that_run_out_are_reported)
{
    put_noise(100);
    assert_fails(BY_GNU, true, range_of(0, 1u << 30), 100, "bigshuf: 'noise': end of file\n");
    assert_fails(REPEATED, true, range_of(0, 1u << 30), 100, "bigshuf: 'noise': end of file\n");
}

TEST(a_sample_by_gnu_stays_within_the_memory)
{
    enum { MOST = ENGINE_MEMORY_MIN / 40, MEBIBYTES = 9 };
    char message[200];

    put_noise((size_t)1 << 20);
    snprintf(message, sizeof message, "bigshuf: a sample of %d numbers needs more memory: use -S %dM or more\n",
             MOST + 1, MEBIBYTES);
    assert_fails(BY_GNU, true, range_of(0, 1u << 30), MOST + 1, message);
    small_open(1, ORDER_LEAF_RECORDS);
    draw_to("out", BY_GNU, true, range_of(0, 1u << 30), MOST);
    small_close();
}

/* ---- All of them ---- */

TEST(an_output_that_is_full_fails_any_draw)
{
    if (access("/dev/full", W_OK) != 0)
        skip();
    put_noise((size_t)1 << 20);
    for (enum how how = REPEATED; how <= BY_GNU; how++)
        for (uint64_t numbers = 1; numbers <= 100000; numbers += 99999) {
            small_open(1, ORDER_LEAF_RECORDS);
            assert_ends(draw_to("/dev/full", how, how == BY_GNU, range_of(0, 1u << 30), numbers),
                        "bigshuf: /dev/full: No space left on device\n");
            small_close();
        }
}
