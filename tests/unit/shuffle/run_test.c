#include "support/unit.h"

#include "base/arithmetic.h"
#include "shuffle/run.h"
#include "system/sys.h"

UNIT_TEST(records_are_taken_out_of_what_is_left)
{
    struct run_progress progress = {.written = 0};
    struct run run = {.limit = 10, .progress = &progress};

    assert_int_equal(run_take(&run, 3), 3);
    assert_int_equal(run_left(&run), 7);
    assert_int_equal(run_take(&run, 0), 0);
    assert_int_equal(run_take(&run, 8), 7);
    assert_int_equal(run_left(&run), 0);
    assert_int_equal(run_take(&run, 1), 0);
    assert_int_equal(progress.written, 10);
    progress = (struct run_progress){.written = 0};
    run = (struct run){.limit = UINT64_MAX - 1, .progress = &progress};
    assert_true(run_take(&run, UINT64_MAX) == UINT64_MAX - 1);
    assert_int_equal(run_left(&run), 0);
}

UNIT_TEST(without_a_limit_nothing_is_taken_off)
{
    struct run_progress progress = {.written = 0};
    struct run run = {.limit = UINT64_MAX, .progress = &progress};

    assert_int_equal(run_take(&run, 5), 5);
    assert_true(run_left(&run) == UINT64_MAX);
    assert_int_equal(progress.written, 5);
    assert_true(run_take(&run, UINT64_MAX) == UINT64_MAX);
    assert_true(run_left(&run) == UINT64_MAX);
}

UNIT_TEST(what_is_skipped_is_not_taken)
{
    struct run_progress progress = {.skip = 5};
    struct run run = {.limit = 10, .progress = &progress};

    assert_int_equal(run_reach(&run), 15);
    assert_int_equal(run_skip(&run, 3), 3);
    assert_int_equal(run_skip(&run, 3), 2);
    assert_int_equal(run_skip(&run, 3), 0);
    assert_int_equal(run_take(&run, 1), 1);
    assert_int_equal(run_reach(&run), 9);
    progress.skip = 5;
    run = (struct run){.limit = UINT64_MAX, .progress = &progress};
    assert_true(run_reach(&run) == UINT64_MAX);
}

/* What pass 1 has dropped is not skipped once more. */
UNIT_TEST(a_part_begins_behind_what_was_dropped)
{
    struct run_progress progress = {.skip = 0};
    struct run run = {.limit = UINT64_MAX, .part = 2, .parts = 4, .progress = &progress};
    const struct output_plan plan = {.path = "/dev/null", .filters = 1};
    struct output *output = output_open(&plan);

    run_drop(&run, 20);
    run_begin(&run, output, 100);
    assert_int_equal(progress.skip, 5);
    assert_int_equal(run_left(&run), 25);
    assert_int_equal(run_reach(&run), 30);
    assert_true(run.limit == UINT64_MAX);
    output_free(output);
}

UNIT_TEST(parts_are_even_and_leave_nothing)
{
    static const uint64_t wholes[] = {0, 1, 10, 4294967296, UINT64_MAX};
    static const uint64_t numbers[] = {1, 3, 11, PART_MAX};

    for (size_t w = 0; w < 5; w++)
        for (size_t n = 0; n < 4; n++) {
            const uint64_t whole = wholes[w], parts = numbers[n];

            assert_true(part_end(whole, 0, parts) == 0 && part_end(whole, parts, parts) == whole);
            for (uint64_t part = 1; part <= parts; part += parts / 7 + 1) {
                const uint64_t records = part_end(whole, part, parts) - part_end(whole, part - 1, parts);

                assert_true(records == whole / parts || records == whole / parts + 1);
            }
        }
    assert_int_equal(part_end(10, 1, 4), 2);
    assert_int_equal(part_end(10, 2, 4), 5);
    assert_int_equal(part_end(10, 3, 4), 7);
}
