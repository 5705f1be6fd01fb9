/* N:FILE, as it is written and what it comes to. */

#include <stdint.h>

#include "support/unit.h"

#include "output/split.h"

static struct split parsed(const char *text)
{
    struct split split;

    assert_int_equal(split_parse(text, &split), 0);
    return split;
}

UNIT_TEST(a_count_is_a_count_and_percentages_round_down)
{
    static const struct {
        const char *text;
        uint64_t of, records;
    } cases[] = {
        {"0:f", 10, 0},
        {"1000:f", 10, 1000},
        {"18446744073709551615:f", 0, UINT64_MAX},
        {"10%:f", 99, 9},
        {"99%:f", 1, 0},
        {"100%:f", 7, 7},
        {"0%:f", 1000, 0},
        {"12.5%:f", 807, 100},
        {"0.0001%:f", 2999999, 2},
        {"33.3333%:f", 1000000, 333333},
        {"100.0000%:f", UINT64_MAX, UINT64_MAX},
        {"50%:f", UINT64_MAX, UINT64_MAX / 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct split split = parsed(cases[i].text);

        assert_int_equal(split_records(&split, 0, cases[i].of), cases[i].records);
    }
    assert_string_equal(parsed("1:a:b").path, "a:b");
    assert_string_equal(parsed("5%:./train 1.txt").path, "./train 1.txt");
    assert_string_equal(parsed("1::").path, ":");
}

UNIT_TEST(percentages_that_make_the_whole_leave_nothing_and_totals_do_not_wrap_around)
{
    const struct split splits[] = {parsed("33.3333%:a"), parsed("33.3333%:b"), parsed("33.3334%:c"),
                                   parsed("0%:d"),       parsed("2:e"),        parsed("0.0001%:f")};
    const struct split large[] = {parsed("18446744073709551615:f"), parsed("1:g"), parsed("50%:h")};

    for (uint64_t n = 0; n < 100; n++) {
        assert_int_equal(split_records(splits, 0, n), n * 333333 / 1000000);
        assert_int_equal(split_records(splits, 1, n), n * 666666 / 1000000 - n * 333333 / 1000000);
        assert_int_equal(split_records(splits, 2, n), n - n * 666666 / 1000000);
        assert_int_equal(split_records(splits, 3, n), 0);
        assert_int_equal(split_total(splits, 4, n), n);
        assert_int_equal(split_total(splits, 5, n), n + 2);
    }
    assert_int_equal(split_total(splits, 3, UINT64_MAX), UINT64_MAX);
    assert_int_equal(split_total(splits, 2, 7), 4);
    assert_int_equal(split_percentages(splits, 5), SPLIT_WHOLE);
    assert_true(split_percentages(splits, 6) > SPLIT_WHOLE);
    assert_int_equal(split_total(large, 0, 10), 0);
    assert_int_equal(split_total(large, 1, 10), UINT64_MAX);
    assert_int_equal(split_total(large, 3, 10), UINT64_MAX);
    assert_int_equal(split_total(large + 1, 2, 11), 6);
}

UNIT_TEST(a_class_has_its_exact_share_and_less_than_one_more_or_less)
{
    const struct split splits[] = {parsed("33.3333%:a"), parsed("0.5%:b"), parsed("66.1667%:c")};
    const struct split counts[] = {parsed("2:a"), parsed("0:b"), parsed("18446744073709551615:c")};
    const uint64_t part[] = {333333, 338333, 1000000};

    uint64_t places[3];

    for (uint64_t n = 0; n < 3000; n += n < 20 ? 1 : 331)
        for (uint64_t u = 0; u < 1024; u += 31) { /* in parts of 1024 */
            assert_int_equal(split_class(splits, 3, n, u << 54, places), n);
            for (uint64_t i = 0, sum = 0; i < 3; i++) {
                sum += places[i];
                assert_int_equal(sum, (n * part[i] * 1024 + u * 1000000) / (1000000 * 1024));
            }
        }
    assert_int_equal(split_class(splits, 1, 1000000000000000003, 0, places), 333333000000000000);
    assert_int_equal(split_class(splits, 1, 1000000000000000003, UINT64_MAX, places), 333333000000000001);
    assert_int_equal(split_class(splits, 3, UINT64_MAX, UINT64_MAX, places), UINT64_MAX);
    assert_int_equal(split_class(counts, 3, 1, 0, places), 1);
    assert_true(places[0] == 1 && places[1] == 0 && places[2] == 0);
    assert_int_equal(split_class(counts, 3, 9, UINT64_MAX, places), 9);
    assert_true(places[0] == 2 && places[1] == 0 && places[2] == 7);
}

UNIT_TEST(hashes_are_laid_out_over_the_splits_in_order)
{
    const struct split splits[] = {parsed("10%:a"), parsed("0%:b"), parsed("0.0001%:c"), parsed("89.9999%:d")};
    const uint64_t tenth = 1844674407370955162u; /* the least number not below 2^64 / 10 */

    assert_int_equal(split_of_hash(splits, 4, 0), 0);
    assert_int_equal(split_of_hash(splits, 4, tenth - 1), 0);
    assert_int_equal(split_of_hash(splits, 4, tenth), 2);
    assert_int_equal(split_of_hash(splits, 4, tenth + 18446744073709u), 2);
    assert_int_equal(split_of_hash(splits, 4, tenth + 18446744073710u), 3);
    assert_int_equal(split_of_hash(splits, 4, UINT64_MAX), 3);
    assert_int_equal(split_of_hash(splits, 1, UINT64_MAX), 1);
}
