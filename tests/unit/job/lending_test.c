/* Whether an input is read, lent to be copied, or referred to. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setgroups, in scratch.h */
#endif

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/scratch.h"

#include "input/archive.h"
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
    struct source *source;
    enum lending lending;
    uint64_t bytes;
    source = source_open(names, count, &layout);
    assert_non_null(source);
    lending = lending_choose(source, count, &lines, use, mebibytes * MIB, &bytes);
    assert_true((lending == LENDING_NONE) == (source_base(source) == NULL));
    assert_int_equal(source_delivered_bytes(source), 0);
    *left = (unsigned)(bytes / MIB);
    source_free(source);
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

/* What becomes of an archive of so many MiB with so many MiB of memory. */
static enum lending choose_archive(unsigned archive_mebibytes, enum lending_use use, unsigned mebibytes)
{
    static const char *const names[] = {"a.tar"};
    const struct source_layout layout = {.format = {.kind = &tar_kind}};
    const struct record_format format = {.kind = &tar_kind, .grouped = true};
    struct source *source;
    enum lending lending;
    uint64_t bytes;

    assert_true(scratch_put("a.tar", "", 0600));
    assert_int_equal(truncate("a.tar", (off_t)(archive_mebibytes * MIB)), 0);
    source = source_open(names, 1, &layout);
    assert_non_null(source);
    archive_begin(source);
    lending = lending_choose(source, 1, &format, use, mebibytes * MIB, &bytes);
    assert_true((lending == LENDING_REFERS) == (source_base(source) != NULL));
    assert_true((lending == LENDING_REFERS) == (source_margin(source) != NULL));
    assert_true(lending == LENDING_REFERS ? bytes < (mebibytes - archive_mebibytes) * MIB : bytes == mebibytes * MIB);
    source_free(source);
    return lending;
}

static void archives_are_referred_to_or_read(void **state)
{
    (void)state;
    assert_int_equal(choose_archive(4, LENDING_ONCE, 64), LENDING_REFERS);
    assert_int_equal(choose_archive(50, LENDING_ONCE, 64), LENDING_REFERS);
    assert_int_equal(choose_archive(55, LENDING_ONCE, 64), LENDING_NONE); /* ENGINE_MEMORY_MIN, and references */
    assert_int_equal(choose_archive(65, LENDING_ONCE, 64), LENDING_NONE);
    assert_int_equal(choose_archive(4, LENDING_SELDOM, 64), LENDING_NONE);
    assert_int_equal(choose_archive(4, LENDING_REPEATEDLY, 64), LENDING_NONE);
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

/* What becomes of `mebibytes` MiB of lines of so many bytes that come through a FIFO, with a pool of 8 MiB. What is
 * left of them is delivered from the first byte on. */
static enum lending hold(unsigned mebibytes, size_t bytes)
{
    const struct source_layout layout = {.format = lines};
    const char *const names[] = {"fifo"};
    const uint64_t all = (mebibytes * MIB + bytes - 1) / bytes * bytes;
    uint8_t data[1000];
    struct pool pool;
    struct source *source;
    enum lending lending;
    size_t got = 1;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    if (fork() == 0) {
        put_lines("fifo", mebibytes, bytes);
        _exit(0);
    }
    assert_int_equal(pool_open(&pool, 8 * MIB, 1024), 0);
    source = source_open(names, 1, &layout);
    assert_non_null(source);
    lending = lending_hold(source, &lines, &pool);
    assert_true((lending == LENDING_REFERS) == source_holds(source));
    assert_int_equal(source_delivered_bytes(source), 0);
    assert_true(lending != LENDING_REFERS || source_space(source) == all);
    while (got > 0) {
        const uint8_t *lent;

        got = source_base(source) != NULL ? source_lend(source, &lent, 1000) : source_read(source, data, sizeof data);
    }
    assert_int_equal(source_delivered_bytes(source), all);
    assert_int_equal(waitpid(-1, NULL, 0) > 0, 1);
    assert_int_equal(unlink("fifo"), 0);
    source_free(source);
    pool_close(&pool);
    return lending;
}

static void what_fits_of_a_pipe_is_held(void **state)
{
    (void)state;
    assert_int_equal(hold(1, 100), LENDING_REFERS);
    assert_int_equal(hold(5, 100), LENDING_REFERS);
    assert_int_equal(hold(5, 50), LENDING_REFERS);
}

static void what_does_not_fit_or_is_short_is_copied_from_its_beginning(void **state)
{
    (void)state;
    assert_int_equal(hold(0, 100), LENDING_COPIES);
    assert_int_equal(hold(1, 10), LENDING_COPIES);
    assert_int_equal(hold(8, 100), LENDING_COPIES);
    assert_int_equal(hold(20, 100), LENDING_COPIES);
    assert_int_equal(hold(1, 40), LENDING_COPIES);
    assert_int_equal(hold(7, 50), LENDING_COPIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, scratch_setup, scratch_teardown)
        TEST(long_records_that_fit_are_referred_to),
        TEST(archives_are_referred_to_or_read),
        TEST(short_records_are_copied),
        TEST(without_room_for_references_records_are_copied),
        TEST(what_does_not_fit_is_read),
        TEST(small_files_are_read),
        TEST(what_is_no_regular_file_is_read),
        TEST(what_fits_of_a_pipe_is_held),
        TEST(what_does_not_fit_or_is_short_is_copied_from_its_beginning),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
