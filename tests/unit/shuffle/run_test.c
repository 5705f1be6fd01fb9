#include "shuffle/run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void records_are_taken_out_of_what_is_left(void **state)
{
    struct run run = {.limit = 10};

    (void)state;
    assert_int_equal(run_take(&run, 3), 3);
    assert_int_equal(run_left(&run), 7);
    assert_int_equal(run_take(&run, 0), 0);
    assert_int_equal(run_take(&run, 8), 7);
    assert_int_equal(run_left(&run), 0);
    assert_int_equal(run_take(&run, 1), 0);
    assert_int_equal(run.progress.written, 10);
    run = (struct run){.limit = UINT64_MAX - 1};
    assert_true(run_take(&run, UINT64_MAX) == UINT64_MAX - 1);
    assert_int_equal(run_left(&run), 0);
}

static void without_a_limit_nothing_is_taken_off(void **state)
{
    struct run run = {.limit = UINT64_MAX};

    (void)state;
    assert_int_equal(run_take(&run, 5), 5);
    assert_true(run_left(&run) == UINT64_MAX);
    assert_int_equal(run.progress.written, 5);
    assert_true(run_take(&run, UINT64_MAX) == UINT64_MAX);
    assert_true(run_left(&run) == UINT64_MAX);
}

static void the_clock_only_goes_forward(void **state)
{
    double before = run_seconds();

    (void)state;
    for (int i = 0; i < 1000; i++) {
        double now = run_seconds();

        assert_true(now >= before && now < before + 60);
        before = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_taken_out_of_what_is_left),
        cmocka_unit_test(without_a_limit_nothing_is_taken_off),
        cmocka_unit_test(the_clock_only_goes_forward),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
