#include "support/unit.h"

#include "temporary/pace.h"

static struct pace pace;

static int setup(void **state)
{
    (void)state;
    pace_init(&pace);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pace_release(&pace);
    return 0;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* What is advised for data of which compressing leaves so much of 100 bytes. */
static enum pace_choice advised(size_t left)
{
    const struct frames_sample sample = {100, left, 200};

    pace_sampled(&pace, &sample);
    return pace_advice(&pace);
}

TEST(nothing_is_compressed_before_a_disk_is_known_to_be_slow)
{
    assert_int_equal(pace_advice(&pace), PACE_PLAIN);
    assert_int_equal(advised(10), PACE_PLAIN);
}

/* 2 w (1 - r) against 1.25 c, where c is 2 nanoseconds, or counts for 1. */
TEST(what_shrinks_little_must_save_more_than_it_costs)
{
    pace.write_cost = 6;
    assert_int_equal(advised(80), PACE_PLAIN);
    assert_int_equal(advised(79), PACE_PACKED);
    assert_int_equal(advised(100), PACE_PLAIN);
    pace_use_threads(&pace, 2);
    assert_int_equal(advised(89), PACE_PACKED);
    assert_int_equal(advised(90), PACE_PLAIN);
}

TEST(on_a_disk_that_is_too_small_whatever_shrinks_is_compressed)
{
    pace_press(&pace, 0);
    assert_int_equal(advised(99), PACE_PACKED);
    assert_int_equal(advised(100), PACE_PLAIN);
}

TEST(what_does_not_shrink_as_much_as_it_must_is_hopeless_at_once_but_not_later)
{
    pace_press(&pace, 0.5);
    assert_int_equal(advised(50), PACE_PACKED);
    assert_int_equal(advised(90), PACE_PACKED);
    pace_init(&pace);
    pace_press(&pace, 0.5);
    assert_int_equal(advised(51), PACE_HOPELESS);
}

TEST(samples_are_taken_at_first_and_of_every_32_mebibytes)
{
    assert_true(pace_come(&pace, 1000));
    assert_false(pace_come(&pace, (32 << 20) - 1001));
    assert_true(pace_come(&pace, 1));
    assert_false(pace_come(&pace, 31 << 20));
    assert_true(pace_come(&pace, 100 << 20));
}
