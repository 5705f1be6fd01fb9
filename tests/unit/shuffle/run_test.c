#include "support/unit.h"

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

UNIT_TEST(the_clock_only_goes_forward)
{
    uint64_t before = sys_milliseconds();

    for (int i = 0; i < 1000; i++) {
        uint64_t now = sys_milliseconds();

        assert_true(now >= before && now < before + 60000);
        before = now;
    }
}
