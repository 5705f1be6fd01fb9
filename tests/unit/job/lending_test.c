/* Whether an input is read, lent to be copied, or referred to. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setgroups, in scratch.h */
#endif

#include "support/scratch.h"

#include "job/lending.h"

static const uint64_t MIB = (uint64_t)1 << 20;
static const struct record_format lines = {.delimiter = '\n'};

/* A file of so many MiB of lines of so many bytes. */
static void put_lines(const char *name, unsigned mebibytes, size_t bytes)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    for (size_t done = 0; done < mebibytes * MIB; done += bytes)
        assert_true(fprintf(file, "%0*d\n", (int)bytes - 1, 1) > 0);
    assert_int_equal(fclose(file), 0);
}

/* What becomes of `count` files with so many MiB of memory; how many of them are left. */
static enum lending choose(const char *const *names, size_t count, enum lending_use use, unsigned mebibytes,
                           unsigned *left)
{
    const struct source_layout layout = {.format = lines};
    struct fault fault;
    struct source *source;
    enum lending lending;
    uint64_t bytes;

    fault_init(&fault);
    source = source_open(names, count, &layout, &fault);
    assert_non_null(source);
    lending = lending_choose(source, count, &lines, use, mebibytes * MIB, &bytes);
    assert_true((lending == LENDING_NONE) == (source_base(source) == NULL));
    assert_int_equal(source_delivered_bytes(source), 0);
    *left = (unsigned)(bytes / MIB);
    source_free(source);
    fault_release(&fault);
    return lending;
}

static void long_records_that_fit_are_referred_to(void **state)
{
    const char *const names[] = {"a", "a"};
    unsigned left;

    (void)state;
    put_lines("a", 4, 100);
    assert_int_equal(choose(names, 1, LENDING_ONCE, 64, &left), LENDING_REFERS);
    assert_in_range(left, 59, 60);
    assert_int_equal(choose(names, 2, LENDING_ONCE, 64, &left), LENDING_REFERS);
    assert_in_range(left, 55, 56);
    assert_int_equal(choose(names, 1, LENDING_SELDOM, 64, &left), LENDING_COPIES);
    assert_int_equal(left, 64);
}

static void short_records_are_copied(void **state)
{
    const char *const names[] = {"a"};
    unsigned left;

    (void)state;
    put_lines("a", 2, 10);
    assert_int_equal(choose(names, 1, LENDING_ONCE, 64, &left), LENDING_COPIES);
    assert_int_equal(left, 64);
    assert_int_equal(choose(names, 1, LENDING_IN_ORDER, 64, &left), LENDING_REFERS);
}

static void without_room_for_references_records_are_copied(void **state)
{
    const char *const names[] = {"a"};
    unsigned left;

    (void)state;
    put_lines("a", 4, 100);
    assert_int_equal(choose(names, 1, LENDING_ONCE, 12, &left), LENDING_COPIES);
    assert_int_equal(left, 12);
    assert_int_equal(choose(names, 1, LENDING_ONCE, 13, &left), LENDING_REFERS);
    assert_int_equal(choose(names, 1, LENDING_REPEATEDLY, 12, &left), LENDING_COPIES);
    assert_int_equal(choose(names, 1, LENDING_REPEATEDLY, 14, &left), LENDING_REFERS);
}

static void what_does_not_fit_is_read(void **state)
{
    const char *const names[] = {"a"};
    unsigned left;

    (void)state;
    put_lines("a", 10, 100);
    assert_int_equal(choose(names, 1, LENDING_ONCE, 9, &left), LENDING_NONE);
    assert_int_equal(left, 9);
}

static void small_files_are_read(void **state)
{
    const char *names[100];
    unsigned left;

    (void)state;
    put_lines("a", 1, 100);
    put_lines("empty", 0, 100);
    for (size_t i = 0; i < 100; i++)
        names[i] = i == 0 ? "a" : "empty";
    assert_int_equal(choose(names, 8, LENDING_ONCE, 64, &left), LENDING_REFERS);
    assert_int_equal(choose(names, 9, LENDING_ONCE, 64, &left), LENDING_NONE);
    assert_int_equal(choose(names, 100, LENDING_ONCE, 64, &left), LENDING_NONE);
}

static void what_is_no_regular_file_is_read(void **state)
{
    const char *const names[] = {"a", "/dev/null"};
    unsigned left;

    (void)state;
    put_lines("a", 2, 100);
    assert_int_equal(choose(names, 2, LENDING_ONCE, 64, &left), LENDING_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, scratch_setup, scratch_teardown)
        TEST(long_records_that_fit_are_referred_to),
        TEST(short_records_are_copied),
        TEST(without_room_for_references_records_are_copied),
        TEST(what_does_not_fit_is_read),
        TEST(small_files_are_read),
        TEST(what_is_no_regular_file_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
